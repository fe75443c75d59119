package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Terminal writes results for people.
type Terminal struct {
	Out   io.Writer
	Color bool
	// Width is the width at which text is wrapped; 0 means that there is none.
	Width int
	// Diff adds a diff of each tool that was changed.
	Diff bool
	// Quiet leaves out results that do not fail.
	Quiet bool
	// Unseen names the constructs that no accepted recording shows.
	Unseen bool
	// Baseline marks the findings that it has as known; nil if there is no baseline.
	Baseline *Baseline

	mends     bool   // an edit of a file was shown that is safe
	lastError string // latest error, with its place
	lastOfAll string // latest error, without its place
	err       error
}

// Err returns the first error of writing.
func (t *Terminal) Err() error { return t.err }

func (t *Terminal) printf(format string, arguments ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.Out, format, arguments...)
	}
}

// Colours and styles as ANSI codes.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	faint  = "2"
)

// reset ends a style.
const reset = "\x1b[0m"

func (t *Terminal) paint(code, text string) string {
	if !t.Color || code == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + reset
}

// Result writes the result of one tool: the provider's findings, the rewrites that answer them, and
// the outcome.
func (t *Terminal) Result(result verdict.Result) {
	place := placeOfTool(result.Source, result.Line)
	if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
		t.broken(place, result)
		return
	}
	switch kind := result.Kind.(type) {
	case *verdict.Advice:
		t.advice(place, result, kind)
	case *verdict.Request:
		t.findings(result, result.Dialect, "", kind.Findings, nil)
		t.linef("%s: %s for %s: %s", escape.Line(result.Source), t.paint(bold, titleOf(result)), result.Target, t.paint(red, "FAIL")+": refused "+
			t.paint(faint, "["+kind.Evidence.String()+"]"))
	case *verdict.Conversation:
		t.conversation(place, result, kind)
	case *verdict.Call:
		t.call(result, kind)
	default:
		t.sides(place, result, result.Sides())
	}
}

// call writes what is the matter with the answer to a call.
func (t *Terminal) call(result verdict.Result, judged *verdict.Call) {
	outcome := t.paint(green, "ok")
	switch {
	case result.Status == verdict.NotApplicable:
		outcome = t.paint(yellow, "not called") + ": " + escape.Line(result.Error)
	case result.Status == verdict.Fail:
		outcome = t.paint(red, "FAIL")
	case t.Quiet:
		return
	default: // it is no failure
	}
	t.findings(result, result.Dialect, "", judged.Findings, nil)
	t.findings(result, result.Dialect, "", judged.Ignored, nil)
	t.linef("%s: %s with %s: %s", escape.Line(result.Source), t.paint(bold, escape.Line(result.Tool)), escape.Line(cmp.Or(judged.Arguments, "nothing")), outcome)
}

// conversation writes the answer about a whole request.
func (t *Terminal) conversation(place string, result verdict.Result, judged *verdict.Conversation) {
	if result.Status == verdict.NotApplicable || t.Quiet && result.Status <= verdict.KnownFailure {
		return
	}
	t.findings(result, result.Dialect, "", judged.Findings, nil)
	t.findings(result, result.Dialect, "", judged.Ignored, nil)
	outcome := t.paint(green, "accepted")
	switch result.Status {
	case verdict.Fail:
		outcome = t.paint(red, "FAIL") + ": refused"
	case verdict.KnownFailure:
		outcome = "refused (" + knownBy(result) + ")"
	default: // it is no failure
	}
	if judged.Differs != "" {
		t.wrap("    ", t.paint(yellow, escape.Line(judged.Differs)))
	}
	parts := []string{outcome}
	for _, unknown := range judged.Unknown {
		parts = append(parts, escape.Line(unknown))
	}
	name := t.paint(bold, nameOfWhole(result))
	if judged.API != provider.Publish {
		name += " of " + Count(judged.Turns, "message")
	}
	t.linef("%s: %s for %s: %s %s", place, name, result.Target, strings.Join(parts, "; "), t.paint(faint, "["+judged.Evidence.String()+"]"))
}

// titleOf names what a result is about: the tool, the side of the fixture, or the request.
func titleOf(result verdict.Result) string {
	switch kind := result.Kind.(type) {
	case *verdict.Fixture:
		return kind.ID + ", " + kind.Side
	case *verdict.Request:
		return "the request of " + Count(kind.Tools, "tool")
	case *verdict.Conversation:
		return fmt.Sprintf("%s at line %d", nameOfWhole(result), result.Line)
	default:
		return result.Tool
	}
}

