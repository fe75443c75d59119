// Package explore plans requests to a provider so that few declarations settle most of what is
// unknown about a surface. It compares the answers with the model and tells what to write down
// where they differ. It sends nothing itself.
package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Name is the name of the tools in the requests.
const Name = "toolproof_probe"

// Cell is one unknown of a surface: whether it accepts a construct, or whether a rule of the
// model holds.
type Cell struct {
	// Construct is the construct in question; its Keyword is empty if Rule is in question.
	Construct construct.Construct
	Rule      *provider.Rule
	// Tools is the number of tools that use the construct. Seen is set if an accepted recording
	// shows it.
	Tools int
	Seen  bool
	// Declarations are the smallest request that settles the cell.
	Declarations []*schema.Node
	// Predicted is the model's answer to it.
	Predicted provider.Response
	// Answer is the provider's answer, if Err is nil. Err tells why nothing was learnt.
	Answer provider.Response
	Err    error
	// Recorded is set if the answer is from a recording instead of the provider.
	Recorded bool

	part    *schema.Node // the property, if others can stand beside it
	isFirst bool         // first of those that the same rule refuses for the same keyword and form
}

// String names the cell.
func (c *Cell) String() string {
	if c.Construct.Keyword == "" {
		return "the rule " + c.Rule.Name
	}
	return c.Construct.String()
}

// Options tell what to explore. Dialect is required.
type Options struct {
	Dialect *provider.Dialect
	// Model is the provider's model in requests; "" if unknown.
	Model string
	// Store holds the recordings that show what the surface accepts; nil means none.
	Store *recording.Store
	// Answers holds the recordings that may stand for an answer; nil means none.
	Answers *recording.Store
	// IsFresh reports whether a recording may stand for an answer; nil means that none may.
	IsFresh func(*recording.Recording) bool
	// Used holds the constructs that tools use.
	Used []Used
	// Samples are requests that may violate rules. One that a rule refuses settles whether the
	// rule holds.
	Samples [][]schema.Tool
}

// Survey holds what is known and unknown of one surface.
type Survey struct {
	Cells []*Cell // the most valuable first

	options Options
	refused []*Cell                     // refused in a question with others
	samples map[provider.Date][]refusal // the samples refused as of a day
}

// Question is a request and the cells that its answer settles.
type Question struct {
	Declarations []*schema.Node
	// Alone is set if a refusal is expected.
	Alone bool

	cells []*Cell
}

// errNotAsked is the Err of a cell without an answer.
var errNotAsked = errors.New("not asked")

