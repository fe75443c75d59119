// Package google models the surfaces of Google's APIs that take schemas. A request passes two
// stages, each with messages of its own: the front end decodes the JSON into a protobuf message
// (parse), which is then checked (semantic). The documentation of the rules has the facts and
// their sources.
package google

import (
	"encoding/json"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Dialects are the surfaces of Google, in the order in which they are listed.
var Dialects = []*provider.Dialect{
	GeminiParameters, GeminiParametersJSONSchema, GeminiResponseSchema, GeminiResponseJSONSchema,
	VertexParameters, VertexParametersJSONSchema, vertexResponseSchema, vertexResponseJSONSchema,
	codeAssistParameters, CodeAssistClaude,
	GeminiOpenAI,
}

// geminiPath is the method of the Gemini API that takes declarations.
const geminiPath = "/v1beta/models/{model}:generateContent"

var geminiTraffic = provider.Traffic{Provider: "gemini", Hosts: []string{"generativelanguage.googleapis.com"}}

// GeminiParameters is the field parameters of a function declaration in the
// Gemini API, v1beta.
var GeminiParameters = &provider.Dialect{
	Name:     "gemini/parameters",
	Doc:      "function declarations of the Gemini API with an OpenAPI-like Schema message",
	Rules:    slices.Concat(parseRules, semanticRules, limitRules),
	Path:     geminiPath,
	API:      provider.GenerateContent,
	Subject:  provider.Arguments,
	Portable: true,
	Aliases:  []string{"gemini.live.parameters", "gemini.tool_name"},
	Traffic:  geminiTraffic,
	Account:  "gemini",
	Control:  provider.ListControl,
	Schema:   "/parameters",
	Wider:    GeminiParametersJSONSchema,
	Members:  functionMembers,
	Declare:  schema.Tool.Node,
	Envelope: generateContent,
	Render:   render,
	Classify: classify,
	Own:      geminiFunctions,
	Locate:   locator(geminiFunctions),
}

// jsonSchemaControl is the Control of surfaces that do not judge the root of a JSON Schema.
const jsonSchemaControl = `{"type":"object","properties":{"text":{"$ref":"#/$defs/nowhere"}}}`

// GeminiParametersJSONSchema is the field parametersJsonSchema of a function
// declaration in the Gemini API, v1beta.
var GeminiParametersJSONSchema = &provider.Dialect{
	Name:     "gemini/parametersJsonSchema",
	Doc:      "function declarations of the Gemini API with a JSON Schema",
	Rules:    slices.Concat(parseRules, nameRules, limitRules, jsonSchemaRules, budgetRules),
	Path:     geminiPath,
	API:      provider.GenerateContent,
	Subject:  provider.Arguments,
	Portable: true,
	Traffic:  geminiTraffic,
	Account:  "gemini",
	Control:  jsonSchemaControl,
	Schema:   "/parametersJsonSchema",
	Members:  functionMembers,
	Declare:  declareJSONSchema,
	Envelope: generateContent,
	Render:   render,
	Classify: classify,
	Own:      geminiFreeFunctions,
	Locate:   locator(geminiFreeFunctions),
}

// GeminiResponseSchema is the field responseSchema of generationConfig in the
// Gemini API, v1beta. Its declaration is the schema itself.
var GeminiResponseSchema = &provider.Dialect{
	Name:      "gemini/responseSchema",
	Doc:       "response schemas of the Gemini API with an OpenAPI-like Schema message",
	Rules:     slices.Concat(parseRules, responseRules, nestingRules),
	Path:      geminiPath,
	API:       provider.GenerateContent,
	Subject:   provider.Answer,
	Traffic:   geminiTraffic,
	MostTools: 1,
	Declare:   declareResponse,
	Envelope:  generateResponse("responseSchema"),
	Render:    render,
	Classify:  classify,
	Own:       geminiAnswer,
	Locate:    locator(geminiAnswer),
}

// GeminiResponseJSONSchema is the field responseJsonSchema of generationConfig in the
// Gemini API, v1beta. Its declaration is the schema itself.
var GeminiResponseJSONSchema = &provider.Dialect{
	Name:      "gemini/responseJsonSchema",
	Doc:       "response schemas of the Gemini API with a JSON Schema",
	Rules:     slices.Concat(jsonSchemaRules, nestingRules, budgetRules),
	Path:      geminiPath,
	API:       provider.GenerateContent,
	Subject:   provider.Answer,
	Traffic:   geminiTraffic,
	MostTools: 1,
	Declare:   declareResponse,
	Envelope:  generateResponse("responseJsonSchema"),
	Render:    render,
	Classify:  classify,
	Own:       geminiFreeAnswer,
	Locate:    locator(geminiFreeAnswer),
}

// functionMembers are the members of a function declaration beside its name, description and
// parameters.
var functionMembers = []string{"behavior", "response", "responseJsonSchema", "response_json_schema"}

// declareJSONSchema declares a function whose parameters are a JSON Schema.
func declareJSONSchema(tool schema.Tool) *schema.Node {
	node := tool.Node()
	for i := range node.Members {
		if node.Members[i].Key == "parameters" {
			node.Members[i].Key = "parametersJsonSchema"
		}
	}
	return node
}

// declareResponse declares a response schema, which has no name. A tool without
// parameters becomes a schema that any object satisfies.
func declareResponse(tool schema.Tool) *schema.Node {
	if tool.Parameters == nil {
		return provider.Object("type", schema.NewString("object"))
	}
	return tool.Parameters
}

// contents is the smallest conversation. All requests share it, since nobody changes a
// node of a request.
var contents = func() *schema.Node {
	prompt := provider.Object("text", schema.NewString("hi"))
	return schema.NewArray(provider.Object("role", schema.NewString("user"), "parts", schema.NewArray(prompt)))
}()

// generateContent makes the smallest request with the declarations.
func generateContent(declarations []*schema.Node) *schema.Node {
	tool := provider.Object("functionDeclarations", schema.NewArray(declarations...))
	return provider.Object("contents", contents, "tools", schema.NewArray(tool))
}

// generateResponse makes an Envelope: the smallest request that asks for an answer in a schema.
// A request has one such schema, so that the last of several declarations counts.
func generateResponse(field string) func([]*schema.Node) *schema.Node {
	return func(declarations []*schema.Node) *schema.Node {
		config := provider.Object("responseMimeType", schema.NewString("application/json"))
		for _, declaration := range declarations {
			config.Set(field, declaration)
		}
		return provider.Object("contents", contents, "generationConfig", config)
	}
}

// errorBody is the JSON of a refusal.
type errorBody struct {
	Error struct {
		Code    int      `json:"code"`
		Message string   `json:"message"`
		Status  string   `json:"status"`
		Details []detail `json:"details,omitempty"`
	} `json:"error"`
}

type detail struct {
	Type            string           `json:"@type"`
	FieldViolations []fieldViolation `json:"fieldViolations,omitempty"`
	Reason          string           `json:"reason,omitempty"`
}

type fieldViolation struct {
	Field       string `json:"field,omitempty"`
	Description string `json:"description"`
}

// render makes the body of a refusal. Only the parse stage has details.
func render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	var body errorBody
	body.Error.Code, body.Error.Message, body.Error.Status = response.Status, response.Message, "INVALID_ARGUMENT"
	body.Error.Details = parseDetails(response)
	return provider.AnswerBody(body)
}

