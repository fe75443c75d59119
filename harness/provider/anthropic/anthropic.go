// Package anthropic models the surfaces of Anthropic's Messages API that take schemas. The API
// judges a request in three steps. It reads all tools as a typed request, which restricts names
// and the root of input_schema and demands JSON Schema draft 2020-12. It compiles the schemas of
// strict tools and of an output format to a grammar, which supports a part of JSON Schema. Last,
// it checks limits of the whole request. A message names one violation, with the index of the
// tool but without a path into its schema.
package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/claude"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Dialects are the surfaces of Anthropic, in the order in which they are listed.
var Dialects = []*provider.Dialect{Tools, ToolsStrict, outputFormat}

var messagesTraffic = provider.Traffic{Provider: "anthropic", Hosts: []string{"api.anthropic.com"}}

// Tools is the input_schema of a tool that is not strict.
var Tools = &provider.Dialect{
	Name:     "anthropic/tools",
	Doc:      "tools of Messages, strict false or absent",
	Rules:    slices.Concat(toolRules, toolListRules),
	Path:     "/v1/messages",
	API:      provider.Messages,
	Subject:  provider.Arguments,
	Portable: true,
	Aliases:  []string{"anthropic.input_schema", "anthropic.tool_name"},
	Traffic:  messagesTraffic,
	Account:  "anthropic",
	Control:  provider.ListControl,
	Members:  toolMembers,
	Schema:   "/input_schema",
	Declare:  declareTool,
	Envelope: toolsBody,
	Render:   render,
	Classify: classify,
	Locate:   locateTool,
}

// ToolsStrict is the input_schema of a strict tool.
var ToolsStrict = &provider.Dialect{
	Name:      "anthropic/tools-strict",
	Doc:       "tools of Messages with strict true",
	Rules:     slices.Concat(toolRules, toolListRules, []*provider.Rule{tooManyStrictTools}, claude.Rules, limitRules, []*provider.Rule{tooComplex}),
	Path:      "/v1/messages",
	API:       provider.Messages,
	Subject:   provider.Arguments,
	Aliases:   []string{"anthropic.strict_tools", "anthropic.strict"},
	Traffic:   messagesTraffic,
	MostTools: maxStrictTools,
	Account:   "anthropic",
	Control:   provider.ListControl,
	Members:   toolMembers,
	Schema:    "/input_schema",
	Strict:    true,
	Declare: func(tool schema.Tool) *schema.Node {
		declaration := declareTool(tool)
		declaration.Set("strict", schema.NewBool(true))
		return declaration
	},
	Envelope: toolsBody,
	Render:   render,
	Classify: classify,
	Locate:   locateStrict,
}

// outputFormat is the schema of an answer. A declaration is the format, which is an object with
// type and schema, or an object whose member output_format or output_config contains the format.
// That member is then part of the request, and messages begin with its name. A bare format is in
// the member that was current on the day.
var outputFormat = &provider.Dialect{
	Name:      "anthropic/output_format",
	Doc:       "output_config.format of Messages (output_format before 2026-01-29), type json_schema",
	Rules:     slices.Concat([]*provider.Rule{formatSchemaRequired}, claude.Rules, limitRules),
	Path:      "/v1/messages",
	API:       provider.Messages,
	Subject:   provider.Answer,
	Relative:  "anthropic-strict",
	Traffic:   messagesTraffic,
	MostTools: 1,
	Schema:    "/schema",
	Declare:   declareFormat,
	Envelope:  formatBody,
	Render:    render,
	Classify:  classify,
	Locate:    locateFormat,
}

// toolMembers are the members of a tool beside name, description and input_schema.
var toolMembers = []string{"cache_control", "defer_loading", "allowed_callers", "input_examples", "eager_input_streaming"}

func declareTool(tool schema.Tool) *schema.Node {
	declaration := provider.Object("name", schema.NewString(tool.Name))
	if tool.Description != nil {
		declaration.Set("description", tool.Description)
	}
	if tool.Parameters != nil {
		declaration.Set("input_schema", tool.Parameters)
	}
	return declaration
}

// declareFormat makes the declaration of an output format from the parameters of a tool.
func declareFormat(tool schema.Tool) *schema.Node {
	declaration := provider.Object("type", schema.NewString("json_schema"))
	if tool.Parameters != nil {
		declaration.Set("schema", tool.Parameters)
	}
	return declaration
}

func toolsBody(declarations []*schema.Node) *schema.Node {
	body := messages()
	body.Set("tools", schema.NewArray(declarations...))
	return body
}

func formatBody(declarations []*schema.Node) *schema.Node {
	body := messages()
	for _, member := range []string{"output_format", "output_config"} {
		if value := declarations[0].Get(member); value != nil {
			body.Set(member, value)
			return body
		}
	}
	body.Set("output_config", provider.Object("format", declarations[0]))
	return body
}

func messages() *schema.Node {
	return provider.Object("model", anyModel, "max_tokens", oneToken, "messages", hello)
}

// Nodes that all requests share, since nobody changes a node of a request.
var (
	anyModel = schema.NewString("{model}")
	oneToken = schema.NewInt(1)
	hello    = schema.NewArray(provider.Object("role", schema.NewString("user"), "content", schema.NewString("hi")))
)

// errorBody is the JSON of a refusal.
type errorBody struct {
	Type      string    `json:"type"`
	Error     errorText `json:"error"`
	RequestID string    `json:"request_id,omitempty"`
}

type errorText struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// RequestID stands for the identifier that the service gives to each request.
const RequestID = "req_011C00000000000000000000"

func render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	return provider.AnswerBody(errorBody{Type: "error", Error: errorText{"invalid_request_error", response.Message}, RequestID: RequestID})
}

// aboutDeclaration matches the beginning of messages that refuse a declaration. It does not match
// the refusal of a member that tools have, since that is about a feature which the account or the
// model lacks.
var aboutDeclaration = lazy.Compile(`^(?:tools\.\d+\.custom(?:\.name|\.description|\.input_schema[\w.]*)?: |tools: Tool names |` +
	`Tool '[^']*' cannot have both |` +
	`(?:output_format|output_config\.format)\.schema\b|Schemas contains too many |Too many strict tools |Schema is too complex |The compiled grammar is too large)`)

// aboutMember matches the refusal of a member of a tool.
var aboutMember = lazy.Compile(`^tools\.\d+\.custom\.((?s:.*)): Extra inputs are not permitted$`)

// isAboutUnknownMember reports whether a message refuses a member that no tool has.
func isAboutUnknownMember(message string) bool {
	match := aboutMember.FindStringSubmatch(message)
	return match != nil && !isMember(match[1])
}

func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body errorBody
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if status != 400 || body.Error.Type != "invalid_request_error" || !aboutDeclaration.MatchString(body.Error.Message) && !isAboutUnknownMember(body.Error.Message) {
		return provider.Response{}, fmt.Errorf("status %d, type %q: %w", status, body.Error.Type, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}