// sides writes the answers about both sides of a tool.
func (t *Terminal) sides(place string, result verdict.Result, sides *verdict.Sides) {
	if sides.Raw == nil || sides.Normalized == nil && sides.AsGiven == "" || t.Quiet && result.Status <= verdict.KnownFailure {
		return
	}
	if sides.Normalized == nil {
		t.asGiven(place, result, sides)
		return
	}
	t.findings(result, sides.RawDialect, "", sides.Raw.Findings, sides.Normalized.Changes)
	t.findings(result, sides.RawDialect, "ignored: ", sides.Raw.Ignored, sides.Normalized.Changes)
	t.findings(result, result.Dialect, "after the rewrite: ", sides.Normalized.Findings, nil)
	t.findings(result, result.Dialect, "ignored after the rewrite: ", sides.Normalized.Ignored, nil)
	t.linef("%s: %s for %s: %s", place, t.paint(bold, escape.Line(result.Tool)), result.Target, t.outcome(result))
	if t.Diff && len(sides.Normalized.Changes) > 0 {
		t.diff("given", sides.Given, "normalized for "+result.Target, sides.Normalized.Tool)
	}
	if t.Diff && sides.Understood != nil {
		t.diff("sent", sides.Normalized.Tool.Get("parameters"), "understood by the provider", sides.Understood.Get("parameters"))
	}
}

// asGiven writes the answer about a tool that has no normalized form.
func (t *Terminal) asGiven(place string, result verdict.Result, sides *verdict.Sides) {
	t.findings(result, sides.RawDialect, "", sides.Raw.Findings, nil)
	t.findings(result, sides.RawDialect, "ignored: ", sides.Raw.Ignored, nil)
	outcome := t.paint(green, "accepted as given") + t.ignoring(sides.Raw)
	if sides.Raw.Verdict == provider.Rejected {
		outcome = t.paint(red, "refused as given")
	}
	switch result.Status {
	case verdict.Fail:
		outcome = t.paint(red, "FAIL") + ": " + outcome
	case verdict.KnownFailure:
		outcome += " (" + knownBy(result) + ")"
	default: // it is no failure
	}
	t.linef("%s: %s for %s: %s, %s %s", place, t.paint(bold, escape.Line(result.Tool)), result.Target, outcome,
		withoutNormalizer(sides), t.paint(faint, "["+sides.Raw.Evidence.String()+"]"))
}

// withoutNormalizer says why a tool has no normalized form.
func withoutNormalizer(sides *verdict.Sides) string {
	return "no normalized form: " + escape.Line(sides.AsGiven)
}

// advice writes the advice on a tool.
func (t *Terminal) advice(place string, result verdict.Result, advice *verdict.Advice) {
	if len(advice.Findings) == 0 || t.Quiet && result.Status <= verdict.KnownFailure {
		return
	}
	t.findings(result, verdict.AdviceTarget, "", advice.Findings, nil)
	outcome := ""
	switch result.Status {
	case verdict.Fail:
		outcome = t.paint(red, "FAIL") + ": "
	case verdict.KnownFailure:
		outcome = knownBy(result) + ": "
	default: // it is no failure
	}
	t.linef("%s: %s: %s%s, about %s tokens", place, t.paint(bold, escape.Line(result.Tool)), outcome, Count(len(advice.Findings), "finding"), estimated(advice.Tokens))
}

// placeOfTool names the line on which a tool begins, or only the source if that is not a file.
func placeOfTool(source string, line int) string {
	if line == 0 {
		return escape.Line(source)
	}
	return fmt.Sprintf("%s:%d", escape.Line(source), line)
}

// positionInText matches the position with which an error about a document begins.
var positionInText = lazy.Compile(`^\d+:\d+: `)

// broken writes why there is no verdict. If a tool could not be read, it is written once instead of
// for every target.
func (t *Terminal) broken(place string, result verdict.Result) {
	if at := positionInText.FindString(result.Error); at != "" {
		place, result.Error = escape.Line(result.Source)+":"+strings.TrimSuffix(at, ": "), strings.TrimPrefix(result.Error, at)
	}
	if result.Tool != "" {
		place += ": " + t.paint(bold, escape.Line(result.Tool)) + " for " + result.Target
	}
	line := fmt.Sprintf("%s: %s: %s", place, t.paint(red, result.Status.String()), escape.Line(result.Error))
	if line != t.lastError {
		t.wrap("", line)
	}
	t.lastError = line
}

