package report_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

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

// TestHTMLPolicy: a page runs its own script and style and nothing else, whatever the tools
// say.
func TestHTMLPolicy(t *testing.T) {
	t.Parallel()
	result := failing(t)
	result.Tool = `</script><script>alert(1)</script><img src=x onerror=alert(1)>`
	result.Sides().Raw.Findings[0].Message = `"><style>*{display:none}</style>`
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, result)
	allowed := strings.ReplaceAll(policy.FindStringSubmatch(text)[1], "&#39;", "'")
	allowed = strings.ReplaceAll(allowed, "&#43;", "+")
	parts := inPage.FindAllStringSubmatch(text, -1)
	if len(parts) != 2 {
		t.Fatalf("there are %d scripts and styles", len(parts))
	}
	for _, part := range parts {
		if want := part[1] + "-src " + style.Source(part[2]); !strings.Contains(allowed, want) {
			t.Errorf("the policy %q lacks %q", allowed, want)
		}
	}
	if !strings.HasPrefix(allowed, "default-src 'none'; ") || strings.Contains(text, "<img") {
		t.Errorf("the policy is %q", allowed)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a line begins with a colon, which is escaped in logs: %q", line)
		}
	}
}

// TestHTML: the page has the verdict, each tool with what each target makes of it, the
// findings with their places and what to write there.
func TestHTML(t *testing.T) {
	t.Parallel()
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, failing(t), refused(t))
	for _, want := range []string{
		`<td class="refused">refused 1</td>`, "unknown_name &#34;const&#34;", "tools.json:4:7: f", "<del>{ &#34;const&#34;", "<ins>{", `data-state="refused"`,
		`<a href="#t1">`, `id="t1"`,
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestManyTools: a page has each tool in its table, folded, and the details of the first.
func TestManyTools(t *testing.T) {
	t.Parallel()
	const tools = 1000
	var results []verdict.Result
	for i := range tools {
		result := failing(t)
		result.Tool, result.Line = "tool_"+strconv.Itoa(i), i+1
		results = append(results, result)
	}
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, results...)
	for want, count := range map[string]int{`<td class="refused">refused 1</td>`: tools, `class="chunk"`: 5, `class="chunk" open`: 1, `<details id="t`: 300, "700 further tools have findings": 1, "And 980 more places.": 1} {
		if got := strings.Count(text, want); got != count {
			t.Errorf("%q is there %d times, and not %d", want, got, count)
		}
	}
	if len(text) > 2<<20 {
		t.Errorf("the page has %d bytes", len(text))
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
	if count := strings.Count(text, `<td class="accepted">accepted</td><td class="other">advice 1</td>`); count != 2 {
		t.Errorf("%d rows have a verdict and advice\n%s", count, text)
	}
}

// TestUnreadableInHTML checks that a file that could not be read is no green cell of the page
// of advice.
func TestUnreadableInHTML(t *testing.T) {
	t.Parallel()
	text := written(t, report.HTMLFormat, report.Options{AsGiven: true}, verdict.Result{
		Source: "tools.json", Line: 2, Target: verdict.AdviceTarget, Status: verdict.Error, Error: "not JSON: the document ends too early", Kind: &verdict.Advice{},
	})
	if !strings.Contains(text, `<td class="other">error</td>`) || strings.Contains(text, `<td class="accepted">`) {
		t.Errorf("the page shows no error:\n%s", text)
	}
}
