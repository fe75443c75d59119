// Package conformance tests clients of LLM APIs: it runs a client's own tool loop against the emulator,
// one scenario at a time, and judges by what the client says and by what arrived.
package conformance

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/group"
)

//go:embed sets/*.json
var sets embed.FS

// Sets are the names of the sets of scenarios, the newest last. A set does not change after its month.
var Sets = []string{"2026-11"}

// Scenario is one question to a client.
type Scenario struct {
	Name     string         `json:"name"`
	Doc      string         `json:"doc"`
	APIs     []provider.API `json:"apis"`
	IsStream bool           `json:"stream"`
	// Answers are the answers of the emulator before the last text, as in a script.
	Answers []emulator.Answer `json:"answers"`
	Want    []any             `json:"want"`           // arguments of the calls that the client has to make
	May     []any             `json:"may,omitempty"`  // arguments of calls that it may make
	Last    string            `json:"last,omitempty"` // text of the last answer; a default if it is empty
	Ends    Ending            `json:"ends,omitempty"`

	Result  Returned        `json:"result"`             // of each call
	Others  int             `json:"others,omitempty"`   // number of further tools that are declared
	Format  json.RawMessage `json:"format,omitempty"`   // schema of the last text
	Thinks  bool            `json:"thinking,omitempty"` // the client asks for thinking
	Retries int             `json:"retries,omitempty"`  // number of failed requests that the client sends again
	Cancels bool            `json:"cancel,omitempty"`   // the user cancels during the first call
}

// Returned is the result of a call.
type Returned struct {
	Size    int  `json:"size,omitempty"`  // bytes of the text; 0 for a short one
	IsError bool `json:"error,omitempty"` // the tool fails with the text
	IsImage bool `json:"image,omitempty"` // the result is a picture in place of a text
}

// Ending is how a scenario has to end for the user. The zero Ending is the last text.
type Ending string

// The other endings.
const (
	Failure   Ending = "error"   // an error, and no call
	Refusal   Ending = "refusal" // an error or some text
	Cancelled Ending = "nothing" // no text, and no request after the call
)

// Outcome is how a client did.
type Outcome string

// The outcomes.
const (
	Passed      Outcome = "pass"
	Failed      Outcome = "error"       // the client reports an error where there is none
	Told        Outcome = "told"        // the client makes no call, and tells the model of an error
	Silent      Outcome = "silent"      // something is lost or changed, and the client reports no error
	Unsupported Outcome = "unsupported" // the client says that it cannot do this
)

// Result says how a client did in a scenario. docs/schema/conformance.schema.json describes its JSON.
type Result struct {
	Scenario string       `json:"scenario"`
	API      provider.API `json:"api"`
	Outcome  Outcome      `json:"outcome"`
	Why      string       `json:"why,omitempty"`      // it does not pass
	Expected string       `json:"expected,omitempty"` // reason why this failure is expected
}

// Load returns the scenarios of a set.
func Load(set string) ([]Scenario, error) {
	if !slices.Contains(Sets, set) {
		return nil, fmt.Errorf("unknown set %q: use one of %s", set, strings.Join(Sets, ", "))
	}
	text, err := sets.ReadFile("sets/" + set + ".json")
	if err != nil {
		return nil, fmt.Errorf("reading a set: %w", err)
	}
	var scenarios []Scenario
	if err := json.Unmarshal(text, &scenarios); err != nil {
		return nil, fmt.Errorf("reading a set: %w", err)
	}
	return scenarios, nil
}

// The tool that scenarios declare, its results and the last text.
const (
	tool       = "get_weather"
	parameters = `{"type":"object","properties":{"city":{"type":"string"},"at":{"type":"object","properties":{"h":{"type":"integer"}}},"note":{"type":"string"}}}`
	result     = "sun over toolproof"
	picture    = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==" // a red pixel
	last       = "It is sunny."
)

// text returns the text of each result; "" for a picture.
func (r Returned) text() string {
	switch {
	case r.IsImage:
		return ""
	case r.IsError:
		return "no such city: toolproof"
	default:
		return result + strings.Repeat(".", max(r.Size-len(result), 0))
	}
}

var models = map[provider.API]string{
	provider.ChatCompletions: "gpt-4o", provider.Responses: "gpt-4o", provider.Messages: "claude-sonnet-5", provider.GenerateContent: "gemini-2.5-flash",
}

// newer are models that show their thinking, take a picture as a result, and answer in a schema although they have tools.
var newer = map[provider.API]string{
	provider.Responses: "gpt-5", provider.Messages: "claude-sonnet-4-5", provider.GenerateContent: "gemini-3.1-pro-preview",
}

// question is what a client reads from standard input.
type question struct {
	Name    string          `json:"name"`
	API     provider.API    `json:"api"`
	Model   string          `json:"model"`
	Stream  bool            `json:"stream"`
	Prompt  string          `json:"prompt"`
	Tools   []declared      `json:"tools"` // the first one is called
	Format  json.RawMessage `json:"format,omitempty"`
	Thinks  bool            `json:"thinking,omitempty"`
	Retries int             `json:"retries,omitempty"`
	Cancels bool            `json:"cancel,omitempty"`
}

type declared struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Result      string          `json:"result,omitempty"` // of each call
	IsError     bool            `json:"error,omitempty"`
	Image       *image          `json:"image,omitempty"` // in place of Result
}

type image struct {
	Type string `json:"type"`
	Data string `json:"data"` // in base64
}

