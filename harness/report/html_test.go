package report_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/internal/style"
)

// inPage are the parts of a page that its policy names by their text.
var (
	inPage = regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`)
	policy = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
)

// largestPage is the size of the largest page, in bytes.
const largestPage = 1 << 20

// hostile is text that acts where it is not escaped.
const hostile = `</code></pre></style><script>alert(1)</script><img src=x onerror=alert(1)>` + "\n::error::x\x1b[31m\u202e"

// TestHTMLPolicy: a page has its own style and nothing else, whatever names, words, files and schemas say.
func TestHTMLPolicy(t *testing.T) {
	t.Parallel()
	result := failing(t)
	result.Tool, result.Source = hostile, hostile+".json"
	sides := result.Sides()
	sides.Raw.Findings[0].Message = `"><style>*{display:none}</style>` + hostile
	sides.Given = node(t, `{"name": "f", "description": "</pre><script>alert(1)</script>", "parameters": {"const": "\u2028<img src=x>"}}`)
	unread := result
	unread.Kind, unread.Tool, unread.Status, unread.Error = verdict.Source{}, "", verdict.Error, hostile
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, result, unread)
	allowed := strings.ReplaceAll(policy.FindStringSubmatch(text)[1], "&#39;", "'")
	allowed = strings.ReplaceAll(allowed, "&#43;", "+")
	parts := inPage.FindAllStringSubmatch(text, -1)
	if len(parts) != 1 {
		t.Fatalf("there are %d scripts and styles", len(parts))
	}
	if want := "style-src " + style.Source(parts[0][2]); !strings.Contains(allowed, want) {
		t.Errorf("the policy %q lacks %q", allowed, want)
	}
	if !strings.HasPrefix(allowed, "default-src 'none'; ") || strings.Contains(allowed, "script") {
		t.Errorf("the policy is %q", allowed)
	}
	for _, acting := range []string{"<img", "<script", "src=\"", "http-equiv=\"refresh", "\x1b", "\u202e", "\u2028", "<a href=\"h"} {
		if strings.Contains(text, acting) {
			t.Errorf("the page has %q", acting)
		}
	}
	if !strings.Contains(text, "&lt;script&gt;alert(1)") {
		t.Error("the page does not show the schema")
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a line begins with a colon, which is escaped in logs: %q", line)
		}
	}
}

// TestHTML: the page has what was checked, with what and when, each tool with what each target makes of it,
// and the findings with their places and what to write there. The same run of the same time is the same page.
func TestHTML(t *testing.T) {
	t.Parallel()
	options := report.Options{AsGiven: true, Version: "v1.2.3", Now: time.Date(2026, 11, 23, 12, 34, 56, 0, time.UTC)}
	text := written(t, report.HTMLFormat, options, failing(t), refused(t))
	for _, want := range []string{
		`<h1>tools.json <span class="tag bad">does not conform</span></h1>`, "checked 23 November 2026, 12:34 UTC", "verify v1.2.3",
		`<td class="refused"><i>refused</i> 1</td>`, "unknown_name", `<b>f</b> <span class="muted">line 4:7 /parameters/properties/a/const</span>`,
		`<p class="write"><b>write &#34;enum&#34;:[&#34;b&#34;] for &#34;const&#34;:&#34;b&#34; (means the same)</b></p>`,
		`<a href="#t1">`, `id="t1"`, `<a href="#f1">`, `id="f1"`, `<del>-    "const": "b"`, `<ins>+    "enum": [`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"drop_meta", "const_to_enum", "exact", "spill"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q, which it does not explain", never)
		}
	}
	if again := written(t, report.HTMLFormat, options, failing(t), refused(t)); again != text {
		t.Error("the page of the same run differs")
	}
}

// TestVerdictInWords: a page begins with the sentences of the screen, the target that refuses most first.
func TestVerdictInWords(t *testing.T) {
	t.Parallel()
	var results []verdict.Result
	for i := range 3 {
		for at, target := range []string{"mcp", "openai", "vertex", "gemini"} {
			result := failing(t)
			result.Tool, result.Line, result.Target = "tool_"+strconv.Itoa(i), i+1, target
			if at <= i {
				result.Sides().Raw, result.Status = &verdict.Answer{Verdict: provider.Accepted}, verdict.Pass
			}
			results = append(results, result)
		}
	}
	for _, test := range []struct {
		results []verdict.Result
		want    []string
	}{
		{results, []string{"bad\">Gemini refuses 3 of 3 tools: 3 for &#34;const&#34; alone.", "warn\">Vertex AI refuses 2; OpenAI 1.", "good\">MCP takes them all."}},
		{results[:4], []string{"bad\">OpenAI, Vertex AI and Gemini refuse the tool, for &#34;const&#34; alone.", "good\">MCP takes it."}},
	} {
		text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, test.results...)
		if want := "<p class=\"verdict " + strings.Join(test.want, "</p>\n<p class=\"verdict "); !strings.Contains(text, want) {
			t.Errorf("the page lacks %s: %q", want, regexp.MustCompile(`class="verdict.*`).FindAllString(text, -1))
		}
	}
}

