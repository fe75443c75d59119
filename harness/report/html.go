package report

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/drift"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/internal/style"
	"toolproof/schema"
)

// Bounds of a page. The page says how much lies beyond them.
const (
	placesOfHTML = 20      // of a group, with proposals
	groupsOfHTML = 200     // of findings
	rowsOfChunk  = 200     // tools that fold and unfold together
	mostDetails  = 300     // tools that are shown with their findings and both sides
	mostBytes    = 4 << 20 // of the text of these tools
	mostFindings = 40      // of a tool
	mostColumns  = 24      // targets; with more of them the columns are outcomes
)

// htmlPage collects a run as a self-contained page of HTML: the verdict, a table of tools and
// targets with filters, the findings grouped by rule, and the tools that do not conform, as given
// and normalized.
type htmlPage struct {
	options Options
	groups  *Groups
	targets []string
	column  map[string]int
	rows    []*htmlRow
	key     rowKey
	byKey   map[rowKey]*htmlRow
	failed  []htmlReason
	details int
	bytes   int
}

// rowKey identifies a row: a tool, or one side of a fixture.
type rowKey struct {
	toolKey

	fixture, side string
}

// htmlRow is a row of the table.
type htmlRow struct {
	Name, Place string
	Cells       []htmlCell // by target; the zero value if the target judged nothing
	Outcomes    [][]string // targets by state, if there are too many for columns
	ID          int        // number of the details; 0 if there are none
	Findings    []htmlFinding
	Left        int // number of findings that are not shown
	Sides       []htmlSides
}

// htmlCell says what a target makes of a tool: Text in words, and State for the colour and the
// filter.
type htmlCell struct{ State, Text string }

// htmlFinding is a finding of some targets at a place of a tool.
type htmlFinding struct {
	Targets  []string
	Rule     string
	Message  string
	Place    string
	Proposal string
}

// htmlSides is a tool as given beside the tool that targets make of it.
type htmlSides struct {
	Targets []string
	Rows    []htmlLine

	text string
}

// htmlLine is a line of htmlSides.
type htmlLine struct {
	Left, Right string
	Class       string
}

// htmlReason is a result that its error explains.
type htmlReason struct{ Name, Target, Status, Why string }

func newHTML(options Options) *htmlPage {
	return &htmlPage{options: options, groups: &Groups{Options: options, Places: placesOfHTML, excerpts: true}, column: map[string]int{}, byKey: map[rowKey]*htmlRow{}}
}

// Result adds one result.
func (h *htmlPage) Result(result verdict.Result) error {
	isExplained := result.Fixture() != nil || result.Status == verdict.Inconclusive || result.Status == verdict.Error
	if isExplained && result.Status > verdict.Pass && len(h.failed) < maxRows {
		reason := htmlReason{escape.Line(cmp.Or(titleOf(result), result.Source)), result.Target, result.Status.String(), escape.Line(firstLine(h.options.reason(result)))}
		if !slices.Contains(h.failed, reason) {
			h.failed = append(h.failed, reason)
		}
	}
	if !isExplained {
		h.groups.Add(result)
	}
	at, known := h.column[result.Target]
	if !known {
		at = len(h.targets)
		h.column[result.Target] = at
		h.targets = append(h.targets, result.Target)
	}
	row := h.row(result)
	for len(row.Cells) <= at {
		row.Cells = append(row.Cells, htmlCell{})
	}
	row.Cells[at] = h.cell(result)
	h.detail(row, result)
	return nil
}

// row returns the row of a tool: the latest row, or a new one.
func (h *htmlPage) row(result verdict.Result) *htmlRow {
	key := rowKey{toolKey: toolKey{result.Source, result.ID, result.Tool, result.Line}}
	if fixture := result.Fixture(); fixture != nil {
		key.fixture, key.side = fixture.ID, fixture.Side
	}
	if len(h.rows) > 0 && key == h.key {
		return h.rows[len(h.rows)-1]
	}
	if known := h.byKey[key]; known != nil && result.Advice() != nil { // advice comes after the whole list was judged
		return known
	}
	h.key = key
	row := &htmlRow{Name: escape.Line(cmp.Or(titleOf(result), result.Source)), Place: placeOfTool(result.Source, result.Line)}
	h.rows, h.byKey[key] = append(h.rows, row), row
	return row
}

