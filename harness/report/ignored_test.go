package report_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// ignoring is a tool that is accepted. The surface ignores a part of it as given, and
// nothing once it is normalized.
func ignoring(t *testing.T) verdict.Result {
	t.Helper()
	result := refused(t)
	result.Sides().Raw = &verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}, Ignored: []verdict.Finding{
		{Rule: "drops", Severity: "low", Message: "'const' is dropped", At: "/parameters/properties/a/const", Line: 4, Column: 7},
	}}
	return result
}

// TestIgnored: each format names what is ignored, as a kind of its own: an error where the
// tool fails for it, else a note. A side that was not asked for is left out.
func TestIgnored(t *testing.T) {
	t.Parallel()
	passed, failed, known := ignoring(t), ignoring(t), ignoring(t)
	failed.Status, known.Status = verdict.Fail, verdict.KnownFailure
	for format, wants := range map[string][]string{
		"json":     {`"findings":[],"ignored":[{"rule":"drops","severity":"low","message":"'const' is dropped","at":"/parameters/properties/a/const","line":4,"col":7}]`, `"raw_ignored":1`},
		"markdown": {"## Ignored\n\n| finding | places | tools | ignored by | in its words |", "- tools.json:4:7: f"},
		"sarif":    {`"level":"LEVEL"`, `"ruleId":"gemini/parameters/drops"`, `"startLine":4`},
		"github":   {"::KIND file=tools.json,line=4,col=7,title=drops::f: 'const' is dropped%0AIgnored by gemini."},
		"junit":    {"tools.json:4:7: ignored: 'const' is dropped (gemini/parameters/drops)"},
		"text":     {"\n'const' is dropped\n  Gemini ignores it\n  tools.json:4:7: f\n", "Gemini ignores parts of the tool.\n"},
	} {
		for _, test := range []struct {
			result verdict.Result
			kinds  *strings.Replacer
		}{
			{passed, strings.NewReplacer("LEVEL", "note", "KIND", "notice")},
			{failed, strings.NewReplacer("LEVEL", "error", "KIND", "error")},
		} {
			for _, run := range []report.Options{{AsGiven: true}, {Either: true}} {
				got := written(t, format, run, test.result)
				for _, want := range wants {
					if want = test.kinds.Replace(want); !strings.Contains(got, want) {
						t.Errorf("%s of a result of status %s lacks %q:\n%s", format, test.result.Status, want, got)
					}
				}
				if strings.Contains(got, "efused by") || strings.Contains(got, "Not as expected") {
					t.Errorf("%s calls it refused:\n%s", format, got)
				}
			}
		}
		if got := written(t, format, report.Options{}, passed); format != "json" && format != "text" && strings.Contains(got, "is dropped") {
			t.Errorf("%s of the normalized tools shows the tool as given:\n%s", format, got)
		}
	}
	if got := written(t, "junit", report.Options{AsGiven: true}, failed); !strings.Contains(got, "<failure") {
		t.Errorf("JUnit shows no failure:\n%s", got)
	}
	if got := written(t, "markdown", report.Options{AsGiven: true}, known); !strings.Contains(got, "1 finding in the baseline") || strings.Contains(got, "## Ignored") {
		t.Errorf("the page of a known failure is\n%s", got)
	}
}

// TestIgnoredIsTheReason: a tool that fails for what is ignored as given does not fail for
// what is said to the normalized one.
func TestIgnoredIsTheReason(t *testing.T) {
	t.Parallel()
	failed := ignoring(t)
	failed.Status = verdict.Fail
	failed.Sides().Normalized.Answer = verdict.Answer{Verdict: provider.Rejected, Findings: []verdict.Finding{{Rule: "no", Severity: "critical", Message: "not this"}}}
	for _, format := range []string{"markdown", "sarif", "github", "junit"} {
		if got := written(t, format, report.Options{AsGiven: true}, failed); !strings.Contains(got, "is dropped") || strings.Contains(got, "not this") {
			t.Errorf("%s of the tool as given:\n%s", format, got)
		}
		for _, run := range []report.Options{{}, {Either: true}} { // a refusal weighs more where it may be the reason
			if got := written(t, format, run, failed); strings.Contains(got, "is dropped") || !strings.Contains(got, "not this") {
				t.Errorf("%s of the normalized tool, %+v:\n%s", format, run, got)
			}
		}
	}
}

