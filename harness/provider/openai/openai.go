// Package openai models the surfaces of OpenAI's API that take schemas. All of them share one
// validator, which reports only the first violation that it finds. It first holds the schema
// against the metaschema, in messages without a place, then judges the root, and then every
// subschema, children before their parent.
package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Dialects are the surfaces of OpenAI and of Azure, which serves the same API, in the
// order in which they are listed.
var Dialects = []*provider.Dialect{
	Chat, ChatStrict, Responses, responsesStrict, responsesNonstrict, responseFormat, textFormat,
	AzureChat, azureChatStrict, azureResponses, azureResponsesStrict, azureResponsesNonstrict, azureResponseFormat, azureTextFormat,
}

var (
	chatTraffic      = provider.Traffic{Provider: "openai-chat", Hosts: []string{"api.openai.com"}}
	responsesTraffic = provider.Traffic{Provider: "openai-responses", Hosts: []string{"api.openai.com"}, Path: "/responses"}
)

// Chat is the parameters of a function that is not strict.
var Chat = &provider.Dialect{
	Name:         "openai/chat",
	Doc:          "functions of Chat Completions, strict false or absent",
	Rules:        slices.Concat(requestRules, looseFunctionRules, customRules, reasoningRules),
	Path:         "/v1/chat/completions",
	API:          provider.ChatCompletions,
	Subject:      provider.Arguments,
	Portable:     true,
	Aliases:      []string{"openai.tools", "openai.tool_name"},
	Traffic:      chatTraffic,
	MostTools:    maxTools,
	Parameters:   provider.Object("reasoning_effort", schema.NewString("high")),
	Needs:        needsNoReasoning,
	Account:      "openai",
	Control:      provider.ListControl,
	JudgesCustom: true,
	Schema:       "/parameters",
	Declare: func(tool schema.Tool) *schema.Node {
		return tool.Node()
	},
	Envelope: chat,
	Render:   render,
	Classify: classify,
	Own:      chatTools,
	Locate:   locator(chatTools, false),
	Kin:      oneValidator,
}

// ChatStrict is the parameters of a strict function.
var ChatStrict = &provider.Dialect{
	Name:         "openai/chat-strict",
	Doc:          "functions of Chat Completions with strict true",
	Rules:        slices.Concat(requestRules, []*provider.Rule{parametersMissing}, metaschemaRules, functionRootRules, strictChatRules, limitRules, customRules, reasoningRules),
	Path:         "/v1/chat/completions",
	API:          provider.ChatCompletions,
	Subject:      provider.Arguments,
	Aliases:      []string{"openai.chat.strict", "openai.strict"},
	Traffic:      chatTraffic,
	MostTools:    maxTools,
	Parameters:   provider.Object("reasoning_effort", schema.NewString("high")),
	Needs:        needsNoReasoning,
	Account:      "openai",
	Control:      provider.ListControl,
	JudgesCustom: true,
	Schema:       "/parameters",
	Strict:       true,
	Declare: func(tool schema.Tool) *schema.Node {
		declaration := tool.Node()
		declaration.Set("strict", isStrict)
		return declaration
	},
	Envelope: chat,
	Render:   render,
	Classify: classify,
	Own:      chatTools,
	Locate:   locator(chatTools, true),
	Kin:      oneValidator,
}

// responseFormat is the schema of a strict response format of Chat Completions. Most public evidence
// about strict schemas is about it.
var responseFormat = &provider.Dialect{
	Name:      "openai/response_format",
	Doc:       "response_format of Chat Completions, type json_schema with strict true",
	Rules:     slices.Concat(formatRules, metaschemaRules, formatRootRules, strictRules, []*provider.Rule{sharedFirstKey, provider.Unproved(lookaround)}, limitRules),
	Path:      "/v1/chat/completions",
	API:       provider.ChatCompletions,
	Subject:   provider.Answer,
	Aliases:   []string{"openai.chat.response_format.strict", "openai.format.strict"},
	Traffic:   chatTraffic,
	MostTools: 1,
	Relative:  "openai-strict",
	Schema:    "/schema",
	Declare:   declareFormat,
	Envelope:  chatFormat,
	Render:    render,
	Classify:  classify,
	Own:       chatSchema,
	Locate:    locator(chatSchema, true),
	Kin:       oneValidator,
}

// textFormat is the schema of a strict response format on Responses. It refuses a keyword
// that is not permitted before it demands a type of the root.
var textFormat = &provider.Dialect{
	Name:      "openai/text_format",
	Doc:       "text.format of Responses, type json_schema with strict true",
	Rules:     slices.Concat(formatRules, metaschemaRules, textRootRules, []*provider.Rule{lookaround}, strictRules, limitRules),
	Path:      "/v1/responses",
	API:       provider.Responses,
	Subject:   provider.Answer,
	Aliases:   []string{"openai.responses.text_format", "openai.responses.text_format.strict"},
	Traffic:   responsesTraffic,
	MostTools: 1,
	Relative:  "openai-strict",
	Schema:    "/schema",
	Declare:   declareFormat,
	Envelope:  responsesFormat,
	Render:    render,
	Classify:  classify,
	Own:       textSchema,
	Locate:    locator(textSchema, true),
	Kin:       oneValidator,
}