// TestManyTools: the table of a page folds the tools that every target accepts, and names the targets
// that accept every tool only once. Of too many tools it says how many it leaves out, and which command has them.
func TestManyTools(t *testing.T) {
	t.Parallel()
	const tools = 1500
	var results []verdict.Result
	for i := range tools {
		for _, target := range []string{"gemini", "vertex", "openai"} {
			result := failing(t)
			result.Tool, result.Line, result.Target = "tool_"+strconv.Itoa(i), i+1, target
			if target == "openai" || i%10 == 0 {
				result.Sides().Raw, result.Status = &verdict.Answer{Verdict: provider.Accepted}, verdict.Pass
			}
			results = append(results, result)
		}
	}
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, results...)
	for want, count := range map[string]int{
		`<td class="refused"><i>refused</i> 1</td>`: 1000, `<span>gemini, vertex</span>`: 1, `<details class="tool">`: 300, "1 target accepts every tool": 1, "150 tools are accepted by every target": 1,
		"And 350 further tools that some target does not accept: the same command with --format json lists them.": 1, "1050 further tools are not accepted everywhere": 1,
		"And 1340 more places": 1,
	} {
		if got := strings.Count(text, want); got != count {
			t.Errorf("%q is there %d times, and not %d", want, got, count)
		}
	}
	if len(text) > largestPage {
		t.Errorf("the page has %d bytes", len(text))
	}
}

// TestLargePage bounds a page of tools with long names, findings without end, and different tools for
// each target. What it leaves out it says.
func TestLargePage(t *testing.T) {
	t.Parallel()
	var results []verdict.Result
	for i := range 120 {
		for target := range 30 {
			result := failing(t)
			result.Tool, result.Line = strconv.Itoa(i)+strings.Repeat("tool<", 100), i+1
			result.Target = fmt.Sprintf("target-%d", target)
			first := result.Sides().Raw.Findings[0]
			result.Sides().Raw.Findings = nil
			for number := range (i + target) % 40 {
				more := first
				more.Rule, more.Message, more.Line = fmt.Sprintf("rule_%d_%d", i, number), strings.Repeat("words & words ", 150), number+1
				result.Sides().Raw.Findings = append(result.Sides().Raw.Findings, more)
			}
			result.Sides().Given = node(t, `{"name": "f", "description": "`+strings.Repeat("given <words> ", 200)+`"}`)
			result.Sides().Normalized.Tool = node(t, fmt.Sprintf(`{"name": "f", "description": "%d %s"}`, target, strings.Repeat("other <words> ", 200)))
			results = append(results, result)
		}
	}
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, results...)
	if len(text) > largestPage {
		t.Errorf("the page has %d bytes", len(text))
	}
	for _, want := range []string{"has no room for these findings, which the same command with --format json lists", "verify check --diff shows each tool", " more: the same command with --format json"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestEachTextOnce: a tool that several targets make is on the page once.
func TestEachTextOnce(t *testing.T) {
	t.Parallel()
	gemini, vertex := failing(t), failing(t)
	vertex.Target = "vertex"
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, gemini, vertex)
	for _, want := range []string{`+    "enum": [`, "as normalized for gemini, vertex:", "refused by gemini, vertex", `<p class="write">`} {
		if got := strings.Count(text, want); got != 1 {
			t.Errorf("%q is there %d times", want, got)
		}
	}
}

// TestAdviceInHTML: the advice on a tool stands in its row, although it comes behind the
// verdicts of all tools of a list.
func TestAdviceInHTML(t *testing.T) {
	t.Parallel()
	var results []verdict.Result
	for _, target := range []string{"gemini", verdict.AdviceTarget} {
		for _, tool := range []string{"a", "b"} {
			result := verdict.Result{Tool: tool, Source: "tools.json", Line: 1, Target: target, Status: verdict.Pass}
			if target == verdict.AdviceTarget {
				result.Kind = &verdict.Advice{Findings: []verdict.Finding{{Rule: "no_unit", Severity: "advice", Message: "x is a number without a unit"}}}
			} else {
				result.Kind = &verdict.Tool{Sides: verdict.Sides{Raw: &verdict.Answer{Verdict: provider.Accepted}}}
			}
			results = append(results, result)
		}
	}
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, results...)
	if count := strings.Count(text, `<td class="advice"><i>advice</i> 1</td>`); count != 2 || !strings.Contains(text, "1 target accepts every tool") {
		t.Errorf("%d rows have a verdict and advice\n%s", count, text)
	}
}

// TestUnreadableInHTML checks that nothing is green on a page about what could not be read, or about nothing.
func TestUnreadableInHTML(t *testing.T) {
	t.Parallel()
	unread := verdict.Result{Source: "tools.json", Line: 2, Target: verdict.AdviceTarget, Status: verdict.Error, Error: "not JSON: the document ends too early"}
	asAdvice, asSource, silent, read := unread, unread, unread, unread
	asAdvice.Kind, asSource.Kind, silent.Kind, read.Kind = &verdict.Advice{}, verdict.Source{}, verdict.Source{}, &verdict.Advice{}
	silent.Status, read.Status, read.Error, read.Tool = verdict.Inconclusive, verdict.Pass, "", "f"
	for name, test := range map[string]struct {
		results []verdict.Result
		want    string
	}{
		"advice on it":       {[]verdict.Result{asAdvice}, unread.Error},
		"the file":           {[]verdict.Result{asSource}, unread.Error},
		"a silent server":    {[]verdict.Result{silent}, unread.Error},
		"a file beside":      {[]verdict.Result{read, asSource}, unread.Error},
		"a server beside":    {[]verdict.Result{read, silent}, unread.Error},
		"an advised beside":  {[]verdict.Result{read, asAdvice}, unread.Error},
		"no tools, no files": {nil, "nothing was checked"},
	} {
		text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, test.results...)
		_, body, _ := strings.Cut(text, "<body>")
		if !strings.Contains(body, test.want) || strings.Contains(body, `tag good`) || strings.Contains(body, `verdict good`) || strings.Contains(body, `<td class="accepted">`) {
			t.Errorf("%s: the page is\n%s", name, body)
		}
	}
}
