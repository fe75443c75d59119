package normalizers_test

import (
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestMadeTwice has tools that a second run changed again.
func TestMadeTwice(t *testing.T) {
	t.Parallel()
	for _, parameters := range []string{
		// A name that is listed twice hides that a property is not listed.
		`{"type": "object", "required": ["a", "a"], "properties": {"b": {"type": "string"}}}`,
		// A definition that only an idle keyword refers to goes with it.
		`{"type": "string", "properties": {"b": {"$ref": "#/properties/a"}, "a": {"type": "string"}}}`,
		// A definition that only a spilled keyword refers to stays, with those it refers to.
		`{"type": "object", "properties": {"a": {"type": "string", "not": {"$ref": "#/$defs/a%20b"}}},
			"$defs": {"a b": {"type": "string", "not": {"$ref": "#/$defs/c~1d"}}, "c/d": {"type": "string", "minLength": 1}}}`,
	} {
		for _, pipeline := range []*normalizers.Pipeline{normalizers.OpenAIStrict, normalizers.OpenAIStrictSpill} {
			once := normalize(t, pipeline, schema.Tool{Name: "f", Parameters: parse(t, parameters)})
			twice := normalize(t, pipeline, once.Tool)
			if !schema.Equal(once.Tool.Parameters, twice.Tool.Parameters) {
				t.Errorf("%s: %s\nbecomes %s\nand then %s", pipeline.Name(), parameters, once.Tool.Parameters, twice.Tool.Parameters)
			}
		}
	}
}
