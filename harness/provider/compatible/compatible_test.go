package compatible

import (
	"context"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

const today = provider.Date("2026-11-21")

func read(t testing.TB, text string) *schema.Node {
	t.Helper()
	node, err := schema.ParseWire([]byte(text))
	if err != nil {
		t.Fatalf("ParseWire(%s): %v", text, err)
	}
	return node
}

func answer(t testing.TB, dialect *provider.Dialect, declarations ...*schema.Node) provider.Response {
	t.Helper()
	response, err := (&provider.Model{Dialect: dialect, AsOf: today}).Send(context.Background(), dialect.Request(declarations))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// TestRefusals checks each rule where it fires and where it almost does.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		function = "Invalid schema for function 'f': "
		flavor   = "tools.function.parameters is not a valid moonshot flavored json schema, details: "
		format   = "invalid JSON schema for response_format: 'f':"
	)
	for _, test := range []struct {
		dialect *provider.Dialect
		schema  string
		want    string
	}{
		{groqChat, `{"type":"object","required":[]}`, "invalid JSON schema for tool f, tools[0].function.parameters: 'required' present but 'properties' is missing"},
		{groqChat, `{"type":"object","properties":{"a":{}}}`, ""},
		{groqResponseFormat, `{"type":"object","properties":{},"required":[]}`, format + " `additionalProperties:false` must be set on every object"},
		{
			groqResponseFormat, `{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}`,
			format + " /properties/a: `additionalProperties:false` must be set on every object",
		},
		{
			groqResponseFormat, `{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["b"],"additionalProperties":false}`,
			format + "\n/required:\nThe following properties must be listed in `required`: a, c",
		},
		{groqResponseFormat, `{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}`, ""},
		{cerebrasResponseFormat, `{"type":"object","properties":{"a":{"type":"object"}}}`, "Object fields require at least one of: 'properties' or 'anyOf'"},
		{cerebrasResponseFormat, `{"type":"object","properties":{"a":{"type":"object","anyOf":[]}}}`, ""},
		{cerebrasChat, `{"type":"object"}`, ""},
		{deepSeekChat, `{"oneOf":[]}`, function + `schema must be a JSON Schema of 'type: "object"', got 'type: null'.`},
		{deepSeekChat, `{"type":"string"}`, function + `schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`},
		{deepSeekChat, `{"type":"object","properties":{"a":{"required":true}}}`, function + `true is not of type "array"`},
		{deepSeekChat, `{"type":"object","properties":{"a":{"minimum":"0"}}}`, ""},
		{deepSeekChat, `{}`, function + `schema must be a JSON Schema of 'type: "object"', got 'type: null'.`},
		{MoonshotChat, `{"type":"object","properties":{"a":{"$ref":"#/definitions/a"}}}`, flavor + "<At path 'properties.a.$ref': references must start with #/$defs/>"},
		{MoonshotChat, `{"$ref":"#/$defs/a","$defs":{"a":{}}}`, ""},
		{
			MoonshotChat, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a","type":"string"}}}`,
			flavor + "<At path 'properties.a': when using $ref, type should be defined in the referenced schema instead of the parent schema>",
		},
		{MoonshotChat, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ""},
		{MoonshotChat, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"d"}},"$defs":{"a":{"type":"string","description":"d"}}}`, ""},
		{
			MoonshotChat, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a","enum":["a"]}},"$defs":{"a":{"enum":["a"],"type":"string"}}}`,
			flavor + "<At path 'properties.a': type is not defined>",
		},
		{MoonshotChat, `{"type":"object","properties":{"a":{"properties":{}}}}`, ""},
		{MoonshotChat, `{"type":"object","properties":{"b":true}}`, flavor + "<At path 'properties': property schema for 'b' must be an object>"},
		{MoonshotChat, `{"type":"object","properties":{"a":{}},"anyOf":[{"properties":{}}]}`, flavor + "<At path 'root': conflicting keywords found in anyOf with parent: keywords (properties) are defined on the parent schema and inside anyOf; remove them from the parent or from anyOf branches>"},
		{MoonshotChat, `{"type":"object","anyOf":[{"required":["a"]}]}`, ""},
		{fireworksChat, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, "JSON Schema not supported: could not understand the instance `{}`."},
		{fireworksChat, `{"z":{"b":true,"a":null}}`, "JSON Schema not supported: could not understand the instance `{'z': {'a': None, 'b': True}}`."},
		{fireworksChat, `{"type":"object","properties":{"a":{"items":{"type":"string"}}}}`, "JSON Schema not supported: could not understand the instance `{'items': {'type': 'string'}}`."},
		{fireworksChat, `{"type":"object","anyOf":[{"required":["criteria"]}]}`, "JSON Schema not supported: could not understand the instance `{'required': ['criteria']}`."},
		{fireworksChat, `{"type":"object","properties":{"a":{"items":{"type":"string"},"minItems":1}}}`, ""},
		{MoonshotChat, `{"type":"object","properties":{"a":{"type":"string","anyOf":[{"type":"string"},{"type":"null"}]}}}`, flavor + "<At path 'properties.a': when using anyOf, type should be defined in anyOf items instead of the parent schema>"},
		{fireworksChat, `{"type":"object","properties":{"a":{"enum":[1]},"b":{"not":{"type":"null"}}}}`, ""},
		{mistralChat, `{"$id":"i","$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, ""},
		{mistralChat, `{"$id":"i","$schema":"https://json-schema.org/draft-07","type":"object"}`, "Grammar error: at 3(11): failed to compile JSON schema"},
		{perplexityResponseFormat, `{"$id":"i","$ref":"#/$defs/a","$defs":{"a":{}}}`, "Invalid JSON schema. #/$defs/a"},
		{perplexityResponseFormat, `{"$ref":"#/$defs/a","$defs":{"a":{}}}`, ""},
		{togetherChat, `{"type":"any"}`, ""},
		{openRouterChat, `{"type":"any"}`, ""},
		{MoonshotChat, `{"properties":{}}`, `tools.function.parameters.type is required and must be "object"`},
		{xaiChat, `{"type":"string"}`, "f: tool parameter root must be an object type"},
		{xaiChat, `{"type":"object","$ref":"#/$defs/a"}`, "f: tool parameter root must be an object type (root schema is a $ref)"},
		{xaiChat, `{"oneOf":[{"type":"object"},{}]}`, "f: tool parameter root must be an object type (root schema is an anyOf/oneOf union with a non-object branch)"},
		{xaiChat, `{"anyOf":[{"type":"object"},{"type":"object"}]}`, ""},
		{xaiChat, `{}`, ""},
		{deepSeekChat, `{"type":"object","properties":{"a":{"type":["string","text"]}}}`, function + `["string","text"] is not valid under any of the schemas listed in the 'anyOf' keyword`},
		{bedrockConverse, `{"type":"object","properties":{"a":{"required":"b"}}}`, "The json schema definition at toolConfig.tools.0.toolSpec.inputSchema is invalid. Fix the following errors and try again: $.properties.a.required: string found, array expected"},
		{bedrockConverse, `{"type":"object","$defs":{}}`, ""},
		{bedrockConverse, `{"properties":{}}`, "The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object."},
		{bedrockConverse, `{"type":"object"}`, ""},
	} {
		t.Run(test.dialect.Name+" "+test.schema, func(t *testing.T) {
			t.Parallel()
			response := answer(t, test.dialect, test.dialect.Declare(schema.Tool{Name: "f", Parameters: read(t, test.schema)}))
			if response.Message != test.want || (response.Verdict == provider.Accepted) != (test.want == "") {
				t.Errorf("%s %q, want %q", response.Verdict, response.Message, test.want)
			}
		})
	}
	without := answer(t, deepSeekChat, read(t, `{"type":"function","function":{"name":"a"}}`), read(t, `{"function":{"name":"a"}}`))
	if without.Message != "Failed to deserialize the JSON body into the target type: tools[1]: missing field `type`" || without.Param != "" {
		t.Errorf("a tool without a type: %+v", without)
	}
}

// TestNames checks names of functions.
func TestNames(t *testing.T) {
	t.Parallel()
	const (
		moonshot = "function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes"
		deepSeek = "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
	)
	for _, test := range []struct {
		dialect *provider.Dialect
		name    string
		want    string
	}{
		{MoonshotChat, "21st_magic", moonshot},
		{MoonshotChat, "$web_search", moonshot},
		{MoonshotChat, "a.b", moonshot},
		{MoonshotChat, "", moonshot},
		{MoonshotChat, "a-1_b", ""},
		{MoonshotChat, "_a", ""},
		{MoonshotChat, "é", ""},
		{deepSeekChat, "a.b", deepSeek},
		{deepSeekChat, "größe", deepSeek},
		{deepSeekChat, "1-a_b", ""},
	} {
		if response := answer(t, test.dialect, test.dialect.Declare(schema.Tool{Name: test.name, Parameters: read(t, `{"type":"object"}`)})); response.Message != test.want {
			t.Errorf("%s, %q: %q, want %q", test.dialect.Name, test.name, response.Message, test.want)
		}
	}
}

// TestWordsThatVary compares words that differ between requests or endpoints.
func TestWordsThatVary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dialect *provider.Dialect
		message string
		words   string
	}{
		{MoonshotChat, "tools.function.parameters.type is required", "Invalid request: tools.function.parameters.type is required"},
		{moonshotResponseFormat, "Invalid request: response_format.json_schema is", "response_format.json_schema is"},
		{deepSeekChat, "tools[0]: missing field `type`", "tools[0]: missing field `type` at line 1 column 14421"},
	} {
		if !test.dialect.Says(provider.Response{Message: test.message}, test.words, false) {
			t.Errorf("%s: %q and %q differ", test.dialect.Name, test.message, test.words)
		}
	}
}

// TestEnvelopes checks the bodies of refusals.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[*provider.Dialect]string{
		groqChat:               `{"error":{"message":"m","type":"invalid_request_error"}}`,
		deepSeekChat:           `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"c"}}`,
		cerebrasResponseFormat: `{"message":"m","type":"invalid_request_error","param":"p","code":"c"}`,
		bedrockConverse:        `{"message":"m"}`,
		openRouterChat:         `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"m\"}}"}}}`,
	} {
		response := provider.Response{Verdict: provider.Rejected, Status: 400, Message: "m"}
		if strings.Contains(want, `"c"`) {
			response.Code = "c"
		}
		if strings.Contains(want, `"p"`) {
			response.Param = "p"
		}
		if got := string(dialect.Render(response)); got != want {
			t.Errorf("%s: %s, want %s", dialect.Name, got, want)
		}
	}
	for _, dialect := range Dialects {
		for _, body := range []string{`{"error":{"message":"Thinking mode does not support this tool_choice"}}`, `{"message":"no"}`, `{"error":"no"}`, `{"er`, ``, `[]`} {
			if response, err := dialect.Classify(400, []byte(body)); err == nil {
				t.Errorf("%s: %s is read as %+v", dialect.Name, body, response)
			}
		}
		if response, err := dialect.Classify(200, nil); err != nil || response.Verdict != provider.Accepted {
			t.Errorf("%s: an acceptance: %+v, %v", dialect.Name, response, err)
		}
	}
	if response, err := xaiChat.Classify(400, []byte(`{"code":"Client specified an invalid argument","error":"Invalid request content: Invalid function schema."}`)); err != nil ||
		response.Message != "Invalid request content: Invalid function schema." || response.Code != "Client specified an invalid argument" {
		t.Errorf("xAI: %+v, %v", response, err)
	}
}

