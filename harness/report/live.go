package report

import (
	"cmp"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Live writes a provider's answer about one tool, unless the tool is simply accepted. An error that
// is the same for many tools, such as a missing key, is written only for the first of them.
func (t *Terminal) Live(result verdict.Result) {
	if result.Status == verdict.NotApplicable {
		return
	}
	place := placeOfTool(result.Source, result.Line)
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		if result.Error != t.lastOfAll {
			t.broken(place, result)
		}
		t.lastOfAll = result.Error
		return
	}
	sides := result.Sides()
	answer := sides.Raw
	if answer == nil {
		answer = &sides.Normalized.Answer
	}
	if result.Status == verdict.Pass && result.Error == "" {
		return
	}
	t.findings(result, result.Dialect, "", answer.Findings, nil)
	text := verdictText(answer.Verdict)
	if result.Status == verdict.Fail {
		text = t.paint(red, "FAIL") + ": " + text
	}
	if result.Status == verdict.KnownFailure {
		text += " (as the fixture says)"
	}
	if result.Error != "" {
		text += ", " + escape.Line(result.Error)
	}
	t.printf("%s: %s for %s: %s %s\n", place, t.paint(bold, escape.Line(result.Tool)), result.Target, text, t.paint(faint, "["+answer.Evidence.String()+"]"))
}

// LiveSummary writes the counts and the conclusion of a live run.
func (t *Terminal) LiveSummary(summary *Summary) {
	width := summary.width()
	for _, target := range summary.order {
		counts := summary.Targets[target]
		t.printf("%-*s %d accepted, %s", width, target, counts.Passed, t.refused(counts.Failed+counts.Known, counts.Passed+counts.Failed+counts.Known))
		if counts.Inconclusive > 0 {
			t.printf(", %s", t.paint(yellow, fmt.Sprintf("%d inconclusive", counts.Inconclusive)))
		}
		if counts.Errors > 0 {
			t.printf(", %s", t.paint(red, Count(counts.Errors, "error")))
		}
		t.printf("\n")
	}
	t.printf("%-*s %s\n", width, "evidence", cmp.Or(summary.evidence(), "none"))
	if summary.Worst() == verdict.NotApplicable { // nobody answered
		t.printf("%s\n", t.paint(yellow, "inconclusive"))
		return
	}
	t.conclusion(summary)
}

// verdictText returns a verdict in the words of the other reports.
func verdictText(answered provider.Verdict) string {
	if answered == provider.Rejected {
		return "refused"
	}
	return string(answered)
}