// cell says in a word or two what a target makes of a tool.
func (h *htmlPage) cell(result verdict.Result) htmlCell {
	side := h.options.required(result)
	findings := ""
	if side.answer != nil && len(side.refused()) > 0 {
		findings = fmt.Sprintf(" %d", len(side.refused()))
	}
	switch advice := result.Advice(); {
	case result.Status == verdict.Error:
		return htmlCell{"other", "error"}
	case result.Target == verdict.AdviceTarget && (advice == nil || len(advice.Findings) == 0):
		return htmlCell{"accepted", "no advice"}
	case advice != nil:
		return htmlCell{"other", fmt.Sprintf("advice %d", len(advice.Findings))}
	case result.Status == verdict.Inconclusive || side.answer == nil:
		return htmlCell{"other", result.Status.String()}
	case result.Status == verdict.Fail && result.Fixture() != nil:
		return htmlCell{"refused", "FAIL"}
	case side.answer.Loses():
		return htmlCell{"ignored", fmt.Sprintf("ignored %d", len(side.answer.Ignored))}
	case result.Status == verdict.KnownFailure:
		return htmlCell{"other", "known" + findings}
	case side.answer.Verdict == provider.Rejected && result.Fixture() != nil:
		return htmlCell{"accepted", "refused, as expected"}
	case side.answer.Verdict == provider.Rejected:
		return htmlCell{"refused", "refused" + findings}
	case isNotStrict(result) && !side.asGiven:
		return htmlCell{"other", "not strict"}
	default:
		return htmlCell{"accepted", "accepted"}
	}
}

// isNotStrict reports whether a strict target sends the tool of a result as not strict.
func isNotStrict(result verdict.Result) bool {
	normalized := result.Sides().Normalized
	return normalized != nil && normalized.Fallback != ""
}

// detail adds to a row the findings of a tool that does not conform, and both sides of the tool,
// while the page has room.
func (h *htmlPage) detail(row *htmlRow, result verdict.Result) {
	side := h.options.required(result)
	var findings []verdict.Finding
	switch kind := result.Kind.(type) {
	case *verdict.Tool:
		findings = slices.Concat(side.refused(), side.ignored(result))
	case *verdict.Advice:
		findings = kind.Findings
	}
	if len(findings) == 0 {
		return
	}
	if row.ID == 0 {
		if h.details >= mostDetails || h.bytes > mostBytes {
			return
		}
		h.details++
		row.ID = h.details
	}
	for _, finding := range findings {
		h.finding(row, result, finding)
	}
	sides := result.Sides()
	if sides.Given == nil || sides.Normalized == nil {
		return
	}
	text := string(indented(sides.Normalized.Tool))
	for i, known := range row.Sides {
		if known.text == text {
			row.Sides[i].Targets = append(row.Sides[i].Targets, result.Target)
			return
		}
	}
	if h.bytes += len(text); h.bytes <= mostBytes {
		row.Sides = append(row.Sides, htmlSides{[]string{result.Target}, pairedLines(string(indented(sides.Given)), text), text})
	}
}

// finding adds a finding to a row. A finding of several targets is added once.
func (h *htmlPage) finding(row *htmlRow, result verdict.Result, finding verdict.Finding) {
	shown := htmlFinding{Rule: cmp.Or(finding.Rule, finding.On(result.Dialect)), Message: escape.Line(strings.Join(strings.Fields(wordsOf(finding)), " "))}
	shown.Place = placeOfFinding(result, finding).String()
	if finding.At != "" {
		shown.Place += " " + escape.Line(string(finding.At))
	}
	for i, known := range row.Findings {
		if known.Rule == shown.Rule && known.Message == shown.Message && known.Place == shown.Place {
			if !slices.Contains(known.Targets, result.Target) {
				row.Findings[i].Targets = append(row.Findings[i].Targets, result.Target)
			}
			return
		}
	}
	if len(row.Findings) == mostFindings {
		row.Left++
		return
	}
	shown.Proposal = proposal(h.options.cure(result, finding))
	shown.Targets = []string{result.Target}
	row.Findings = append(row.Findings, shown)
	h.bytes += len(shown.Message) + len(shown.Proposal)
}

// pairedLines returns the lines of a tool on both sides: those that differ, and a few around them.
func pairedLines(given, normalized string) []htmlLine {
	const around = 3
	paired := rows(given, normalized)
	var lines []htmlLine
	isGap := false // the lines before this one are left out
	for i, current := range paired {
		near := paired[max(i-around, 0):min(i+around+1, len(paired))]
		if !slices.ContainsFunc(near, func(other row) bool { return !other.same }) {
			if !isGap {
				lines = append(lines, htmlLine{Left: "⋯", Right: "⋯"})
			}
			isGap = true
			continue
		}
		isGap = false
		line := htmlLine{Left: escape.Line(current.left), Right: escape.Line(current.right)}
		if !current.same {
			line.Class = "changed"
		}
		lines = append(lines, line)
	}
	return lines
}

// htmlGroup is a group of findings as the page shows it.
type htmlGroup struct {
	Title   string // the rule and the rewrite that answers it
	Extent  string
	By      string // "refused by" or "ignored by"
	Targets []string
	Message string
	State   string
	Doc     string
	Places  []htmlPlace
	More    int
}

