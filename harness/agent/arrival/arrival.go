// Package arrival compares tools with the declarations of them that reach the emulator through a
// program that others wrote, such as an agent or a gateway.
package arrival

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

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

// State says whether a tool arrives.
type State string

// The states, best first.
const (
	Kept     State = "kept"     // sent unchanged, except for the name
	Changed  State = "changed"  // sent with another description or another schema
	Deferred State = "deferred" // the model has to search for it first: sent as a name alone, or marked so
	Missing  State = "missing"  // not sent
)

// Tool says what arrives of a tool.
type Tool struct {
	Name string `json:"tool"`
	// Sent is the name under which the model gets the tool; empty if the tool is missing.
	Sent    string `json:"sent"`
	State   State  `json:"state"`
	Dialect string `json:"dialect"`
	// Loss is the loss of all changes together, as instances of the schema show it.
	Loss    rewrite.Loss `json:"loss"`
	Changes []Change     `json:"changes"`
	// Refused are the findings for which the surface refuses the declaration when it is sent
	// without the others; empty if the surface accepts it.
	Refused []verdict.Finding `json:"refused"`
}

// Absent returns the Tool for a missing tool.
func Absent(name string) Tool {
	return Tool{Name: name, State: Missing, Changes: []Change{}, Refused: []verdict.Finding{}}
}

// Declaration is a declaration of a tool in a request.
type Declaration struct {
	// Space is the namespace of the tool; empty if it has none.
	Space   string
	Tool    schema.Tool
	Dialect *provider.Dialect // nil if no surface is known for it
	Node    *schema.Node
}

// Name returns the name by which the model calls the tool.
func (d Declaration) Name() string {
	if d.Space == "" {
		return d.Tool.Name
	}
	return d.Space + "." + d.Tool.Name
}

// path is the end of a URL's path, with the API that is served there.
type path struct {
	end      string
	api      provider.API
	dialects []*provider.Dialect
	service  *provider.Dialect // any surface of the service
}

// paths are the paths of the APIs that the emulator serves and to which programs send tools.
var paths = []path{
	{"/chat/completions", provider.ChatCompletions, openai.Dialects, openai.Chat},
	{"/responses", provider.Responses, openai.Dialects, openai.Chat},
	{"/messages", provider.Messages, anthropic.Dialects, anthropic.Tools},
	{":generateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
	{":streamGenerateContent", provider.GenerateContent, google.Dialects, google.GeminiParameters},
}

// Read returns the declarations of tools in a request. It returns false if the request is not sent
// to a surface.
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
		dialect, _ := harness.DialectNamed(read.Dialect) // nil if no surface reads the declarations
		for _, declaration := range read.Declarations {
			if len(read.Indices) > 0 { // otherwise it is the schema of an answer
				all = append(all, Declaration{spaces[declaration], toolOf(declaration), dialect, declaration})
			}
		}
	}
	return all, true
}

// toolOf returns the tool in a declaration for any surface.
func toolOf(declaration *schema.Node) schema.Tool {
	return schema.Tool{
		Name: declaration.GetString("name"), Description: declaration.Get("description"),
		Parameters: declaration.First("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"),
	}
}

// IsDeferred reports whether the model gets the declaration only once it searches for it.
func (d Declaration) IsDeferred() bool { return d.Node.Get("defer_loading").IsTrue() }

// Announced returns all words of a request that declares a tool with which the model searches for
// others: the names of tools that it can find are among them. It returns nil for any other request.
func Announced(request *emulator.Entry, declared []Declaration) []string {
	if !slices.ContainsFunc(declared, Declaration.isSearch) {
		return nil
	}
	var words []string
	for decoder := json.NewDecoder(bytes.NewReader(request.Body)); ; {
		token, err := decoder.Token()
		if err != nil {
			return words // the body has been read, and a wrong one announces nothing
		}
		if text, isText := token.(string); isText {
			words = append(words, strings.FieldsFunc(text, isBetweenNames)...)
		}
	}
}

// isSearch reports whether the declaration is that of a tool which searches for others, such as
// ToolSearch of Claude Code and tool_search of Qwen Code.
func (d Declaration) isSearch() bool {
	return strings.EqualFold(strings.ReplaceAll(d.Tool.Name, "_", ""), "toolsearch")
}

func isBetweenNames(char rune) bool {
	return !unicode.IsLetter(char) && !unicode.IsDigit(char) && !strings.ContainsRune("_-./", char)
}

// Judge compares a tool with rewritten, the tool that the program made of it, and judges the
// declaration that arrived by the model of its surface, in a request of its own. An error means
// that nothing was learnt.
func Judge(ctx context.Context, tool, rewritten schema.Tool, arrived Declaration, model string, day provider.Date) (Tool, error) {
	result := Absent(tool.Name)
	result.Sent, result.State = arrived.Name(), Kept
	if err := result.change(ctx, tool, rewritten); err != nil {
		return Tool{}, err
	}
	if arrived.IsDeferred() {
		result.State = Deferred
	}
	if arrived.Dialect == nil {
		return result, nil
	}
	result.Dialect = arrived.Dialect.Name
	alone := arrived.Dialect.Request([]*schema.Node{arrived.Node})
	answer, err := (&provider.Model{Dialect: arrived.Dialect, AsOf: day, ModelName: model}).Send(ctx, alone)
	if err != nil {
		return Tool{}, fmt.Errorf("judging %s: %w", tool.Name, err)
	}
	if answer.Verdict == provider.Rejected {
		result.Refused = verdict.Findings(answer)
		for i := range result.Refused {
			result.Refused[i].Line, result.Refused[i].Column = 0, 0 // the place is in a request that nobody sees
		}
	}
	return result, nil
}

// Words returns the message of a refusal.
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
