// Package advice says what no provider refuses in a tool, and models still get wrong: a
// mode that no text explains, a set of values that only a sentence has, a flag that negates.
// It reads tools and asks nobody. Each rule is one file: a source, examples and a check.
package advice

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"toolproof/schema"
)

// Rule is one piece of advice.
type Rule struct {
	Name string
	// Doc is a title, a blank line, and text.
	Doc string
	// source says who measured or recommends it, and where to read it.
	Source source
	// Bad is a list of tools in JSON that get the advice, and Good the same tools mended.
	// Both are documentation and test.
	Bad, Good string
	// IsOff says that the rule is asked only by its name: fewer than four in five of its
	// sampled findings convinced a reader, or a source says otherwise.
	IsOff bool
	// check looks at one tool of a list.
	check func(p *pass, tool *declaration)
}

// source is what supports a rule.
type source struct {
	Text string // what it says, in a sentence
	URL  string // where; empty for a page of this project, which Text names
	Date string // when it said so, such as 2026-02-17
}

// Rules are all rules.
var Rules = []*Rule{
	noDescription, repeatsName, unlistedModes, requiredOfMode, missingWay, batchNotFirst, sentinelValue, valuesInProse, defaultInProse,
	noUnit, noFormat, noBase, negatedFlag, unknownIdentifier, nearDuplicate, droppedConstraint, contradiction, unknownParameter,
	longDescription, heavyTool, hiddenText, instruction,
}

// Usual are the rules that are asked where none is named.
func Usual() []*Rule {
	return slices.DeleteFunc(slices.Clone(Rules), func(rule *Rule) bool { return rule.IsOff })
}

// Finding is a piece of advice about a place of a tool.
type Finding struct {
	Rule *Rule
	// At is the place in the tool, as Tool.Node of package schema has it.
	At schema.Pointer
	// Position is the place in the source; zero where it is not known.
	Position schema.Position
	// Message says what is unclear, and what to write, in one line.
	Message string
}

// Options say what to look for. The zero value asks the usual rules.
type Options struct {
	// Rules are asked; nil means the usual ones.
	Rules []*Rule
	// Language is the tag of the texts that are read, where a text is in several.
	Language string
	// alone says that the tools are no list of one server: none is compared with another.
	alone bool
	// Dropped returns the keywords of a tool of the list that a surface takes and does not
	// hand on; nil means that no surface is asked.
	Dropped func(index int) []Dropped
}

// Dropped is a keyword that some surfaces take and do not hand to the model.
type Dropped struct {
	At       schema.Pointer // of the schema that has the keyword
	Keyword  string
	Surfaces []string
}

// pass is the look of one rule at the tools of a list.
type pass struct {
	// tools are those of the list.
	tools   []*declaration
	options Options

	rule  *Rule
	found []Finding
	// byNoun are the tools that find things, by what follows the word for it in their names.
	byNoun map[string][]*declaration
	// twins are the earlier tools that read like one, by index.
	twins map[int][]int
}

// most is how many findings a rule has in one tool.
const most = 50

// report adds a finding at a place of a tool. The node is what stands there.
func (p *pass) report(at schema.Pointer, node *schema.Node, message string) {
	if len(p.found) == most {
		return
	}
	finding := Finding{Rule: p.rule, At: at, Message: message}
	if node != nil {
		finding.Position = node.Position
	}
	p.found = append(p.found, finding)
}

// Of returns the findings of each tool of a list, in the order of the rules. The error is
// that of the context.
func Of(ctx context.Context, tools []schema.Tool, options Options) ([][]Finding, error) {
	if options.Rules == nil {
		options.Rules = Usual()
	}
	list := pass{tools: make([]*declaration, len(tools)), options: options}
	for i, tool := range tools {
		list.tools[i] = read(tool, i, options.Language)
	}
	if !options.alone {
		list.byNoun, list.twins = byNoun(list.tools), twinsOf(list.tools)
	}
	found := make([][]Finding, len(tools))
	group, ctx := errgroup.WithContext(ctx)
	const together = 64 // tools that one goroutine looks at
	for first := 0; first < len(tools); first += together {
		group.Go(func() error {
			pass := list
			for i := first; i < min(first+together, len(tools)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				found[i] = pass.look(list.tools[i])
			}
			return nil
		})
	}
	return found, group.Wait() //nolint:wrapcheck // the context's
}

// look returns what the rules find in a tool.
func (p *pass) look(tool *declaration) []Finding {
	var found []Finding
	for _, rule := range p.options.Rules {
		p.rule, p.found = rule, nil
		rule.check(p, tool)
		found = append(found, p.found...)
	}
	return found
}

// Named returns the rule of a name, or nil.
func Named(name string) *Rule {
	at := slices.IndexFunc(Rules, func(rule *Rule) bool { return rule.Name == name })
	if at < 0 {
		return nil
	}
	return Rules[at]
}

// Title returns the first line of the documentation.
func (r *Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}
