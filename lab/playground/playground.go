// Package playground is the engine of the page on which people paste tools. It takes and
// returns JSON, opens no file and no connection, and works as verify check, verify normalize
// and verify check --error do. Package lab/playground/engine compiles it for browsers.
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

// mostBytes is the largest size of a text, in bytes. The page checks it, too.
const mostBytes = 8 << 20

// Engine answers questions. Its methods must not be called concurrently.
type Engine struct {
	store    *recording.Store
	coverage *judge.Coverage
}

// New returns an engine with recordings; nil means none.
func New(store *recording.Store) *Engine {
	return &Engine{store, &judge.Coverage{}}
}

// Question is a question. Which members it needs depends on Do.
type Question struct {
	// Do is "surfaces", "check", "normalize", "advise" or "explain".
	Do string `json:"do"`
	// Tools is the text of the tools, and Error a provider's answer.
	Tools string `json:"tools"`
	Error string `json:"error"`
	// Targets are names of targets and surfaces. Empty means all targets; normalize and advise need
	// exactly one.
	Targets []string `json:"targets"`
	// Brief omits from result lines the normalized tools, what recordings show, and the edits that
	// answer findings, which take long to find.
	Brief bool `json:"brief"`
}

// Answer is the answer to a question. Which members it has depends on Do.
type Answer struct {
	Surfaces []Surface         `json:"surfaces,omitempty"`
	Rewrites map[string]string `json:"rewrites,omitempty"` // title of each rewrite, by name
	// Tools lists the tools of the text in order.
	Tools []Tool `json:"tools,omitempty"`
	// Lines are result lines, as docs/schema/result.schema.json describes them.
	Lines []verdict.Line `json:"lines,omitempty"`
	// Advice says what the author of a tool can do about each finding that refuses it as given, by the
	// line in Lines.
	Advice [][]string `json:"advice,omitempty"`
	// Problems lists what could not be read.
	Problems []Problem `json:"problems,omitempty"`
	// Wire is the list of tools of a request, indented.
	Wire string `json:"wire,omitempty"`
	// Sides holds the tools before and after normalization.
	Sides []Side `json:"sides,omitempty"`
	// Dialect is the surface that an error comes from, and Places are the places it names that
	// the tools lack.
	Dialect string   `json:"dialect,omitempty"`
	Places  []string `json:"places,omitempty"`
	// Failure tells why there is no answer.
	Failure string `json:"failure,omitempty"`
}

// Surface is a surface that tools are sent to.
type Surface struct {
	Name    string `json:"name"` // name of the target, or of the dialect if it has none
	Dialect string `json:"dialect"`
	Service string `json:"service"`
	Doc     string `json:"doc"`
	// Functions is set if the surface takes tools and not the schema of an answer.
	Functions bool `json:"functions"`
	// Direct is set if clients send tools without normalizing them.
	Direct bool `json:"direct"`
	// Target is the target whose normalizer serves the surface or a relative; "" if there is
	// none.
	Target string `json:"target,omitempty"`
}

// Tool is a tool of a text.
type Tool struct {
	Name string `json:"name"`
	Line int    `json:"line"`
	// Error tells why it could not be read.
	Error string `json:"error,omitempty"`
}

// Problem is an error in a text; Line is 0 if it has no place.
type Problem struct {
	Line   int    `json:"line"`
	Column int    `json:"col"`
	Text   string `json:"text"`
}

// Side is a tool before and after normalization, as indented JSON.
type Side struct {
	Tool       string `json:"tool"`
	Given      string `json:"given"`
	Normalized string `json:"normalized"`
}

// Answer answers a JSON question with a JSON answer. It never panics.
func (e *Engine) Answer(ctx context.Context, request string) (text string) {
	defer func() {
		if caught := recover(); caught != nil {
			text = fmt.Sprintf(`{"failure":%s}`, schema.AppendQuoted(nil, fmt.Sprintf("a fault of Toolproof: %v", caught)))
		}
	}()
	var question Question
	answer, err := Answer{}, json.Unmarshal([]byte(request), &question)
	if err == nil {
		answer, err = e.answer(ctx, question)
	}
	if err != nil {
		answer.Failure = err.Error()
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // not embedded in HTML
	if err := encoder.Encode(answer); err != nil {
		return fmt.Sprintf(`{"failure":%s}`, schema.AppendQuoted(nil, err.Error()))
	}
	return out.String()
}

func (e *Engine) answer(ctx context.Context, question Question) (Answer, error) {
	if len(question.Tools)+len(question.Error) > mostBytes {
		return Answer{}, fmt.Errorf("the text has more than %d MB: check it with verify check on the command line", mostBytes>>20)
	}
	switch question.Do {
	case "surfaces":
		return surfaces(), nil
	case "check":
		return e.check(ctx, question)
	case "normalize":
		return e.normalize(ctx, question)
	case "advise":
		return e.advise(ctx, question)
	case "explain":
		return e.explain(ctx, question)
	default:
		return Answer{}, fmt.Errorf("nothing answers %q", question.Do)
	}
}

// surfaces lists the surfaces and the rules of the normalizers.
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

// targets returns the named targets, or all if there are no names.
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

// read reads the tools of a text. The answer lists them, and what could not be read.
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
		if foreign, ok := errors.AsType[*toolfile.ForeignError](problem); ok {
			shown.Text = inBrowser(foreign)
		}
		if syntax, ok := errors.AsType[*schema.SyntaxError](problem); ok {
			shown.Line, shown.Column = int(syntax.Position.Line), int(syntax.Position.Column)
		}
		answer.Problems = append(answer.Problems, shown)
	}
	return tools, answer
}

