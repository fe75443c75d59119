package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Terminal writes results for people.
type Terminal struct {
	Out   io.Writer
	Color bool
	// Diff adds what was made of each tool that was changed.
	Diff bool
	// Quiet leaves out what did not fail.
	Quiet bool

	err error
}

// Err returns the first error of writing.
func (t *Terminal) Err() error { return t.err }

func (t *Terminal) printf(format string, arguments ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.Out, format, arguments...)
	}
}

// The colours that are used, as ANSI codes.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	faint  = "2"
)

func (t *Terminal) paint(code, text string) string {
	if !t.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Result writes what is to be said of one tool: what the provider says to it, what
// answers each of these findings, and how it ends.
func (t *Terminal) Result(result verdict.Result) {
	place := fmt.Sprintf("%s:%d", result.Source, result.Line)
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		if at := positionInText.FindString(result.Error); at != "" {
			place, result.Error = result.Source+":"+strings.TrimSuffix(at, ": "), strings.TrimPrefix(result.Error, at)
		}
		t.printf("%s: %s: %s\n", place, t.paint(red, result.Status.String()), result.Error)
		return
	}
	if result.Raw == nil || result.Normalized == nil || t.Quiet && result.Status <= verdict.KnownFailure {
		return
	}
	t.findings(result, result.RawDialect, result.Raw.Findings, result.Normalized.Changes)
	t.findings(result, result.Dialect, result.Normalized.Findings, nil)
	t.printf("%s: %s for %s: %s\n", place, t.paint(bold, result.Tool), result.Target, t.outcome(result))
	if t.Diff && len(result.Normalized.Changes) > 0 {
		t.diff(result)
	}
}

// positionInText is the place that an error about a document begins with.
var positionInText = regexp.MustCompile(`^\d+:\d+: `)

// findings writes violations as file:line:col: message (dialect/rule).
func (t *Terminal) findings(result verdict.Result, dialect string, findings []verdict.Finding, changes []verdict.Change) {
	for _, finding := range findings {
		place := result.Source
		if finding.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", result.Source, finding.Line, finding.Column)
		}
		rule := dialect
		if finding.Rule != "" {
			rule += "/" + finding.Rule
		}
		t.printf("%s: %s %s\n", place, strings.TrimSpace(finding.Message), t.paint(faint, "("+rule+")"))
		for _, answer := range answersOf(finding, changes) {
			t.printf("    %s\n", t.paint(faint, answer))
		}
	}
}

// maxText is how many bytes of JSON a line shows of what was replaced.
const maxText = 90

// answersOf tells what was rewritten at the place of a finding.
func answersOf(finding verdict.Finding, changes []verdict.Change) []string {
	var answers []string
	for _, change := range changes {
		if change.Rule == "type_case" || !isAnswer(finding, change) {
			continue
		}
		text := fmt.Sprintf("%s answers it (%s)", change.Rule, change.Loss)
		before, after := textOf(change.Before), textOf(change.After)
		switch {
		case before != "" && after != "":
			text += ": " + before + " becomes " + after
		case before != "":
			text += ": " + before + " is left out"
		case after != "":
			text += ": " + after + " is added"
		}
		answers = append(answers, text)
	}
	return answers
}

// isAnswer reports whether a change is about the place of a finding: the member
// that it names, or the schema.
func isAnswer(finding verdict.Finding, change verdict.Change) bool {
	if change.From == finding.At {
		return true
	}
	if change.Before == nil {
		return false
	}
	return slices.ContainsFunc(change.Before.Members, func(member schema.Member) bool { return change.From.Child(member.Key) == finding.At })
}

