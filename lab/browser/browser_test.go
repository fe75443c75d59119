package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Environment variables set by make browser: the folder of the site with the reports in it, and
// the URL of the emulator. SCREENSHOTS is a folder for screenshots; without it none are taken.
const (
	siteVariable     = "BROWSER_SITE"
	emulatorVariable = "BROWSER_EMULATOR"
	chromiumVariable = "CHROMIUM"
	pictures         = "SCREENSHOTS"
)

// patience is how long all tests of one page may take.
const patience = 5 * time.Minute

// pages are one of each kind, relative to the root of the site.
var pages = []string{
	"index.html", "surfaces.html", "surfaces/gemini-parameters.html", "surfaces/ollama-chat.html", "limits.html", "timeline.html", "rules.html", "errors.html",
	"keywords.html", "keywords/const.html", "keywords/$ref.html", "keywords/oneOf-at-the-root.html", "rules/gemini.html", "rewrites/const_to_enum.html", "docs.html", "docs/install.html", "docs/commands.html",
	"errors/invalid-json-payload-received-unknown-name-at-cannot-find.html", "errors/extra-inputs-are-not-permitted.html", "tools.html", "peers.html", "history.html", "history/sdk/ai-sdk-google.html", "history/agent/github-copilot.html",
	"report.html", "fixtures.html", "flips.html",
}

// optional are pages that exist only if their files were made.
var optional = []string{"playground/index.html"}

// looks are the ways in which people see a page.
var looks = []struct {
	name   string
	scheme string
	width  int64
}{
	{"light-1440", "light", 1440}, {"dark-1440", "dark", 1440}, {"light-360", "light", 360}, {"dark-360", "dark", 360},
}

// place holds the browser and the site.
type place struct {
	site     string
	origin   string
	emulator string
	axe      string
	browser  context.Context
}

// open starts the browser and serves the site.
func open(t *testing.T) place {
	t.Helper()
	folder := os.Getenv(siteVariable)
	if folder == "" {
		t.Skipf("make browser makes the pages, and sets %s", siteVariable)
	}
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: npm ci installs it", err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	return place{folder, server.URL, os.Getenv(emulatorVariable), string(axe), start(t)}
}

// start starts the browser, which ends with the test.
func start(t *testing.T) context.Context {
	t.Helper()
	program := os.Getenv(chromiumVariable)
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); program == "" && err == nil {
			program = found
		}
	}
	if program == "" {
		t.Fatalf("no Chromium is installed: install one, or name it in %s", chromiumVariable)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("force-color-profile", "srgb"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox does not work for root
	}
	allocated, endAll := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(endAll)
	browser, end := chromedp.NewContext(allocated)
	t.Cleanup(end)
	if err := chromedp.Run(browser); err != nil {
		t.Fatalf("starting the browser: %v", err)
	}
	return browser
}

// tab is a page in the browser, with its errors.
type tab struct {
	context.Context

	lock     sync.Mutex
	problems []string
}

func (t *tab) say(format string, arguments ...any) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.problems = append(t.problems, fmt.Sprintf(format, arguments...))
}

// tab opens a page in a tab of its own. Anything that it writes to the console, fails to load
// or requests from another server is an error.
func (p place) tab(t *testing.T, origin string) *tab {
	t.Helper()
	limited, endLimit := context.WithTimeout(p.browser, patience)
	t.Cleanup(endLimit)
	opened, end := chromedp.NewContext(limited)
	t.Cleanup(end)
	one := &tab{Context: opened}
	chromedp.ListenTarget(opened, func(event any) {
		switch event := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if event.Type == runtime.APITypeError || event.Type == runtime.APITypeWarning {
				for _, argument := range event.Args {
					one.say("console: %s %s", argument.Value, argument.Description)
				}
			}
		case *runtime.EventExceptionThrown:
			one.say("exception: %v", event.ExceptionDetails)
		case *log.EventEntryAdded:
			if event.Entry.Level == log.LevelError || event.Entry.Level == log.LevelWarning {
				one.say("log: %s %s", event.Entry.Text, event.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			if url := event.Request.URL; !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "blob:"+origin) {
				one.say("a request to elsewhere: %s", url)
			}
		case *network.EventResponseReceived:
			if event.Response.Status >= http.StatusBadRequest {
				one.say("%d: %s", event.Response.Status, event.Response.URL)
			}
		}
	})
	if err := chromedp.Run(opened, network.Enable(), log.Enable(), runtime.Enable()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		one.lock.Lock()
		defer one.lock.Unlock()
		for _, problem := range one.problems {
			t.Error(problem)
		}
	})
	return one
}

