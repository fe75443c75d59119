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

// Bounds of a page. What is beyond them is counted, and the page says so.
const (
	placesOfHTML = 20      // of a group, with what to write there
	groupsOfHTML = 200     // of findings
	rowsOfChunk  = 200     // tools that fold together
	mostDetails  = 300     // tools with their findings and their text on both sides
	mostBytes    = 4 << 20 // of those texts
	mostFindings = 40      // of a tool
	mostColumns  = 24      // targets with a column of their own
)

// htmlPage collects a run as one page of HTML that needs no other file: the verdict, the
// table of tools by targets with filters, the findings by rule, and the tools that do not
// conform as given and normalized.
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

// rowKey tells the tools of a run apart. Fixtures are judged on two sides.
type rowKey struct {
	toolKey

	fixture, side string
}

// htmlRow is a tool in the table.
type htmlRow struct {
	Name, Place string
	Cells       []htmlCell // by target; the zero value where nothing was judged
	Outcomes    [][]string // the targets of each of states, where there are many
	ID          int        // of its details; 0 where it has none
	Findings    []htmlFinding
	Left        int // findings that are not shown
	Sides       []htmlSides
}

// htmlCell is what a target makes of a tool. The words say it; State gives the colour, and is
// what the filter goes by.
type htmlCell struct{ State, Text string }

// htmlFinding is what targets find at a place of a tool.
type htmlFinding struct {
	Targets  []string
	Rule     string
	Message  string
	Place    string
	Proposal string
}

// htmlSides is a tool as given and as targets have it.
type htmlSides struct {
	Targets []string
	Rows    []htmlLine

	text string
}

// htmlLine is a line of both sides.
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
		name := cmp.Or(result.Tool, result.Source)
		if fixture := result.Fixture(); fixture != nil {
			name = fixture.ID + ", " + fixture.Side
		}
		reason := htmlReason{escape.Line(name), result.Target, result.Status.String(), escape.Line(firstLine(h.options.reason(result)))}
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

