package report

import (
	"bufio"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/internal/style"
	"toolproof/schema"
)

// Bounds of a page. The page says how much lies beyond them, and which command shows it.
const (
	placesOfHTML = 10        // of a finding, with what to write
	mostCured    = 100       // places with what to write, apart from the first of each finding: finding it takes time
	mostFindings = 192 << 10 // bytes of all findings
	mostDetails  = 300       // tools that are shown with their findings and both sides
	mostRefs     = 20        // findings of a tool
	mostAt       = 8         // places of a finding of a tool
	mostNames    = 400       // in a list
	mostSources  = 3         // in the title
	longestName  = 120       // bytes of the name of a tool or a source
	longestWords = 1500      // bytes of a provider's words, or of an answer
	longestWrite = 240       // bytes of an edit that stands in a line
	mostLines    = 30        // of a part that an edit replaces
	mostExcerpt  = 8         // lines of the text at a place
)

// htmlPage collects a run as a self-contained page of HTML: what was checked and when, the verdict in
// words, a table of tools and targets, the findings with what to write, and the tools as given and
// normalized.
type htmlPage struct {
	options Options
	groups  *Groups
	sources []string
	targets []string
	column  map[string]int
	rows    []*htmlRow
	key     rowKey
	byKey   map[rowKey]*htmlRow
	failed  []*htmlFailure
	details int
	cured   int // places whose answers were looked for
	unread  int // sources that could not be read
	sides   htmlSides
	// isOfFixtures says that the results are about fixtures.
	isOfFixtures bool
}

// rowKey identifies a row: a tool, or one side of a fixture.
type rowKey struct {
	toolKey

	fixture, side string
}

// htmlRow is a row of the table.
type htmlRow struct {
	Name, Place string
	Source      string
	Cells       []htmlCell // by target, and later by column; the zero value if the target judged nothing
	ID          int        // number of the details; 0 if there are none
	Refs        []htmlRef
	Left        int // number of findings that Refs has no room for
	Sides       []*htmlSide
	LeftSides   int // number of sides that the page has no room for
}

// htmlRef names a finding of a tool, and its places in the tool.
type htmlRef struct {
	Number int
	Label  string
	At     []string
	More   int

	key htmlKey
}

// htmlKey is what the findings of a group have in common.
type htmlKey struct {
	kind        kind
	rule, about string
}

// htmlFailure is what an error explains: a result without a verdict, or a fixture that is not as
// expected.
type htmlFailure struct {
	Status  string
	Why     string
	Targets []string
	Names   []string
	More    int
}

func newHTML(options Options) *htmlPage {
	return &htmlPage{
		options: options, groups: &Groups{Options: options, Places: placesOfHTML, excerpts: true},
		column: map[string]int{}, byKey: map[rowKey]*htmlRow{}, isOfFixtures: options.OfFixtures,
	}
}

