package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestNarrow: on a terminal no line is wider than it, whatever a provider says and an author writes.
func TestNarrow(t *testing.T) {
	t.Parallel()
	long := failing(t)
	first := &long.Sides().Raw.Findings[0]
	first.Message = strings.Repeat(`Unknown name "const" `, 20)
	first.Answers[0].Before = rewrite.PartOf(schema.NewObject(schema.Member{Key: "const", Value: schema.NewString(strings.Repeat("x", 300))}))
	wide := failing(t)
	wide.Tool = strings.Repeat("語", 20) //nolint:gosmopolitan // a letter of two columns
	targets := make([]string, 12)
	results := []verdict.Result{long, wide}
	for i := range targets {
		targets[i] = strings.Repeat("name", 3) + string(rune('a'+i))
		other := refused(t)
		other.Target, other.Sides().Raw.Findings = targets[i], nil
		results = append(results, other)
	}
	for _, columns := range []int{80, 40} {
		text := checked(t, report.Check{Options: report.Options{AsGiven: true, Width: columns}, Places: 2}, results...)
		for line := range strings.Lines(text) {
			if got := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); got > columns {
				t.Errorf("a line of %d columns on a terminal of %d: %s", got, columns, line)
			}
		}
		if joined := strings.Join(strings.Fields(text), ""); !strings.Contains(joined, strings.Repeat("x", 300)) {
			t.Errorf("what to write is cut:\n%s", text)
		}
	}
}

// TestNarrowServers: the table of servers names the targets beside what they make of the tools, and keeps
// to the width.
func TestNarrowServers(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	targets := []string{"mcp", "openai", "openai-responses", "anthropic", "gemini-json", "gemini", "vertex"}
	sink := report.Check{Options: report.Options{Out: &out, AsGiven: true, Width: 70}, Targets: targets}.Sink()
	sink.BeginServers()
	before := make([]report.Counts, len(targets))
	after := slices.Repeat([]report.Counts{{Passed: 3}}, len(targets))
	after[5], after[6] = report.Counts{Failed: 2}, report.Counts{Failed: 2}
	servers := &report.Servers{}
	servers.Add(report.Server{Name: "everything", Clients: "claude-code", HasAnswered: true, Tools: 3, Took: time.Second, Before: before, After: after})
	if err := sink.EndServers(servers); err != nil {
		t.Fatal(err)
	}
	equal(t, out.String(), `server      client       tools  time  result
everything  claude-code  3      1.0s  Gemini, Vertex AI: 2 fail; the
                                      others: ok
1 server asked, 1 answered, 0 disabled

`)
}

// TestFolded: a place that several surfaces refuse in other words, for the same edit, is shown once, also
// where one of them reports it later.
func TestFolded(t *testing.T) {
	t.Parallel()
	other, behind, elsewhere := failing(t), failing(t), failing(t)
	other.Target, other.Sides().Raw.Findings[0].Rule, other.Sides().Raw.Findings[0].Message = "openai", "not_permitted", "not this"
	behind.Target, behind.Sides().Raw.Findings[0].Rule, behind.Sides().Raw.Findings[0].IsBehind = "anthropic", "later", true
	elsewhere.Target, elsewhere.Sides().Raw.Findings[0].Rule, elsewhere.Sides().Raw.Findings[0].IsBehind = "mcp", "later", true
	elsewhere.Sides().Raw.Findings[0].Line = 9
	text := checked(t, report.Check{Options: report.Options{AsGiven: true}, Places: 1}, failing(t), other, behind)
	const want = "  OpenAI and Gemini refuse it, then also Anthropic\n"
	if !strings.Contains(text, want) || strings.Count(text, "tools.json:4:7: f") != 1 {
		t.Errorf("no %q in\n%s", want, text)
	}
	if text = checked(t, report.Check{Options: report.Options{AsGiven: true}, Places: 1}, failing(t), elsewhere); !strings.Contains(text, "\nthen also refused, as providers answer in stages:\n  Unknown name \"const\": MCP refuses it\n") {
		t.Errorf("another place is folded, too:\n%s", text)
	}
}

// TestAppended: of a description only what is added is shown.
func TestAppended(t *testing.T) {
	t.Parallel()
	result := failing(t)
	result.Sides().Raw.Findings[0].Answers = []verdict.Change{{
		From:   "/parameters/properties/a",
		Before: rewrite.PartOf(node(t, `{"description": "A long text.", "examples": ["a"]}`)),
		After:  rewrite.PartOf(node(t, `{"description": "A long text. Such as a."}`)),
	}}
	text := checked(t, report.Check{Options: report.Options{AsGiven: true}, Places: 1}, result)
	if want := `      leave out "examples":["a"], and append " Such as a." to the description (means the same)` + "\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