// oneValidator is the Kin of all surfaces.
const oneValidator = "one validator serves the surfaces of OpenAI. Fifty schemas had the same verdicts on a response_format (2026-05-03) and on a " +
	"text.format (2026-06-15), and refusals of functions have the words, places and order of those of formats. A rule that rests on one report, or that " +
	"an answer elsewhere contradicts, holds only where it was seen: length_not_permitted, array_items_beside_types and parameters_missing for strict " +
	"functions of Chat, lookaround for formats of Responses and strict functions, enum_of_type for strict functions of Responses, " +
	"shared_first_key for formats of Chat, and rules about lists of types for functions. " +
	"The limits of depth, properties and values are documented for all surfaces."

// looseFunctionRules judge the schema of a function that is not strict.
var looseFunctionRules = slices.Concat(metaschemaRules, functionRootRules, []*provider.Rule{arrayItems})

// strictResponsesSchemaRules judge the schema of a strict function of Responses.
var strictResponsesSchemaRules = slices.Concat(metaschemaRules, functionRootRules, strictResponsesRules, limitRules)

func chat(declarations []*schema.Node) *schema.Node {
	tools := make([]*schema.Node, len(declarations))
	for i, declaration := range declarations {
		tools[i] = provider.Object("type", function, "function", declaration)
	}
	return provider.Object("model", anyModel, "messages", hello, "tools", schema.NewArray(tools...))
}

// Nodes that all requests share, since nobody changes a node of a request.
var (
	anyModel = schema.NewString("{model}")
	hi       = schema.NewString("hi")
	hello    = schema.NewArray(provider.Object("role", schema.NewString("user"), "content", hi))
	function = schema.NewString("function")
	isStrict = schema.NewBool(true)
)

// declareFormat makes the declaration of a response format from the parameters of a tool.
func declareFormat(tool schema.Tool) *schema.Node {
	declaration := provider.Object("name", schema.NewString(tool.Name))
	if tool.Description != nil {
		declaration.Set("description", tool.Description)
	}
	if tool.Parameters != nil {
		declaration.Set("schema", tool.Parameters)
	}
	declaration.Set("strict", isStrict)
	return declaration
}

func chatFormat(declarations []*schema.Node) *schema.Node {
	return provider.Object(
		"model", anyModel, "messages", hello,
		"response_format", provider.Object("type", schema.NewString("json_schema"), "json_schema", declarations[0]),
	)
}

func responsesFormat(declarations []*schema.Node) *schema.Node {
	format := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("json_schema")})
	format.Members = append(format.Members, declarations[0].Members...)
	return provider.Object("model", anyModel, "input", hi, "text", provider.Object("format", format))
}

// surface is the Own of a row: the words by which the validator's answers refer to the surface.
type surface struct {
	parameters string // the member of a declaration that has the schema
	subject    string // what a message calls the schema: function or response_format
	param      string // the param of an answer about the schema, in which inTools means the declaration
	code       string // the code of an answer about the schema
	path       string // the path to the schema in the request
	tool       string // the path to a declaration in the request
	// whole matches messages about the request that name no place in the schema.
	whole *lazy.Regexp
}

// inTools stands for the path to a declaration.
const inTools = "tools[]"

// placed returns a path in which the path of the declaration replaces inTools. In the list
// functions, which came before tools, a declaration is not the member function of a tool.
func placed(template string, request provider.Request, declaration int) string {
	place := request.Place(declaration)
	if strings.HasPrefix(place, "functions[") {
		template = strings.Replace(template, inTools+".function", inTools, 1)
	}
	return strings.Replace(template, inTools, place, 1)
}

// The surfaces, as the Own of their rows.
var (
	chatTools = &surface{
		"parameters", "function", "tools[].function.parameters", "invalid_function_parameters", "tools[].function.parameters", "tools[].function",
		ofFunctions,
	}
	responsesTools = &surface{
		"parameters", "function", "tools[].parameters", "invalid_function_parameters", "tools[].parameters", "tools[]", ofFunctions,
	}
	chatSchema = &surface{"schema", "response_format", "response_format", "", "response_format.json_schema.schema", "response_format.json_schema", ofChat}
	textSchema = &surface{"schema", "response_format", "text.format.schema", "invalid_json_schema", "text.format.schema", "text.format", ofResponses}
)

// isFormat reports whether the schema is that of an answer.
func (s *surface) isFormat() bool { return s.subject == "response_format" }

// surfaceOf returns how the validator's answers refer to a surface.
func surfaceOf(dialect *provider.Dialect) *surface {
	return dialect.Own.(*surface) //nolint:forcetypeassert // the package's own type
}

// errorBody is the JSON of a refusal.
type errorBody struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

func render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	var body errorBody
	body.Error.Message, body.Error.Type = response.Message, "invalid_request_error"
	if response.Param != "" {
		body.Error.Param = &response.Param
	}
	if response.Code != "" {
		body.Error.Code = &response.Code
	}
	return provider.AnswerBody(body)
}

func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body errorBody
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	response := provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}
	if body.Error.Param != nil {
		response.Param = *body.Error.Param
	}
	if body.Error.Code != nil {
		response.Code = *body.Error.Code
	}
	// A refusal of tools or response_format as a whole may mean that the model does not support
	// them, or not together with another parameter.
	about := strings.HasPrefix(response.Message, "Invalid schema") || strings.HasPrefix(response.Message, "Invalid JSON schema") || strings.HasPrefix(response.Param, "tools[") ||
		strings.HasPrefix(response.Param, "text.format.") || strings.HasPrefix(response.Param, "response_format.json_schema") ||
		slices.Contains([]string{"invalid_function_parameters", "invalid_json_schema", "array_above_max_length"}, response.Code)
	if status != 400 || !about {
		return provider.Response{}, fmt.Errorf("status %d, code %q: %w", status, response.Code, provider.ErrNothingLearnt)
	}
	return response, nil
}