// Plan returns the survey of a surface. It asks only the model.
func Plan(ctx context.Context, options Options) (*Survey, error) {
	survey := &Survey{options: options, samples: map[provider.Date][]refusal{}}
	if err := survey.constructs(ctx); err != nil {
		return nil, err
	}
	if err := survey.rules(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(survey.Cells, (*Cell).compare)
	survey.recall()
	return survey, nil
}

// compare orders cells by their value for their cost. What the model says to be unknown comes
// first. Many cells that are accepted cost one request. A rule that refuses one cell most likely
// refuses the others like it, so these come last.
func (c *Cell) compare(other *Cell) int {
	place := func(c *Cell) int {
		switch {
		case len(c.Predicted.Unknown) > 0:
			return -1
		case c.Predicted.Verdict != provider.Accepted && !c.isFirst:
			return 1
		default:
			return 0
		}
	}
	return cmp.Or(place(c)-place(other), cmp.Compare(other.value(), c.value()))
}

// value estimates how many tools use what one request settles.
func (c *Cell) value() float64 {
	const together, seen = 16, 0.01
	value := max(float64(c.Tools), 0.5)
	if c.Predicted.Verdict == provider.Accepted {
		value *= together
	}
	if c.Seen {
		value *= seen
	}
	return value
}

// model returns the model of the surface.
func (s *Survey) model() provider.Model {
	return provider.Model{Dialect: s.options.Dialect, ModelName: s.options.Model, Parameters: s.options.Dialect.NeededBy(s.options.Model)}
}

// declare returns a declaration with the given parameters.
func (s *Survey) declare(parameters *schema.Node) *schema.Node {
	return s.options.Dialect.Declare(schema.Tool{Name: Name, Description: schema.NewString("A probe."), Parameters: parameters})
}

// constructs adds a cell for each construct.
func (s *Survey) constructs(ctx context.Context) error {
	all := slices.Clone(s.options.Used)
	known := map[construct.Construct]bool{}
	for _, used := range all {
		known[used.Construct] = true
	}
	for _, listed := range table() {
		if !known[listed] {
			all = append(all, Used{Construct: listed})
		}
	}
	// Recordings of any model count: what one accepted is worth less than what is entirely
	// unknown.
	shown := judge.Shown(ctx, judge.Offline{Dialect: s.options.Dialect, Store: s.options.Store})
	type cause struct {
		rule          *provider.Rule
		keyword, form string
	}
	causes := map[cause]bool{}
	model := s.model()
	for _, used := range all {
		whole, part := probe{used.Construct, s.options.Dialect.Strict}.parameters()
		if whole == nil {
			continue
		}
		cell := &Cell{Construct: used.Construct, Tools: used.Tools, Seen: shown[used.Construct], part: part, Declarations: []*schema.Node{s.declare(whole)}, Err: errNotAsked}
		var err error
		if cell.Predicted, err = model.Send(ctx, s.options.Dialect.Request(cell.Declarations)); err != nil {
			return fmt.Errorf("asking the model about %s: %w", used.Construct, err)
		}
		if rule := cell.predictedRule(); rule != nil {
			cell.Seen = false // the recording has it beside something else
			of := cause{rule, used.Keyword, used.Form}
			cell.isFirst, causes[of] = !causes[of], true
		}
		s.Cells = append(s.Cells, cell)
	}
	return nil
}

// predictedRule returns the first rule predicted to refuse a cell, or nil if it is predicted to
// be accepted.
func (c *Cell) predictedRule() *provider.Rule {
	if len(c.Predicted.Findings) == 0 {
		return nil
	}
	return c.Predicted.Findings[0].Rule
}

// recall takes answers from fresh recordings.
func (s *Survey) recall() {
	if s.options.IsFresh == nil || s.options.Answers == nil {
		return
	}
	accepted := map[construct.Construct]*recording.Recording{}
	for _, recorded := range s.options.Answers.All {
		if recorded.Dialect != s.options.Dialect.Name || !recorded.Accepted() || !s.options.IsFresh(recorded) {
			continue
		}
		for _, declaration := range recorded.Request.Declarations {
			for _, found := range construct.Of(s.options.Dialect.SchemaOf(declaration)) {
				accepted[found] = recorded
			}
		}
	}
	for _, cell := range s.Cells {
		// A predicted refusal may be due to what stands beside the construct.
		var recorded *recording.Recording
		if cell.Predicted.Verdict == provider.Accepted {
			recorded = accepted[cell.Construct]
		}
		if recorded == nil {
			answers := s.options.Answers.Of(s.options.Dialect.Request(cell.Declarations))
			if i := slices.IndexFunc(answers, s.options.IsFresh); i >= 0 {
				recorded = answers[i]
			}
		}
		if recorded == nil {
			continue
		}
		if answer, err := recorded.Answer(s.options.Dialect); err == nil {
			cell.Answer, cell.Err, cell.Recorded = answer, nil, true
		}
	}
}

// many is the number of constructs in a declaration that is expected to be accepted.
const many = 8

// Questions returns the first questions, the most valuable first. Constructs that are expected
// to be accepted become properties of one declaration.
func (s *Survey) Questions(ctx context.Context) []Question {
	var questions []Question
	var open []*Cell
	place := -1
	flush := func() {
		if place >= 0 {
			questions[place] = s.together(ctx, open)
		}
		open, place = nil, -1
	}
	for _, cell := range s.Cells {
		switch {
		case cell.Err == nil:
		case cell.Predicted.Verdict != provider.Accepted || len(cell.Predicted.Unknown) > 0:
			questions = append(questions, Question{Declarations: cell.Declarations, Alone: true, cells: []*Cell{cell}})
		case cell.part == nil:
			questions = append(questions, Question{Declarations: cell.Declarations, cells: []*Cell{cell}})
		default:
			if place < 0 {
				place = len(questions)
				questions = append(questions, Question{})
			}
			if open = append(open, cell); len(open) == many {
				flush()
			}
		}
	}
	flush()
	return slices.DeleteFunc(questions, func(question Question) bool { return len(question.cells) == 0 })
}

// together returns a question about several cells.
func (s *Survey) together(ctx context.Context, cells []*Cell) Question {
	if len(cells) == 1 {
		return Question{Declarations: cells[0].Declarations, cells: cells}
	}
	properties, required := schema.NewObject(), schema.NewArray()
	for i, cell := range cells {
		name := fmt.Sprintf("p%d", i+1)
		properties.Members = append(properties.Members, schema.Member{Key: name, Value: cell.part})
		required.Elements = append(required.Elements, schema.NewString(name))
	}
	root := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")},
		schema.Member{Key: "properties", Value: properties}, schema.Member{Key: "required", Value: required})
	if s.options.Dialect.Strict {
		root.Members = append(root.Members, schema.Member{Key: "additionalProperties", Value: schema.NewBool(false)})
	}
	declarations := []*schema.Node{s.declare(root)}
	model := s.model()
	answer, err := model.Send(ctx, s.options.Dialect.Request(declarations))
	if err == nil && answer.Verdict == provider.Accepted {
		return Question{Declarations: declarations, cells: cells}
	}
	// Together they exceed a limit.
	s.refused = append(s.refused, cells[1:]...)
	return Question{Declarations: cells[0].Declarations, cells: cells[:1]}
}

// Settle records the answer to a question, or the error that tells why nothing was learnt.
func (s *Survey) Settle(question Question, answer provider.Response, err error) {
	if err == nil && answer.Verdict != provider.Accepted && len(question.cells) > 1 {
		s.refused = append(s.refused, question.cells...)
		return
	}
	for _, cell := range question.cells {
		cell.Answer, cell.Err = answer, err
	}
}

// Further returns the questions that the answers so far leave open: one for each construct of a
// refused declaration.
func (s *Survey) Further() []Question {
	questions := make([]Question, len(s.refused))
	for i, cell := range s.refused {
		questions[i] = Question{Declarations: cell.Declarations, cells: []*Cell{cell}}
	}
	s.refused = nil
	return questions
}

// words returns a message without what differs between requests: names, values, numbers and
// spaces.
func words(message string) string {
	var text strings.Builder
	quote := rune(0)
	for _, letter := range message {
		switch {
		case quote != 0:
			if letter == quote {
				quote = 0
			}
		case letter == '"' || letter == '\'' || letter == '`':
			quote = letter
			text.WriteRune('_')
		case strings.ContainsRune("0123456789 \n\t", letter):
		default:
			text.WriteRune(letter)
		}
	}
	return text.String()
}
