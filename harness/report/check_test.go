package report_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// checked returns the text of a check of results.
func checked(t *testing.T, check report.Check, results ...verdict.Result) string {
	t.Helper()
	var out strings.Builder
	check.Out = &out
	check.Next = func(report.Outlook) (string, string) { return "verify check", "--verbose" }
	sink, summary := check.Sink(), report.NewSummary()
	summary.Tools = 1
	for _, result := range results {
		summary.Add(result)
		if err := sink.Result(result); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Summary(summary); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestCheckTexts: the three texts of a check show what fails, each in its way, and a source that
// could not be read is left to who runs.
func TestCheckTexts(t *testing.T) {
	t.Parallel()
	other := failing(t)
	other.Target = "openai"
	unreadable := verdict.Result{Source: "a.json", Target: "gemini", Status: verdict.Error, Error: "not JSON", Kind: verdict.Source{}}
	options, verbose := report.Options{AsGiven: true}, report.Options{AsGiven: true, Verbose: true}
	two := []string{"gemini", "openai"}
	for name, test := range map[string]struct {
		check report.Check
		wants []string
		not   string
	}{
		"by rule":  {report.Check{Options: options, Targets: two, Places: 1}, []string{"Unknown name \"const\"\n  Gemini and OpenAI refuse it\n", "\nnext: verify check\n"}, "tools.json:2: f"},
		"overview": {report.Check{Options: verbose, Targets: two}, []string{"tools.json:2: f\n    gemini, openai: REFUSED as given\n", "tools.json:2: f for gemini: FAIL"}, "1 place"},
		"each":     {report.Check{Options: verbose, Targets: two[:1]}, []string{"tools.json:2: f for gemini: FAIL", "tools.json:2: f for openai: FAIL"}, "REFUSED"},
		"diff":     {report.Check{Options: options, Targets: two, Diff: true}, []string{"tools.json:2: f for gemini: FAIL", `-    "const": "b"`}, "REFUSED"},
	} {
		got := checked(t, test.check, unreadable, failing(t), other)
		for _, want := range append(test.wants, "Gemini and OpenAI refuse the tool, for \"const\" alone.\n") {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, test.not) || strings.Contains(got, "not JSON") {
			t.Errorf("%s shows\n%s", name, got)
		}
	}
}

// TestServers: the table of servers comes before their findings, and says what each target makes of
// the tools on the side that had to be accepted.
func TestServers(t *testing.T) {
	t.Parallel()
	before := report.Counts{RawIgnored: 1, Passed: 1}
	ignored := report.Counts{RawIgnored: 3, Passed: 4}
	failed, broken, unlearnt := ignored, ignored, ignored
	failed.Failed, broken.Errors, unlearnt.Inconclusive = 2, 1, 1
	for _, test := range []struct {
		after      report.Counts
		asGiven    bool
		cell, name string
	}{
		{ignored, true, "ok, 2 ignored in part", "as given"},
		{ignored, false, "ok", "normalized"},
		{failed, true, "2 fail", "a failure"},
		{broken, true, "1 error", "an error"},
		{unlearnt, true, "?", "nothing learnt"},
		{before, true, "-", "nothing counted"},
	} {
		var out strings.Builder
		check := report.Check{Options: report.Options{Out: &out, AsGiven: test.asGiven, Verbose: true}, Targets: []string{"gemini"}}
		sink := check.Sink()
		sink.BeginServers()
		if err := sink.Result(failing(t)); err != nil {
			t.Fatal(err)
		}
		servers := &report.Servers{}
		servers.Add(report.Server{Name: "npx", Clients: "Cursor", HasAnswered: true, Tools: 12, Took: 1500 * time.Millisecond, Before: []report.Counts{before}, After: []report.Counts{test.after}})
		servers.Add(report.Server{Name: "off", IsDisabled: true})
		if err := sink.EndServers(servers); err != nil {
			t.Fatal(err)
		}
		table, findings, _ := strings.Cut(out.String(), "\n\n")
		lines := strings.Split(table, "\n")
		if got := strings.Join(strings.Fields(lines[1]), " "); got != "npx Cursor 12 1.5s "+test.cell {
			t.Errorf("%s: the server is %q", test.name, got)
		}
		if got := strings.Join(strings.Fields(lines[2]), " "); got != "off disabled - -" || lines[3] != "1 server asked, 1 answered, 1 disabled" {
			t.Errorf("%s: the table is\n%s", test.name, table)
		}
		if !strings.Contains(findings, "tools.json:2: f for gemini: FAIL") {
			t.Errorf("%s: no findings below the table:\n%s", test.name, out.String())
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// TestSinksSayWhatFails: each format returns the error of its writer.
func TestSinksSayWhatFails(t *testing.T) {
	t.Parallel()
	result := failing(t)
	result.Sides().Normalized.Evidence = provider.Predicted
	options := report.Options{Out: full{}, AsGiven: true, Verbose: true}
	sinks := map[string]report.Sink{"check": report.Check{Options: options}.Sink(), "live": report.NewLive(options), "located": report.NewLocated(options)}
	for _, format := range report.Formats {
		sinks[format.Name] = format.New(options)
	}
	for name, sink := range sinks {
		summary := report.NewSummary()
		summary.Tools = 1
		summary.Add(result)
		if errors.Join(sink.Result(result), sink.Summary(summary)) == nil {
			t.Errorf("%s swallows the error of its writer", name)
		}
	}
}
