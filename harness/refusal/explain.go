package refusal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Explainer tells which rules refuse in the words of a message, whatever tools the message is about.
// It learns what rules say when it is first asked about their surfaces. Its methods may be called
// concurrently.
type Explainer struct {
	// Dialects are the surfaces whose rules it knows.
	Dialects []*provider.Dialect
	// Tools are examples from which it learns, each the tools of a request to any surface.
	Tools [][]schema.Tool
	// Of returns further requests that show a rule, each to a surface with the rule. It is asked
	// about rules that no Tools show.
	Of func(rule *provider.Rule) []Shown

	learning sync.Mutex
	sayings  map[*provider.Dialect]map[*provider.Rule][]*saying
}

// Shown is a request that a rule refuses on a day.
type Shown struct {
	provider.Request

	Day provider.Date
}

// Explained is a rule that refuses in the words of a message, or what else the message is about.
type Explained struct {
	// Aside is what the message is about if that is no declaration; otherwise it is empty.
	Aside Aside
	// Conversation is a rule about requests; nil if Rule is a rule of the surface Dialect.
	Conversation *conversation.Rule
	Dialect      *provider.Dialect
	Rule         *provider.Rule
	// IsAlike means that the rule refuses in words that are only like those of the message.
	IsAlike bool
}

// saying is a message of a rule.
type saying struct {
	message string
	shape   func() string
}

// Explain returns the rules that refuse in the words of a pasted text, in the order of the surfaces.
// Surfaces that read places out of the text are asked first, then the rules about requests, and other
// surfaces if none of those explains it. If no rule does, the text may be about something else than a
// declaration, or have a few words of a message.
func (e *Explainer) Explain(ctx context.Context, text string) ([]Explained, error) {
	asked := newQuestion(read(text))
	var readers, others []*provider.Dialect
	for _, dialect := range e.Dialects {
		if asked.isReadBy(dialect) {
			readers = append(readers, dialect)
		} else {
			others = append(others, dialect)
		}
	}
	about, _ := asked.paste.aboutRequest()
	for i, step := range []struct {
		dialects []*provider.Dialect
		isCut    bool // the text may have a part of a message
	}{{readers, false}, {others, false}, {readers, true}, {others, true}} {
		if i == 1 && about != nil {
			return []Explained{{Conversation: about}}, nil
		}
		if err := e.learn(ctx, step.dialects); err != nil {
			return nil, err
		}
		var explained []Explained
		for _, dialect := range step.dialects {
			for _, rule := range asked.rules(dialect, e.sayings[dialect], step.isCut) {
				explained = append(explained, Explained{Dialect: dialect, Rule: rule})
			}
		}
		if len(explained) > 0 {
			return explained, nil
		}
	}
	if aside := asked.paste.aside(); aside != "" {
		return []Explained{{Aside: aside}}, nil
	}
	return e.alike(asked), nil
}

// learn learns what the rules of surfaces say.
func (e *Explainer) learn(ctx context.Context, dialects []*provider.Dialect) error {
	e.learning.Lock()
	defer e.learning.Unlock()
	learnt, failed := make([]map[*provider.Rule][]*saying, len(dialects)), make([]error, len(dialects))
	var learners sync.WaitGroup
	for i, dialect := range dialects {
		if learnt[i] = e.sayings[dialect]; learnt[i] == nil {
			learners.Go(func() { learnt[i], failed[i] = e.sayingsOf(ctx, dialect) })
		}
	}
	learners.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if e.sayings == nil {
		e.sayings = map[*provider.Dialect]map[*provider.Rule][]*saying{}
	}
	for i, dialect := range dialects {
		e.sayings[dialect] = learnt[i]
	}
	return nil
}

// mostValues is the number of values in the tools of an example of usual size. The few larger ones
// take as long as all others, and show what only large tools are refused for.
const mostValues = 64

// sayingsOf returns what the rules of a surface say.
func (e *Explainer) sayingsOf(ctx context.Context, dialect *provider.Dialect) (map[*provider.Rule][]*saying, error) {
	said, today := map[*provider.Rule][]*saying{}, provider.Today()
	unshown, isKnown := *dialect, map[string]bool{}
	ask := func(request provider.Request, day provider.Date) error {
		violations, err := (&provider.Model{Dialect: &unshown, AsOf: day}).Violations(ctx, request)
		for _, finding := range violations {
			message := prefaced(finding, today)
			if key := finding.Rule.Name + " " + message; !isKnown[key] {
				isKnown[key] = true
				shape := sync.OnceValue(func() string { return shapeOf(provider.ParsePasted(message).Message) })
				said[finding.Rule] = append(said[finding.Rule], &saying{message, shape})
			}
		}
		return err
	}
	for _, isLarge := range []bool{false, true} {
		for _, tools := range e.Tools {
			if isLarge != (valuesOf(tools) > mostValues) {
				continue
			}
			if err := ask(unshown.Declared(tools), today); err != nil {
				return nil, err
			}
		}
		rules := slices.DeleteFunc(slices.Clone(dialect.Rules), func(rule *provider.Rule) bool { return rule.Effect != provider.Rejects || said[rule] != nil })
		unshown = *dialect
		unshown.Rules = rules
	}
	if e.Of == nil {
		return said, nil
	}
	for _, rule := range unshown.Rules {
		for _, shown := range e.Of(rule) {
			if shown.Dialect != dialect.Name {
				continue
			}
			if err := ask(shown.Request, shown.Day); err != nil {
				return nil, err
			}
		}
	}
	return said, nil
}

