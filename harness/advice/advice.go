// Package advice finds what no provider refuses in a tool but models still get wrong: a
// mode that no text explains, a set of values that only a sentence lists, a flag that
// negates. It looks only at the tools. Each rule is one file with a source, examples and
// a check.
package advice

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// Rule is one piece of advice.
type Rule struct {
	Name string
	// Doc is a title, a blank line, and text.
	Doc string
	// Source says who measured or recommends it, and where to read it.
	Source Source
	// Bad is a list of tools in JSON that get the advice, and Good the same tools mended.
	// Both are documentation and tests.
	Bad, Good string
	// IsOff says that the rule runs only if it is named: fewer than four in five of its
	// sampled findings convinced a reader, or a source disagrees.
	IsOff bool
	// IsGrave says that a model is likely to make a wrong call. Grave advice comes first.
	IsGrave bool
	// IsNote says that all findings are notes.
	IsNote bool
	// check judges one tool of a list.
	check func(p *pass, tool *declaration)
}

// Source is what supports a rule.
type Source struct {
	Text string // what it says, in a sentence
	URL  string // where; empty for a page of this project, which Text names
	Date string // when it said so, such as 2026-02-17
}

// Rules are all rules, the grave ones first.
var Rules = []*Rule{
	noDescription, contradiction, openObject, unlistedModes, requiredOfMode, noSyntax, noEncoding, missingWay, batchNotFirst, nothingRequired, harmfulDefault, jsonInString, instruction,
	tellsModel, repeatsName, sentinelValue, valuesInProse, unlistedValues, unexplainedValues, listInString, numberInString, requiredWithDefault, vagueResult, boundsInProse, noUnit, noFormat, noMarkup, noBase, unknownIdentifier, noPages, sideEffect,
	secretParameter, deprecatedPart, httpWords, noChoice, manyParameters, heavyTool, droppedConstraint, formatInProse, defaultInProse, noDefault, noMaximum,
}

// Usual returns the rules that run by default.
func Usual() []*Rule {
	return slices.DeleteFunc(slices.Clone(Rules), func(rule *Rule) bool { return rule.IsOff })
}

// Finding is a piece of advice about a place in a tool.
type Finding struct {
	Rule *Rule
	// At is the place in the tool, as schema.Tool.Node has it.
	At schema.Pointer
	// Position is the place in the source; zero if unknown.
	Position schema.Position
	// Also are further places of which the message is true.
	Also []schema.Pointer
	// Message says in one line what is unclear and what to write.
	Message string
	// Edits answer it, if there is one mechanical answer.
	Edits []Edit
	// IsNote says that a reader finds it right and most models call the tool as well without the change: a text says
	// what the schema could, or another tool of the list is plainly meant.
	IsNote bool
}

// Options say what to look for. The zero value runs the usual rules.
type Options struct {
	// Rules are the rules to run; nil means the usual ones.
	Rules []*Rule
	// Language is the tag of the language to read, if texts have several.
	Language string
	// Dropped returns the keywords of a tool of the list that a surface accepts without
	// passing them on; nil means that no surface is asked.
	Dropped func(index int) []Dropped
}

// Dropped is a keyword that some surfaces accept without passing it on to the model.
type Dropped struct {
	At       schema.Pointer // of the schema that has the keyword
	Keyword  string
	Surfaces []string
}

// pass is the judgement of the tools of a list by one rule.
type pass struct {
	// tools are the tools of the list.
	tools   []*declaration
	options Options

	rule  *Rule
	found []Finding
	// byName has the tools by their names in lower case.
	byName map[string]*declaration
	// sources has the tools that find things, by the noun in their names.
	sources map[string][]source
	// spellings is how the names of the tools are written.
	spellings spellings
	// optional has the number of tools that have an optional parameter, by its name.
	optional map[string]int
}

// mostPlaces is the largest number of places of a finding.
const mostPlaces = 500

// most is the largest number of findings of a rule in one tool.
const most = 50