// htmlPlace is a place of a group, with an excerpt or a proposal.
type htmlPlace struct {
	Place         string
	Excerpt       string
	Before, After string
	Loss          string
}

// states are the states of cells. They are also the heads of the columns if there are too many
// targets.
var states = []string{"refused", "ignored", "other", "accepted"}

// htmlChunk is a run of rows that fold and unfold together.
type htmlChunk struct {
	Title string
	Open  bool
	Rows  []*htmlRow
}

// htmlView is the data of the template.
type htmlView struct {
	Title, Verdict, Counts string
	Conforms               bool
	Policy                 string
	Style                  template.CSS
	Script                 template.JS
	Version                string
	Targets                []htmlTarget
	Evidence               []string
	Advice                 string
	Failed                 []htmlReason
	Groups                 []htmlGroup
	MoreGroups             int
	Known                  int
	Chunks                 []htmlChunk
	Names                  []string // the targets, including advice
	IsWide                 bool     // the columns are outcomes, not targets
	Tools                  int
	Details                []*htmlRow
	WithoutDetails         int
	Passed                 string
	Waived                 []string
	Flips                  *htmlFlips
}

// htmlTarget is a target with its counts.
type htmlTarget struct {
	Counts

	Name string
}

//go:embed html
var htmlFiles embed.FS

// htmlFile returns the text of an embedded file.
func htmlFile(name string) string {
	text, err := htmlFiles.ReadFile("html/" + name)
	if err != nil {
		panic("the program lacks html/" + name + ": " + err.Error())
	}
	return string(text)
}

// Summary writes the page.
func (h *htmlPage) Summary(summary *Summary) error {
	conclusion, counts, _ := strings.Cut(conclusionOf(h.options, summary), ": ")
	view := htmlView{
		Title: "Toolproof report", Verdict: conclusion, Counts: counts, Conforms: summary.Conforms, Version: h.options.Version,
		Failed: h.failed, Known: h.groups.known, Tools: len(h.rows), Passed: summary.passed(), Names: h.targets, IsWide: len(h.targets) > mostColumns,
	}
	if summary.Advice != nil {
		view.Advice = summary.Advice.String()
	}
	for _, target := range summary.order {
		if target == verdict.AdviceTarget { // it has no verdicts
			continue
		}
		counts := summary.Targets[target]
		view.Targets = append(view.Targets, htmlTarget{*counts, target})
	}
	for _, grade := range slices.Sorted(maps.Keys(summary.Evidence)) {
		view.Evidence = append(view.Evidence, fmt.Sprintf("%d %s", summary.Evidence[grade], grade))
	}
	for _, waived := range h.groups.waived[:min(len(h.groups.waived), maxRows)] {
		line := fmt.Sprintf("%s of %s, until %s: %s", Count(waived.count, "finding"), waived.rule, waived.Until, waived.Reason)
		view.Waived = append(view.Waived, escape.Line(line))
	}
	for _, ignore := range summary.Ignores[:min(len(summary.Ignores), maxRows)] {
		view.Waived = append(view.Waived, escape.Line(fmt.Sprintf("%s:%d: %s", ignore.File, ignore.Line, ignore)))
	}
	groups := h.groups.sorted()
	view.MoreGroups = max(len(groups)-groupsOfHTML, 0)
	for _, group := range groups[:len(groups)-view.MoreGroups] {
		view.Groups = append(view.Groups, h.group(group))
	}
	for _, row := range h.rows {
		if view.IsWide {
			row.Outcomes = h.outcomes(row)
		}
		for len(row.Cells) < len(h.targets) {
			row.Cells = append(row.Cells, htmlCell{})
		}
		switch {
		case row.ID > 0:
			view.Details = append(view.Details, row)
		case slices.ContainsFunc(row.Cells, func(cell htmlCell) bool { return cell.State == "refused" || cell.State == "ignored" }):
			view.WithoutDetails++
		}
	}
	for chunk := range slices.Chunk(h.rows, rowsOfChunk) {
		first := len(view.Chunks)*rowsOfChunk + 1
		view.Chunks = append(view.Chunks, htmlChunk{fmt.Sprintf("%d to %d", first, first+len(chunk)-1), len(view.Chunks) == 0, chunk})
	}
	return writeHTML(h.options, view)
}

// outcomes returns the targets of a row by state.
func (h *htmlPage) outcomes(row *htmlRow) [][]string {
	named := make([][]string, len(states))
	for i, cell := range row.Cells {
		if at := slices.Index(states, cell.State); at >= 0 {
			named[at] = append(named[at], h.targets[i])
		}
	}
	return named
}

// Heads returns the heads of the columns.
func (v htmlView) Heads() []string {
	if v.IsWide {
		return states
	}
	return v.Names
}

// Outcomes returns the states that the filter offers.
func (htmlView) Outcomes() []string { return states }

