package google

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// answerTo returns what the model of a surface says about a tool of the given name and
// schema.
func answerTo(t *testing.T, dialect *provider.Dialect, day provider.Date, name, parameters string) provider.Response {
	t.Helper()
	return answer(t, dialect, day, dialect.Encode([]schema.Tool{{Name: name, Parameters: wire(t, parameters)}}))
}

const (
	learnFunctions = " Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"
	learnResponses = " Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/control-generated-output"
	undefinedAt    = "reference to undefined schema at "
	loopAt         = "ref loops are only supported if they include optional or nullable property values, or a potentially-zero-length array items, " +
		"but a ref loop of required fields was found at "
)

// nested returns an object with so many levels, and a string innermost.
func nested(levels int) string {
	return strings.Repeat(`{"type":"object","properties":{"x":`, levels) + `{"type":"string"}` + strings.Repeat(`}}`, levels)
}

// TestSurfaces checks what each surface says beyond the stages that all share.
func TestSurfaces(t *testing.T) {
	t.Parallel()
	parameters, response := GeminiParametersJSONSchema, GeminiResponseJSONSchema
	for _, test := range []struct {
		name             string
		dialect          *provider.Dialect
		day              provider.Date
		schema, want, at string // at is checked where it is given
	}{
		{"keywords of JSON Schema", parameters, today, `{"type":"object","properties":{"a":{"const":1},"b":true},"if":{},"x-y":[]}`, "", ""},
		{"no schema", parameters, today, `"{}"`, "schema at top-level must be a boolean or an object", "/parameters"},
		{"no schema below", parameters, today, `{"properties":{"a":{"items":"x"}}}`, "schema at properties.a.items must be a boolean or an object", ""},
		{"no schema where none is read", parameters, today, `{"not":[]}`, "", ""},
		{"a schema that is true", parameters, today, `true`, "", ""},
		{"properties that are null", parameters, today, `{"properties":null}`, "value for properties at top-level must be an object", "/parameters"},
		{"required below", parameters, today, `{"properties":{"a":{"items":{"properties":{},"required":["b"]}}}}`, "schema at properties.a.items requires unspecified property 'b'", "/parameters/properties/a/items"},
		{"required without properties", parameters, today, `{"anyOf":[{"required":["b"]}]}`, "", ""},
		{"reference to nothing", parameters, today, `{"properties":{"a":{"anyOf":[{},{"$ref":"#/$defs/T"}]}}}`, undefinedAt + "properties.a.anyOf.1", "/parameters/properties/a/anyOf/1"},
		{"reference to a URL", parameters, today, `{"properties":{"a":{"$ref":"https://example.com/x"}}}`, undefinedAt + "properties.a", ""},
		{"reference to a document with a name", parameters, today, `{"$id":"x","properties":{"a":{"$ref":"x"}}}`, "", ""},
		{"reference to an anchor", parameters, today, `{"properties":{"a":{"$ref":"#x"},"b":{"$anchor":"x"}}}`, "", ""},
		{"reference to no anchor", parameters, today, `{"properties":{"a":{"$ref":"#x"}}}`, undefinedAt + "properties.a", ""},
		{"reference in a definition", parameters, today, `{"$defs":{"A":{"items":{"$ref":"#/$defs/B"}}}}`, undefinedAt + "$defs.A.items", ""},
		{"reference to an element", parameters, today, `{"anyOf":[{"type":"string"}],"properties":{"a":{"$ref":"#/anyOf/0"}}}`, "", ""},
		{"reference that is no string", parameters, today, `{"properties":{"a":{"$ref":1}}}`, "", ""},
		{"property named $ref", parameters, today, `{"properties":{"$ref":{"type":"string"},"b":{"$ref":"#/properties/$ref"}}}`, "", ""},
		{"root reference into $defs", response, today, `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`, "", ""},
		{"root reference into definitions", response, today, `{"$ref":"#/definitions/A","definitions":{"A":{"type":"object"}}}`, undefinedAt + "top-level", "/parameters"},
		{"loop of required properties", response, today, `{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"]}}}`, loopAt + "$defs.A.properties.a", "/parameters/$defs/A/properties/a"},
		{"loop through any of", response, today, `{"properties":{"a":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["a"]}`, loopAt + "properties.a.anyOf.0", ""},
		{"loop through items that must be there", response, today, `{"items":{"$ref":"#"},"minItems":1}`, loopAt + "items", ""},
		{"loop through a list of types", response, today, `{"type":["array","null"],"items":{"$ref":"#"}}`, loopAt + "items", ""},
		{"loop through items", response, today, `{"type":"array","items":{"$ref":"#"}}`, "", ""},
		{"loop through an optional property", response, today, `{"properties":{"a":{"$ref":"#"}}}`, "", ""},
		{"loop in parameters", parameters, today, `{"properties":{"a":{"$ref":"#"}},"required":["a"]}`, loopAt + "properties.a", "/parameters/properties/a"},
		{"items up to the budget", parameters, today, `{"properties":{"a":{"maxItems":900},"b":{"maxItems":60}}}`, "", ""},
		{"items beyond the budget", parameters, today, `{"properties":{"a":{"maxItems":900},"b":{"maxItems":61}}}`, "Request contains an invalid argument.", ""},
		{"seven levels", response, today, nested(7), "", ""},
		{"eight levels", response, today, nested(8), "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.", ""},
		{"eight levels before", response, "2025-08-12", nested(8), "", ""},

		{"empty object in a response", GeminiResponseSchema, today, `{"type":"object"}`, "* GenerateContentRequest.generation_config.response_schema.properties: " + nonEmpty + "\n", ""},
		{"enum of a number in a response", GeminiResponseSchema, today, `{"type":"integer","enum":["1"]}`, "", ""},

		{"root without a type", VertexParameters, today, `{}`, "Unable to submit request because `f` functionDeclaration parameters schema should be of type OBJECT." + learnFunctions, "/parameters"},
		{
			"any_of beside a title", VertexParameters, today, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"title":"x","any_of":[{"type":"STRING"}]}}}}}`,
			"Unable to submit request because `f` functionDeclaration `parameters.a.b` schema specified other fields alongside any_of. When using any_of, it must be the only field set." + learnFunctions,
			"/parameters/properties/a/properties/b",
		},
		{"any_of alone", VertexParameters, today, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"title":null}}}`, "", ""},
		{"branch without a type", vertexResponseSchema, today, `{"anyOf":[{"description":"x"}]}`, "Unable to submit request because one or more response schemas didn't specify the schema type field." + learnResponses, "/parameters/anyOf/0"},
		{"ref beside a description", VertexParameters, today, `{"type":"object","properties":{"a":{"ref":"#/defs/A","description":"x","default":1}},"defs":{"A":{"type":"string"}}}`, "", ""},
		{"array without items", VertexParameters, today, `{"type":"object","properties":{"a":{"type":"array"}}}`, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[a].items: missing field.\n", ""},
		{"any type of a number", VertexParameters, today, `{"type":6,"properties":{"a":{"type":7}}}`, "", ""},

		{"unspecified type", codeAssistParameters, today, `{"type":"object","properties":{"a":{"type":"type_unspecified"}}}`, "", ""},
		{"no type in 2025", codeAssistParameters, "2025-06-27", `{"type":"object","properties":{"a":{}}}`, "Unable to submit request because `f` functionDeclaration `parameters.a` schema didn't specify the schema type field." + learnFunctions, ""},
		{"30 levels", codeAssistParameters, today, nested(30), "", ""},
		{"31 levels", codeAssistParameters, today, nested(31), "Invalid JSON payload received. Message too deep. Max recursion depth reached for key 'x'", ""},
		{"array without items behind OpenAI's form", GeminiOpenAI, today, `{"type":"array","additionalProperties":false}`, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n", ""},
	} {
		t.Run(test.dialect.Name+"/"+test.name, func(t *testing.T) {
			t.Parallel()
			said := answerTo(t, test.dialect, test.day, "f", test.schema)
			if diff := cmp.Diff(test.want, said.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if test.at != "" && string(said.Findings[0].At) != test.at {
				t.Errorf("at %s, want %s", said.Findings[0].At, test.at)
			}
		})
	}
}

// TestEnvelopes checks the form of each surface's refusals, and that a client can read
// them.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	const unknown = `Invalid JSON payload received. Unknown name \"$schema\" at 'request.tools[0].function_declarations[0].parameters': Cannot find field.`
	for _, test := range []struct {
		dialect      *provider.Dialect
		schema, want string
	}{
		{
			codeAssistParameters, `{"$schema":"x","type":"object"}`,
			`{"error":{"code":400,"message":"` + unknown + `","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest",` +
				`"fieldViolations":[{"field":"request.tools[0].function_declarations[0].parameters","description":"` + unknown + `"}]}]}}`,
		},
		{
			codeAssistParameters, `{"type":"array"}`,
			`{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n","errors":[{"message":` +
				`"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n","domain":"global","reason":"badRequest"}],"status":"INVALID_ARGUMENT"}}`,
		},
		{
			GeminiOpenAI, `{"type":"array"}`,
			`[{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n","status":"INVALID_ARGUMENT"}}]`,
		},
	} {
		said := answerTo(t, test.dialect, today, "f", test.schema)
		body := test.dialect.Render(said)
		var want, got any
		if err := json.Unmarshal([]byte(test.want), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.dialect.Name, diff)
		}
	}
	refused := []string{`{"type":"array"}`, `{"$ref":"#/x"}`, nested(40), `{"type":"text"}`, `{"properties":[]}`, `{"properties":{"a":{"$ref":"#"}},"required":["a"]}`}
	for _, dialect := range Dialects {
		for _, text := range append(refused, `{"type":"object"}`) {
			said := answerTo(t, dialect, today, "f", text)
			read, err := dialect.Classify(said.Status, dialect.Render(said))
			if err != nil || read.Verdict != said.Verdict || read.Message != said.Message {
				t.Errorf("%s, %s: reads %q of its own %q: %v", dialect.Name, text, read.Message, said.Message, err)
			}
		}
	}
}