// source is the name that verify gives to standard input.
const source = "-"

// inBrowser says what a text is that has no tools, and what to paste instead.
func inBrowser(foreign *toolfile.ForeignError) string {
	shown := *foreign
	if before, _, isCommand := strings.Cut(shown.Do, "verify "); isCommand {
		shown.Do = before + "a page runs no program, so paste the tools themselves: the answer of a server to tools/list, or what your program sends"
	}
	return shown.Of("the file")
}

// check judges the tools as they are, alone and as one request, as verify check does.
func (e *Engine) check(ctx context.Context, question Question) (Answer, error) {
	targets, err := targets(question.Targets)
	if err != nil {
		return Answer{}, err
	}
	tools, answer := read(question.Tools)
	err = e.judge(ctx, tools, targets, lines{&answer, question.Brief})
	return answer, err
}

// judge judges the tools for targets, each request by itself, so that its lines are together.
func (e *Engine) judge(ctx context.Context, tools []toolfile.Tool, targets []judge.Target, sink report.Sink) error {
	judged := run.Run{Targets: targets, Judge: judge.Judge{Store: e.store, Coverage: e.coverage, Raw: true}, Sink: sink}
	for _, request := range toolfile.Requests(tools) {
		if err := judged.Documents(ctx, []run.Document{{Source: source, Tools: request}}); err != nil {
			return fmt.Errorf("judging the tools: %w", err)
		}
	}
	return nil
}

// advise judges the tools for one target, and says what their author can do about each finding: what
// every surface takes to which clients pass the tools on as they are, if the target is one of these.
func (e *Engine) advise(ctx context.Context, question Question) (Answer, error) {
	chosen, err := targets(question.Targets)
	if err != nil {
		return Answer{}, err
	}
	if len(chosen) != 1 {
		return Answer{}, errors.New("advice is about one target")
	}
	tools, answer := read(question.Tools)
	if len(tools) == 0 {
		return answer, nil
	}
	judged := harness.DirectFor(tools[0].Form)
	if !slices.ContainsFunc(judged, func(direct judge.Target) bool { return direct.Name() == chosen[0].Name() }) {
		judged = chosen
	}
	err = e.judge(ctx, tools, judged, advice{&answer, chosen[0].Name()})
	return answer, err
}

// advice is a sink that adds the result lines of a target to an answer, with advice.
type advice struct {
	answer *Answer
	target string
}

// Result adds a line.
func (a advice) Result(result verdict.Result) error {
	if result.Target != a.target {
		return nil
	}
	a.answer.add(result, true)
	said := []string{}
	if sides := result.Sides(); sides.Raw != nil && sides.Raw.Verdict == provider.Rejected && sides.Cure != nil {
		for _, finding := range sides.Raw.Findings {
			said = append(said, proposal(sides.Cure(finding)))
		}
	}
	a.answer.Advice = append(a.answer.Advice, said)
	return nil
}

// Summary adds nothing.
func (advice) Summary(*report.Summary) error { return nil }

// proposal says what a report does, but where only the client can rewrite the tool, which the page shows
// instead of a command.
func proposal(cure verdict.Cure) string {
	if len(cure.Edits) == 0 && cure.Member == "" && cure.Target != "" {
		return "no edit of the source helps; let the client rewrite it, as below"
	}
	return report.Proposal(cure)
}

// lines is a sink that adds result lines to an answer. With isBrief they are short.
type lines struct {
	answer  *Answer
	isBrief bool
}

// Result adds a line.
func (l lines) Result(result verdict.Result) error {
	if !l.isBrief {
		result = result.Answered()
	}
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

// normalize returns the request with the tools normalized for a target, as verify normalize
// does.
func (e *Engine) normalize(ctx context.Context, question Question) (Answer, error) {
	targets, err := targets(question.Targets)
	if err != nil {
		return Answer{}, err
	}
	if len(targets) != 1 || targets[0].Normalizer == nil {
		return Answer{}, errors.New("no normalizer writes tools for this")
	}
	target := targets[0]
	tools, answer := read(question.Tools)
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

// explain finds the places in the tools that an error means, as verify check --error does.
// Without tools it only names the surface that the words come from.
func (e *Engine) explain(ctx context.Context, question Question) (Answer, error) {
	var tools []toolfile.Tool
	var answer Answer
	if strings.TrimSpace(question.Tools) != "" {
		tools, answer = read(question.Tools)
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
	located, err := refusal.Locator{Dialects: dialects}.Locate(ctx, question.Error, sent)
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
	results, err := judging.Refused(ctx, located, harness.Serving(located.Dialect), harness.DirectFor, subjects)
	if err != nil {
		return answer, fmt.Errorf("locating the error: %w", err)
	}
	for _, result := range results {
		answer.add(result, false)
	}
	return answer, nil
}
