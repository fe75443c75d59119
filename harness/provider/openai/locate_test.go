package openai

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	tools := []string{
		`{"type": "object", "properties": {"paths": {"type": "array"}, "it's (a)": {"anyOf": [{"type": "string", "minLength": 1}]}}, "$defs": {"D": {"properties": {"deep": {}}}}}`,
		`{"type": "string"}`,
	}
	const items = "Invalid schema for function 'g0': In context=('properties', 'paths'), array schema missing items."
	body := func(message, param string) string {
		return fmt.Sprintf(`{"error": {"message": %q, "type": "invalid_request_error", "param": %q, "code": "invalid_function_parameters"}}`, message, param)
	}
	for name, test := range map[string]struct {
		dialect *provider.Dialect
		message string
		places  string
	}{
		"a context":                 {Chat, items, "0 /parameters/properties/paths"},
		"a body":                    {Chat, body(items, "tools[0].function.parameters"), "0 /parameters/properties/paths"},
		"of Responses":              {Responses, body(items, "tools[0].parameters"), "0 /parameters/properties/paths"},
		"of Responses, not Chat's":  {Chat, body(items, "tools[0].parameters"), ""},
		"a printed body":            {Chat, `Error code: 400 - {'error': {'message': "` + items + `", 'type': 'invalid_request_error', 'param': 'tools[0].function.parameters'}}`, "0 /parameters/properties/paths"},
		"the root":                  {ChatStrict, "Invalid schema for function 'g1': In context=(), 'additionalProperties' is required to be supplied and to be false.", "1 /parameters"},
		"of strict":                 {Chat, "Invalid schema for function 'g1': In context=(), 'additionalProperties' is required to be supplied and to be false.", ""},
		"without a context":         {Chat, `Invalid schema for function 'g1': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`, "1 /parameters"},
		"a quote and parentheses":   {ChatStrict, `Invalid schema for function 'g0': In context=('properties', "it's (a)", 'anyOf', '0'), 'minLength' is not permitted.`, "0 /parameters/properties/it's (a)/anyOf/0"},
		"broken lines":              {ChatStrict, "Invalid schema for function 'g0': In context=\n  ('properties', 'paths'), 'required' is required to be supplied\n  and to be an array", "0 /parameters/properties/paths"},
		"no spaces":                 {ChatStrict, "Invalid schema for function 'g0': In context=('properties','paths'), 'uniqueItems' is not permitted.", "0 /parameters/properties/paths"},
		"a definition":              {ChatStrict, "Invalid schema for function 'g0': In context=('properties', 'deep'), schema must have a 'type' key.", "0 /parameters/$defs/D/properties/deep"},
		"the name of a server":      {Chat, "Invalid schema for function 'files__g0': In context=('properties', 'paths'), array schema missing items.", "0 /parameters/properties/paths"},
		"no such function":          {Chat, "Invalid schema for function 'h': In context=('properties', 'paths'), array schema missing items.", "-1 "},
		"no such property":          {Chat, "Invalid schema for function 'g0': In context=('properties', 'x'), array schema missing items.", "-1 "},
		"a name":                    {Chat, "Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "1 /name"},
		"a name, Responses":         {Responses, "[StringParam] [tools[1].name] [invalid_string] Invalid 'tools[1].name': string does not match pattern.", "1 /name"},
		"a name that is missing":    {Responses, "Missing required parameter: 'tools[0].strip'.", "0 "},
		"a name beyond the tools":   {Chat, "Invalid 'tools[4].function.name': string too long.", "-1 "},
		"a response format":         {responseFormat, "Invalid schema for response_format 'g0': In context=('properties', 'paths'), 'uniqueItems' is not permitted.", "0 /parameters/properties/paths"},
		"a format, not a function":  {Chat, "Invalid schema for response_format 'g0': In context=(), array schema missing items.", ""},
		"nothing about declaration": {Chat, "You exceeded your current quota.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var declarations []*schema.Node
			for i, text := range tools {
				node, err := schema.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				declarations = append(declarations, test.dialect.Declare(schema.Tool{Name: fmt.Sprintf("g%d", i), Parameters: node}))
			}
			var got []string
			for _, place := range test.dialect.Locate(provider.ParsePasted(test.message), declarations) {
				got = append(got, fmt.Sprintf("%d %s", place.Declaration, place.At))
			}
			if strings.Join(got, ", ") != test.places {
				t.Errorf("got %q, expected %q", strings.Join(got, ", "), test.places)
			}
		})
	}
}