func textOf(node *schema.Node) string {
	if node == nil {
		return ""
	}
	text := node.String()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// outcome tells in a few words how a tool fares.
func (t *Terminal) outcome(result verdict.Result) string {
	normalized := result.Normalized
	given := "accepted as given"
	if result.Raw.Verdict == provider.Rejected {
		given = t.paint(yellow, "refused as given")
	}
	var after string
	switch {
	case normalized.Verdict == provider.Rejected:
		after = t.paint(red, "refused after "+changesOf(normalized))
	case len(normalized.Changes) == 0:
		after = t.paint(green, "unchanged")
	default:
		after = t.paint(green, "accepted") + " after " + changesOf(normalized)
	}
	if normalized.Fallback != "" {
		after += ", sent with strict false: " + normalized.Fallback
	}
	if result.Status == verdict.KnownFailure {
		after += " (in the baseline)"
	}
	return given + ", " + after + " " + t.paint(faint, "["+normalized.Evidence.String()+"]")
}

func changesOf(normalized *verdict.Normalized) string {
	text := fmt.Sprintf("%d changes", len(normalized.Changes))
	if len(normalized.Changes) == 1 {
		text = "1 change"
	}
	return text + " (" + normalized.Loss.String() + ")"
}

func (t *Terminal) diff(result verdict.Result) {
	lines := diff.Diff("given", indented(result.Given), "normalized for "+result.Target, indented(result.Normalized.Tool))
	for _, line := range strings.SplitAfter(string(lines), "\n") {
		code := ""
		switch {
		case strings.HasPrefix(line, "diff "), line == "":
			continue
		case strings.HasPrefix(line, "+"):
			code = green
		case strings.HasPrefix(line, "-"):
			code = red
		}
		text := strings.TrimSuffix(line, "\n")
		if code != "" {
			text = t.paint(code, text)
		}
		t.printf("    %s\n", text)
	}
}

func indented(node *schema.Node) []byte { return append(node.Indented(), '\n') }

// Matrix writes one line for each tool and one column for each target. results
// are those of one tool after the other.
func (t *Terminal) Matrix(results []verdict.Result, targets []string) {
	width := len("tool")
	for _, result := range results {
		width = max(width, len(label(result)))
	}
	const widest = 60
	width = min(width, widest)
	t.printf("%-*s", width, "tool")
	for _, target := range targets {
		t.printf("  %-*s", columnWidth(target), target)
	}
	t.printf("\n")
	for len(results) > 0 {
		row := results[:min(len(targets), len(results))]
		results = results[len(row):]
		name := label(row[0])
		if len(name) > width {
			name = name[:width-1] + "…"
			t.printf("%-*s", width+len("…")-1, name)
		} else {
			t.printf("%-*s", width, name)
		}
		for i, result := range row {
			text, code := cell(result)
			t.printf("  %s%s", t.paint(code, text), strings.Repeat(" ", max(0, columnWidth(targets[i])-len(text))))
		}
		t.printf("\n")
	}
	t.printf("%s\n", t.paint(faint, "ok: accepted as given; exact, widens, narrows, both: accepted after a rewrite that loses this; not strict: sent with strict false"))
}

func label(result verdict.Result) string {
	if result.Tool == "" {
		return fmt.Sprintf("%s:%d", result.Source, result.Line)
	}
	return result.Tool
}

const cellWidth = len("REFUSED, baseline")

func columnWidth(target string) int { return max(len(target), cellWidth) }

// cell tells in a word how a tool fares on a target.
func cell(result verdict.Result) (text, code string) {
	switch {
	case result.Status == verdict.Error:
		return "ERROR", red
	case result.Status == verdict.Inconclusive || result.Raw == nil || result.Normalized == nil:
		return "inconclusive", yellow
	case result.Normalized.Verdict == provider.Rejected && result.Status == verdict.KnownFailure:
		return "REFUSED, baseline", yellow
	case result.Normalized.Verdict == provider.Rejected:
		return "REFUSED", red
	case result.Normalized.Fallback != "":
		return "not strict", yellow
	case result.Raw.Verdict == provider.Accepted:
		return "ok", green
	case result.Normalized.Loss == rewrite.Exact:
		return "exact", green
	default:
		return result.Normalized.Loss.String(), green
	}
}

// CheckSummary writes the counts of a check.
func (t *Terminal) CheckSummary(summary *Summary) {
	t.printf("\ntools         %d found, %d read, %d judged\n", summary.Tools, summary.Read, summary.Judged)
	for _, target := range summary.order {
		counts := summary.Targets[target]
		total := counts.RawAccepted + counts.RawRejected
		t.printf("%-13s as given %d accepted, %s; normalized %d accepted, %s\n", target,
			counts.RawAccepted, t.refused(counts.RawRejected, total), counts.Accepted, t.refused(counts.Rejected, total))
		t.printf("%-13s losses: exact %d, widens %d, narrows %d, both %d", "", counts.Exact, counts.Widens, counts.Narrows, counts.Both)
		for _, more := range []struct {
			count int
			text  string
		}{
			{counts.Fallbacks, "sent with strict false"}, {counts.Known, "in the baseline"}, {counts.Errors, "errors"}, {counts.Inconclusive, "inconclusive"},
		} {
			if more.count > 0 {
				t.printf("; %s %d", more.text, more.count)
			}
		}
		t.printf("\n")
	}
	t.evidence(summary)
}

func (t *Terminal) refused(count, total int) string {
	text := fmt.Sprintf("%d refused", count)
	if count == 0 || total == 0 {
		return text
	}
	return t.paint(yellow, fmt.Sprintf("%s (%.1f %%)", text, 100*float64(count)/float64(total))) //nolint:mnd // percent
}

// evidence writes what the verdicts rest on.
func (t *Terminal) evidence(summary *Summary) {
	var parts []string
	for _, grade := range []provider.Grade{provider.Live, provider.Recorded, provider.Reported, provider.Predicted} {
		if count := summary.Evidence[grade.String()]; count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, grade))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	t.printf("%-13s %s\n", "evidence", strings.Join(parts, ", "))
}

// Fixture writes a result of a fixture that is not a pass.
func (t *Terminal) Fixture(result verdict.Result) {
	if result.Status == verdict.Pass || result.Status == verdict.NotApplicable {
		return
	}
	normalizer := ""
	if result.Normalizer != "" && result.Normalizer != result.Target {
		normalizer = " with " + result.Normalizer
	}
	t.printf("%s: %s on %s, %s%s: %s\n", result.Source, t.paint(red, result.Status.String()), result.Dialect, result.Side, normalizer, result.Error)
}

// FixtureSummary writes the counts of a run over the fixtures.
func (t *Terminal) FixtureSummary(summary *Summary, dialects map[string]string) {
	t.printf("fixtures      %d\n", summary.Tools)
	for _, target := range summary.order {
		counts := summary.Targets[target]
		t.printf("%-13s %s: %d verdicts, %d pass", target, dialects[target], counts.Passed+counts.Known+counts.Failed+counts.Inconclusive+counts.Errors, counts.Passed)
		for _, more := range []struct {
			count int
			text  string
		}{{counts.Known, "known"}, {counts.Inconclusive, "inconclusive"}, {counts.Failed, "FAIL"}, {counts.Errors, "ERROR"}} {
			if more.count > 0 {
				t.printf(", %s", t.paint(red, fmt.Sprintf("%d %s", more.count, more.text)))
			}
		}
		t.printf("\n")
	}
	t.evidence(summary)
	t.printf("%-13s %d held against the models\n", "recordings", summary.Recordings)
	if summary.Conforms {
		t.printf("%s\n", t.paint(green, "conforms"))
	} else {
		t.printf("%s\n", t.paint(red, "does not conform"))
	}
}
