// Package breaking compares two versions of a list of tools: which calls that were valid are refused now,
// which results consumers do not expect, which texts changed that models read, and which surfaces refuse
// what they took. It judges schemas by instances and not by their structure: each call that it names was
// accepted by the one schema and refused by the other. Where it finds no such instance although schemas
// differ in a way that it does not understand, it says so.
package breaking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/advice"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// Version is the format version of a Finding in JSON.
const Version = 1

// Level says what a difference does to those who use the tools.
type Level string

// The levels, the worst first.
const (
	Breaking     Level = "breaking"     // something that worked does not
	Dangerous    Level = "dangerous"    // it may work otherwise than it was approved
	Inconclusive Level = "inconclusive" // it is not known which
	Safe         Level = "safe"
)

// Levels are all levels, the worst first.
var Levels = []Level{Breaking, Dangerous, Inconclusive, Safe}

// What says what differs.
type What string

// The kinds of differences.
const (
	ToolRemoved       What = "tool_removed"
	ToolAdded         What = "tool_added"
	CallRefused       What = "call_refused"
	CallAccepted      What = "call_accepted"
	UndeclaredRefused What = "undeclared_refused" // a member that the schema did not list is refused
	ParameterAdded    What = "parameter_added"
	ParameterIgnored  What = "parameter_ignored" // the tool no longer lists it, and its schema still accepts it
	ResultRefused     What = "result_refused"    // the old schema refuses a result of the new one
	ResultAccepted    What = "result_accepted"
	UndeclaredResult  What = "undeclared_result"
	ResultAdded       What = "result_added"
	ResultGone        What = "result_gone" // a member of results that the tool no longer lists
	Text              What = "text"        // a description or title
	Advice            What = "advice"      // a text says now what a user would not expect, or hides something
	Value             What = "value"       // another annotation, such as a default
	Hint              What = "hint"        // a hint by which clients decide about approval
	SurfaceRefuses    What = "surface_refuses"
	SurfaceAccepts    What = "surface_accepts"
	Unknown           What = "unknown"
)

// Finding is one difference.
type Finding struct {
	Version int    `json:"version"`
	Level   Level  `json:"level"`
	What    What   `json:"what"`
	Tool    string `json:"tool"`
	Message string `json:"message"`
	// At is the place in the tool; in the old one if the new one does not have it.
	At schema.Pointer `json:"at"`
	// Source is the list that Line and Column are in, counted from 1; they are 0 if it is not a file.
	Source string `json:"source"`
	Line   int    `json:"line"`
	Column int    `json:"col"`
	// Name is the parameter that was added or removed; empty for anything else.
	Name string `json:"name,omitempty"`
	// Instance is the smallest call or result that was found.
	Instance *schema.Node `json:"instance,omitempty"`
	// Was and Is are the values of an annotation; nil if it is absent.
	Was *schema.Node `json:"was,omitempty"`
	Is  *schema.Node `json:"is,omitempty"`
	// Surfaces are the surfaces that refuse or accept.
	Surfaces []string `json:"surfaces,omitempty"`
}

// Summary counts the differences.
type Summary struct {
	Old       int           `json:"old"`       // tools
	New       int           `json:"new"`       // tools
	Unchanged int           `json:"unchanged"` // tools without a difference
	Levels    map[Level]int `json:"levels"`    // differences by level
	Tools     map[Level]int `json:"tools"`     // tools by their worst level
}

// Tool is a tool with the name of the list that it is from.
type Tool struct {
	toolfile.Tool

	Source string
	// Of is the source of a project that has the tool, with whose other version alone it is compared; empty if
	// each version is one list.
	Of string
}

// key is what two versions of a tool have in common.
type key struct{ of, name string }

func (t *Tool) key() key { return key{t.Of, t.Name} }

// Options say for which surfaces tools are judged.
type Options struct {
	// Targets returns the targets for which a tool is judged; nil judges for none.
	Targets func(toolfile.Tool) []judge.Target
	Judge   judge.Judge
}