// report adds a finding at a place of a tool. The node is the value there.
func (p *pass) report(at schema.Pointer, node *schema.Node, message string) {
	if len(p.found) == most {
		return
	}
	finding := Finding{Rule: p.rule, At: at, Message: message, IsNote: p.rule.IsNote}
	if node != nil {
		finding.Position = node.Position
	}
	p.found = append(p.found, finding)
}

// note makes notes of the findings after the first ones, whose number is found.
func (p *pass) note(found int) {
	for i := range p.found[found:] {
		p.found[found+i].IsNote = true
	}
}

// reportText adds a finding about the description of a parameter.
func (p *pass) reportText(param *parameter, message string) {
	at, node := param.descriptionOf()
	p.report(at, node, message)
}

// reportEdits adds one finding about the parameters of edits that answer it. Its message is as
// that of reportAll, with the edits.
func (p *pass) reportEdits(edits []Edit, one, several string) {
	if len(edits) == 0 || len(p.found) == most {
		return
	}
	params := make([]*parameter, len(edits))
	shown := make([]string, len(edits))
	for i, edit := range edits {
		params[i], shown[i] = edit.param, shownOf(edit.After)
		if len(edits) > 1 {
			shown[i] += " to " + edit.param.path
		}
	}
	answer := ": add " + list(shown)
	p.reportAll(params, one+answer, several+answer)
	p.found[len(p.found)-1].Edits = edits
}

// answerAll adds one finding about several parameters as reportAll does, with edits that answer it.
func (p *pass) answerAll(params []*parameter, one, several string, edits ...Edit) {
	before := len(p.found)
	p.reportAll(params, one, several)
	if len(p.found) > before {
		p.found[before].Edits = edits
	}
}

// shownOf shows members as they are written.
func shownOf(members []schema.Member) string {
	text := schema.NewObject(members...).String()
	return strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
}

// reportAll adds one finding about several parameters, if there are any. The message is a
// subject, such as one or several names, and what is said of it: in the singular or in the
// plural.
func (p *pass) reportAll(params []*parameter, one, several string) {
	if len(params) == 0 {
		return
	}
	message := params[0].path + " " + one
	if len(params) > 1 {
		message = list(pathsOf(params)) + " " + several
	}
	before := len(p.found)
	at, node := params[0].descriptionOf()
	p.report(at, node, message)
	p.also(before, params[1:])
}

// also adds the places of parameters to the finding of an index, if there is one.
func (p *pass) also(found int, params []*parameter) {
	if found == len(p.found) {
		return
	}
	for _, param := range params[:min(len(params), mostPlaces)] {
		at, _ := param.descriptionOf()
		p.found[found].Also = append(p.found[found].Also, at)
	}
}

// Of returns the findings in each tool of a list, in the order of the rules. It returns
// an error only if the context ends.
func Of(ctx context.Context, tools []schema.Tool, options Options) ([][]Finding, error) {
	if options.Rules == nil {
		options.Rules = Usual()
	}
	list := pass{tools: make([]*declaration, len(tools)), options: options, optional: map[string]int{}}
	for i, tool := range tools {
		list.tools[i] = read(tool, i, options.Language)
	}
	list.byName = make(map[string]*declaration, len(tools))
	for _, tool := range list.tools {
		list.byName[strings.ToLower(tool.Name)] = tool
		for _, param := range tool.own() {
			if !param.isRequired {
				list.optional[param.name]++
			}
		}
	}
	list.sources = sourcesOf(list.tools, list.byName)
	list.spellings = spellingsOf(list.tools)
	found := make([][]Finding, len(tools))
	group, ctx := errgroup.WithContext(ctx)
	const together = 64 // tools that one goroutine looks at
	for first := 0; first < len(tools); first += together {
		group.Go(func() error {
			pass := list
			var reader prose.Reader
			for i := first; i < min(first+together, len(tools)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				list.tools[i].study(&reader)
				found[i] = pass.look(list.tools[i])
				list.tools[i].forget()
				reader.Reset()
			}
			return nil
		})
	}
	return found, group.Wait() //nolint:wrapcheck // the context's
}

// look returns what the rules find in one tool.
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
