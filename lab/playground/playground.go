// Package playground answers the page on which tools are pasted. It takes JSON and returns
// JSON, opens no file and no connection, and goes the way of verify check, verify normalize
// and verify check --error. Package lab/playground/engine makes a program for browsers of it.
package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/harness/report"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// mostBytes is how long a text may be. The page says so before it asks.
const mostBytes = 8 << 20

// Engine answers. Its methods are called one after the other.
type Engine struct {
	store    *recording.Store
	coverage *judge.Coverage
}

// New returns an engine with recordings; nil means none.
func New(store *recording.Store) *Engine {
	return &Engine{store, &judge.Coverage{}}
}

// Asked is a question. Each has a part of it.
type Asked struct {
	// Do is surfaces, check, normalize or explain.
	Do string `json:"do"`
	// Tools is the text with the tools, and Error the answer of a provider.
	Tools string `json:"tools"`
	Error string `json:"error"`
	// Targets are names of targets and surfaces. Empty means all targets; of Do normalize it
	// is one.
	Targets []string `json:"targets"`
	// Brief leaves the normalized tools and what recordings show out of result lines.
	Brief bool `json:"brief"`
}

// Answer is the answer to a question. Each has a part of it.
type Answer struct {
	Surfaces []Surface         `json:"surfaces,omitempty"`
	Rewrites map[string]string `json:"rewrites,omitempty"` // what each rule of normalizers does, by its name
	// Tools are those of the text, in their order.
	Tools []Tool `json:"tools,omitempty"`
	// Lines are result lines, as docs/schema/result.schema.json has them.
	Lines []verdict.Line `json:"lines,omitempty"`
	// Problems say what could not be read.
	Problems []Problem `json:"problems,omitempty"`
	// Wire is the list of tools of a request, indented.
	Wire string `json:"wire,omitempty"`
	// Sides are the tools as given and normalized.
	Sides []Side `json:"sides,omitempty"`
	// Dialect is the surface that an error is from, and Places are those that it names and
	// the tools do not have.
	Dialect string   `json:"dialect,omitempty"`
	Places  []string `json:"places,omitempty"`
	// Failure says why there is no answer.
	Failure string `json:"failure,omitempty"`
}

// Surface is what tools are sent to.
type Surface struct {
	Name    string `json:"name"` // of the target, or of the dialect where it has none
	Dialect string `json:"dialect"`
	Service string `json:"service"`
	Doc     string `json:"doc"`
	// Functions is set where the surface takes tools, and not the schema of an answer.
	Functions bool `json:"functions"`
	// Direct is set where clients send tools as they are.
	Direct bool `json:"direct"`
	// Target is the target whose normalizer writes tools for the surface, or for a relative;
	// empty where there is none.
	Target string `json:"target,omitempty"`
}

// Tool is a tool of a text.
type Tool struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	// Error says why it could not be read.
	Error string `json:"error,omitempty"`
}

// Problem says what is wrong with a text; Line is 0 where that has no place.
type Problem struct {
	Line   int    `json:"line"`
	Column int    `json:"col"`
	Text   string `json:"text"`
}

// Side is a tool as given and normalized, as indented JSON.
type Side struct {
	Tool       string `json:"tool"`
	Given      string `json:"given"`
	Normalized string `json:"normalized"`
}

