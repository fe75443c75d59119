// Package arrival compares tools with what arrives of them at the emulator, behind a
// program that others wrote: an agent, or a gateway.
package arrival

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

// State is what becomes of a tool.
type State string

// The states, best first.
const (
	Kept    State = "kept"    // sent as it is given, but for the name
	Changed State = "changed" // sent with other words
	Missing State = "missing" // not sent
)

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
}

// Absent is a tool of which nothing arrives.
func Absent(name string) Tool {
	return Tool{Name: name, State: Missing, Changes: []Change{}, Refused: []verdict.Finding{}}
}

// Declaration is a declaration of a tool in a request.
type Declaration struct {
	// Space is the namespace that it is in; mostly empty.
	Space   string
	Tool    schema.Tool
	Dialect *provider.Dialect // nil where no surface is known
	Node    *schema.Node
}

// Name is what the model calls.
func (d Declaration) Name() string {
	if d.Space == "" {
		return d.Tool.Name
	}
	return d.Space + "." + d.Tool.Name
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

// Read reads the tools of a request; false where it is to no surface.
func Read(request *emulator.Entry) ([]Declaration, bool) {
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
	var all []Declaration
	for _, read := range wire.Read(paths[at].api, provider.OfService(paths[at].dialects, paths[at].service.Service()), body) {
		dialect, _ := harness.DialectNamed(read.Dialect) // none for what no surface is for
		for _, declaration := range read.Declarations {
			if len(read.Indices) > 0 { // else it is the schema of an answer
				all = append(all, Declaration{spaces[declaration], toolOf(declaration), dialect, declaration})
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

// Judge compares a tool with what was made of it, and asks the surface about the declaration
// that arrived, alone. An error means that the surface could not be asked.
func Judge(ctx context.Context, tool, made schema.Tool, one Declaration, model string, day provider.Date) (Tool, error) {
	result := Absent(tool.Name)
	result.Sent, result.State = one.Name(), Kept
	if err := result.change(ctx, tool, made); err != nil {
		return Tool{}, err
	}
	if one.Dialect == nil {
		return result, nil
	}
	result.Dialect = one.Dialect.Name
	alone := one.Dialect.Request([]*schema.Node{one.Node})
	answer, err := (&provider.Model{Dialect: one.Dialect, AsOf: day, ModelName: model}).Send(ctx, alone)
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

// Words returns what a refusal says.
func Words(request *emulator.Entry) string {
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