// findings writes violations as file:line:col: message (dialect/rule).
func (t *Terminal) findings(result verdict.Result, dialect, when string, findings []verdict.Finding, changes []verdict.Change) {
	byPlace := placesOf(findings, changes)
	for _, finding := range findings {
		place := placeOfTool(result.Source, result.Line)
		switch {
		case finding.Line > 0:
			place = fmt.Sprintf("%s:%d:%d", escape.Line(result.Source), finding.Line, finding.Column)
		case result.Line == 0: // there is no file
			place = placeOfFinding(result, finding).String()
		}
		rule := finding.On(dialect)
		if finding.Rule != "" {
			rule += "/" + finding.Rule
		}
		if finding.Severity == verdict.Note {
			rule += ", a note"
		}
		known := ""
		if t.Baseline != nil && t.Baseline.Has(result, finding) {
			known = " in the baseline"
		}
		if words := excuseOf(finding); words != "" {
			known = " " + words
		}
		t.wrap("", fmt.Sprintf("%s: %s%s (%s)%s", place, when, escape.Line(strings.TrimSpace(wordsOf(finding))), rule, known))
		if finding.Instead != "" {
			t.wrap("    ", t.paint(bold, escape.Line(finding.Instead)))
		}
		if cure := result.Sides().Cure; cure != nil && when == "" && result.Advice() == nil {
			if advice, more := proposed(cure(finding)); advice != "" {
				t.wrap("    ", t.paint(bold, advice)+more)
			}
			continue
		}
		for _, answer := range answersOf(finding, changesAt(byPlace, finding.At)) {
			t.wrap("    ", answer)
		}
	}
}

// wordsOf returns the provider's words, and says how many tools are lost with the one that the
// finding is about. If the surface does not report the finding yet, wordsOf says so first.
func wordsOf(finding verdict.Finding) string {
	if finding.IsBehind {
		return "then also (predicted): " + finding.Message
	}
	if finding.Lost == 0 {
		return finding.Message
	}
	return fmt.Sprintf("%s; clients refuse the whole list for it: all %s are lost", strings.TrimSpace(finding.Message), Count(finding.Lost, "tool"))
}

// excuseOf says why the project excuses a finding; empty if it does not.
func excuseOf(finding verdict.Finding) string {
	switch {
	case finding.Waived != nil:
		return escape.Line("waived until " + finding.Waived.Until + ": " + finding.Waived.Reason)
	case finding.Level == verdict.Warning:
		return "a warning"
	default:
		return ""
	}
}

// knownBy says what excuses a known failure.
func knownBy(result verdict.Result) string {
	if isExcused(result) {
		return "let pass by toolproof.json"
	}
	return "in the baseline"
}

// maxText is the number of bytes of a replaced value that a line shows.
const maxText = 90

// placesOf returns the changes by the places that they answer: the changed schema, and the members
// that were replaced in it.
func placesOf(findings []verdict.Finding, changes []verdict.Change) map[schema.Pointer][]verdict.Change {
	if len(findings) == 0 {
		return nil
	}
	places := map[schema.Pointer][]verdict.Change{}
	for _, change := range changes {
		if isSpelling(change) {
			continue
		}
		places[change.From] = append(places[change.From], change)
		if change.Before.IsZero() {
			continue
		}
		for _, member := range change.Before.Node().Members {
			at := change.From.Child(member.Key)
			places[at] = append(places[at], change)
		}
	}
	return places
}

// changesAt returns the changes that answer a finding: those at its place, or those that removed
// the member of the tool that contains the place.
func changesAt(places map[schema.Pointer][]verdict.Change, at schema.Pointer) []verdict.Change {
	tokens := at.Tokens()
	if found := places[at]; len(found) > 0 || len(tokens) == 0 {
		return found
	}
	var left []verdict.Change
	for _, change := range places[schema.Pointer("").Child(tokens[0])] {
		if change.From == "" && change.After.IsZero() {
			left = append(left, change)
		}
	}
	return left
}

