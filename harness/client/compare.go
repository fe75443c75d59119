package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/openai"
	"toolproof/harness/provider/wire"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// State is what becomes of a tool of the server.
type State string

// The states, best first.
const (
	Kept    State = "kept"    // sent as the server has it, but for the name
	Changed State = "changed" // sent with other words
	Missing State = "missing" // not sent
)

// Version is the version of the report.
const Version = 1

// Report is what a client does on a surface to the tools of a server.
// docs/schema/client.schema.json describes its JSON.
type Report struct {
	Version int    `json:"version"`
	Client  string `json:"client"`
	// ClientVersion is what the program says of its version.
	ClientVersion string `json:"client_version"`
	Surface       string `json:"surface"`
	Model         string `json:"model"`
	// Date is the day that the surface was asked about.
	Date provider.Date `json:"date"`
	// Network says why the client had one; empty where it had none.
	Network  string `json:"network"`
	ExitCode int    `json:"exit_code"`
	IsLate   bool   `json:"late"`
	// Seconds is how long the first run took, and Runs how many there were.
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	// Request is the one with the tools, or nil where none came.
	Request *Request `json:"request"`
	// SendsNone is set where the client sends no tool of any server on the surface.
	SendsNone bool `json:"sends_none"`
	// Own is how many other tools the request has.
	Own   int    `json:"own_tools"`
	Tools []Tool `json:"tools"`
	// Output is the end of what the client wrote, where tools are missing or the request is
	// refused.
	Output string `json:"output,omitempty"`
}

// Request is what the emulator says to the whole request of a client.
type Request struct {
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Message string `json:"message"` // of a refusal
}

// IsRefused reports whether the request is refused.
func (r *Request) IsRefused() bool { return r != nil && r.Status >= 400 }

// Tool is what becomes of a tool.
type Tool struct {
	Name string `json:"tool"`
	// Sent is the name that the model gets; empty for one that is missing.
	Sent    string `json:"sent"`
	State   State  `json:"state"`
	Dialect string `json:"dialect"`
	// Loss is what the changes lose together, by instances of the schema.
	Loss    rewrite.Loss `json:"loss"`
	Changes []Change     `json:"changes"`
	// Refused is what the surface says to what is sent of the tool alone; empty where it
	// takes it.
	Refused []verdict.Finding `json:"refused"`
	// Costs is how many other tools of the server are lost with it.
	Costs int `json:"costs"`
	// Says are the lines of the client's output that name a missing tool.
	Says []string `json:"says,omitempty"`
}

// IsSilent reports whether the tool is missing and the client says nothing of it.
func (t Tool) IsSilent() bool { return t.State == Missing && len(t.Says) == 0 }

// Count returns how many tools are in a state.
func (r *Report) Count(state State) int {
	count := 0
	for _, tool := range r.Tools {
		if tool.State == state {
			count++
		}
	}
	return count
}

// Refused returns how many tools are refused alone.
func (r *Report) Refused() int {
	count := 0
	for _, tool := range r.Tools {
		if len(tool.Refused) > 0 {
			count++
		}
	}
	return count
}

// Conforms reports whether every tool is sent and accepted.
func (r *Report) Conforms() bool {
	return !r.Request.IsRefused() && r.Count(Missing) == 0 && r.Refused() == 0 && r.Request != nil
}

