package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// playground opens the playground. The test is skipped unless make playground made its files.
func (p place) playground(t *testing.T, fragment string) *tab {
	t.Helper()
	if _, err := os.Stat(filepath.Join(p.site, "playground", "index.html")); err != nil {
		t.Fatal("the site has no playground: make playground makes its files")
	}
	one := p.tab(t, p.origin)
	one.run(t, look("light", 1440), chromedp.Navigate(p.origin+"/playground/index.html"+fragment), chromedp.WaitVisible("#editor"))
	return one
}

// verdict waits until the surfaces show a verdict.
var verdict = chromedp.WaitVisible(`#detail`)

// within returns an expression about an element in a shadow tree.
func within(host, selector, what string) string {
	return fmt.Sprintf(`document.getElementById(%q).shadowRoot.querySelector(%q)%s`, host, selector, what)
}

// write inserts a text into the editor as pasting does.
func write(text string) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`{
	const data = new DataTransfer();
	data.setData("text/plain", %s);
	%s.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
}`, quoted(text), within("editor", ".cm-content", "")), nil)
}

const refusedTool = `{"name":"resize","description":"Resize","parameters":{"type":"object","properties":{
"kind":{"const":"image"},
"size":{"type":"integer","exclusiveMinimum":0}}}}`

// TestPlayground pastes a refused tool, reads the message at its line, normalizes it and copies
// the result.
func TestPlayground(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	one.run(t, browser.GrantPermissions([]browser.PermissionType{browser.PermissionTypeClipboardReadWrite, browser.PermissionTypeClipboardSanitizedWrite}).WithOrigin(p.origin))
	var status, words, title, advice, diff, changes, copied, clip string
	begun := time.Now()
	one.run(t, write(refusedTool), verdict)
	t.Logf("from the paste to the verdict, with the engine still to load: %v", time.Since(begun))
	one.run(t, chromedp.Click(`[data-name="gemini"]`),
		until(`Boolean(document.getElementById("compare").shadowRoot?.querySelector(".cm-changedLine"))`),
		chromedp.Text("#status", &status), chromedp.Text("#detail-title", &title), chromedp.Text("#findings", &advice),
		chromedp.Evaluate(within("editor", ".words", ".textContent"), &words),
		chromedp.Evaluate(within("compare", ".cm-mergeView", ".textContent"), &diff), chromedp.Text("#changes", &changes),
		chromedp.Click("#copy"), until(`document.getElementById("copied").textContent !== ""`), chromedp.Text("#copied", &copied),
		chromedp.Evaluate(`navigator.clipboard.readText()`, &clip, awaited))
	if !strings.HasPrefix(status, "Refused by ") || !strings.Contains(title, "gemini/parameters: refused") {
		t.Errorf("the status is %q, of %q", status, title)
	}
	if !strings.Contains(words, `Unknown name "const"`) {
		t.Errorf("the words are %q", words)
	}
	if !strings.Contains(advice, `"enum":["image"] for "const":"image"`) {
		t.Errorf("it does not say what to write: %q", advice)
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

// TestPlaygroundError pastes a provider's answer with the tools, and without them.
func TestPlaygroundError(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	const message = `{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.","status":"INVALID_ARGUMENT"}}`
	var alone, meant, words string
	one.run(t, write(message), chromedp.WaitVisible(`#status button`), chromedp.Text("#status", &alone),
		chromedp.Click(`#status button`), chromedp.WaitVisible("#meaning"), write(refusedTool),
		chromedp.WaitVisible("#meaning .findings button.line"), chromedp.Text("#meaning", &meant),
		chromedp.Evaluate(within("editor", ".words", ".textContent"), &words))
	if !strings.HasPrefix(alone, "This is an error message, in the words of gemini/parameters.") {
		t.Errorf("alone: %q", alone)
	}
	if !strings.Contains(meant, "line 2") || !strings.Contains(words, `Unknown name "const"`) {
		t.Errorf("it means %q, and the line has %q", meant, words)
	}
	picture(t, one, "playground-error")
	p.isAccessible(t, one)
}

// TestPlaygroundForeign pastes something else than tools, and checks that no command is named that a
// page cannot run.
func TestPlaygroundForeign(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	var status string
	one.run(t, write("import os\n\ndef f():\n    pass\n"), until(`document.getElementById("status").textContent.includes("not tools")`), chromedp.Text("#status", &status))
	if !strings.Contains(status, "Python source") || !strings.Contains(status, "paste") || strings.Contains(status, "verify") {
		t.Errorf("it says %q", status)
	}
}

// TestPlaygroundKeyboard checks that the tab key moves through the page and out of the editor,
// and that a surface can be chosen with keys.
func TestPlaygroundKeyboard(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	var editor, after, title string
	one.run(t, chromedp.WaitVisible("#example"), chromedp.Focus("#example"), chromedp.KeyEvent("\r"), verdict,
		chromedp.Focus("#clear"), chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.id`, &editor),
		chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.textContent`, &after),
		chromedp.Focus(`[data-name="anthropic-strict"]`), chromedp.KeyEvent("\r"), chromedp.Text("#detail-title", &title))
	if editor != "editor" || after != "I have an error message" || !strings.HasPrefix(title, "anthropic/tools-strict: ") {
		t.Errorf("it leads to %q, then to %q, and chooses %q", editor, after, title)
	}
}

// TestPlaygroundLink copies a link and opens it: the text is there again, and was not sent to a
// server.
func TestPlaygroundLink(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	var fragment, text string
	one.run(t, write(refusedTool), verdict, chromedp.Click("#link"), until(`location.hash.length > 1`), chromedp.Evaluate(`location.hash`, &fragment))
	begun := time.Now()
	again := p.playground(t, fragment)
	var kept string
	again.run(t, verdict, chromedp.Evaluate(within("editor", ".cm-content", ".innerText"), &text), chromedp.Evaluate(`location.hash`, &kept))
	t.Logf("a link of %d characters, and %v from the address to the verdict", len(fragment), time.Since(begun))
	if !strings.Contains(text, `"exclusiveMinimum":0`) || kept != fragment {
		t.Errorf("the editor has %q, at %s", text, kept)
	}
	var status string
	for _, wrong := range []string{"#1AAAA", "#0AAAA", "#1" + strings.Repeat("A", 1000)} {
		broken := p.playground(t, wrong)
		broken.run(t, until(`document.getElementById("status").textContent.startsWith("The link")`), chromedp.Text("#status", &status))
	}
}

// TestPlaygroundHostile pastes markup and characters that change the direction of text, and
// checks that they are shown as text.
func TestPlaygroundHostile(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	const bad = `</script><img src=x onerror=alert(1)><svg onload=alert(2)>\u202egnp`
	var count int
	var seen string
	one.run(t, write(`[{"name":"`+bad+`","description":"`+bad+`","parameters":{"type":"object","properties":{"`+bad+`":{"const":"`+bad+`"}}}}, {"name":"f","parameters":{}}]`), verdict,
		chromedp.Click(`[data-name="gemini"]`), until(`Boolean(document.getElementById("compare").shadowRoot?.querySelector(".cm-changedLine"))`),
		chromedp.Evaluate(`[document, document.getElementById("editor").shadowRoot, document.getElementById("compare").shadowRoot].reduce((sum, root) => sum + root.querySelectorAll("img:not(.brand img, .cm-widgetBuffer), svg, script:not([src])").length, 0)`, &count),
		chromedp.Text("#detail", &seen))
	if count != 0 || !strings.Contains(seen, "<img src=x") || strings.Contains(seen, "\u202e") {
		t.Errorf("%d elements; the page has %q", count, seen)
	}
}

// TestPlaygroundStops stops a long answer and checks that the page is not blocked and answers
// again.
func TestPlaygroundStops(t *testing.T) {
	p := open(t)
	one := p.playground(t, "")
	var status string
	one.run(t, chromedp.Evaluate(`{
	const one = (i) => ({name: "f" + i, parameters: {type: "object", properties: Object.fromEntries(Array.from({length: 40}, (_, j) => ["p" + j, {anyOf: [{const: j}, {type: "object", properties: {a: {type: ["string", "null"]}}}]}]))}});
	const text = JSON.stringify(Array.from({length: 400}, (_, i) => one(i)));
	const data = new DataTransfer();
	data.items.add(new File([text], "tools.json"));
	document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
}`, nil), chromedp.WaitVisible("#stop"), chromedp.Click("#stop"),
		until(`document.getElementById("status").textContent === "It was stopped."`),
		chromedp.Click("#example"), verdict, chromedp.Text("#status", &status))
	if !strings.HasPrefix(status, "Refused by ") {
		t.Errorf("it says %q", status)
	}
	picture(t, one, "playground-example")
}

// sampleVariable names a JSON Lines file of tools, and programVariable verify; the page has to
// agree with it on each tool.
const (
	sampleVariable  = "BROWSER_TOOLS"
	programVariable = "BROWSER_VERIFY"
)

// startEngine starts the engine in a worker, as the page does. answers is the function that
// asks it.
const startEngine = `new Promise((resolve, reject) => {
	const base = location.href.replace(/[^/]*$/, "");
	const worker = new Worker(URL.createObjectURL(new Blob(["importScripts(" + JSON.stringify(base + "worker.js") + ")"])));
	worker.onmessage = ({data}) => { if (data.ready) resolve(true); if (data.ended) reject(data.ended); };
	window.answers = (question) => new Promise((resolve) => { worker.onmessage = ({data}) => resolve(data.answer ?? data.ended); worker.postMessage({question}); });
	worker.postMessage({program: base + document.getElementById("playground").dataset.engine, support: base + "wasm_exec.js"});
})`

// TestPlaygroundAgrees compares the answers in the browser with those of the program, tool by
// tool.
func TestPlaygroundAgrees(t *testing.T) {
	p := open(t)
	program, name := os.Getenv(programVariable), os.Getenv(sampleVariable)
	if program == "" || name == "" {
		t.Skipf("make browser sets %s and %s", programVariable, sampleVariable)
	}
	sample, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "check", "--no-config", "--json", "--target", "all", "-")
	command.Stdin = bytes.NewReader(sample)
	out, err := command.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &failed) && failed.ExitCode() == 1) {
		t.Fatal(err)
	}
	want := map[float64][]any{} // by line
	for line := range bytes.Lines(out) {
		var one map[string]any
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		if number, ok := one["line"].(float64); ok {
			want[number] = append(want[number], any(one))
		}
	}
	one := p.playground(t, "")
	one.run(t, chromedp.Evaluate(startEngine, nil, awaited))
	number, lines := 0, 0
	var took time.Duration
	for tool := range bytes.Lines(sample) {
		number++
		question, err := json.Marshal(map[string]string{"do": "check", "tools": strings.Repeat("\n", number-1) + string(tool)})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		begun := time.Now()
		one.run(t, chromedp.Evaluate(fmt.Sprintf("answers(%s)", quoted(string(question))), &text, awaited))
		took += time.Since(begun)
		var answer struct{ Lines []any }
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%v: %.300s", err, text)
		}
		lines += len(answer.Lines)
		if !reflect.DeepEqual(answer.Lines, want[float64(number)]) {
			t.Errorf("tool %d: the page has\n%.2000v\nand verify\n%.2000v", number, answer.Lines, want[float64(number)])
		}
	}
	if number == 0 {
		t.Error("there is no tool")
	}
	t.Logf("%d tools, %d result lines, %v for each tool", number, lines, took/time.Duration(max(number, 1)))
}

// quoted returns a text as a JavaScript string.
func quoted(text string) string {
	literal, err := json.Marshal(text)
	if err != nil {
		panic(err) // every text has one
	}
	return string(literal)
}
