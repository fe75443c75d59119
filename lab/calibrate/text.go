package calibrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/escape"
)

// Text returns for a reader how far the models agree with evidence: a table, what they
// disagree about, and what was set aside. With color, shares that are not whole are yellow.
func (r *Report) Text(color bool) string {
	var text strings.Builder
	printf := func(format string, arguments ...any) { fmt.Fprintf(&text, format, arguments...) }
	summary := r.Summary()
	width := len("dialect")
	for _, agreement := range summary.Dialects {
		width = max(width, len(agreement.Dialect))
	}
	if len(summary.Dialects) > 0 {
		printf("%-*s  %13s  %13s  %13s\n", width, "dialect", "accepted", "refused", "messages")
	}
	for _, agreement := range summary.Dialects {
		printf("%-*s  %s  %s  %s\n", width, agreement.Dialect, share(color, agreement.Accepted.Agreed, agreement.Accepted.Of),
			share(color, agreement.Refused.Agreed, agreement.Refused.Of), share(color, agreement.Messages.Exact, agreement.Messages.Of))
	}
	if len(r.Differences) > 0 {
		printf("\ndisagreements\n")
	}
	for _, difference := range r.Differences {
		if difference.Kind == "message" && difference.Model.Verdict == provider.Accepted {
			continue // reported as one of verdicts
		}
		printf("%s %s: %s\n", escape.Line(difference.Dialect), escape.Line(difference.Name), difference.Kind)
		expected, predicted := said(difference.Verdict, difference.Message), said(difference.Model.Verdict, difference.Model.Message)
		switch difference.Kind {
		case "param":
			expected, predicted = difference.Param, difference.Model.Param
		case "echo":
			expected, predicted = difference.Case.Echo.String(), difference.Echo.String()
		}
		const under = "             " // so that the lines of a message stay apart from those of the report
		printf("  expected:  %s\n  predicted: %s\n", escape.Lines(expected, under), escape.Lines(predicted, under))
	}
	if len(summary.SetAside) > 0 {
		printf("\nset aside\n")
	}
	for _, class := range slices.Sorted(maps.Keys(summary.SetAside)) {
		printf("%6d  %s\n", summary.SetAside[class], class)
	}
	if len(summary.Unmodelled) > 0 {
		printf("\nwithout a model to ask\n")
	}
	for _, name := range slices.Sorted(maps.Keys(summary.Unmodelled)) {
		printf("%6d  %s\n", summary.Unmodelled[name], escape.Line(name))
	}
	return text.String()
}

// share returns how many of how many are good, and a dash if there are none.
func share(color bool, good, of int) string {
	if of == 0 {
		return fmt.Sprintf("%13s", "-")
	}
	text := fmt.Sprintf("%13s", fmt.Sprintf("%d of %d", good, of))
	if good < of && color {
		return "\x1b[33m" + text + "\x1b[0m"
	}
	return text
}

// said returns a verdict with the words for it.
func said(verdict provider.Verdict, message string) string {
	if message = strings.TrimSpace(message); message != "" {
		return string(verdict) + ": " + message
	}
	return string(verdict)
}
