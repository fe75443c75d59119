package normalizers_test

import (
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestExpress has arguments of given tools with the form in which the model knows them.
func TestExpress(t *testing.T) {
	t.Parallel()
	const (
		nested   = `{"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}}}}, "required": ["list"]}`
		renamed  = `{"type": "object", "properties": {"a/b": {"type": "object", "properties": {"c d": {"type": "integer"}}, "required": ["c d"]}}, "required": ["a/b"]}`
		nullable = `{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}, "page": {"type": ["integer", "null"]}}, "required": ["limit"]}`
		union    = `{"type": "object", "properties": {"u": {"anyOf": [
			{"type": "object", "properties": {"kind": {"const": "x"}, "n": {"type": "integer"}}, "required": ["kind"]},
			{"type": "object", "properties": {"kind": {"const": "y"}, "m": {"type": "integer"}}, "required": ["kind"]}]}}, "required": ["u"]}`
		recursive = `{"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "required": ["node"],
			"$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "n": {"type": "integer"}}}}}`
	)
	for _, test := range []struct {
		name                     string
		pipeline                 *normalizers.Pipeline
		schema, arguments, wants string
	}{
		{"null for absence, at its place", normalizers.OpenAIStrict, nested, `{"list":[{"b":"x"},{}]}`, `{"list":[{"a":null,"b":"x","c":null},{"a":null,"b":null,"c":null}]}`},
		{"the order of the model", normalizers.OpenAIStrict, nested, `{"list":[{"c":"x","a":"y"}]}`, `{"list":[{"c":"x","a":"y","b":null}]}`},
		{"an object for null", normalizers.OpenAIStrict, nullable, `{"limit":null,"page":null}`, `{"limit":null,"page":{"value":null}}`},
		{"names", normalizers.Anthropic, renamed, `{"a/b":{"c d":1.0}}`, `{"a_b":{"c_d":1.0}}`},
		{"absence for null", normalizers.CodeAssistClaude, nullable, `{"page":1,"limit":null}`, `{"page":1}`},
		{"a wrapped root", normalizers.OpenAI, `{"type": "string"}`, `"x"`, `{"value":"x"}`},
		{"a branch", normalizers.OpenAIStrict, union, `{"u":{"kind":"y","m":1}}`, `{"u":{"kind":"y","m":1}}`},
		{"a branch with null", normalizers.OpenAIStrict, union, `{"u":{"kind":"y"}}`, `{"u":{"kind":"y","m":null}}`},
		{"references", normalizers.OpenAIStrict, recursive, `{"node":{"next":{"n":1}}}`, `{"node":{"next":{"next":null,"n":1},"n":null}}`},
		{"JSON text", normalizers.GeminiResponse, `{"type": "object", "properties": {"map": {"type": "object", "additionalProperties": {"type": "string"}}}}`, `{"map":{"a":"b"}}`, `{"map":"{\"a\":\"b\"}"}`},
		{"what cannot be restored", normalizers.OpenAIStrict, nested, `{"list":[{"a":null}]}`, `{"list":[{"a":null}]}`},
		{"another kind", normalizers.OpenAIStrict, nested, `"x"`, `"x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := schema.NewTool("f", "", test.schema)
			if err != nil {
				t.Fatal(err)
			}
			result, err := test.pipeline.Normalize(t.Context(), tool)
			if err != nil {
				t.Fatal(err)
			}
			arguments, err := schema.Parse([]byte(test.arguments))
			if err != nil {
				t.Fatal(err)
			}
			expressed := result.Express(arguments)
			if expressed.String() != test.wants || arguments.String() != test.arguments {
				t.Errorf("%s became %s, want %s, for %s", arguments, expressed, test.wants, result.Tool.Parameters)
			}
			if restored := result.Restore(expressed); expressed != arguments && restored.String() != test.arguments {
				t.Errorf("%s is restored to %s", expressed, restored)
			}
		})
	}
}
