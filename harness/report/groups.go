package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Groups groups the findings of a run by rule and by the name that the rule refuses, so that many
// similar findings take few lines. It holds the first places of each group, and counts the others.
type Groups struct {
	// Options say which side of a tool had to be accepted: the findings of that side are taken.
	// Findings in the baseline of Options are only counted.
	Options Options
	// Places is the number of places that each group holds.
	Places int
	// excerpts adds to each place the excerpt of the tool, or the full text to replace.
	excerpts bool

	groups map[groupKey]*group
	tool   toolKey // of the latest result
	known  int     // findings in the baseline
	// waived counts the findings that the project ignores, by rule and reason.
	waived  []waived
	tallies []*tally // by target, in the order of their first results
	// isOfFixtures is set if the results are of fixtures.
	isOfFixtures bool
	sources      []string // the first programs and servers whose tools are judged, at most two
}

// waived counts the findings of a rule that are ignored for one reason.
type waived struct {
	verdict.Waiver

	rule  string
	count int
}

type groupKey struct {
	rule, about string // about is the keyword or the name in question; often empty
	kind        kind
	isWarning   bool
	isBehind    bool // refused once other findings are mended
	isPassed    bool // no tool fails because of it
}

// kind says what a finding is. Groups are shown in the order of their kinds.
type kind uint8

const (
	ofRefused kind = iota // a surface refuses it
	ofOutcome             // a result that its error explains: a fixture that fails, or no verdict
	ofIgnored             // a surface accepts and ignores it
	ofAdvice              // no surface objects to it
	ofNote                // advice that most models do well without
)

// isAdvice reports whether a finding is a piece of advice.
func (k kind) isAdvice() bool { return k >= ofAdvice }

// kindOfAdvice returns the kind of a piece of advice.
func kindOfAdvice(finding verdict.Finding) kind {
	if finding.Severity == verdict.Note {
		return ofNote
	}
	return ofAdvice
}

type group struct {
	groupKey

	isOfCall bool     // it is about answers to calls
	message  string   // of the first finding
	trouble  string   // the title of the rule; empty if no rule explains the words
	targets  []string // the targets that refuse or ignore it; none for advice
	isGrave  bool     // advice about what makes a wrong call likely
	isHard   bool     // advice that has a finding without an edit for check --unsafe-fixes
	tools    int
	count    int // number of places
	lost     int // largest number of tools that clients lose with the one that is refused
	shown    []place
	seen     map[schema.Pointer]bool // places of the latest tool
}

// place is the place of a finding, with the proposal that answers it.
type place struct {
	source, tool string
	at           schema.Pointer
	line, column int    // in the source; 0 if the source is not a file
	together     int    // number of tools in the request that the finding is about; 0 if it is about a tool
	whole        string // name of the whole request that it is in, of which tool has the pointer; empty if it is in a tool
	message      string
	// cure finds what the author can do; nil if nobody knows. It takes time.
	cure func() verdict.Cure
	// excerpt is the text at the place.
	excerpt string
}

type toolKey struct {
	source, id, name string
	line             int
}

// maxGroups is the number of groups that are shown.
const maxGroups = 6

// maxKept is the number of groups that are held. Findings beyond them share one more group.
const maxKept = 1000

// Add adds the findings that make a result fail, what is ignored of its tool, and advice. The
// results of one tool must follow each other.
func (g *Groups) Add(result verdict.Result) {
	g.begin(result)
	side := g.Options.required(result)
	causes := map[cause]bool{}
	if result.Status > verdict.Pass || g.Options.Located {
		g.addAll(result, side, side.refused(), ofRefused, causes)
	}
	g.addAll(result, side, side.ignored(result), ofIgnored, nil)
	if advice := result.Advice(); advice != nil {
		for _, finding := range advice.Findings {
			g.addAll(result, side, []verdict.Finding{finding}, kindOfAdvice(finding), nil)
		}
	}
	if kind := result.Conversation(); kind != nil && len(side.refused()) == 0 && result.Status != verdict.NotApplicable {
		for _, said := range append(slices.Clip(kind.Unknown), kind.Differs) {
			g.addSentence(result, said)
		}
	}
	g.tally(result, side, causes)
}