// TestPassedOn reads what OpenRouter says about the provider behind it.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	const body = `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"code\":\"Client specified an invalid argument\",` +
		`\"error\":\"f: tool parameter root must be an object type (root schema is a $ref)\"}","provider_name":"xAI"}}}`
	response, err := openRouterChat.Classify(400, []byte(body))
	if err != nil || response.Message != "f: tool parameter root must be an object type (root schema is a $ref)" || response.Status != 400 {
		t.Errorf("%+v, %v", response, err)
	}
}

// TestSetsOfFields compares sets in messages of Cerebras, whatever their notation.
func TestSetsOfFields(t *testing.T) {
	t.Parallel()
	predicted := provider.Response{Message: "Unsupported JSON schema fields: {'items', 'minItems'}"}
	for words, want := range map[string]bool{
		"Unsupported JSON schema fields: {'minItems', 'items'}": true,
		`Unsupported JSON schema fields: ["items", "minItems"]`: true,
		"Unsupported JSON schema fields: {'minItems'}":          false,
		"Unsupported JSON schema fields: minItems, items":       false,
	} {
		if got := cerebrasChat.Says(predicted, words, false); got != want {
			t.Errorf("%s: %t", words, got)
		}
	}
}

// FuzzModel gives the models any JSON as a schema and as a declaration. They must not
// panic and must answer the same twice, and their answers must be readable.
func FuzzModel(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#","type":5,"required":null}},"required":[1]}`)
	f.Add(`{"type":"function","function":{"name":1,"parameters":[]}}`)
	f.Add(`{"toolSpec":{"inputSchema":"x"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			return
		}
		for _, dialect := range Dialects {
			for _, declaration := range []*schema.Node{node, dialect.Declare(schema.Tool{Name: "f", Parameters: node})} {
				before := declaration.String()
				response, again := answer(t, dialect, declaration), answer(t, dialect, declaration)
				if response.Message != again.Message || declaration.String() != before {
					t.Fatalf("%s answers twice: %q, %q", dialect.Name, response.Message, again.Message)
				}
				read, err := dialect.Classify(response.Status, dialect.Render(response))
				if err != nil || read.Verdict != response.Verdict || read.Param != response.Param || read.Code != response.Code {
					t.Fatalf("%s: Classify = %+v, %v", dialect.Name, read, err)
				}
			}
		}
	})
}

// TestReferenceAnnotated asks on a day on which the rule was in force. A reference to the
// root leads to no definition, whatever its name: the validator refuses an empty one.
func TestReferenceAnnotated(t *testing.T) {
	t.Parallel()
	dialect := MoonshotChat.Without("definition_name")
	for reference, want := range map[string]string{
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"d"}},"$defs":{"a":{"type":"string","description":"d"}}}`: "reference_annotated",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"d"}},"$defs":{"a":{"type":"string"}}}`:                   "",
		`{"type":"object","properties":{"a":{"$ref":"#","description":"d"}},"$defs":{"":{"type":"string","description":"d"}}}`:          "",
	} {
		response, err := (&provider.Model{Dialect: dialect, AsOf: "2026-05-01"}).Send(t.Context(), dialect.Encode([]schema.Tool{{Name: "f", Parameters: read(t, reference)}}))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, finding := range response.Findings {
			names = append(names, finding.Rule.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", reference, got, want)
		}
	}
}