// group returns a group as the page shows it.
func (h *htmlPage) group(group *group) htmlGroup {
	shown := htmlGroup{
		Title: group.title(), Extent: group.extent(), By: group.by(), Targets: group.targets, Message: group.message,
		State: "refused", More: group.count - len(group.shown),
	}
	switch group.kind {
	case ofIgnored:
		shown.State = "ignored"
	case ofAdvice:
		shown.State, shown.Message = "advice", "" // each place has a message of its own
	case ofRefused:
	}
	if h.options.Doc != nil && len(group.targets) > 0 {
		target, _, _ := strings.Cut(group.targets[0], " ")
		shown.Doc, _, _ = strings.Cut(h.options.Doc(h.options.Dialects[target], group.rule), "\n")
	}
	for _, place := range group.shown {
		at := place.String() + " " + escape.Line(string(place.at))
		if group.kind == ofAdvice {
			at = place.String() + ": " + place.message
		}
		entry := htmlPlace{Place: at, Excerpt: place.excerpt}
		if place.cure == nil {
			shown.Places = append(shown.Places, entry)
			continue
		}
		cure := place.cure()
		if len(cure.Edits) > 0 {
			edit := cure.Edits[0]
			entry.Before, entry.After, entry.Loss = partOf(edit.Before.Node()), partOf(edit.After.Node()), lossOf(edit)
		} else if proposal := proposal(cure); proposal != "" {
			entry.Place += ": " + proposal
		}
		shown.Places = append(shown.Places, entry)
	}
	return shown
}

// writeHTML writes a page.
func writeHTML(options Options, view htmlView) error {
	sheet, script := style.Sheet+htmlFile("report.css"), htmlFile("report.js")
	view.Style, view.Script = template.CSS(sheet), template.JS(script) //nolint:gosec // both are files of this package
	view.Policy = "default-src 'none'; style-src " + style.Source(sheet) + "; script-src " + style.Source(script) + "; img-src data:; base-uri 'none'; form-action 'none'"
	parsed, err := template.New("report.html").Parse(htmlFile("report.html"))
	if err != nil {
		return fmt.Errorf("reading the template of the report: %w", err)
	}
	out := bufio.NewWriter(options.Out)
	if err := parsed.Execute(out, view); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

// excerptOf returns the member at a place of a tool as given, cut to a few lines; empty if there is
// no such member.
func excerptOf(given *schema.Node, at schema.Pointer) string {
	const most = 12
	node := given
	tokens := at.Tokens()
	if len(tokens) > 0 && tokens[0] == "parameters" && given.Get("parameters") == nil {
		tokens[0] = "inputSchema" // the name that servers publish it under
	}
	for _, token := range tokens {
		next := child(node, token)
		if next == nil {
			return ""
		}
		node = next
	}
	if node == nil || len(tokens) == 0 {
		return ""
	}
	return escape.Lines(strings.TrimSuffix(`"`+tokens[len(tokens)-1]+`": `+firstLines(string(indented(node)), most), "\n"), "")
}

// child returns a member of an object or an element of an array; nil if there is none.
func child(node *schema.Node, token string) *schema.Node {
	if node == nil || node.Kind != schema.Array {
		return node.Get(token)
	}
	at, err := strconv.Atoi(token)
	if err != nil || at < 0 || at >= len(node.Elements) {
		return nil
	}
	return node.Elements[at]
}

// partOf returns a value on several lines; empty for nil.
func partOf(node *schema.Node) string {
	if node == nil {
		return ""
	}
	return escape.Lines(string(node.Indented()), "")
}

// firstLines returns the first lines of a text, with dots below them if there are more.
func firstLines(text string, most int) string {
	lines := strings.SplitAfterN(text, "\n", most+1)
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	return strings.Join(lines, "")
}

// htmlFlips are the flips between two runs.
type htmlFlips struct {
	Rows []htmlFlip
	More int
}

// htmlFlip is one flip.
type htmlFlip struct{ Tool, Source, Target, What, Who, Words string }

// HTML writes the flips as a self-contained page.
func (f *FlipTable) HTML(options Options, summary drift.Summary) error {
	view := htmlView{
		Title: "Toolproof: what flipped", Verdict: Count(summary.Flips, "flip"), Conforms: summary.Flips == 0, Version: options.Version,
		Counts: fmt.Sprintf("%s compared, %d inconclusive", Count(summary.Compared, "result"), summary.Inconclusive), Flips: &htmlFlips{More: f.more},
	}
	for _, flip := range f.flips {
		view.Flips.Rows = append(view.Flips.Rows, htmlFlip{
			escape.Line(subject(flip)), escape.Line(flip.Source), escape.Line(flip.Target), escape.Line(change(flip)), wordsFor(flip.Guilty), escape.Line(saidIn(flip)),
		})
	}
	return writeHTML(options, view)
}