// answering returns the changes at the place of a finding that answer it. If some of them are about
// a keyword that the provider names, it returns only these.
func answering(finding verdict.Finding, changes []verdict.Change) []verdict.Change {
	var named []verdict.Change
	for _, change := range changes {
		if isNamed(finding.Message, change.Before.Node()) || isNamed(finding.Message, change.After.Node()) {
			named = append(named, change)
		}
	}
	if len(named) > 0 {
		return named
	}
	return changes
}

// answersOf describes the rewrites that answer a finding.
func answersOf(finding verdict.Finding, changes []verdict.Change) []string {
	var answers []string
	for _, change := range answering(finding, changes) {
		answers = append(answers, answerOf(change, maxText))
	}
	return answers
}

// answerOf describes a rewrite, with so many bytes of each value.
func answerOf(change verdict.Change, most int) string {
	text := "rewritten"
	if what := rewritten(change, most); what != "" {
		text += ": " + what
	}
	return text + " (" + meanings[change.Loss].one + ")"
}

// rewritten says what a rewrite makes of what, with so many bytes of each value; empty if neither is known.
func rewritten(change verdict.Change, most int) string {
	before, after := textOf(change.Before.Node(), most), textOf(change.After.Node(), most)
	switch {
	case before != "" && after != "":
		return before + " becomes " + after
	case before != "":
		return before + " is left out"
	case after != "":
		return after + " is added"
	default:
		return ""
	}
}

// isNamed reports whether a message names a member of a node in quotes.
func isNamed(message string, node *schema.Node) bool {
	return node != nil && slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return strings.Contains(message, "'"+member.Key+"'") || strings.Contains(message, strconv.Quote(member.Key))
	})
}

// textOf returns a value as text, of which it leaves out what exceeds so many bytes.
func textOf(node *schema.Node, most int) string {
	if node == nil {
		return ""
	}
	text := node.String()
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return escape.Line(text)
}

// outcome describes the outcome of a tool in a few words.
func (t *Terminal) outcome(result verdict.Result) string {
	raw, normalized := result.Sides().Raw, result.Sides().Normalized
	before := "accepted as given" + t.ignoring(raw)
	switch {
	case raw.Verdict == provider.Rejected && result.Status == verdict.Fail && normalized.Verdict == provider.Accepted:
		before = t.paint(red, "refused as given")
	case raw.Verdict == provider.Rejected:
		before = t.paint(yellow, "refused as given")
	}
	if result.Status == verdict.Fail {
		before = t.paint(red, "FAIL") + ": " + before
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
	after += t.ignoring(&normalized.Answer)
	if normalized.Fallback != "" {
		after += ", sent with strict false: " + escape.Line(normalized.Fallback)
	}
	if result.Sides().Understood != nil {
		after += understood(result.Sides())
	}
	if together := result.Together(); together > 0 {
		after += fmt.Sprintf(", in one request of all %d tools", together)
	}
	if result.Status == verdict.KnownFailure {
		after += " (" + knownBy(result) + ")"
	}
	return before + ", " + after + " " + t.paint(faint, "["+normalized.Evidence.String()+"]")
}

// ignoring says how many places of an accepted tool a surface ignores.
func (t *Terminal) ignoring(answer *verdict.Answer) string {
	if !answer.Loses() {
		return ""
	}
	places := map[schema.Pointer]bool{} // several surfaces may ignore the same place
	for _, finding := range answer.Ignored {
		places[finding.At] = true
	}
	return t.paint(yellow, " but for "+Count(len(places), "ignored place"))
}

// understood says what the provider itself makes of a tool.
func understood(sides *verdict.Sides) string {
	if !schema.Identical(sides.Understood.Get("parameters"), sides.Normalized.Tool.Get("parameters")) {
		return ", rewritten by the provider"
	}
	return ", taken by the provider with strict " + strconv.FormatBool(sides.Understood.Get("strict").IsTrue())
}

func changesOf(normalized *verdict.Normalized) string {
	return Count(len(normalized.Changes)+normalized.More, "change") + " (" + meaning(normalized) + ")"
}

// Count returns a number with its noun, such as "1 change" or "2 changes".
func Count(number int, noun string) string {
	if number == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", number, noun)
}

func (t *Terminal) diff(before string, old *schema.Node, after string, now *schema.Node) {
	if old == nil || now == nil {
		return
	}
	const most = 20_000 // values, because nobody reads on and each deep one takes a long line
	if size := max(old.Size(), now.Size()); size > most {
		t.printf("    %s and %s are not shown side by side: %s are too many\n", before, after, Count(size, "value"))
		return
	}
	lines := diff.Diff(before, indented(old), after, indented(now))
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
		text := escape.Line(strings.TrimSuffix(line, "\n"))
		if code != "" {
			text = t.paint(code, text)
		}
		t.printf("    %s\n", text)
	}
}