// run runs actions in a tab.
func (t *tab) run(test *testing.T, actions ...chromedp.Action) {
	test.Helper()
	if err := chromedp.Run(t, actions...); err != nil {
		test.Fatal(err)
	}
}

// until waits for an expression to be true, as long as the test of the page may take.
func until(expression string) chromedp.Action {
	return chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(patience))
}

// look sets the width and the colours of a tab.
func look(scheme string, width int64) chromedp.Action {
	const height = 900
	return chromedp.Tasks{
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
	}
}

// violation is a finding of axe.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// runAxe is an expression for the rules of axe that a page violates. The debugger loads axe
// into the page, which the policy of the page does not prevent.
const runAxe = `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(result => JSON.stringify(result.violations))`

// isAccessible checks the rules of axe on a page.
func (p place) isAccessible(t *testing.T, one *tab) {
	t.Helper()
	var text string
	one.run(t, chromedp.Evaluate(p.axe+"; true", nil), chromedp.Evaluate(runAxe, &text, awaited))
	var broken []violation
	if err := json.Unmarshal([]byte(text), &broken); err != nil {
		t.Fatal(err)
	}
	for _, one := range broken {
		if one.Impact == "serious" || one.Impact == "critical" {
			t.Errorf("axe: %s (%s): %s, %d times, first\n%s\n%s", one.ID, one.Impact, one.Help, len(one.Nodes), one.Nodes[0].HTML, one.Nodes[0].FailureSummary)
		} else {
			t.Logf("axe: %s (%s): %s, %d times, first %s", one.ID, one.Impact, one.Help, len(one.Nodes), one.Nodes[0].HTML)
		}
	}
}

// awaited makes an evaluation await a promise.
func awaited(parameters *runtime.EvaluateParams) *runtime.EvaluateParams {
	return parameters.WithAwaitPromise(true)
}