// paths lead to the surfaces of a request.
var paths = []struct {
	part     string
	api      provider.API
	dialects []*provider.Dialect
	service  *provider.Dialect
}{
	{"/chat/completions", provider.ChatCompletions, openai.Dialects, openai.Chat},
	{"/responses", provider.Responses, openai.Dialects, openai.Chat},
	{"/messages", provider.Messages, anthropic.Dialects, anthropic.Tools},
	{":generateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
	{":streamGenerateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
}

// declarations reads the tools of a request; none of one that has none.
func declarations(exchange Exchange) []sent {
	body, err := schema.ParseWire(exchange.Body)
	if err != nil || body.Kind != schema.Object {
		return nil
	}
	for _, path := range paths {
		if !strings.HasSuffix(exchange.Path, path.part) {
			continue
		}
		var all []sent
		for _, request := range wire.Read(path.api, provider.OfService(path.dialects, path.service.Service()), body) {
			dialect, _ := harness.DialectNamed(request.Dialect) // none for what no surface is for
			for _, declaration := range request.Declarations {
				if len(request.Indices) > 0 { // else it is the schema of an answer
					all = append(all, sent{"", toolOf(declaration), dialect, declaration})
				}
			}
		}
		return all
	}
	return nil
}

// toolOf reads a declaration of any surface.
func toolOf(declaration *schema.Node) schema.Tool {
	return schema.Tool{
		Name: declaration.GetString("name"), Description: declaration.Get("description"),
		Parameters: declaration.First("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"),
	}
}

// compare says what became of the tools in the exchanges of a run. Of several requests it
// takes the first that has most of the tools.
func compare(ctx context.Context, tools []schema.Tool, server string, surface Surface, day provider.Date, outcome Outcome) (Report, error) {
	report := Report{
		Version: Version, Surface: surface.Name, Model: surface.Model, Date: day, ClientVersion: outcome.Version, Network: outcome.Isolation,
		ExitCode: outcome.ExitCode, IsLate: outcome.IsLate, Seconds: outcome.Took.Seconds(), Runs: 1,
	}
	var declared []sent
	var found []int
	best := -1
	for _, exchange := range outcome.Exchanges {
		some := declarations(exchange)
		matched := match(tools, some, server)
		count := 0
		for _, at := range matched {
			if at >= 0 {
				count++
			}
		}
		if count > best && (best < 0 || count > 0) || len(some) > 0 && best == 0 && len(declared) == 0 {
			best, declared, found = count, some, matched
			report.Request = &Request{Path: exchange.Path, Status: exchange.Status}
			if exchange.Status >= 400 {
				report.Request.Message = words(exchange)
			}
			report.Own = len(some) - count
		}
	}
	for i, tool := range tools {
		one := Tool{Name: tool.Name, State: Missing, Changes: []Change{}, Refused: []verdict.Finding{}}
		if found != nil && found[i] >= 0 {
			var err error
			if one, err = judged(ctx, tool, declared[found[i]], surface.Model, day); err != nil {
				return Report{}, err
			}
		} else {
			one.Says = linesOf(outcome.Output, tool.Name)
		}
		report.Tools = append(report.Tools, one)
	}
	if report.Request == nil || report.Request.IsRefused() || report.Count(Missing) > 0 {
		report.Output = outcome.Output
	}
	return report, nil
}

// judged compares a tool with what is sent of it, and asks the surface about that alone.
func judged(ctx context.Context, tool schema.Tool, one sent, model string, day provider.Date) (Tool, error) {
	result := Tool{Name: tool.Name, Sent: one.name(), State: Kept, Changes: []Change{}, Refused: []verdict.Finding{}}
	if err := result.change(ctx, tool, one.tool); err != nil {
		return Tool{}, err
	}
	if one.dialect == nil {
		return result, nil
	}
	result.Dialect = one.dialect.Name
	alone := one.dialect.Request([]*schema.Node{one.declaration})
	answer, err := (&provider.Model{Dialect: one.dialect, AsOf: day, ModelName: model}).Send(ctx, alone)
	if err != nil {
		return Tool{}, fmt.Errorf("judging %s: %w", tool.Name, err)
	}
	if answer.Verdict == provider.Rejected {
		result.Refused = verdict.Findings(answer)
	}
	return result, nil
}

// words returns what a refusal says.
func words(exchange Exchange) string {
	for _, path := range paths {
		if !strings.HasSuffix(exchange.Path, path.part) {
			continue
		}
		if answer, err := path.service.Classify(exchange.Status, exchange.Answer); err == nil && answer.Message != "" {
			return answer.Message
		}
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(exchange.Answer, &body) == nil && body.Error.Message != "" {
		return body.Error.Message
	}
	return strings.TrimSpace(string(exchange.Answer))
}

// linesOf returns the first lines of a text that have a word.
func linesOf(text, word string) []string {
	const most = 3
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) && word != "" && len(lines) < most {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