// row returns the row of a tool, which is the last one or a new one.
func (h *htmlPage) row(result verdict.Result) *htmlRow {
	key := rowKey{toolKey: toolKey{result.Source, result.ID, result.Tool, result.Line}}
	if fixture := result.Fixture(); fixture != nil {
		key.fixture, key.side = fixture.ID, fixture.Side
	}
	if len(h.rows) > 0 && key == h.key {
		return h.rows[len(h.rows)-1]
	}
	if known := h.byKey[key]; known != nil && result.Advice() != nil { // which comes when the whole list is read
		return known
	}
	h.key = key
	name := cmp.Or(result.Tool, result.Source)
	switch kind := result.Kind.(type) {
	case *verdict.Fixture:
		name = kind.ID + ", " + kind.Side
	case *verdict.Request:
		name = "the request of " + Count(kind.Tools, "tool")
	}
	row := &htmlRow{Name: escape.Line(name), Place: placeOfTool(result.Source, result.Line)}
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

// detail adds the findings of a tool that does not conform, and the tool on both sides, as
// long as the page has room.
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
	changes := side.answering(findings)
	for _, finding := range findings {
		h.finding(row, result, finding, answering(finding, changesAt(changes, finding.At)))
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

// finding adds a finding to a tool. What several targets find is shown once.
func (h *htmlPage) finding(row *htmlRow, result verdict.Result, finding verdict.Finding, answers []verdict.Change) {
	shown := htmlFinding{Rule: cmp.Or(finding.Rule, finding.On(result.Dialect)), Message: escape.Line(strings.Join(strings.Fields(wordsOf(finding)), " "))}
	shown.Place = placeOfFinding(result, finding).String()
	if finding.At != "" {
		shown.Place += " " + escape.Line(string(finding.At))
	}
	if len(answers) > 0 {
		shown.Proposal = proposal(answers[0])
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
	shown.Targets = []string{result.Target}
	row.Findings = append(row.Findings, shown)
	h.bytes += len(shown.Message) + len(shown.Proposal)
}

// pairedLines pairs the lines of a tool on both sides: those that differ, and some around
// them.
func pairedLines(given, normalized string) []htmlLine {
	const around = 3
	paired := rows(given, normalized)
	var lines []htmlLine
	left := true
	for i, one := range paired {
		near := paired[max(i-around, 0):min(i+around+1, len(paired))]
		if !slices.ContainsFunc(near, func(other row) bool { return !other.same }) {
			if left {
				lines = append(lines, htmlLine{Left: "⋯", Right: "⋯"})
			}
			left = false
			continue
		}
		left = true
		line := htmlLine{Left: escape.Line(one.left), Right: escape.Line(one.right)}
		if !one.same {
			line.Class = "changed"
		}
		lines = append(lines, line)
	}
	return lines
}

// htmlGroup is the findings of a rule.
type htmlGroup struct {
	Title   string // the rule, and what answers it
	Extent  string
	By      string // refused by, or ignored by
	Targets []string
	Message string
	State   string
	Doc     string
	Places  []htmlPlace
	More    int
}

// htmlPlace is a place of a group, with an excerpt and what to write there.
type htmlPlace struct {
	Place         string
	Excerpt       string
	Before, After string
	Loss          string
}

// states are the states of cells, and the heads of the columns where there are too many
// targets.
var states = []string{"refused", "ignored", "other", "accepted"}

// htmlChunk is tools that fold together.
type htmlChunk struct {
	Title string
	Open  bool
	Rows  []*htmlRow
}

// htmlView is what the template shows.
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
	Names                  []string // of the targets, and of advice
	IsWide                 bool     // with columns for outcomes, and not for targets
	Tools                  int
	Details                []*htmlRow
	WithoutDetails         int
	Passed                 string
	Waived                 []string
	Flips                  *htmlFlips
}

// htmlTarget is the counts of a target.
type htmlTarget struct {
	Counts

	Name string
}

//go:embed html
var htmlFiles embed.FS

// htmlFile returns the text of one of the files.
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
		if target == verdict.AdviceTarget { // no surface, and no verdict
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

// outcomes returns the targets of a row by what they make of the tool.
func (h *htmlPage) outcomes(row *htmlRow) [][]string {
	named := make([][]string, len(states))
	for i, cell := range row.Cells {
		if at := slices.Index(states, cell.State); at >= 0 {
			named[at] = append(named[at], h.targets[i])
		}
	}
	return named
}

// Heads are the heads of the table of tools.
func (v htmlView) Heads() []string {
	if v.IsWide {
		return states
	}
	return v.Names
}

// Outcomes are what a filter can ask for.
func (htmlView) Outcomes() []string { return states }

// group returns a group as the page shows it.
func (h *htmlPage) group(group *group) htmlGroup {
	shown := htmlGroup{
		Title: group.answered(), Extent: group.extent(), By: group.by(), Targets: group.targets, Message: group.message,
		State: "refused", More: group.count - len(group.shown),
	}
	switch group.kind {
	case ofIgnored:
		shown.State = "ignored"
	case ofAdvice:
		shown.State, shown.Message = "advice", "" // each place has its own words
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
		shown.Places = append(shown.Places, htmlPlace{
			Place: at, Excerpt: place.excerpt, Before: place.before, After: place.after, Loss: place.loss,
		})
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

// excerptOf returns the value at a place of a tool as given, in a few lines; empty where it
// has none.
func excerptOf(given *schema.Node, at schema.Pointer) string {
	const most = 12
	node := given
	tokens := at.Tokens()
	if len(tokens) > 0 && tokens[0] == "parameters" && given.Get("parameters") == nil {
		tokens[0] = "inputSchema" // as a server publishes it
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
	text := string(indented(node))
	lines := strings.SplitAfterN(text, "\n", most+1)
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	return escape.Lines(strings.TrimSuffix(`"`+tokens[len(tokens)-1]+`": `+strings.Join(lines, ""), "\n"), "")
}

// child returns a member of an object, or an element of an array; nil where there is none.
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

// partOf returns what a change shows, in a few lines; empty where there was nothing.
func partOf(node *schema.Node) string {
	const most = 30
	if node == nil {
		return ""
	}
	lines := strings.SplitAfterN(string(node.Indented()), "\n", most+1)
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	return escape.Lines(strings.Join(lines, ""), "")
}

// htmlFlips is what a comparison of two runs found.
type htmlFlips struct {
	Rows []htmlFlip
	More int
}

// htmlFlip is one change between two runs.
type htmlFlip struct{ Tool, Source, Target, What, Who, Words string }

// HTML writes the changes as a page that needs no other file.
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