// picture takes a screenshot of the visible part, if screenshots are wanted.
func picture(t *testing.T, one *tab, name string) {
	t.Helper()
	folder := os.Getenv(pictures)
	if folder == "" {
		return
	}
	var image []byte
	one.run(t, chromedp.ActionFunc(func(ctx context.Context) error {
		var err error
		image, err = page.CaptureScreenshot().Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(folder, strings.NewReplacer("/", "_", ".html", "").Replace(name)+".png"), image, 0o600); err != nil {
		t.Fatal(err)
	}
}

// isNarrow checks that a page is no wider than the window; wide content must scroll in a box of
// its own.
func isNarrow(t *testing.T, one *tab) {
	t.Helper()
	var widths []int64
	one.run(t, chromedp.Evaluate(`[document.documentElement.scrollWidth, document.documentElement.clientWidth]`, &widths))
	if widths[0] <= widths[1] {
		return
	}
	var widest string
	one.run(t, chromedp.Evaluate(`[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth && !e.closest(".box, pre, .both")).map((e) => e.outerHTML.slice(0, 200)).slice(0, 3).join("\n")`, &widest))
	t.Errorf("the page is %d wide, and the window %d: %s", widths[0], widths[1], widest)
}

// TestPages checks each kind of page, light and dark, wide and narrow.
func TestPages(t *testing.T) {
	p := open(t)
	kinds := pages
	for _, name := range optional {
		if _, err := os.Stat(filepath.Join(p.site, filepath.FromSlash(name))); err == nil {
			kinds = append(kinds, name)
		}
	}
	for _, name := range kinds {
		t.Run(name, func(t *testing.T) { p.looksWell(t, p.origin, "/"+name, name) })
	}
	if p.emulator != "" {
		t.Run("emulator", func(t *testing.T) { p.looksWell(t, p.emulator, "/", "emulator") })
	}
}

// looksWell checks one page in every look.
func (p place) looksWell(t *testing.T, origin, path, name string) {
	t.Helper()
	one := p.tab(t, origin)
	for _, way := range looks {
		one.run(t, look(way.scheme, way.width), chromedp.Navigate(origin+path), chromedp.WaitReady("main"))
		isNarrow(t, one)
		picture(t, one, name+"-"+way.name)
		p.isAccessible(t, one)
	}
}

// TestSearch pastes an error as people copy it and follows the first result.
func TestSearch(t *testing.T) {
	p := open(t)
	for _, test := range []struct{ name, pasted, want string }{
		{
			"the body of the answer",
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[3].parameters.properties[1].value': Cannot find field.","status":"INVALID_ARGUMENT"}}`,
			`Invalid JSON payload received. Unknown name "…" at '…': Cannot find field.`,
		},
		{
			"what a client printed",
			`openai.BadRequestError: Error code: 400 - Invalid schema for function 'my_tool': In context=('properties', 'size'), 'minLength' is not permitted.`,
			"is not permitted.",
		},
		{"a part of the words", "array schema missing items", "array schema missing items."},
		{"words that another message has in part", "f: tool parameter root must be an object type", "tool parameter root must be an object type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			one := p.tab(t, p.origin)
			var first, title, status string
			one.run(t, look("light", 1440), chromedp.Navigate(p.origin+"/errors.html"), chromedp.WaitVisible("#query"),
				chromedp.SendKeys("#query", test.pasted), chromedp.WaitVisible("#results li a"), chromedp.Sleep(100*time.Millisecond),
				chromedp.Text("#results li a", &first), chromedp.Text("#status", &status))
			if !strings.Contains(first, test.want) {
				t.Errorf("the first answer is %q (%s)", first, status)
			}
			picture(t, one, "search")
			p.isAccessible(t, one)
			one.run(t, chromedp.Click("#results li a"), chromedp.WaitVisible("h1.said"), chromedp.Text("h1.said", &title))
			if title != first {
				t.Errorf("the page is about %q", title)
			}
		})
	}
	for _, words := range []string{
		"zzqx qqxz", "Rate limit exceeded", "Overloaded", "API key not valid. Please pass a valid API key.", "max_tokens must be positive",
		"You exceeded your current quota, please check your plan and billing details.", "prompt is too long: 210000 tokens > 200000 maximum",
	} {
		t.Run(words, func(t *testing.T) {
			one := p.tab(t, p.origin)
			var status string
			one.run(t, chromedp.Navigate(p.origin+"/errors.html"), chromedp.WaitVisible("#query"), chromedp.SendKeys("#query", words), until(`document.getElementById("status").textContent !== ""`), chromedp.Text("#status", &status))
			if !strings.HasPrefix(status, "No known message is like it.") {
				t.Errorf("it says %q", status)
			}
		})
	}
	t.Run("a keyword", func(t *testing.T) {
		for _, keyword := range []string{"const", "$schema", "$ref", "exclusiveMinimum"} {
			one := p.tab(t, p.origin)
			message := `Unknown name "` + keyword + `" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`
			var shown bool
			one.run(t, look("light", 1440), chromedp.Navigate(p.origin+"/errors.html"), chromedp.WaitVisible("#query"), chromedp.SendKeys("#query", message), chromedp.WaitVisible("#results li a"), chromedp.Sleep(100*time.Millisecond),
				chromedp.Click("#results li a"), chromedp.WaitVisible("h1.said"),
				chromedp.Evaluate(`document.querySelector(":target")?.id === `+quoted(keyword)+` && document.querySelector(":target").checkVisibility()`, &shown))
			if !shown {
				t.Errorf("the message about %s does not lead to it", keyword)
			}
		}
	})
	t.Run("every message", func(t *testing.T) {
		one := p.tab(t, p.origin)
		var found struct {
			All, First int
			Missed     []string
		}
		one.run(t, chromedp.Navigate(p.origin+"/errors.html"), chromedp.WaitVisible("#query"), chromedp.Evaluate(findEvery, &found, awaited))
		const least = 94 // in percent: some messages have a twin with the same words
		if found.All < 900 || found.First*100 < least*found.All {
			t.Errorf("%d of %d messages find themselves; others are\n%s", found.First, found.All, strings.Join(found.Missed, "\n"))
		}
	})
}

// findEvery is an expression that searches for each message that the index has, and counts those that
// are found first.
const findEvery = `(async () => {
	const { prepare, message } = await import("./errors.js");
	const index = await (await fetch("errors.json")).json();
	const find = prepare(index);
	const tried = index.flatMap((one) => one.words.map((words) => [one, words]));
	const missed = tried.filter(([one, words]) => find(message(words))[0]?.one !== one);
	return {all: tried.length, first: tried.length - missed.length, missed: missed.map(([, words]) => words)};
})()`

// shown is what a report shows.
type shown struct {
	Rows, Taken, Unread             int
	Scripts, Findings, Hidden, Bold int
}

// countShown is an expression for what a report shows: the rows of its table, the tools that it folds, those that
// could not be read, and the findings, of which none is hidden.
const countShown = `(() => {
	const taken = [...document.querySelectorAll("summary")].map((summary) => /^(\d+) tools? (?:is|are) accepted by every target$/.exec(summary.textContent)).find((found) => found);
	const findings = [...document.querySelectorAll(".finding")];
	return {
		Rows: [...document.querySelectorAll(".tools tbody tr")].filter((row) => row.querySelector("td") !== null).length, Taken: Number(taken?.[1] ?? 0),
		Unread: document.querySelectorAll(".failed li").length, Scripts: document.scripts.length, Findings: findings.length, Hidden: findings.filter((finding) => !finding.checkVisibility()).length,
		Bold: document.querySelectorAll(".write b, .sides b").length,
	};
})()`

// unfolded is an expression for whether the target of the link that was followed is visible.
const unfolded = `location.hash !== "" && document.querySelector(location.hash).checkVisibility()`

// TestReport reads a report of 300 tools, which needs no script: its table has or names each tool, its findings
// are open, and a tool's link unfolds the tool, with the mouse and with keys, also on a phone.
func TestReport(t *testing.T) {
	p := open(t)
	for _, width := range []int64{1440, 390} {
		one := p.tab(t, p.origin)
		var all shown
		one.run(t, look("light", width), chromedp.Navigate(p.origin+"/report.html"), chromedp.WaitVisible(".tools", chromedp.ByQuery), chromedp.Evaluate(countShown, &all))
		if all.Rows+all.Taken+all.Unread != 300 || all.Rows == 0 || all.Scripts != 0 || all.Findings == 0 || all.Hidden != 0 || all.Bold == 0 {
			t.Errorf("%d wide: %+v", width, all)
		}
		var isOpen bool
		one.run(t, chromedp.Click(`.tools tbody th a`, chromedp.ByQuery), chromedp.Poll(unfolded, &isOpen))
		picture(t, one, fmt.Sprintf("report-tool-%d", width))
		p.isAccessible(t, one)
		one.run(t, chromedp.Navigate(p.origin+"/report.html?keys"), chromedp.Focus(`.tools tbody tr:nth-child(3) th a`, chromedp.ByQuery), chromedp.KeyEvent("\r"), chromedp.Poll(unfolded, &isOpen))
		isNarrow(t, one)
	}
}

// TestFirstScreen checks that the answer of a page is on its first screen, also on a phone, and that what it folds unfolds
// for a link that leads there.
func TestFirstScreen(t *testing.T) {
	p := open(t)
	for _, test := range []struct{ path, answer string }{
		{"keywords/oneOf.html", ".who li:first-child a"},
		{"keywords/const.html", ".who li:first-child a"},
		{"surfaces/gemini-parameters.html", ".who li:first-child a"},
		{"limits.html", "tbody tr:first-child td b"},
		{"history.html", "tbody tr:first-child th a"},
		{"history/agent/github-copilot.html", "#changes ~ section h3"},
	} {
		for _, screen := range []struct{ width, height int64 }{{1280, 900}, {390, 844}} {
			one := p.tab(t, p.origin)
			var bottom float64
			one.run(t, look("light", screen.width), chromedp.Navigate(p.origin+"/"+test.path), chromedp.WaitReady("main"),
				chromedp.Evaluate(`document.querySelector(`+quoted(test.answer)+`)?.getBoundingClientRect().bottom ?? Infinity`, &bottom))
			if bottom > float64(screen.height) {
				t.Errorf("%s, %d wide: the answer ends %.0f from the top", test.path, screen.width, bottom)
			}
		}
	}
	one := p.tab(t, p.origin)
	var isOpen bool
	one.run(t, look("light", 390), chromedp.Navigate(p.origin+"/limits.html"), chromedp.Click("tbody tr:first-child th a", chromedp.ByQuery), chromedp.Poll(unfolded, &isOpen))
	p.isAccessible(t, one)
	isNarrow(t, one)
}

// TestFeeds follows the feeds that the history of a program offers, and reads both.
func TestFeeds(t *testing.T) {
	p := open(t)
	one := p.tab(t, p.origin)
	var read struct{ Sections, Entries, Items, Missing int }
	one.run(t, look("light", 1280), chromedp.Navigate(p.origin+"/history/agent/github-copilot.html"), chromedp.WaitReady("main"), chromedp.Evaluate(readFeeds, &read, awaited))
	if read.Sections < 2 || read.Entries != read.Sections || read.Items != read.Sections || read.Missing != 0 {
		t.Errorf("the page and its feeds have %+v", read)
	}
}

// readFeeds is an expression for the versions on a page and in its feeds, and for the links of the feed that lead to no
// version.
const readFeeds = `(async () => {
	const feed = async (type) => (await fetch([...document.querySelectorAll("link[rel=alternate][type='" + type + "']")].at(-1).href)).text();
	const atom = new DOMParser().parseFromString(await feed("application/atom+xml"), "application/xml");
	const links = [...atom.querySelectorAll("entry > link")].map((link) => link.getAttribute("href"));
	return {
		Sections: document.querySelectorAll("section.rule").length, Entries: links.length, Items: JSON.parse(await feed("application/feed+json")).items.length,
		Missing: links.filter((link) => !document.getElementById(link.split("#")[1])).length,
	};
})()`

// TestKeyboard checks that the first key press offers to skip the navigation, and that the
// colours can be chosen with keys.
func TestKeyboard(t *testing.T) {
	p := open(t)
	one := p.tab(t, p.origin)
	var first, theme, scheme string
	one.run(t, look("light", 1440), chromedp.Navigate(p.origin+"/index.html"), chromedp.WaitVisible("#theme"),
		chromedp.KeyEvent("\t"), chromedp.Evaluate(`document.activeElement.textContent`, &first),
		chromedp.Focus("#theme"), chromedp.KeyEvent("\r"), chromedp.KeyEvent("\r"), chromedp.Text("#theme", &theme),
		chromedp.Navigate(p.origin+"/rules.html"), chromedp.WaitVisible("#theme"), chromedp.Evaluate(`getComputedStyle(document.documentElement).colorScheme`, &scheme))
	if first != "Skip to the content" || theme != "Dark" || scheme != "dark" {
		t.Errorf("the first is %q, then %q and %q", first, theme, scheme)
	}
	one.run(t, chromedp.Evaluate(`localStorage.clear()`, nil))
}
