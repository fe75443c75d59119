package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/escape"
	"toolproof/lab/calibrate"
)

// Calibration writes how far the models agree with evidence: a table, what they
// disagree about, and what was set aside.
func (t *Terminal) Calibration(measured *calibrate.Report) {
	summary := measured.Summary()
	width := len("dialect")
	for _, agreement := range summary.Dialects {
		width = max(width, len(agreement.Dialect))
	}
	if len(summary.Dialects) > 0 {
		t.printf("%-*s  %13s  %13s  %13s\n", width, "dialect", "accepted", "refused", "messages")
	}
	for _, agreement := range summary.Dialects {
		t.printf("%-*s  %s  %s  %s\n", width, agreement.Dialect, t.share(agreement.Accepted.Agreed, agreement.Accepted.Of),
			t.share(agreement.Refused.Agreed, agreement.Refused.Of), t.share(agreement.Messages.Exact, agreement.Messages.Of))
	}
	if len(measured.Differences) > 0 {
		t.printf("\ndisagreements\n")
	}
	for _, difference := range measured.Differences {
		if difference.Kind == "message" && difference.Model.Verdict == provider.Accepted {
			continue // reported as one of verdicts
		}
		t.printf("%s %s: %s\n", escape.Line(difference.Dialect), escape.Line(difference.Name), difference.Kind)
		expected, predicted := said(difference.Verdict, difference.Message), said(difference.Model.Verdict, difference.Model.Message)
		switch difference.Kind {
		case "param":
			expected, predicted = difference.Param, difference.Model.Param
		case "echo":
			expected, predicted = difference.Case.Echo.String(), difference.Echo.String()
		}
		const under = "             " // so that the lines of a message stay apart from those of the report
		t.printf("  expected:  %s\n  predicted: %s\n", escape.Lines(expected, under), escape.Lines(predicted, under))
	}
	if len(summary.SetAside) > 0 {
		t.printf("\nset aside\n")
	}
	for _, class := range slices.Sorted(maps.Keys(summary.SetAside)) {
		t.printf("%6d  %s\n", summary.SetAside[class], class)
	}
	if len(summary.Unmodelled) > 0 {
		t.printf("\nwithout a model to ask\n")
	}
	for _, name := range slices.Sorted(maps.Keys(summary.Unmodelled)) {
		t.printf("%6d  %s\n", summary.Unmodelled[name], escape.Line(name))
	}
}

// share writes how many of how many are good; nothing where there are none.
func (t *Terminal) share(good, of int) string {
	if of == 0 {
		return fmt.Sprintf("%13s", "-")
	}
	text := fmt.Sprintf("%13s", fmt.Sprintf("%d of %d", good, of))
	if good < of {
		return t.paint(yellow, text)
	}
	return text
}

// said is a verdict with the words for it.
func said(verdict provider.Verdict, message string) string {
	if message = strings.TrimSpace(message); message != "" {
		return string(verdict) + ": " + message
	}
	return string(verdict)
}