// Compare compares two lists of tools, which are matched by their sources and names: the first of a name with the
// first, and so on. It returns what differs, the worst first, and an error only if the context ends.
func Compare(ctx context.Context, before, after []Tool, options Options) ([]Finding, Summary, error) {
	c := &comparison{options: options}
	options.Judge.Raw = true
	c.options.Judge = options.Judge
	summary := Summary{Old: len(before), New: len(after), Levels: map[Level]int{}, Tools: map[Level]int{}}
	pairs, added := matched(before, after)
	for _, pair := range pairs {
		if ctx.Err() != nil {
			return nil, Summary{}, fmt.Errorf("comparing tools: %w", ctx.Err())
		}
		start := len(c.findings)
		c.tool = cmp.Or(pair.after, pair.before)
		switch {
		case pair.after == nil:
			c.removed(pair.before, added)
		case pair.before == nil:
			c.addAt(Finding{Level: Safe, What: ToolAdded, Message: "a new tool"}, nil, c.tool.Declaration)
			c.surfaces(ctx, nil, pair.after)
			c.advice(ctx, nil, pair.after)
		case !schema.Equal(pair.before.Whole(), pair.after.Whole()):
			c.pair(ctx, pair.before, pair.after)
		}
		if found := c.findings[start:]; len(found) > 0 {
			summary.Tools[worst(found)]++
		} else {
			summary.Unchanged++
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return slices.Index(Levels, a.Level) - slices.Index(Levels, b.Level) })
	for _, finding := range c.findings {
		summary.Levels[finding.Level]++
	}
	return c.findings, summary, nil
}

func worst(findings []Finding) Level {
	return Levels[slices.IndexFunc(Levels, func(level Level) bool {
		return slices.ContainsFunc(findings, func(finding Finding) bool { return finding.Level == level })
	})]
}

// pair is a tool in both lists, or in one.
type pair struct{ before, after *Tool }

// matched returns the tools in the order of the new list, with those that are gone at the end, and the
// tools that were added.
func matched(before, after []Tool) (pairs []pair, added []*Tool) {
	known := map[key][]*Tool{}
	for i := range before {
		known[before[i].key()] = append(known[before[i].key()], &before[i])
	}
	isMatched := map[*Tool]bool{}
	for i := range after {
		next := pair{after: &after[i]}
		if same := known[after[i].key()]; len(same) > 0 {
			next.before, known[after[i].key()] = same[0], same[1:]
			isMatched[next.before] = true
		} else {
			added = append(added, next.after)
		}
		pairs = append(pairs, next)
	}
	for i := range before {
		if !isMatched[&before[i]] {
			pairs = append(pairs, pair{before: &before[i]})
		}
	}
	return pairs, added
}

// comparison collects what differs.
type comparison struct {
	options  Options
	tool     *Tool // the one that findings are about
	findings []Finding
}

// add adds a finding at a place of the tool. root is the schema that the place leads into; nil for the
// place of the tool.
func (c *comparison) add(finding Finding, root *schema.Node) {
	nodes := []*schema.Node{c.tool.Declaration}
	for tokens := finding.At.Tokens(); root != nil && len(tokens) > 0; {
		nodes = append(nodes, root)
		tokens = tokens[1:]
		if len(tokens) == 0 {
			break
		}
		root = root.Step(tokens[0])
	}
	slices.Reverse(nodes)
	c.addAt(finding, nodes...)
}

// addAt adds a finding with the position of the first of the nodes that has one.
func (c *comparison) addAt(finding Finding, nodes ...*schema.Node) {
	finding.Version, finding.Tool, finding.Source = Version, c.tool.Name, c.tool.Source
	for _, node := range append(nodes, c.tool.Declaration) {
		if node != nil && node.Position.IsKnown() && c.tool.Line > 0 {
			finding.Line, finding.Column = int(node.Position.Line), int(node.Position.Column)
			break
		}
	}
	if finding.At != "" && (finding.At.Under("/parameters") || finding.At.Under("/description")) {
		finding.At = c.tool.Pointer(finding.At)
	}
	c.findings = append(c.findings, finding)
}

// removed adds a tool that is gone, and what it may be called now.
func (c *comparison) removed(gone *Tool, added []*Tool) {
	message := "the tool is gone"
	shape := canonical(expanded(gone.Parameters))
	var same []string
	for _, other := range added {
		if other.Of == gone.Of && shape.Get("properties") != nil && schema.Equal(shape, canonical(expanded(other.Parameters))) {
			same = append(same, other.Name)
		}
	}
	if len(same) == 1 {
		message += ": " + same[0] + " is new and has the same parameters, so this may be its new name"
	}
	c.addAt(Finding{Level: Breaking, What: ToolRemoved, Message: message}, gone.Declaration)
}

