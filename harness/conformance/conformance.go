// Package conformance tests clients of LLM APIs: it runs a client's own tool loop against the emulator,
// one scenario at a time, and judges by what the client says and by what arrived.
package conformance

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"reflect"
	"slices"
	"strings"
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
	Name     string            `json:"name"`
	Doc      string            `json:"doc"`
	APIs     []provider.API    `json:"apis"`
	IsStream bool              `json:"stream"`
	Calls    []json.RawMessage `json:"calls"` // arguments of the calls in the first answer
	Quirk    string            `json:"quirk,omitempty"`
	Want     []any             `json:"want"`            // arguments of the calls that the client has to make
	IsError  bool              `json:"error,omitempty"` // the client has to report an error
}

// Result says how a client did in a scenario.
type Result struct {
	Scenario string       `json:"scenario"`
	API      provider.API `json:"api"`
	Passes   bool         `json:"passes"`
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

// The tool that scenarios declare, its result and the last text.
const (
	tool       = "get_weather"
	parameters = `{"type":"object","properties":{"city":{"type":"string"},"at":{"type":"object","properties":{"h":{"type":"integer"}}},"note":{"type":"string"}}}`
	result     = "sun over toolproof"
	last       = "It is sunny."
)

var models = map[provider.API]string{
	provider.ChatCompletions: "gpt-4o", provider.Responses: "gpt-4o", provider.Messages: "claude-sonnet-5", provider.GenerateContent: "gemini-2.5-flash",
}

// question is what a client reads from standard input.
type question struct {
	Name   string       `json:"name"`
	API    provider.API `json:"api"`
	Model  string       `json:"model"`
	Stream bool         `json:"stream"`
	Prompt string       `json:"prompt"`
	Tools  []declared   `json:"tools"`
}

type declared struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Result      string          `json:"result"` // of each call
}

// said is a line of a client's output: one of its members.
type said struct {
	Call *struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	} `json:"call"`
	Text  *string `json:"text"`
	Error *string `json:"error"`
}

// The bounds of a client.
const (
	patience   = 20 * time.Second
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
	serving := &http.Server{Handler: server, ReadHeaderTimeout: patience}
	go func() { _ = serving.Serve(listener) }() // Close ends it
	defer func() { _ = serving.Close() }()
	asked, err := json.Marshal(question{
		scenario.Name, api, models[api], scenario.IsStream, "What will the weather be?",
		[]declared{{tool, "The weather of a city.", json.RawMessage(parameters), result}},
	})
	if err != nil {
		return ended, fmt.Errorf("writing a scenario: %w", err)
	}
	output, why := ask(ctx, words, asked, "http://"+listener.Addr().String())
	if ctx.Err() != nil {
		return ended, ctx.Err()
	}
	if why == "" {
		why = judge(scenario, output, server.Requests())
	}
	ended.Why, ended.Passes = why, why == ""
	return ended, nil
}

// emulate returns the emulator of a scenario: calls, and then a text.
func emulate(scenario *Scenario) (*emulator.Server, error) {
	calls := make([]map[string]any, len(scenario.Calls))
	for i, arguments := range scenario.Calls {
		calls[i] = map[string]any{"name": tool, "arguments": arguments}
	}
	first := map[string]any{"calls": calls}
	if scenario.Quirk != "" {
		first["quirks"] = []string{scenario.Quirk}
	}
	// A client may send a request again that failed.
	failing := map[string]any{"answers": []any{first}, "repeats": scenario.IsError}
	text, err := json.Marshal(map[string]any{"steps": []any{failing, map[string]any{"answers": []any{map[string]any{"text": last}}, "repeats": true}}})
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
		if err := json.Unmarshal(line, &read); err != nil || read.Call == nil && read.Text == nil && read.Error == nil {
			return nil, fmt.Sprintf("the client printed a line that is no object with call, text or error: %.80q", line)
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

// judge returns what is wrong with what a client said and sent, or "".
func judge(scenario *Scenario, lines []said, requests []*emulator.Entry) string {
	made := []any{}
	text, failure := "", ""
	for _, line := range lines {
		switch {
		case line.Call != nil && line.Call.Name != tool:
			return fmt.Sprintf("the client called %q", line.Call.Name)
		case line.Call != nil:
			made = append(made, line.Call.Arguments)
		case line.Text != nil:
			text += *line.Text
		default:
			failure = *line.Error
		}
	}
	switch {
	case len(requests) == 0:
		return "no request came"
	case requests[0].Status != http.StatusOK:
		return fmt.Sprintf("the first request was refused: %.200s", requests[0].Answer)
	case scenario.IsError && len(made) > 0:
		return "the client made a call of a stream that has an error or ends early: " + shown(made)
	case scenario.IsError && failure == "":
		return "the client reported no error"
	case scenario.IsError:
		return ""
	case failure != "":
		return "the client reported an error: " + fmt.Sprintf("%.200s", failure)
	case !reflect.DeepEqual(made, scenario.Want):
		return "calls lost or changed in silence: made " + shown(made) + ", want " + shown(scenario.Want)
	}
	again := requests[len(requests)-1]
	if results := strings.Count(string(again.Body), result); again.Status != http.StatusOK || results != len(scenario.Want) {
		return fmt.Sprintf("the last request has %d results of %d calls and status %d: %.200s", results, len(scenario.Want), again.Status, again.Answer)
	}
	if text != last {
		return fmt.Sprintf("the user sees %.80q, want %q", text, last)
	}
	return ""
}

func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
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
		if reason, ok := e[name]; ok && !results[i].Passes {
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
