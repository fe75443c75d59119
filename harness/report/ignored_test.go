package report_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// ignoring is a tool that is accepted, of which the surface ignores a part as given and
// nothing once it is normalized.
func ignoring(t *testing.T) verdict.Result {
	t.Helper()
	result := refused(t)
	result.Raw = &verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}, Ignored: []verdict.Finding{
		{Rule: "drops", Severity: "low", Message: "'const' is dropped", At: "/parameters/properties/a/const", Line: 4, Column: 7},
	}}
	return result
}

// TestIgnored: each format names what is ignored, as a kind of its own, whether the result
// fails for it or not. A side that was not asked for is left out.
func TestIgnored(t *testing.T) {
	t.Parallel()
	passed, failed, known := ignoring(t), ignoring(t), ignoring(t)
	failed.Status, known.Status = verdict.Fail, verdict.KnownFailure
	for format, wants := range map[string][]string{
		"json":     {`"findings":[],"ignored":[{"rule":"drops","severity":"low","message":"'const' is dropped","at":"/parameters/properties/a/const","line":4,"col":7}]`, `"raw_ignored":1`},
		"markdown": {"## Ignored\n\n| rule | places | tools | ignored by |", "- tools.json:4:7: f"},
		"sarif":    {`"level":"note"`, `"ruleId":"gemini/parameters/drops"`, `"startLine":4`},
		"github":   {"::notice file=tools.json,line=4,col=7,title=drops::f: 'const' is dropped%0AIgnored by gemini."},
		"junit":    {"tools.json:4:7: ignored: 'const' is dropped (gemini/parameters/drops)"},
		"text":     {"tools.json:4:7: ignored: 'const' is dropped (gemini/parameters/drops)", "accepted as given but for 1 ignored place, accepted after", "1 with ignored parts"},
	} {
		for _, result := range []verdict.Result{passed, failed} {
			got := written(t, format, report.Run{AsGiven: true}, result)
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("%s of a result of status %s lacks %q:\n%s", format, result.Status, want, got)
				}
			}
			if strings.Contains(got, "efused by") || strings.Contains(got, "::error") || strings.Contains(got, "Not as expected") {
				t.Errorf("%s calls it refused:\n%s", format, got)
			}
		}
		if got := written(t, format, report.Run{}, passed); format != "json" && format != "text" && strings.Contains(got, "is dropped") {
			t.Errorf("%s of the normalized tools shows the tool as given:\n%s", format, got)
		}
	}
	if got := written(t, "junit", report.Run{AsGiven: true}, failed); !strings.Contains(got, "<failure") {
		t.Errorf("JUnit shows no failure:\n%s", got)
	}
	if got := written(t, "markdown", report.Run{AsGiven: true}, known); !strings.Contains(got, "1 finding in the baseline") || strings.Contains(got, "## Ignored") {
		t.Errorf("the page of a known failure is\n%s", got)
	}
}

// TestIgnoredGroups: what is ignored comes after what is refused, whatever their numbers.
func TestIgnoredGroups(t *testing.T) {
	t.Parallel()
	groups := &report.Groups{AsGiven: true, Places: 2}
	for range 2 {
		groups.Add(ignoring(t))
	}
	groups.Add(failing(t))
	got := terminal(nil, func(terminal *report.Terminal) { terminal.Groups(groups) })
	equal(t, got, "unknown_name, answered by const_to_enum: 1 place, refused by gemini\n    Unknown name \"const\"\n"+
		"    tools.json:4:7: f: write {\"enum\":[\"b\"]} for {\"const\":\"b\"} (exact)\n"+
		"drops, answered by const_to_enum: 1 place, ignored by gemini\n    'const' is dropped\n"+
		"    tools.json:4:7: f: write {\"enum\":[\"b\"]} for {\"const\":\"b\"} (exact)\n")
}

// TestIgnoredBaseline: a baseline has what is ignored where the run fails for it, and
// excuses it.
func TestIgnoredBaseline(t *testing.T) {
	t.Parallel()
	if entries := report.Entries(ignoring(t), true); len(entries) != 0 {
		t.Errorf("a result that passes has the entries %v", entries)
	}
	failed := ignoring(t)
	failed.Status = verdict.Fail
	var text strings.Builder
	if err := report.WriteBaseline(&text, report.Entries(failed, true)); err != nil {
		t.Fatal(err)
	}
	baseline, err := report.ReadBaseline(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if baseline.Excuse(&failed, true); failed.Status != verdict.KnownFailure {
		t.Errorf("the status is %s", failed.Status)
	}
	other := ignoring(t)
	other.Status, other.Raw.Ignored[0].At = verdict.Fail, "/parameters/properties/b/const"
	if baseline.Excuse(&other, true); other.Status != verdict.Fail {
		t.Errorf("another place is excused: %s", other.Status)
	}
}

// TestIgnoredOutcome: the line of a tool says that a part is ignored.
func TestIgnoredOutcome(t *testing.T) {
	t.Parallel()
	failed, unchanged := ignoring(t), ignoring(t)
	failed.Status = verdict.Fail
	unchanged.Normalized.Answer, unchanged.Normalized.Changes = *unchanged.Raw, nil
	got := terminal(nil, func(terminal *report.Terminal) {
		for _, result := range []verdict.Result{ignoring(t), failed, unchanged} {
			terminal.Outcomes("tools.json", 2, "f", []report.Outcome{report.OutcomeOf(result)})
		}
	})
	equal(t, got, "tools.json:2: f\n    gemini: accepted as given, with ignored parts; exact; undone on the way back: elsewhere\n"+
		"tools.json:2: f\n    gemini: IGNORED in part\ntools.json:2: f\n    gemini: accepted as given, with ignored parts\n")
}