// pair compares two versions of a tool.
func (c *comparison) pair(ctx context.Context, before, after *Tool) {
	if before.Err != nil || after.Err != nil {
		return // the run says that they cannot be read
	}
	c.schemas(ofCalls, before.Parameters, after.Parameters)
	was, is := before.Further.Get("outputSchema"), after.Further.Get("outputSchema")
	switch {
	case was != nil && is == nil:
		c.addAt(Finding{Level: Breaking, What: ResultRefused, At: "/outputSchema", Message: "outputSchema is gone: results may be anything"})
	case was != nil:
		c.schemas(ofResults, is, was) // what the new tool returns has to be what the old one did
	case is != nil:
		c.addAt(Finding{Level: Safe, What: Value, At: "/outputSchema", Message: "outputSchema added"}, is)
	}
	if !schema.Equal(before.Description, after.Description) {
		c.member(orEmpty(before.Node()), orEmpty(after.Node()), "", "description")
	}
	c.texts(expanded(before.Parameters), expanded(after.Parameters), "/parameters")
	if was != nil && is != nil {
		c.texts(expanded(was), expanded(is), "/outputSchema")
	}
	c.further(before.Further, after.Further)
	c.advice(ctx, before, after)
	c.surfaces(ctx, before, after)
}

// advice adds what texts of the new tool say that a user would not expect or does not see, unless the old
// tool said it.
func (c *comparison) advice(ctx context.Context, before, after *Tool) {
	rules := []*advice.Rule{advice.Named("instruction")}
	of := func(tool *Tool) []advice.Finding {
		if tool == nil {
			return nil
		}
		found, err := advice.Of(ctx, []schema.Tool{tool.Tool.Tool}, advice.Options{Rules: rules})
		if err != nil {
			return nil // the context has ended, and Compare says so
		}
		return found[0]
	}
	known := of(before)
	for _, finding := range of(after) {
		if !slices.ContainsFunc(known, func(old advice.Finding) bool { return old.At == finding.At && old.Message == finding.Message }) {
			c.addAt(Finding{Level: Dangerous, What: Advice, At: finding.At, Message: finding.Message}, &schema.Node{Position: finding.Position})
		}
	}
}

// surfaces adds what surfaces say of the new tool and did not say of the old one. A new tool that is
// refused is dangerous, because providers refuse the whole request.
func (c *comparison) surfaces(ctx context.Context, before, after *Tool) {
	if c.options.Targets == nil {
		return
	}
	start := len(c.findings)
	note := func(finding Finding, surface string) {
		for i := range c.findings[start:] {
			if known := &c.findings[start+i]; known.What == finding.What && known.Message == finding.Message && known.At == finding.At {
				known.Surfaces = append(known.Surfaces, surface)
				return
			}
		}
		finding.Surfaces = []string{surface}
		c.addAt(finding, after.Declaration.Find(after.Pointer(finding.At)))
	}
	for _, target := range c.options.Targets(after.Tool) {
		was, is := provider.Accepted, c.options.Judge.Tool(ctx, judge.Subject{Tool: after.Tool, Source: after.Source}, target)
		if before != nil {
			result := c.options.Judge.Tool(ctx, judge.Subject{Tool: before.Tool, Source: before.Source}, target)
			was = ""
			if answer := result.Sides().Raw; answer != nil {
				was = answer.Verdict
			}
		}
		answer := is.Sides().Raw
		switch {
		case was == "" || answer == nil:
			note(Finding{Level: Inconclusive, What: Unknown, Message: cmp.Or(is.Error, "there is no verdict")}, target.Name())
		case was == provider.Accepted && answer.Verdict == provider.Rejected:
			level := Breaking
			if before == nil {
				level = Dangerous
			}
			refusal := Finding{Level: level, What: SurfaceRefuses, Message: "newly refused"}
			if len(answer.Findings) > 0 {
				first := answer.Findings[0]
				message, _, _ := strings.Cut(first.Message, "\n")
				refusal.At, refusal.Message = first.At, "newly refused: "+message
			}
			note(refusal, target.Name())
		case was == provider.Rejected && answer.Verdict == provider.Accepted:
			note(Finding{Level: Safe, What: SurfaceAccepts, Message: "no longer refused"}, target.Name())
		}
	}
}

// levelOf returns the level of a property that one side does not list.
func levelOf(what What) Level {
	if what == ParameterIgnored || what == ResultGone {
		return Dangerous
	}
	return Safe
}

func messageOf(what What, name string) string {
	switch what {
	case ParameterAdded:
		return "a new optional parameter, " + name
	case ParameterIgnored:
		return name + " is no longer a parameter, and a call that has it is still valid"
	case ResultGone:
		return "results no longer declare " + name
	default:
		return "results have a new member, " + name
	}
}
