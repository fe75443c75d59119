package report

import (
	"encoding/json"
	"fmt"
	"io"

	"toolproof/harness/verdict"
)

// badge writes the conclusion of a run as JSON for an endpoint badge of shields.io.
type badge struct{ options Options }

// Result does nothing: the summary has the counts.
func (b *badge) Result(verdict.Result) error { return nil }

// Summary writes the badge: green if the tools conform, red if they do not, and grey if nothing was
// learnt. It names the month of the rules that a project requires.
func (b *badge) Summary(summary *Summary) error {
	refused := 0
	for _, counts := range summary.Targets {
		refused = max(refused, counts.Failed)
	}
	_, isAdvised := summary.Targets[verdict.AdviceTarget]
	message, color := Count(summary.Judged, "tool")+" accepted", "brightgreen"
	switch {
	case summary.Worst() >= verdict.Error, summary.Worst() == verdict.Inconclusive, summary.Judged == 0:
		message, color = "inconclusive", "lightgrey"
	case isAdvised && len(summary.Targets) == 1: // no surface judged
		message, color = Count(summary.Advice.Findings, "piece")+" of advice", "blue"
	case !summary.Conforms:
		message, color = fmt.Sprintf("%d of %s refused", refused, Count(summary.Judged, "tool")), "red"
	}
	if summary.Requirements != "" {
		message += ", " + summary.Requirements
	}
	return writeBadge(b.options.Out, message, color)
}

// writeBadge writes a badge with a message in a color of shields.io.
func writeBadge(out io.Writer, message, color string) error {
	line, err := json.Marshal(struct {
		SchemaVersion int    `json:"schemaVersion"` //nolint:tagliatelle // the name of shields.io
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
	}{1, "toolproof", message, color})
	if err == nil {
		_, err = io.WriteString(out, string(line)+"\n")
	}
	if err != nil {
		return fmt.Errorf("writing the badge: %w", err)
	}
	return nil
}