// addSentence adds what is said of a request that is not refused.
func (g *Groups) addSentence(result verdict.Result, said string) {
	if said = escape.Line(strings.Join(strings.Fields(said), " ")); said != "" {
		found := g.group(groupKey{rule: values.ReplaceAllString(said, "…"), kind: ofOutcome, isPassed: true}, said)
		g.place(found, result, "", place{source: result.Source, tool: nameOfWhole(result), whole: nameOfWhole(result), line: result.Line, message: said})
	}
}

// begin begins a tool if the result is not about the tool of the one before.
func (g *Groups) begin(result verdict.Result) {
	if tool := (toolKey{result.Source, result.ID, result.Tool, result.Line}); tool != g.tool {
		g.tool = tool
		for _, group := range g.groups {
			group.seen = nil
		}
	}
	if result.Line == 0 && len(g.sources) < 2 && !slices.Contains(g.sources, result.Source) {
		g.sources = append(g.sources, result.Source)
	}
}

// AddOutcome adds a result that its error explains: a fixture that fails, or a tool without a verdict.
// Results whose errors differ only in values are one group, and so are fixtures that are refused for the
// same rule.
func (g *Groups) AddOutcome(result verdict.Result) {
	g.begin(result)
	side, causes := g.Options.required(result), map[cause]bool{}
	refused := side.refused()
	switch {
	case result.Status <= verdict.Pass: // it is only counted
	case result.Status == verdict.Fail && (result.Fixture() == nil || strings.HasPrefix(result.Error, verdict.ExpectedAccepted)) && len(refused) > 0:
		g.addAll(result, side, refused, ofRefused, causes)
	default:
		place, message := g.Options.placeOfOutcome(result)
		if result.Fixture() != nil {
			message = result.Error
		}
		switch result.Status {
		case verdict.Fail:
			message = firstLine(message)
		case verdict.KnownFailure:
			message = "known: " + firstLine(message)
		default: // the whole message
		}
		message = escape.Line(strings.Join(strings.Fields(message), " "))
		place.message = message
		found := g.group(groupKey{rule: values.ReplaceAllString(message, "…"), kind: ofOutcome, isPassed: result.Status == verdict.KnownFailure}, message)
		g.place(found, result, "", place)
		causes[cause{found.rule, ""}] = true
	}
	g.tally(result, side, causes)
}

// values matches what differs between like errors: values in JSON, pointers and numbers.
var values = lazy.Compile(`\{.*\}|\[.*\]|"[^"]*"|/[^ ]+|\d+`)

// addAll adds findings of one kind, and to causes, which may be nil, what makes the tool fail.
func (g *Groups) addAll(result verdict.Result, side required, findings []verdict.Finding, kind kind, causes map[cause]bool) {
	for _, finding := range findings {
		switch {
		case finding.Waived != nil:
			g.waive(finding)
		case finding.Level == verdict.Warning:
			g.add(result, side.dialect, finding, kind)
		case result.Status == verdict.KnownFailure, g.Options.Baseline != nil && g.Options.Baseline.Has(result, finding):
			g.known++
		default:
			found := g.add(result, side.dialect, finding, kind)
			if causes != nil {
				causes[cause{found.rule, found.about}] = true
			}
		}
	}
}

// waive counts a finding that the project ignores.
func (g *Groups) waive(finding verdict.Finding) {
	at := slices.IndexFunc(g.waived, func(other waived) bool { return other.rule == finding.Rule && other.Waiver == *finding.Waived })
	if at < 0 {
		at = len(g.waived)
		g.waived = append(g.waived, waived{*finding.Waived, finding.Rule, 0})
	}
	g.waived[at].count++
}

