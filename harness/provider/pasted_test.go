package provider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolproof/harness/provider"
)

func TestParsePasted(t *testing.T) {
	t.Parallel()
	const (
		unknown = `{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"a\" at 'tools[0]': Cannot find field.","status":"INVALID_ARGUMENT"}}`
		field   = `Invalid JSON payload received. Unknown name "a" at 'tools[0]': Cannot find field.`
	)
	quoted, err := json.Marshal(unknown)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, message, param string }{
		"a message":               {" no such field \n", "no such field", ""},
		"a body":                  {`{"error": {"message": "no", "param": "tools[0]", "code": null}}`, "no", "tools[0]"},
		"a number for code":       {`{"error": {"code": 400, "message": "a\nb", "status": "INVALID_ARGUMENT"}}`, "a\nb", ""},
		"a list of a body":        {`[{"error": {"message": "no"}}]`, "no", ""},
		"in a text":               {`HTTP 400 {x}: {"error": {"message": "no"}} (request 3)`, "no", ""},
		"a body in a body":        {`{"error": {"message": "{\"type\": \"error\", \"error\": {\"message\": \"no\"}}"}}`, "no", ""},
		"without error":           {`{"message": "no"}`, "no", ""},
		"an error as text":        {`{"code": "Client specified an invalid argument", "error": "no"}`, "no", ""},
		"a detail":                {`{"detail": "no"}`, "no", ""},
		"of Python":               {`400 - {'error': {'message': "it's", 'param': 'tools[1]'}}`, "it's", "tools[1]"},
		"of Python, with words":   {`Error code: 400 - {'error': {'message': 'no', 'param': None, 'type': True}}`, "no", ""},
		"escaped":                 {`{'error': {'message': 'In (\'a\',)\nb'}}`, "In ('a',)\nb", ""},
		"nothing":                 {"", "", ""},
		"OpenRouter":              {`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + string(quoted) + `,"provider_name":"Google"}}}`, field, ""},
		"OpenRouter, an object":   {`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + unknown + `}}}`, field, ""},
		"OpenRouter, a text":      {`{"error":{"message":"Provider returned error","metadata":{"raw":"no"}}}`, "no", ""},
		"LiteLLM":                 {"litellm.BadRequestError: VertexAIException BadRequestError - " + unknown, field, ""},
		"LiteLLM, bytes":          {`litellm.BadRequestError: VertexAIException - b'` + strings.ReplaceAll(strings.ReplaceAll(unknown, `\`, `\\`), `'`, `\'`) + `'`, field, ""},
		"LiteLLM, a message":      {"litellm.BadRequestError: OpenAIException - Invalid schema for function 'f': no", "Invalid schema for function 'f': no", ""},
		"LiteLLM, Anthropic":      {`litellm.BadRequestError: AnthropicException - b'{"type":"error","error":{"type":"invalid_request_error","message":"tools.0: no"}}'`, "tools.0: no", ""},
		"AI SDK":                  {"AI_APICallError: Invalid schema for function 'f': no", "Invalid schema for function 'f': no", ""},
		"AI SDK, with its name":   {"APICallError [AI_APICallError]: no", "no", ""},
		"AI SDK, the body":        {`AI_APICallError: Bad Request {"responseBody":` + string(quoted) + `,"statusCode":400}`, field, ""},
		"Gemini's command":        {`[API Error: got status: 400 Bad Request. {"error":{"message":` + string(quoted) + `,"code":400,"status":"Bad Request"}}]`, field, ""},
		"a schema that is quoted": {`Invalid schema for function 'f': {'message': 'x'} is not of type 'array'.`, `Invalid schema for function 'f': {'message': 'x'} is not of type 'array'.`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := provider.ParsePasted(test.text)
			if got.Verdict != provider.Rejected || got.Message != test.message || got.Param != test.param {
				t.Errorf("got %q and %q", got.Message, got.Param)
			}
		})
	}
}

// TestHostilePastes gives what is no error message: it ends, and what is left of it is
// not more than what was given.
func TestHostilePastes(t *testing.T) {
	t.Parallel()
	const many = 1 << 20
	deep := `{"error":`
	for name, text := range map[string]string{
		"braces":           strings.Repeat("{", many),
		"bodies":           strings.Repeat(`{"a":1}`, many/7),
		"open bodies":      strings.Repeat(deep, many/len(deep)),
		"lists":            strings.Repeat("{[", many/2),
		"quotes":           "{" + strings.Repeat("'", many),
		"bytes":            strings.Repeat("b'{", many/3),
		"exceptions":       strings.Repeat("AError: ", many/8),
		"escapes":          strings.Repeat(`\`, many),
		"Python's words":   "{" + strings.Repeat("None", many/4),
		"a large body":     `{"error":{"message":"` + strings.Repeat("x", 4*many) + `"}}`,
		"no text":          strings.Repeat("\x00\xff{'\x1b", many/5),
		"bodies in bodies": nested(12),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := provider.ParsePasted(text); len(got.Message) > len(text) {
				t.Errorf("%d bytes became %d", len(text), len(got.Message))
			}
		})
	}
}

// nested returns a body inside the message of a body, and so on.
func nested(levels int) string {
	text := "no"
	for range levels {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err)
		}
		text = `{"error":{"message":` + string(quoted) + `}}`
	}
	return text
}
