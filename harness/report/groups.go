package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Groups collects the findings of a run by their rule and the rewrite that answers
// them. So many like ones take few lines. It holds the first places of each group, and
// counts the others.
type Groups struct {
	// AsGiven takes the findings of the tools as given; else those of the normalized tools.
	AsGiven bool
	// Places is how many places of a group are shown.
	Places int
	// Baseline has findings that are counted apart; nil means none.
	Baseline *Baseline

	groups map[groupKey]*group
	tool   toolKey // that the last result was of
	known  int
}

type groupKey struct{ rule, rewrite string }

type group struct {
	groupKey

	message string   // the first
	targets []string // that refuse
	tools   int
	count   int // of places
	shown   []string
	seen    map[schema.Pointer]bool // of the last tool
}

type toolKey struct {
	source, id, name string
	line             int
}

// maxGroups is how many groups are shown.
const maxGroups = 8

// Add takes the findings of a result that fails. The results of a tool follow one another.
func (g *Groups) Add(result verdict.Result) {
	if tool := (toolKey{result.Source, result.ID, result.Tool, result.Line}); tool != g.tool {
		g.tool = tool
		for _, group := range g.groups {
			group.seen = nil
		}
	}
	findings, dialect := []verdict.Finding(nil), result.Dialect
	var changes map[schema.Pointer][]verdict.Change
	switch {
	case result.IsRequest():
		findings = result.Raw.Findings
	case g.AsGiven && result.Raw != nil:
		findings, dialect = result.Raw.Findings, result.RawDialect
		if result.Normalized != nil {
			changes = placesOf(findings, result.Normalized.Changes)
		}
	case !g.AsGiven && result.Normalized != nil:
		findings = result.Normalized.Findings
	}
	for _, finding := range findings {
		if g.Baseline != nil && g.Baseline.Has(result, finding) {
			g.known++
			continue
		}
		g.add(result, dialect, finding, changes[finding.At])
	}
}

func (g *Groups) add(result verdict.Result, dialect string, finding verdict.Finding, changes []verdict.Change) {
	key := groupKey{rule: finding.Rule}
	answers := answering(finding, changes)
	if len(answers) > 0 {
		key.rewrite = answers[0].Rule
	}
	if key.rule == "" {
		key.rule = dialect // the words are all that is known
	}
	found := g.groups[key]
	if found == nil {
		if g.groups == nil {
			g.groups = map[groupKey]*group{}
		}
		found = &group{groupKey: key, message: escape.Line(strings.Join(strings.Fields(finding.Message), " "))}
		g.groups[key] = found
	}
	if !slices.Contains(found.targets, result.Target) {
		found.targets = append(found.targets, result.Target)
	}
	if found.seen[finding.At] {
		return // another target finds the same there
	}
	if found.seen == nil {
		found.seen = map[schema.Pointer]bool{}
		found.tools++
	}
	found.seen[finding.At] = true
	found.count++
	if len(found.shown) < g.Places {
		line := placeOfFinding(result, finding)
		if len(answers) > 0 {
			line += ": " + proposal(answers[0])
		}
		found.shown = append(found.shown, line)
	}
}

// placeOfFinding names the line of a finding with its tool; where there is no file the tool
// and the JSON Pointer.
func placeOfFinding(result verdict.Result, finding verdict.Finding) string {
	source, tool := escape.Line(result.Source), escape.Line(result.Tool)
	switch {
	case result.IsRequest():
		return fmt.Sprintf("%s: the request of %s", source, Count(result.Together, "tool"))
	case result.Line == 0:
		return strings.TrimSpace(fmt.Sprintf("%s: %s %s", source, tool, escape.Line(string(finding.At))))
	case finding.Line > 0:
		return fmt.Sprintf("%s:%d:%d: %s", source, finding.Line, finding.Column, tool)
	default:
		return placeOfTool(result.Source, result.Line) + ": " + tool
	}
}

// proposal says what to write instead, as a rewrite does it.
func proposal(change verdict.Change) string {
	before, after := textOf(change.Before.Node()), textOf(change.After.Node())
	var text string
	switch {
	case before != "" && after != "":
		text = "write " + after + " for " + before
	case before != "":
		text = "leave out " + before
	case after != "":
		text = "add " + after
	default:
		return "see " + change.Rule
	}
	return text + " (" + lossWords[change.Loss] + ")"
}

// lossWords say what a change does to the arguments that are accepted.
var lossWords = map[rewrite.Loss]string{
	rewrite.Exact: "exact", rewrite.Widens: "wider", rewrite.Narrows: "narrower", rewrite.Both: "wider and narrower",
}

// Groups writes the groups, those of the most places first.
func (t *Terminal) Groups(groups *Groups) {
	all := make([]*group, 0, len(groups.groups))
	for _, group := range groups.groups {
		all = append(all, group)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.rule, b.rule), strings.Compare(a.rewrite, b.rewrite))
	})
	for _, group := range all[:min(len(all), maxGroups)] {
		t.group(group)
	}
	if more := len(all) - maxGroups; more > 0 {
		places := 0
		for _, group := range all[maxGroups:] {
			places += group.count
		}
		t.printf("%s with %s: --verbose shows all\n", Count(more, "further group"), Count(places, "place"))
	}
	if groups.known > 0 {
		t.printf("%s in the baseline\n", Count(groups.known, "finding"))
	}
}

func (t *Terminal) group(group *group) {
	what := group.rule
	if group.rewrite != "" {
		what += ", answered by " + group.rewrite
	}
	places := Count(group.count, "place")
	if group.tools > 1 {
		places += " in " + Count(group.tools, "tool")
	}
	t.printf("%s: %s, refused by %s\n", t.paint(bold, what), places, strings.Join(group.targets, ", "))
	t.printf("    %s\n", group.message)
	for _, line := range group.shown {
		t.printf("    %s\n", t.paint(faint, line))
	}
	if more := group.count - len(group.shown); more > 0 {
		t.printf("    %s\n", t.paint(faint, fmt.Sprintf("and %d more", more)))
	}
}