// add adds a finding and returns its group.
func (g *Groups) add(result verdict.Result, dialect string, finding verdict.Finding, kind kind) *group {
	key := groupKey{
		rule: finding.Rule, kind: kind, isWarning: finding.Level == verdict.Warning, isBehind: finding.IsBehind,
		isPassed: kind != ofRefused && result.Status != verdict.Fail,
	}
	surface := finding.On(dialect)
	switch {
	case kind.isAdvice(): // the name that verify explain accepts
		surface = verdict.AdviceTarget
		key.rule = surface + "/" + finding.Rule
	case key.rule == "" && result.Conversation() != nil: // every refusal in words of its own
		key.rule = surface + ": " + values.ReplaceAllString(finding.Message, "…")
	case key.rule == "":
		key.rule = surface // no rule explains the words
	default:
		key.about = nameIn(finding)
	}
	inLine := func(text string) string { return escape.Line(strings.Join(strings.Fields(text), " ")) }
	found := g.group(key, inLine(finding.Message))
	if found.trouble == "" && found.about == key.about && g.Options.Doc != nil {
		doc := g.Options.Doc(surface, finding.Rule)
		if found.trouble = troubleOf(doc); kind.isAdvice() {
			found.trouble, _, _ = strings.Cut(doc, "\n")
		}
	}
	found.lost = max(found.lost, finding.Lost)
	shown := placeOfFinding(result, finding)
	shown.message = inLine(wordsOf(finding))
	found.isOfCall = result.Call() != nil
	found.isGrave, found.count = found.isGrave || finding.IsGrave, found.count+len(finding.Also)
	found.isHard = found.isHard || kind.isAdvice() && len(finding.Answers) == 0
	if kind == ofRefused || found.isOfCall {
		shown.cure = sync.OnceValue(func() verdict.Cure { return g.Options.cure(result, finding) })
	}
	if g.excerpts && len(found.shown) < g.Places {
		shown.excerpt = excerptOf(result.Sides().Given, shown.at)
	}
	g.place(found, result, finding.Surface, shown)
	return found
}

// group returns the group of a key, which it makes if there is none.
func (g *Groups) group(key groupKey, message string) *group {
	found := g.groups[key]
	if found == nil && len(g.groups) >= maxKept {
		key.rule, key.about = "further rules", ""
		found = g.groups[key]
	}
	if found == nil {
		if g.groups == nil {
			g.groups = map[groupKey]*group{}
		}
		found = &group{groupKey: key, message: message}
		g.groups[key] = found
	}
	return found
}

// place adds a place to a group. surface is the one that the finding is about if the target has several.
func (g *Groups) place(found *group, result verdict.Result, surface string, shown place) {
	target := result.Target
	if surface != "" {
		target += " (" + surface + ")"
	}
	if !found.kind.isAdvice() && !slices.Contains(found.targets, target) {
		found.targets = append(found.targets, target)
	}
	if found.seen[shown.at] && !found.kind.isAdvice() {
		return // another target has the same finding
	}
	if found.seen == nil {
		found.seen = map[schema.Pointer]bool{}
		found.tools++
	}
	found.seen[shown.at] = true
	found.count++
	if len(found.shown) < g.Places {
		found.shown = append(found.shown, shown)
	}
}

// troubleOf returns what is wrong where a rule applies, or what the rule expects, from the documentation of
// the rule.
func troubleOf(doc string) string {
	title, _, _ := strings.Cut(doc, "\n")
	title, _, _ = strings.Cut(title, "; ")
	for _, end := range []string{" fails the request", " failed the request", " fails the list"} {
		if trouble, isTrouble := strings.CutSuffix(title, end); isTrouble {
			return strings.TrimSuffix(trouble, ",")
		}
	}
	if title == "" {
		return ""
	}
	return expected + title
}

// expected begins the trouble with a rule whose title says what a surface takes.
const expected = "expected: "

// nameIn returns the keyword in question: the last of the names that lead to the place, if it is a
// keyword that the words quote.
func nameIn(finding verdict.Finding) string {
	tokens := finding.At.Tokens()
	if len(tokens) == 0 {
		return ""
	}
	last := tokens[len(tokens)-1]
	if schema.ClassOf(last) == schema.Unknown && !schema.IsMeta(last) {
		return "" // one of many names
	}
	if strings.Contains(finding.Message, strconv.Quote(last)) || strings.Contains(finding.Message, "'"+last+"'") {
		return last
	}
	return ""
}

// nameOfWhole names the place of a finding about a whole request.
func nameOfWhole(result verdict.Result) string { return "the " + result.Conversation().Noun() }

// placeOfFinding returns the place of a finding. If the line of the finding is not known, it is
// that of the tool.
func placeOfFinding(result verdict.Result, finding verdict.Finding) place {
	found := place{source: result.Source, tool: result.Tool, at: finding.At, line: finding.Line, column: finding.Column}
	if request := result.Request(); request != nil {
		found.together = request.Tools
	}
	if result.Conversation() != nil {
		found.tool, found.whole = cmp.Or(string(finding.At), nameOfWhole(result)), nameOfWhole(result)
	}
	if call := result.Call(); call != nil && found.tool != "" {
		found.tool += " " + inShort(call.Arguments)
	}
	if finding.Line == 0 || result.Line == 0 {
		found.line, found.column = result.Line, 0
	}
	return found
}