func indented(node *schema.Node) []byte { return append(node.Indented(), '\n') }

// CheckSummary writes the verdict of a check in words, and what it rests on.
func (t *Terminal) CheckSummary(groups *Groups, summary *Summary) {
	t.printf("\n")
	t.verdict(groups, summary)
	t.restsOn(summary, false)
	t.seen(summary)
}

// seen writes how much of the predicted acceptances recordings show. Surfaces with the same counts
// share a line.
func (t *Terminal) seen(summary *Summary) {
	var lines []string
	surfaces := map[string][]string{} // by line
	for _, surface := range slices.Sorted(maps.Keys(summary.Seen)) {
		if summary.Seen[surface].Constructs == 0 {
			continue // a tool without arguments
		}
		line := seenText(summary.Seen[surface])
		if missed := summary.Seen[surface].Missed(); missed != "" && t.Unseen {
			line += "; not " + missed
		}
		if surfaces[line] == nil {
			lines = append(lines, line)
		}
		surfaces[line] = append(surfaces[line], surface)
	}
	for _, line := range lines {
		t.linef("%s: predicted; %s", strings.Join(surfaces[line], ", "), line)
	}
}

// seenText says how many constructs recordings show. Several tools share most constructs, and
// it also says how many of their uses these are.
func seenText(seen *Seen) string {
	text := fmt.Sprintf("%d of %s seen accepted", seen.Accepted, Count(seen.Constructs, "construct"))
	if seen.Tools > 1 && !seen.IsWhole() {
		const percent = 100
		text += fmt.Sprintf(", %d %% of their uses", percent*seen.UsesAccepted/seen.Uses)
	}
	return text
}

func (t *Terminal) conclusion(summary *Summary) {
	text, code := summary.conclusion()
	t.printf("%s\n", t.paint(code, text))
}

func (t *Terminal) refused(count, total int) string {
	text := fmt.Sprintf("%d refused", count)
	if count == 0 || total == 0 {
		return text
	}
	return t.paint(yellow, fmt.Sprintf("%s (%.1f %%)", text, 100*float64(count)/float64(total)))
}

// FixtureSummary writes the verdict of a run over fixtures in words. With tables it adds the counts of each
// target; dialects maps targets to their dialects.
func (t *Terminal) FixtureSummary(groups *Groups, summary *Summary, dialects map[string]string, tables bool) {
	for _, sentence := range groups.sentencesOfFixtures(summary) {
		t.wrap("", t.paint(sentence.style, sentence.text))
	}
	t.Groups(groups)
	if tables {
		t.printf("\n")
		t.tables(summary, dialects)
	} else if len(groups.groups) > 0 {
		t.printf("\n")
	}
	t.restsOn(summary, true)
}

// tables writes the counts of each target; a surface without a target is named by its dialect.
func (t *Terminal) tables(summary *Summary, dialects map[string]string) {
	width := summary.width()
	for _, target := range summary.order {
		counts := summary.Targets[target]
		total := counts.Passed + counts.Known + counts.Failed + counts.Inconclusive + counts.Errors
		text := fmt.Sprintf("%s, %d pass", Count(total, "verdict"), counts.Passed)
		if dialect := dialects[target]; dialect != "" {
			text = dialect + ": " + text
		}
		for _, more := range []struct {
			count int
			text  string
		}{{counts.Known, "known"}, {counts.Inconclusive, "inconclusive"}, {counts.Failed, "FAIL"}, {counts.Errors, "ERROR"}} {
			if more.count > 0 {
				text += ", " + t.paint(red, fmt.Sprintf("%d %s", more.count, more.text))
			}
		}
		if seen := summary.Seen[cmp.Or(dialects[target], target)]; seen != nil && seen.Constructs > 0 {
			text += "; " + seenText(seen)
		}
		t.hang(fmt.Sprintf("%-*s ", width, target), strings.Repeat(" ", width+1), text)
	}
}