// Result adds one result.
func (h *htmlPage) Result(result verdict.Result) error {
	if result.IsRecording() {
		return nil // the summary counts it
	}
	h.isOfFixtures = h.isOfFixtures || result.Fixture() != nil
	if !slices.Contains(h.sources, result.Source) && len(h.sources) < mostNames {
		h.sources = append(h.sources, result.Source)
	}
	isExplained := result.Fixture() != nil || result.Status == verdict.Inconclusive || result.Status == verdict.Error
	_, isSource := result.Kind.(verdict.Source)
	isSource = isSource || result.Tool == "" && result.Status == verdict.Error
	if isExplained && result.Status > verdict.Pass {
		h.fail(result, isSource)
	}
	if isSource {
		return nil // there is no tool
	}
	if isExplained {
		h.groups.tally(result, h.options.required(result), nil)
	} else {
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

// fail adds a result that its error explains.
func (h *htmlPage) fail(result verdict.Result, isSource bool) {
	why := clip(escape.Line(firstLine(h.options.reason(result))), longestWords)
	status := result.Status.String()
	switch {
	case result.Status == verdict.Fail:
		status = "not as expected"
	case result.Status == verdict.Inconclusive:
		status = "no verdict"
	case isSource:
		status = "not read"
	}
	at := slices.IndexFunc(h.failed, func(other *htmlFailure) bool { return other.Why == why && other.Status == status })
	if at < 0 && len(h.failed) == maxRows {
		h.failed[maxRows-1].More++
		return
	}
	if at < 0 {
		at = len(h.failed)
		h.failed = append(h.failed, &htmlFailure{Status: status, Why: why})
	}
	failure := h.failed[at]
	if !isSource && !slices.Contains(failure.Targets, result.Target) {
		failure.Targets = append(failure.Targets, result.Target)
	}
	switch name := clip(escape.Line(cmp.Or(titleOf(result), result.Source)), longestName); {
	case slices.Contains(failure.Names, name):
	case len(failure.Names) == placesOfHTML:
		failure.More++
	default:
		failure.Names = append(failure.Names, name)
		if isSource {
			h.unread++
		}
	}
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
	row := &htmlRow{
		Name: clip(escape.Line(cmp.Or(titleOf(result), result.Source)), longestName), Source: result.Source, Place: clip(placeOfTool(result.Source, result.Line), longestName),
	}
	h.rows, h.byKey[key] = append(h.rows, row), row
	return row
}

// detail adds to a row the findings of a tool, and both sides of the tool.
func (h *htmlPage) detail(row *htmlRow, result verdict.Result) {
	if result.Fixture() != nil && result.Status <= verdict.Pass {
		return
	}
	side := h.options.required(result)
	refused, ignored := side.refused(), side.ignored(result)
	var advice []verdict.Finding
	if kind := result.Advice(); kind != nil {
		advice = kind.Findings
	}
	isChanged := !side.asGiven && result.Sides().Normalized != nil && row.Cells[h.column[result.Target]].State == changed
	if len(refused)+len(ignored)+len(advice) == 0 && !isChanged || result.Status == verdict.Error {
		return
	}
	if row.ID == 0 {
		if h.details >= mostDetails {
			return
		}
		h.details++
		row.ID = h.details
	}
	row.refer(result, side.dialect, ofRefused, refused)
	row.refer(result, side.dialect, ofIgnored, ignored)
	for _, finding := range advice {
		row.refer(result, side.dialect, kindOfAdvice(finding), []verdict.Finding{finding})
	}
	h.sides.add(row, result)
}

// refer adds findings of one kind to a row.
func (r *htmlRow) refer(result verdict.Result, dialect string, kind kind, findings []verdict.Finding) {
	for _, finding := range findings {
		if finding.Waived != nil {
			continue
		}
		key := keyOf(dialect, kind, finding)
		at := slices.IndexFunc(r.Refs, func(ref htmlRef) bool { return ref.key == key })
		if at < 0 && len(r.Refs) == mostRefs {
			r.Left++
			continue
		}
		if at < 0 {
			at = len(r.Refs)
			r.Refs = append(r.Refs, htmlRef{key: key, Label: clip(escape.Line(cmp.Or(key.about, finding.Rule, finding.Message)), longestName)})
		}
		ref := &r.Refs[at]
		where := clip(escape.Line(string(finding.At)), longestName)
		if finding.Line > 0 && result.Line > 0 {
			where = fmt.Sprintf("%d:%d", finding.Line, finding.Column)
		}
		switch {
		case where == "", slices.Contains(ref.At, where):
		case len(ref.At) == mostAt:
			ref.More++
		default:
			ref.At = append(ref.At, where)
		}
	}
}

// keyOf returns the key of a finding of a surface.
func keyOf(dialect string, kind kind, finding verdict.Finding) htmlKey {
	switch {
	case kind.isAdvice():
		return htmlKey{kind, verdict.AdviceTarget + "/" + finding.Rule, ""}
	case finding.Rule == "":
		return htmlKey{kind, finding.On(dialect), ""}
	default:
		return htmlKey{kind, finding.Rule, nameIn(finding)}
	}
}

// htmlGroup is a group of findings as the page shows it.
type htmlGroup struct {
	Number  int
	Heading string
	State   string
	Who     string
	Message string
	Explain string // the name that verify explain takes
	Answers []*htmlAnswer
	More    int
}

// htmlAnswer is what to write at places.
type htmlAnswer struct {
	Write         string
	Before, After string // instead of a long Write, with what that loses
	Loses         string
	Excerpt       string
	Places        []htmlPlace
}

// htmlPlace is a place of a finding.
type htmlPlace struct{ Tool, At, Words string }

// size estimates the size of a group on the page, in bytes.
func (g *htmlGroup) size() int {
	const element = 120 // bytes of an element with its attributes
	size := 4*element + len(g.Heading) + len(g.Who) + len(g.Message)
	for _, answer := range g.Answers {
		size += 2*element + len(answer.Write) + len(answer.Before) + len(answer.After) + len(answer.Excerpt)
		for _, place := range answer.Places {
			size += element + len(place.Tool) + len(place.At) + len(place.Words)
		}
	}
	return size
}

// group returns a group as the page shows it.
func (h *htmlPage) group(group *group, number int) *htmlGroup {
	shown := &htmlGroup{Number: number, Who: h.who(group), Message: clip(group.message, longestWords), State: refused, More: group.count - len(group.shown)}
	switch group.kind {
	case ofIgnored:
		shown.State = ignored
	case ofAdvice, ofNote:
		shown.State, shown.Message = verdict.AdviceTarget, "" // each place has a message of its own
	default:
	}
	shown.Heading, shown.Explain = h.heading(group)
	for i, place := range group.shown {
		if i > 0 && h.cured >= mostCured && place.cure != nil {
			shown.More += len(group.shown) - i
			break
		}
		h.answer(shown, group, place)
	}
	return shown
}

// heading says in words what a group is about, and under which name verify explain knows its rule.
func (h *htmlPage) heading(group *group) (heading, explain string) {
	dialect, rule, title := verdict.AdviceTarget, strings.TrimPrefix(group.rule, verdict.AdviceTarget+"/"), ""
	if !group.kind.isAdvice() && len(group.targets) > 0 {
		dialect, _, _ = strings.Cut(group.targets[0], " ")
		dialect = cmp.Or(h.options.Dialects[dialect], dialect)
	}
	if h.options.Doc != nil {
		title, _, _ = strings.Cut(h.options.Doc(dialect, rule), "\n")
	}
	if title != "" {
		explain = dialect + "/" + rule
	}
	heading = cmp.Or(title, group.trouble, group.rule)
	if group.about != "" {
		heading = fmt.Sprintf("%q: %s", group.about, heading)
	}
	switch {
	case group.isWarning:
		heading += " (warning)"
	case group.kind == ofNote:
		heading += " (note)"
	}
	return clip(escape.Line(heading), longestWords), explain
}

// who says what the targets of a group do, and at how many places.
func (h *htmlPage) who(group *group) string {
	if group.kind.isAdvice() {
		return group.extent()
	}
	return group.extent() + ", " + group.by() + " " + namedFew(group.targets)
}

// answer adds a place of a group to what to write there.
func (h *htmlPage) answer(shown *htmlGroup, group *group, place place) {
	if place.cure != nil {
		h.cured++
	}
	answer := &htmlAnswer{Write: place.proposal()}
	if place.cure != nil && len(answer.Write) > longestWrite {
		if cure := place.cure(); len(cure.Edits) > 0 {
			edit := cure.Edits[0]
			answer.Write, answer.Loses = "", lossOf(edit)
			answer.Before, answer.After = partOf(edit.Before.Node()), partOf(edit.After.Node())
		}
	}
	if answer.Write == "" && answer.After == "" && answer.Before == "" && !group.kind.isAdvice() {
		answer.Excerpt = place.excerpt
	}
	answer.Write = clip(answer.Write, longestWords)
	known := slices.IndexFunc(shown.Answers, func(other *htmlAnswer) bool {
		return other.Write == answer.Write && other.Before == answer.Before && other.After == answer.After && other.Excerpt == answer.Excerpt
	})
	if known < 0 {
		known = len(shown.Answers)
		shown.Answers = append(shown.Answers, answer)
	}
	at := htmlPlace{Tool: clip(escape.Line(place.tool), longestName), At: h.at(place)}
	if group.kind.isAdvice() {
		at.Words = clip(place.message, longestWords)
	}
	shown.Answers[known].Places = append(shown.Answers[known].Places, at)
}

// at names a place within its tool, and the source if there are several.
func (h *htmlPage) at(place place) string {
	at := escape.Line(string(place.at))
	if place.together > 0 {
		at = "the request of " + Count(place.together, "tool")
	}
	position := ""
	switch {
	case place.line > 0 && place.column > 0:
		position = fmt.Sprintf("%d:%d", place.line, place.column)
	case place.line > 0:
		position = strconv.Itoa(place.line)
	}
	switch {
	case len(h.sources) > 1 && position != "":
		position = escape.Line(place.source) + ":" + position
	case len(h.sources) > 1:
		position = escape.Line(place.source)
	case position != "":
		position = "line " + position
	}
	return clip(strings.TrimSpace(position+" "+at), 2*longestName) //nolint:mnd // both parts
}

// htmlView is the data of the template.
type htmlView struct {
	Title     string
	Name      string
	Tag       htmlTag
	Sentences []htmlTag
	Facts     []htmlFact
	Policy    string
	Style     template.CSS
	Version   string
	Failed    []*htmlFailure
	Servers   [][]string
	Matrix    *htmlMatrix
	Groups    []*htmlGroup
	// Further are the findings that the page has no room for.
	Further []string
	Known   int
	Passed  string
	Waived  []string
	Details []*htmlRow
	// Without counts the tools that are not accepted everywhere and have no details.
	Without int
	// IsCut says that the page leaves out sides of tools.
	IsCut bool
	Flips *htmlFlips
	// Scenarios are what a client did.
	Scenarios []htmlScenario
}

// sentences are the verdict in words.
func (h *htmlPage) sentences(summary *Summary) []htmlTag {
	var all []htmlTag
	if h.unread > 0 && summary.Tools == summary.Read {
		all = append(all, htmlTag{"bad", Count(h.unread, "source") + " could not be read, or did not answer."})
	}
	for _, sentence := range h.groups.verdict(summary) {
		all = append(all, htmlTag{stateOf[sentence.style], sentence.text})
	}
	if summary.Advice != nil {
		all = append(all, htmlTag{"", summary.Advice.String() + "."})
	}
	return all
}

// stateOf is the state of a sentence by its style on a terminal.
var stateOf = map[string]string{red: "bad", yellow: "warn", green: "good"}

// htmlTag is a text with a state, which becomes its colour.
type htmlTag struct{ State, Text string }

// htmlFact is a fact about the run, with a list that folds.
type htmlFact struct {
	Text  string
	Names []string
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
	view := htmlView{
		Name: h.name(), Tag: h.tag(summary), Sentences: h.sentences(summary), Facts: h.facts(summary), Version: h.options.Version,
		Failed: h.failed, Known: h.groups.known, Passed: summary.passed(), Servers: rowsOfServers(summary.Servers),
	}
	view.Title = view.Name
	for _, waived := range h.groups.waived[:min(len(h.groups.waived), maxRows)] {
		line := fmt.Sprintf("%s of %s, until %s: %s", Count(waived.count, "finding"), waived.rule, waived.Until, waived.Reason)
		view.Waived = append(view.Waived, clip(escape.Line(line), longestWords))
	}
	for _, ignore := range summary.Ignores[:min(len(summary.Ignores), maxRows)] {
		view.Waived = append(view.Waived, clip(escape.Line(fmt.Sprintf("%s:%d: %s", ignore.File, ignore.Line, ignore)), longestWords))
	}
	numbers, size := map[htmlKey]int{}, 0
	for i, group := range h.groups.sorted() {
		if size > mostFindings {
			heading, _ := h.heading(group)
			view.Further = append(view.Further, heading+", "+group.extent())
			continue
		}
		shown := h.group(group, i+1)
		size += shown.size()
		view.Groups = append(view.Groups, shown)
		key := htmlKey{group.kind, group.rule, group.about}
		if numbers[key] == 0 {
			numbers[key] = shown.Number
		}
	}
	view.Further = few(view.Further, maxRows)
	h.sides.choose(h.rows)
	for _, row := range h.rows {
		for len(row.Cells) < len(h.targets) {
			row.Cells = append(row.Cells, htmlCell{})
		}
		for i, ref := range row.Refs {
			row.Refs[i].Number = numbers[ref.key]
		}
		switch {
		case row.ID > 0:
			view.Details = append(view.Details, row)
			view.IsCut = view.IsCut || row.LeftSides > 0
		case row.hurts():
			view.Without++
		}
	}
	view.Matrix = matrixOf(h.rows, h.targets, len(h.sources) > 1)
	view.Matrix.IsOfFixtures = h.isOfFixtures
	return writeHTML(h.options, view)
}

// name names what was checked.
func (h *htmlPage) name() string {
	switch {
	case h.isOfFixtures:
		return "Fixtures"
	case len(h.sources) == 0:
		return "Nothing to check"
	}
	names := make([]string, min(len(h.sources), mostSources))
	for i := range names {
		names[i] = clip(escape.Line(h.sources[i]), longestName)
	}
	name := strings.Join(names, ", ")
	if more := len(h.sources) - len(names); more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return name
}

// tag says whether the run conforms. What could not be read, and a run without tools, is not green.
func (h *htmlPage) tag(summary *Summary) htmlTag {
	words, _, _ := strings.Cut(conclusionOf(h.options, summary), ": ")
	switch {
	case len(h.rows) == 0 && len(h.failed) == 0 && summary.Recordings == 0:
		return htmlTag{"bad", "nothing was checked"}
	case !summary.Conforms:
		return htmlTag{"bad", words}
	case summary.Read < summary.Tools || summary.Worst() == verdict.Error:
		return htmlTag{"bad", "does not conform"}
	default:
		return htmlTag{"good", words}
	}
}

// facts say when and with what the run was made.
func (h *htmlPage) facts(summary *Summary) []htmlFact {
	var facts []htmlFact
	if !h.options.Now.IsZero() {
		verb := "checked "
		if h.options.Either {
			verb = "written from results of other runs "
		}
		facts = append(facts, htmlFact{Text: verb + h.options.Now.UTC().Format("2 January 2006, 15:04 UTC")})
	}
	what := "tool"
	if h.isOfFixtures {
		what = "fixture"
	}
	facts = append(facts, htmlFact{Text: fmt.Sprintf("%s found, %d read", Count(summary.Tools, what), summary.Read)})
	if len(h.sources) > mostSources && !h.isOfFixtures {
		facts = append(facts, htmlFact{Text: "from " + Count(len(h.sources), "source"), Names: escaped(h.sources)})
	}
	if targets := summary.targets(); len(targets) > 0 {
		side := ", as given"
		switch {
		case h.isOfFixtures || h.options.Either:
			side = ""
		case !h.options.AsGiven:
			side = ", each tool rewritten for it"
		}
		facts = append(facts, htmlFact{Text: "for " + Count(len(targets), "target") + side, Names: escaped(targets)})
	}
	if evidence := h.evidence(summary); evidence != "" {
		facts = append(facts, htmlFact{Text: evidence})
	}
	return append(facts, htmlFact{Text: "verify " + h.options.Version})
}

// evidence says on what the verdicts rest.
func (h *htmlPage) evidence(summary *Summary) string {
	var kinds, counted []string
	for _, grade := range []struct {
		of    provider.Grade
		words string
	}{
		{provider.Live, "answered by the provider"},
		{provider.Recorded, "recorded from the provider"},
		{provider.Reported, "reported by others"},
		{provider.Predicted, "predicted by models of the providers"},
	} {
		if count := summary.Evidence[grade.of.String()]; count > 0 {
			kinds, counted = append(kinds, grade.words), append(counted, fmt.Sprintf("%d %s", count, grade.words))
		}
	}
	if len(kinds) > 1 {
		kinds = counted
	}
	if len(kinds) == 0 {
		return ""
	}
	text := "verdicts " + strings.Join(kinds, ", ")
	if summary.Evidence[provider.Live.String()] == 0 {
		text += "; nobody was asked"
	}
	return text
}

// rowsOfServers returns the rows of the table of servers: name, client, and what came of it.
func rowsOfServers(servers *Servers) [][]string {
	if servers == nil {
		return nil
	}
	rows := make([][]string, 0, len(servers.rows))
	for _, server := range servers.rows[:min(len(servers.rows), mostNames)] {
		outcome := "did not answer"
		switch {
		case server.IsDisabled:
			outcome = "disabled"
		case server.HasAnswered:
			outcome = fmt.Sprintf("%s after %.1f s", Count(server.Tools, "tool"), server.Took.Seconds())
		}
		rows = append(rows, []string{clip(escape.Line(server.Name), longestName), server.Clients, outcome})
	}
	return rows
}

// writeHTML writes a page.
func writeHTML(options Options, view htmlView) error {
	sheet := style.Sheet + htmlFile("report.css")
	view.Style = template.CSS(sheet) //nolint:gosec // both are files of the program
	view.Policy = "default-src 'none'; style-src " + style.Source(sheet) + "; img-src data:; base-uri 'none'; form-action 'none'"
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

// clip leaves out what exceeds so many bytes of a text.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// few returns the first elements of a list, and how many others there are.
func few(names []string, most int) []string {
	if len(names) <= most {
		return names
	}
	return append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
}

// namedFew names the first of many targets.
func namedFew(targets []string) string {
	const most = 12
	return strings.Join(few(escaped(targets), most), ", ")
}

// escaped returns foreign names as a page shows them.
func escaped(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = clip(escape.Line(name), longestName)
	}
	return shown
}

// excerptOf returns the member at a place of a tool as given, cut to a few lines; empty if there is
// no such member.
func excerptOf(given *schema.Node, at schema.Pointer) string {
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
	return firstLines(escape.Lines(strings.TrimSuffix(`"`+tokens[len(tokens)-1]+`": `+string(indented(node)), "\n"), ""), mostExcerpt)
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
	return firstLines(escape.Lines(string(node.Indented()), ""), mostLines)
}

// firstLines returns the first lines of a text. A line below them says how many more there are.
func firstLines(text string, most int) string {
	lines := strings.Split(clip(text, most*longestName), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "… and "+Count(len(lines)-most, "more line"))
	}
	return strings.Join(lines, "\n")
}
