// Package google models the surfaces of Google's APIs that take tool schemas.
// A request passes two stages with voices of their own: the front end decodes
// its JSON into a protobuf message (Parse), then the message is checked
// (Semantic). Facts and their sources: the rules' documentation.
package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Dialects are the surfaces of Google, in the order in which they are listed.
var Dialects = []*provider.Dialect{GeminiParameters}

// GeminiParameters is the field parameters of a function declaration in the
// Gemini API, v1beta.
var GeminiParameters = &provider.Dialect{
	Name:     "gemini/parameters",
	Doc:      "function declarations of the Gemini API with an OpenAPI-like Schema message",
	Rules:    slices.Concat(parseRules, semanticRules, limitRules),
	Path:     "/v1beta/models/{model}:generateContent",
	Declare:  schema.Tool.Node,
	Envelope: generateContent,
	Render:   render,
	Classify: classify,
}

// generateContent is the smallest request that has the declarations.
func generateContent(declarations []*schema.Node) *schema.Node {
	prompt := schema.NewObject(schema.Member{Key: "text", Value: schema.NewString("hi")})
	content := schema.NewObject(
		schema.Member{Key: "role", Value: schema.NewString("user")},
		schema.Member{Key: "parts", Value: schema.NewArray(prompt)},
	)
	tool := schema.NewObject(schema.Member{Key: "functionDeclarations", Value: schema.NewArray(declarations...)})
	return schema.NewObject(
		schema.Member{Key: "contents", Value: schema.NewArray(content)},
		schema.Member{Key: "tools", Value: schema.NewArray(tool)},
	)
}

// errorBody is the envelope of a refusal.
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
	if finding := response.Findings[0]; finding.Rule != nil && finding.Rule.Stage == Parse {
		violations := make([]fieldViolation, len(response.Findings))
		for i, finding := range response.Findings {
			violations[i] = fieldViolation{Field: finding.Location, Description: finding.Message}
		}
		body.Error.Details = []detail{{Type: "type.googleapis.com/google.rpc.BadRequest", FieldViolations: violations}}
	}
	return marshal(body)
}

// marshal cannot fail for the structs above.
func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// aboutDeclaration is how each message about a declaration names its place.
var aboutDeclaration = regexp.MustCompile(`tools(\[\d+\])?\.function_declarations|GenerateContentRequest\.|` +
	`FunctionDeclaration|functionDeclaration|Duplicate function declaration`)

// errNothingLearnt is for an answer that does not speak of a declaration.
var errNothingLearnt = errors.New("the answer says nothing about a declaration")

func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body errorBody
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if status != 400 || !aboutDeclaration.MatchString(body.Error.Message) {
		return provider.Response{}, fmt.Errorf("status %d, %s: %w", status, body.Error.Status, errNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}