// valuesOf returns the number of values in the parameters of tools.
func valuesOf(tools []schema.Tool) int {
	values := 0
	for _, tool := range tools {
		values += tool.Parameters.Size()
	}
	return values
}

// question is a text whose meaning is asked, with the shapes of its message, its lines and the
// messages in it.
type question struct {
	paste  *paste
	shapes []string
	// words are those of the text that tell one message from another.
	words map[string]bool
}

// inBody matches a message in a body.
var inBody = lazy.Compile(`"message":\s*("(?:[^"\\]|\\.)*")`)

// Differing parts of messages that Shape leaves: pointers, and how many names a list has.
var (
	pointer = lazy.Compile(`\btools\.\d+(?:\.[\w$-]+)*|#/[^\s'",;<>]*`)
	list    = lazy.Compile(`(['"` + "`" + `]…['"` + "`" + `])(?:, ['"` + "`" + `]…['"` + "`" + `])+`)
)

// shapeOf returns the shape of a text without its pointers and with lists of one name.
func shapeOf(text string) string {
	return list.ReplaceAllString(Shape(pointer.ReplaceAllString(text, Hole), nil), "$1")
}

func newQuestion(p *paste) *question {
	q := &question{paste: p, words: map[string]bool{}}
	add := func(text string) {
		if shape := shapeOf(text); letters(shape) != "" { // the shape of a body is a hole alone
			q.shapes = append(q.shapes, shape)
		}
	}
	for _, refusal := range p.refusals {
		add(refusal.Message)
		for line := range strings.Lines(refusal.Message) {
			add(line)
		}
		for _, match := range inBody.FindAllStringSubmatch(refusal.Message, mostPlaces) {
			if node, err := schema.Parse([]byte(match[1])); err == nil {
				add(node.Text)
			}
		}
		for word := range telling(refusal.Message) {
			q.words[word] = true
		}
	}
	return q
}

// telling returns the words of a text that have at least four letters.
func telling(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(letter rune) bool { return !unicode.IsLetter(letter) }) {
			if len(word) >= 4 && !yield(word) {
				return
			}
		}
	}
}

// isReadBy reports whether a surface reads a place out of the text.
func (q *question) isReadBy(dialect *provider.Dialect) bool {
	return dialect.Locate != nil && slices.ContainsFunc(q.paste.refusals, func(refusal provider.Response) bool {
		return len(dialect.Locate(refusal, []*schema.Node{dialect.Declare(schema.Tool{Name: "f"})})) > 0
	})
}

// rules returns the rules of a surface of whose sayings the text has one, without those that say only
// a part of what another says.
func (q *question) rules(dialect *provider.Dialect, sayings map[*provider.Rule][]*saying, isCut bool) []*provider.Rule {
	longest := map[*provider.Rule]string{}
	for _, rule := range dialect.Rules {
		for _, saying := range sayings[rule] {
			if shape := q.find(saying, isCut); len(shape) > len(longest[rule]) {
				longest[rule] = shape
			}
		}
	}
	var found []*provider.Rule
	for _, rule := range dialect.Rules {
		isPart := func(other *provider.Rule) bool {
			return len(longest[other]) > len(longest[rule]) && strings.Contains(longest[other], longest[rule])
		}
		if longest[rule] != "" && !slices.ContainsFunc(dialect.Rules, isPart) {
			found = append(found, rule)
		}
	}
	return found
}

// find returns the shape of a saying if the text has it, or a part of it, and "" otherwise. Short ones
// have to be equal.
func (q *question) find(saying *saying, isCut bool) string {
	isNear := false
	for word := range telling(saying.message) {
		if isNear = q.words[word]; isNear {
			break
		}
	}
	if !isNear {
		return ""
	}
	shape := saying.shape()
	if named, model := q.paste.named(saying.message); model != "" {
		shape = shapeOf(named)
	}
	for _, known := range q.shapes {
		whole, part := known, shape
		if isCut {
			whole, part = shape, known
		}
		if known == shape || strings.Contains(whole, part) && len(letters(part)) >= fewestCut {
			return shape
		}
	}
	return ""
}