// question returns what a client is asked.
func (s *Scenario) question(api provider.API) question {
	asked := question{
		Name: s.Name, API: api, Model: models[api], Stream: s.IsStream, Prompt: "What will the weather be?",
		Format: s.Format, Thinks: s.Thinks, Retries: s.Retries, Cancels: s.Cancels,
	}
	if s.Thinks || s.Format != nil || s.Result.IsImage {
		asked.Model = cmp.Or(newer[api], asked.Model)
	}
	called := declared{Name: tool, Description: "The weather of a city.", Parameters: json.RawMessage(parameters), Result: s.Result.text(), IsError: s.Result.IsError}
	if s.Result.IsImage {
		called.Image = &image{"image/png", picture}
	}
	asked.Tools = append(asked.Tools, called)
	for i := range s.Others {
		asked.Tools = append(asked.Tools, declared{Name: otherTool(i), Description: "Another tool.", Parameters: json.RawMessage(parameters), Result: result})
	}
	return asked
}

func otherTool(i int) string { return fmt.Sprintf("other_tool_%02d", i) }

// said is a line of a client's output: one of its members.
type said struct {
	Call *struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	} `json:"call"`
	Text        *string `json:"text"`
	Error       *string `json:"error"`
	Unsupported *string `json:"unsupported"`
}

// The bounds of a client.
const (
	patience   = time.Minute
	mostOutput = 1 << 20
)

// Run runs the client once. The error is one of this machine.
func Run(ctx context.Context, words []string, scenario *Scenario, api provider.API) (Result, error) {
	ended := Result{Scenario: scenario.Name, API: api}
	server, err := emulate(scenario)
	if err != nil {
		return ended, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return ended, fmt.Errorf("listening: %w", err)
	}
	came := &arrivals{next: server}
	serving := &http.Server{Handler: came, ReadHeaderTimeout: patience}
	go func() { _ = serving.Serve(listener) }() // Close ends it
	defer func() { _ = serving.Close() }()
	asked, err := json.Marshal(scenario.question(api))
	if err != nil {
		return ended, fmt.Errorf("writing a scenario: %w", err)
	}
	lines, why := ask(ctx, words, asked, "http://"+listener.Addr().String())
	if ctx.Err() != nil {
		return ended, ctx.Err()
	}
	if why != "" {
		ended.Outcome, ended.Why = Failed, why
		return ended, nil
	}
	seen := &seen{scenario: scenario, api: api, requests: server.Requests(), times: came.list()}
	ended.Outcome, ended.Why = seen.judge(lines)
	return ended, nil
}

// arrivals notes when requests arrive.
type arrivals struct {
	next  http.Handler
	lock  sync.Mutex
	times []time.Time
}

func (a *arrivals) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	a.lock.Lock()
	a.times = append(a.times, time.Now())
	a.lock.Unlock()
	a.next.ServeHTTP(writer, request)
}

func (a *arrivals) list() []time.Time {
	a.lock.Lock()
	defer a.lock.Unlock()
	return slices.Clone(a.times)
}

// emulate returns the emulator of a scenario: its answers, and then a text.
func emulate(scenario *Scenario) (*emulator.Server, error) {
	// A client may send a request again that failed.
	failing := emulator.Step{Answers: scenario.Answers, Repeats: scenario.Ends == Failure}
	ending := emulator.Step{Answers: []emulator.Answer{{Text: cmp.Or(scenario.Last, last)}}, Repeats: true}
	text, err := json.Marshal(emulator.Script{Steps: []emulator.Step{failing, ending}})
	if err != nil {
		return nil, fmt.Errorf("writing a script: %w", err)
	}
	script, err := emulator.ParseScript(text)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", scenario.Name, err)
	}
	const most = 100
	return emulator.New(emulator.Options{Script: script, Keep: most}), nil
}

// ask runs a client and returns what it said, or why it failed.
func ask(ctx context.Context, words []string, asked []byte, url string) (lines []said, why string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	command := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user names the program
	errs, out := &group.Tail{}, &limited{}
	command.Env, command.Stdin, command.Stdout, command.Stderr = append(command.Environ(), "EMULATOR_URL="+url), bytes.NewReader(asked), out, errs
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	command.WaitDelay = time.Second
	if err := command.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Sprintf("the client did not end within %s", patience)
		default:
			return nil, fmt.Sprintf("the client failed: %v: %s", err, errs)
		}
	}
	for line := range bytes.Lines(out.Bytes()) {
		var read said
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &read); err != nil || read.Call == nil && read.Text == nil && read.Error == nil && read.Unsupported == nil {
			return nil, fmt.Sprintf("the client printed a line that is no object with call, text, error or unsupported: %.80q", line)
		}
		lines = append(lines, read)
	}
	return lines, ""
}

// limited keeps output up to mostOutput bytes.
type limited struct{ bytes.Buffer }

func (l *limited) Write(text []byte) (int, error) {
	if l.Len()+len(text) > mostOutput {
		return 0, errors.New("the client prints too much")
	}
	return l.Buffer.Write(text) //nolint:wrapcheck // never fails
}

// Expected are failures that are known, with reasons, by scenario and API such as "quirk-cut chat/completions".
type Expected map[string]string

// ParseExpected reads a JSON object of reasons.
func ParseExpected(text []byte) (Expected, error) {
	var expected Expected
	if err := json.Unmarshal(text, &expected); err != nil {
		return nil, fmt.Errorf("reading expected failures: %w", err)
	}
	for name, reason := range expected {
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("reading expected failures: %q has no reason", name)
		}
	}
	return expected, nil
}

// Apply notes the reasons and returns the stale entries: those whose scenario passes or did not run.
func (e Expected) Apply(results []Result) (stale []string) {
	used := map[string]bool{}
	for i := range results {
		name := results[i].Scenario + " " + string(results[i].API)
		if reason, ok := e[name]; ok && results[i].Outcome != Passed {
			results[i].Expected, used[name] = reason, true
		}
	}
	for name := range e {
		if !used[name] {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	return stale
}