// inShort returns the arguments of a call as a place shows them.
func inShort(arguments string) string {
	const longest = 80
	if letters := []rune(arguments); len(letters) > longest {
		return string(letters[:longest]) + "..."
	}
	return arguments
}

// placeOfOutcome returns the place and the message of a result that its error explains: one of a
// fixture or one without a verdict. An error about a document begins with its position, which
// becomes the place.
func (o Options) placeOfOutcome(result verdict.Result) (place, string) {
	found, message := place{source: result.Source, tool: result.Tool, line: result.Line}, o.reason(result)
	if fixture := result.Fixture(); fixture != nil {
		found.tool, found.line = fixture.ID, max(result.Line, 1)
		return found, result.Dialect + ", " + fixture.Side + ": " + message
	}
	if at := positionInText.FindString(message); at != "" {
		_, _ = fmt.Sscanf(at, "%d:%d", &found.line, &found.column) // the pattern has both
		message = strings.TrimPrefix(message, at)
	}
	return found, message
}

// file returns the file of a place; empty if the source is not a file.
func (p place) file() string {
	if p.line == 0 || p.source == "-" {
		return ""
	}
	return p.source
}

// String names the file, the line and the tool of a place. If the source is not a file, it names
// the source, the tool and the JSON Pointer.
func (p place) String() string {
	source, tool := escape.Line(p.source), escape.Line(p.tool)
	switch {
	case p.together > 0:
		return fmt.Sprintf("%s: the request of %s", source, Count(p.together, "tool"))
	case p.line == 0:
		return strings.TrimSpace(fmt.Sprintf("%s: %s %s", source, tool, escape.Line(string(p.at))))
	case p.column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", source, p.line, p.column, tool)
	default:
		return fmt.Sprintf("%s:%d: %s", source, p.line, tool)
	}
}

// proposal says what the author can do about the place; empty if nobody knows.
func (p place) proposal() string {
	advice, more := p.proposed()
	return advice + more
}

// proposed returns the proposal in two parts: what to write or do, and what is to be said of it.
func (p place) proposed() (advice, more string) {
	if p.cure == nil {
		return "", ""
	}
	return proposed(p.cure())
}

// isMended reports whether a safe edit of the file that has the place answers it.
func (p place) isMended() bool {
	edits := p.cure().Edits
	return p.line > 0 && p.whole == "" && len(edits) > 0 && edits[0].IsSafe()
}

// edit returns the edit of the source that answers the place, or what else the author can do.
func (p place) edit() string {
	if p.cure == nil {
		return ""
	}
	cure := p.cure()
	cure.Member = ""
	return Proposal(cure)
}

// sorted returns the groups by kind: refused, ignored, advice, notes. Within a kind, groups that make a
// tool fail come first, then grave advice, then advice that needs words of a person, and then those with
// the most places.
func (g *Groups) sorted() []*group {
	return slices.SortedFunc(maps.Values(g.groups), func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(a.kind, b.kind), compareBool(a.isPassed, b.isPassed), compareBool(a.isWarning, b.isWarning), compareBool(a.isBehind, b.isBehind), // failures come first
			compareBool(b.isGrave, a.isGrave), compareBool(b.isHard, a.isHard), cmp.Compare(b.count, a.count), strings.Compare(a.named(), b.named()), strings.Compare(a.about, b.about),
		)
	})
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// by says what the targets of a group do; empty for advice.
func (g *group) by() string {
	switch {
	case g.kind == ofIgnored:
		return "ignored by"
	case g.kind.isAdvice():
		return ""
	case g.isBehind:
		return "then refused by"
	default:
		return "refused by"
	}
}

// named names the rule of a group, and says if its findings are warnings.
func (g *group) named() string {
	if g.isWarning {
		return g.rule + " (warning)"
	}
	return g.rule
}

// extent says how many places a group has, and in how many tools.
func (g *group) extent() string {
	if g.tools > 1 {
		return Count(g.count, "place") + " in " + Count(g.tools, "tool")
	}
	return Count(g.count, "place")
}