// TestClaude refuses a function without parameters in the words of another provider.
func TestClaude(t *testing.T) {
	t.Parallel()
	dialect := CodeAssistClaude
	said := answer(t, dialect, today, dialect.Encode([]schema.Tool{{Name: "a", Parameters: wire(t, `{}`)}, {Name: "b"}}))
	if !strings.Contains(said.Message, `"message":"tools.1.custom.input_schema: Field required"}`) {
		t.Errorf("says %q", said.Message)
	}
	if read, err := dialect.Classify(400, dialect.Render(said)); err != nil || read.Message != said.Message {
		t.Errorf("reads %q: %v", read.Message, err)
	}
}

// FuzzSurfaces asks every surface about any JSON: none may panic, and each must answer
// the same twice.
func FuzzSurfaces(f *testing.F) {
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}},"required":["a"]}`, `[]`, `null`, `true`, `{"items":[{}],"anyOf":{"ref":"x"},"$ref":"#/%zz"}`,
		`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}},"required":"a","enum":{"a":1},"properties":{"a":[1]}}`, nested(40),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Skip(err)
		}
		for _, dialect := range Dialects {
			for _, declaration := range []*schema.Node{node, dialect.Declare(schema.Tool{Name: "f", Parameters: node})} {
				request := dialect.Request([]*schema.Node{declaration})
				if diff := cmp.Diff(answer(t, dialect, today, request).Message, answer(t, dialect, today, request).Message); diff != "" {
					t.Errorf("%s says two things:\n%s", dialect.Name, diff)
				}
			}
		}
	})
}