// TestIgnoredOnSeveral: of a tool for several surfaces each format names the one that
// ignores a part, and counts a place once.
func TestIgnoredOnSeveral(t *testing.T) {
	t.Parallel()
	failed := ignoring(t)
	failed.Status, failed.Target = verdict.Fail, "portable"
	first := failed.Sides().Raw.Ignored[0]
	first.Surface = "one/chat"
	second := first
	second.Surface = "two/chat"
	failed.Sides().Raw.Ignored = []verdict.Finding{first, second}
	for format, wants := range map[string][]string{
		"json":     {`"col":7,"surface":"one/chat"}`, `"col":7,"surface":"two/chat"}`},
		"markdown": {"| 'const' is dropped | 1 | 1 | portable (one/chat) and portable (two/chat) |"},
		"sarif":    {`"ruleId":"one/chat/drops"`, `"ruleId":"two/chat/drops"`},
		"github":   {"Ignored by portable (one/chat), portable (two/chat)."},
		"junit":    {"(one/chat/drops)", "(two/chat/drops)"},
		"text":     {"  portable (one/chat) and portable (two/chat) ignore it\n"},
	} {
		got := written(t, format, report.Options{AsGiven: true}, failed)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", format, want, got)
			}
		}
	}
}

// TestIgnoredGroups: what is ignored comes after what is refused, whatever their numbers.
func TestIgnoredGroups(t *testing.T) {
	t.Parallel()
	groups := &report.Groups{Options: report.Options{AsGiven: true}, Places: 2}
	for range 2 {
		groups.Add(ignoring(t))
	}
	groups.Add(failing(t))
	got := terminal(nil, func(terminal *report.Terminal) { terminal.Groups(groups) })
	equal(t, got, "\nUnknown name \"const\"\n"+
		"  tools.json:4:7: f\n      write \"enum\":[\"b\"] for \"const\":\"b\" (means the same)\n"+
		"\n'const' is dropped\n  Gemini ignores it\n"+
		"  tools.json:4:7: f\n")
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
	read := func() *report.Baseline {
		baseline, err := report.ReadBaseline(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		return baseline
	}
	baseline := read()
	if baseline.Excuse(&failed, true); failed.Status != verdict.KnownFailure {
		t.Errorf("the status is %s", failed.Status)
	}
	passed := ignoring(t)
	if baseline = read(); len(baseline.Stale()) != 0 {
		t.Errorf("nothing was looked at, and %v is stale", baseline.Stale())
	}
	if baseline.Excuse(&passed, true); passed.Status != verdict.Pass || len(baseline.Stale()) != 0 {
		t.Errorf("without --lossless it is %s, and %v is stale", passed.Status, baseline.Stale())
	}
	other := ignoring(t)
	other.Status, other.Sides().Raw.Ignored[0].At = verdict.Fail, "/parameters/properties/b/const"
	if baseline.Excuse(&other, true); other.Status != verdict.Fail {
		t.Errorf("another place is excused: %s", other.Status)
	}
}

// TestIgnoredOutcome: the line of a tool says that a part is ignored, on the side that had
// to be accepted.
func TestIgnoredOutcome(t *testing.T) {
	t.Parallel()
	with := func(status verdict.Status) verdict.Result {
		result := ignoring(t)
		result.Status = status
		return result
	}
	unchanged, waived, normalized := with(verdict.Pass), with(verdict.KnownFailure), with(verdict.Fail)
	unchanged.Sides().Normalized.Answer, unchanged.Sides().Normalized.Changes = *unchanged.Sides().Raw, nil
	waived.Sides().Raw.Ignored[0].Waived = &verdict.Waiver{}
	normalized.Sides().Normalized.Answer, normalized.Sides().Raw = *normalized.Sides().Raw, &verdict.Answer{Verdict: provider.Rejected}
	for _, test := range []struct {
		result  verdict.Result
		asGiven bool
		want    string
	}{
		{with(verdict.Pass), true, "accepted as given, with ignored parts; rewritten: means the same; undone in arguments: parts of parameters"},
		{with(verdict.Fail), true, "IGNORED in part"},
		{unchanged, true, "accepted as given, with ignored parts"},
		{with(verdict.KnownFailure), true, "ignored in part, as the baseline says"},
		{waived, true, "ignored in part, and let pass by toolproof.json"},
		{normalized, false, "IGNORED in part"},
		{normalized, true, "REFUSED as given"},
	} {
		got := terminal(nil, func(terminal *report.Terminal) {
			terminal.Outcomes("tools.json", 2, "f", []report.Outcome{report.OutcomeOf(test.result, test.asGiven)})
		})
		equal(t, got, "tools.json:2: f\n    gemini: "+test.want+"\n")
	}
}
