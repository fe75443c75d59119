package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/emulator"
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
	// Habits are what the client does to every tool: no tool is changed for that.
	Habits []string `json:"habits"`
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
func (t *Tool) IsSilent() bool { return t.State == Missing && len(t.Says) == 0 }

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

// path is the end of the path of a URL, and what is asked there.
type path struct {
	end      string
	api      provider.API
	dialects []*provider.Dialect
	service  *provider.Dialect // one of the service
}

// paths lead to the surfaces of a request.
var paths = []path{
	{"/chat/completions", provider.ChatCompletions, openai.Dialects, openai.Chat},
	{"/responses", provider.Responses, openai.Dialects, openai.Chat},
	{"/messages", provider.Messages, anthropic.Dialects, anthropic.Tools},
	{":generateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
	{":streamGenerateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
}

// declarations reads the tools of a request; false where it is to no surface.
func declarations(request *emulator.Entry) ([]sent, bool) {
	at := slices.IndexFunc(paths, func(path path) bool { return strings.HasSuffix(request.Path, path.end) })
	if at < 0 || request.Method != http.MethodPost {
		return nil, false
	}
	body, err := schema.ParseWire(request.Body)
	if err != nil || body.Kind != schema.Object {
		return nil, true
	}
	spaces := map[*schema.Node]string{}
	for _, tool := range wire.ResponsesTools(body) {
		spaces[tool.Node] = tool.Namespace
	}
	var all []sent
	for _, read := range wire.Read(paths[at].api, provider.OfService(paths[at].dialects, paths[at].service.Service()), body) {
		dialect, _ := harness.DialectNamed(read.Dialect) // none for what no surface is for
		for _, declaration := range read.Declarations {
			if len(read.Indices) > 0 { // else it is the schema of an answer
				all = append(all, sent{spaces[declaration], toolOf(declaration), dialect, declaration})
			}
		}
	}
	return all, true
}

// toolOf reads a declaration of any surface.
func toolOf(declaration *schema.Node) schema.Tool {
	return schema.Tool{
		Name: declaration.GetString("name"), Description: declaration.Get("description"),
		Parameters: declaration.First("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"),
	}
}

// compare says what became of the tools in the requests of a run.
func (c *Client) compare(ctx context.Context, tools []schema.Tool, server string, surface Surface, day provider.Date, outcome Outcome) (Report, error) {
	report := Report{
		Version: Version, Client: c.Name, Surface: surface.Name, Model: surface.Model, Date: day, ClientVersion: outcome.Version, Network: outcome.Isolation,
		Habits: []string{}, ExitCode: outcome.ExitCode, IsLate: outcome.IsLate, Seconds: outcome.Took.Seconds(), Runs: 1,
	}
	chosen, declared, found := withMost(tools, server, outcome.Requests)
	if chosen != nil {
		report.Request = &Request{Path: chosen.Path, Status: chosen.Status}
		if report.Request.IsRefused() {
			report.Request.Message = words(chosen)
		}
		report.Own = len(declared) - count(found)
	}
	for i, tool := range tools {
		one := Tool{Name: tool.Name, State: Missing, Changes: []Change{}, Refused: []verdict.Finding{}}
		if chosen != nil && found[i] >= 0 {
			var err error
			got := declared[found[i]]
			if one, err = judged(ctx, tool, c.withoutHabits(tool, got.tool, &report), got, surface.Model, day); err != nil {
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

// withMost returns the first of the requests to a surface that have the most of the tools,
// with its declarations and the index of that of each tool, or -1; nil where there is none.
func withMost(tools []schema.Tool, server string, requests []*emulator.Entry) (chosen *emulator.Entry, declared []sent, found []int) {
	for _, request := range requests {
		some, isSurface := declarations(request)
		if !isSurface {
			continue
		}
		matched := match(tools, some, server)
		// Clients also ask without any tool, such as for the title of a conversation.
		if chosen == nil || count(matched) > count(found) || count(matched) == count(found) && len(declared) == 0 && len(some) > 0 {
			chosen, declared, found = request, some, matched
		}
	}
	return chosen, declared, found
}

// count returns how many indices there are that are not -1.
func count(indices []int) int {
	count := 0
	for _, index := range indices {
		if index >= 0 {
			count++
		}
	}
	return count
}

// judged compares a tool with what the client made of it, and asks the surface about what it
// sent of it alone.
func judged(ctx context.Context, tool, made schema.Tool, one sent, model string, day provider.Date) (Tool, error) {
	result := Tool{Name: tool.Name, Sent: one.name(), State: Kept, Changes: []Change{}, Refused: []verdict.Finding{}}
	if err := result.change(ctx, tool, made); err != nil {
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
		for i := range result.Refused {
			result.Refused[i].Line, result.Refused[i].Column = 0, 0 // of a request that nobody sees
		}
	}
	return result, nil
}

// withoutHabits returns what was sent of a tool without what the client does to every tool,
// and notes that in the report.
func (c *Client) withoutHabits(given, got schema.Tool, report *Report) schema.Tool {
	for _, habit := range c.Habits {
		undone, isThere := habit.Undo(given, got)
		if got = undone; isThere && !slices.Contains(report.Habits, habit.Doc) {
			report.Habits = append(report.Habits, habit.Doc)
		}
	}
	return got
}

// words returns what a refusal says.
func words(request *emulator.Entry) string {
	for _, path := range paths {
		if !strings.HasSuffix(request.Path, path.end) {
			continue
		}
		if answer, err := path.service.Classify(request.Status, request.Answer); err == nil && answer.Message != "" {
			return answer.Message
		}
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(request.Answer, &body) == nil && body.Error.Message != "" {
		return body.Error.Message
	}
	return strings.TrimSpace(string(request.Answer))
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