// parseDetails lists the violations of the parse stage. It is nil for any other stage.
func parseDetails(response provider.Response) []detail {
	if len(response.Findings) == 0 || response.Findings[0].Rule == nil || response.Findings[0].Rule.Stage != parse {
		return nil
	}
	violations := make([]fieldViolation, len(response.Findings))
	for i, finding := range response.Findings {
		violations[i] = fieldViolation{Field: finding.Location, Description: finding.Message}
	}
	return []detail{{Type: "type.googleapis.com/google.rpc.BadRequest", FieldViolations: violations}}
}

// aboutDeclaration matches the words by which a message is about a declaration or a response
// schema.
var aboutDeclaration = lazy.Compile(`tools(\[\d+\])?\.function_declarations|GenerateContentRequest\.|` +
	`FunctionDeclaration|functionDeclaration|Duplicate function declaration|generation_config\.response_(json_)?schema|` +
	`reference to undefined schema|when \$ref is present|^value for |^schema at |ref loops? |can be set alongside it|response schemas |schema properties|` +
	`function parameters schema|Max recursion depth|too many states|A schema in GenerationConfig|GenerateContentRequest proto is invalid`)

func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body errorBody
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if status != 400 || !aboutDeclaration.MatchString(body.Error.Message) {
		return provider.Response{}, fmt.Errorf("status %d, %s: %w", status, body.Error.Status, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}
