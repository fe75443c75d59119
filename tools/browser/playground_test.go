package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// playground opens the page where tools are pasted; it is there where make playground made
// its files.
func (p place) playground(t *testing.T, fragment string) *tab {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.site, "playground", "index.html")); err != nil {
		t.Skip("the site has no playground: make playground makes its files")
	}
	one := p.tab(t, p.origin)
	one.run(t, look("light", 1440), chromedp.Navigate(p.origin+"/playground/index.html"+fragment), chromedp.WaitVisible("#editor"))
	return one
}

// verdict waits until the surfaces have a verdict.
var verdict = chromedp.WaitVisible(`#detail`)

// within returns an expression about an element in a shadow tree.
func within(host, selector, what string) string {
	return fmt.Sprintf(`document.getElementById(%q).shadowRoot.querySelector(%q)%s`, host, selector, what)
}

// write puts a text into the editor as a paste does.
func write(text string) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`{
	const data = new DataTransfer();
	data.setData("text/plain", %q);
	%s.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}`, text, within("editor", ".cm-content", "")), nil)
}

const refusedTool = `{"name":"resize","description":"Resize","parameters":{"type":"object","properties":{
"kind":{"const":"image"},
"size":{"type":"integer","exclusiveMinimum":0}}}}`

// TestPlayground pastes a refused tool, reads the words at its line, normalizes and copies.
func TestPlayground(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	one.run(t, browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardReadWrite, browser.PermissionTypeClipboardSanitizedWrite}).WithOrigin(p.origin))
	var status, words, title, diff, changes, copied, clip string
	begun := time.Now()
	one.run(t, write(refusedTool), verdict)
	t.Logf("from the paste to the verdict, with the engine still to load: %v", time.Since(begun))
	one.run(t, chromedp.Click(`[data-name="gemini"]`),
		chromedp.Poll(`Boolean(document.getElementById("compare").shadowRoot?.querySelector(".cm-changedLine"))`, nil),
		chromedp.Text("#status", &status), chromedp.Text("#detail-title", &title),
		chromedp.Evaluate(within("editor", ".words", ".textContent"), &words),
		chromedp.Evaluate(within("compare", ".cm-mergeView", ".textContent"), &diff), chromedp.Text("#changes", &changes),
		chromedp.Click("#copy"), chromedp.Poll(`document.getElementById("copied").textContent !== ""`, nil), chromedp.Text("#copied", &copied),
		chromedp.Evaluate(`navigator.clipboard.readText()`, &clip, awaited))
	if !strings.HasPrefix(status, "Refused by ") || !strings.Contains(title, "gemini/parameters: refused") {
		t.Errorf("the status is %q, of %q", status, title)
	}
	if !strings.Contains(words, `Unknown name "const"`) {
		t.Errorf("the words are %q", words)
	}
	if !strings.Contains(diff, `"enum"`) || !strings.Contains(changes, "const_to_enum") {
		t.Errorf("the diff is %q, and the changes are %q", diff, changes)
	}
	if copied != "Copied" || !strings.Contains(clip, `"enum"`) || strings.Contains(clip, `"const"`) {
		t.Errorf("%q: %s", copied, clip)
	}
	for _, way := range looks {
		one.run(t, look(way.scheme, way.width), chromedp.Click(`[data-name="gemini"]`), chromedp.Sleep(time.Second))
		isNarrow(t, one)
		one.run(t, chromedp.Evaluate(`scrollTo(0, 0)`, nil))
		picture(t, one, "playground-verdict-"+way.name)
		one.run(t, chromedp.Evaluate(`document.getElementById("detail").scrollIntoView()`, nil))
		picture(t, one, "playground-detail-"+way.name)
		one.run(t, chromedp.Evaluate(`document.getElementById("normalized").scrollIntoView()`, nil))
		picture(t, one, "playground-normalized-"+way.name)
		p.isAccessible(t, one)
	}
}