// Answer answers a question in JSON with JSON. It never panics.
func (e *Engine) Answer(ctx context.Context, question string) (text string) {
	defer func() {
		if caught := recover(); caught != nil {
			text = fmt.Sprintf(`{"failure":%s}`, schema.AppendQuoted(nil, fmt.Sprintf("a fault of Toolproof: %v", caught)))
		}
	}()
	var asked Asked
	answer, err := Answer{}, json.Unmarshal([]byte(question), &asked)
	if err == nil {
		answer, err = e.answer(ctx, asked)
	}
	if err != nil {
		answer.Failure = err.Error()
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // it is no part of a page
	if err := encoder.Encode(answer); err != nil {
		return fmt.Sprintf(`{"failure":%s}`, schema.AppendQuoted(nil, err.Error()))
	}
	return out.String()
}

func (e *Engine) answer(ctx context.Context, asked Asked) (Answer, error) {
	if len(asked.Tools)+len(asked.Error) > mostBytes {
		return Answer{}, fmt.Errorf("the text has more than %d MB: check it with verify check on the command line", mostBytes>>20)
	}
	switch asked.Do {
	case "surfaces":
		return surfaces(), nil
	case "check":
		return e.check(ctx, asked)
	case "normalize":
		return e.normalize(ctx, asked)
	case "explain":
		return e.explain(ctx, asked)
	default:
		return Answer{}, fmt.Errorf("nothing answers %q", asked.Do)
	}
}

// surfaces lists what tools are sent to, and the rules of the normalizers.
func surfaces() Answer {
	answer := Answer{Rewrites: map[string]string{}}
	for _, target := range harness.Surfaces {
		dialect := target.Dialect
		surface := Surface{
			Name: target.Name(), Dialect: dialect.Name, Service: dialect.Service(), Doc: dialect.Doc,
			Functions: dialect.Subject == provider.Arguments,
			Direct:    slices.ContainsFunc(harness.Direct, func(direct judge.Target) bool { return direct.Dialect == dialect }),
		}
		if target.Normalizer == nil {
			target = harness.Serving(dialect)
		}
		if target.Normalizer != nil {
			surface.Target = target.Name()
		}
		answer.Surfaces = append(answer.Surfaces, surface)
	}
	for _, rule := range normalizers.Rules() {
		answer.Rewrites[rule.Name] = rule.Title()
	}
	return answer
}

// targets returns those of the given names, or all.
func targets(names []string) ([]judge.Target, error) {
	if len(names) == 0 {
		return harness.Targets, nil
	}
	var targets []judge.Target
	for _, name := range names {
		at := slices.IndexFunc(harness.Surfaces, func(target judge.Target) bool { return target.Name() == name })
		if at < 0 {
			return nil, fmt.Errorf("unknown target %q", name)
		}
		targets = append(targets, harness.Surfaces[at])
	}
	return targets, nil
}

// read reads the tools of a text. The answer names them, with what could not be read.
func read(text string) ([]toolfile.Tool, Answer) {
	tools, err := toolfile.Read(strings.NewReader(text))
	var answer Answer
	for _, tool := range tools {
		shown := Tool{Name: tool.Name, Line: tool.Line}
		if tool.Err != nil {
			shown.Error = tool.Err.Error()
		}
		answer.Tools = append(answer.Tools, shown)
	}
	for _, problem := range toolfile.Problems(err) {
		shown := Problem{Text: problem.Error()}
		if syntax, ok := errors.AsType[*schema.SyntaxError](problem); ok {
			shown.Line, shown.Column = int(syntax.Position.Line), int(syntax.Position.Column)
		}
		answer.Problems = append(answer.Problems, shown)
	}
	return tools, answer
}

// source is the name that verify gives to what it reads from standard input.
const source = "-"

// check judges the tools as they are given, alone and as one request, as verify check does.
func (e *Engine) check(ctx context.Context, asked Asked) (Answer, error) {
	targets, err := targets(asked.Targets)
	if err != nil {
		return Answer{}, err
	}
	tools, answer := read(asked.Tools)
	judging := judge.Judge{Store: e.store, Coverage: e.coverage, Raw: true}
	judged := run.Run{Targets: targets, Judge: judging, Sink: lines{&answer, asked.Brief}}
	for _, request := range toolfile.Requests(tools) { // each request has its lines together
		if err := judged.Documents(ctx, []run.Document{{Source: source, Tools: request}}); err != nil {
			return answer, fmt.Errorf("judging the tools: %w", err)
		}
	}
	return answer, nil
}

// lines is a sink that adds result lines to an answer. With isBrief they are short.
type lines struct {
	answer  *Answer
	isBrief bool
}

// Result adds a line.
func (l lines) Result(result verdict.Result) error {
	l.answer.add(result, l.isBrief)
	return nil
}

// Summary adds nothing: the page counts for itself.
func (lines) Summary(*report.Summary) error { return nil }

// add adds a result line.
func (a *Answer) add(result verdict.Result, isBrief bool) {
	line := verdict.LineOf(result)
	if isBrief && line.Normalized != nil {
		short := *line.Normalized
		short.Tool, short.Changes, line.Normalized, line.Understood = nil, nil, &short, nil
	}
	a.Lines = append(a.Lines, line)
}

// normalize writes the tools as a target takes them, in one request, as verify normalize
// does.
func (e *Engine) normalize(ctx context.Context, asked Asked) (Answer, error) {
	targets, err := targets(asked.Targets)
	if err != nil {
		return Answer{}, err
	}
	if len(targets) != 1 || targets[0].Normalizer == nil {
		return Answer{}, errors.New("no normalizer writes tools for this")
	}
	target := targets[0]
	tools, answer := read(asked.Tools)
	judging := judge.Judge{Store: e.store}
	shared := judging.Shared(ctx, tools, target)
	declarations := []*schema.Node{}
	for i, tool := range tools {
		result := judging.Tool(ctx, judge.Subject{Tool: tool, Source: source, Shared: shared[i]}, target)
		answer.add(result, false)
		sides := result.Sides()
		if sides.Normalized == nil {
			continue
		}
		declarations = append(declarations, target.Wire(sides.Normalized))
		answer.Sides = append(answer.Sides, Side{result.Tool, string(sides.Given.Indented()), string(sides.Normalized.Tool.Indented())})
	}
	answer.Wire = string(schema.NewArray(declarations...).Indented()) + "\n"
	return answer, nil
}

// explain finds the places of the tools that an error means, as verify check --error does.
// Without tools it says whose words they are.
func (e *Engine) explain(ctx context.Context, asked Asked) (Answer, error) {
	var tools []toolfile.Tool
	var answer Answer
	if strings.TrimSpace(asked.Tools) != "" {
		tools, answer = read(asked.Tools)
	}
	var sent []schema.Tool
	var subjects []judge.Subject
	for _, tool := range tools {
		sent, subjects = append(sent, tool.Tool), append(subjects, judge.Subject{Tool: tool, Source: source})
	}
	var dialects []*provider.Dialect
	for _, surface := range harness.Surfaces {
		dialects = append(dialects, surface.Dialect)
	}
	located, err := refusal.Locate(provider.ParsePasted(asked.Error), sent, dialects)
	if located.Dialect != nil {
		answer.Dialect = located.Dialect.Name
	}
	for _, place := range located.Missing {
		answer.Places = append(answer.Places, cmp.Or(place.Location, string(place.At)))
	}
	if err != nil {
		return answer, err
	}
	judging := judge.Judge{Store: e.store, Coverage: e.coverage, Raw: true}
	results, err := judging.Refused(ctx, located, harness.Serving(located.Dialect), subjects)
	if err != nil {
		return answer, fmt.Errorf("locating the error: %w", err)
	}
	for _, result := range results {
		answer.add(result, false)
	}
	return answer, nil
}
