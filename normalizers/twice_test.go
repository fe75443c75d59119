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
		// An enum at the root that goes into the description leaves a root that takes arguments.
		`{"type": "object", "enum": [{"a": 1}, {"a": 2}]}`,
		`{"type": "object", "properties": {}, "not": {"required": ["a"]}}`,
	} {
		for _, pipeline := range []*normalizers.Pipeline{normalizers.OpenAIStrict, normalizers.OpenAIStrictSpill} {
			once := normalize(t, pipeline, schema.Tool{Name: "f", Parameters: parse(t, parameters)})
			twice := normalize(t, pipeline, once.Tool)
			if !schema.Equal(once.Tool.Parameters, twice.Tool.Parameters) || once.Strict != twice.Strict {
				t.Errorf("%s: %s\nbecomes %s\nand then %s", pipeline.Name(), parameters, once.Tool.Parameters, twice.Tool.Parameters)
			}
		}
	}
}

// TestReportsNoChange has what the normalizers make of tools, of which they report no change again.
func TestReportsNoChange(t *testing.T) {
	t.Parallel()
	for _, parameters := range append([]string{
		`{"type": "OBJECT", "format": "iri", "properties": {"a": {"type": "STRING", "format": "date-time"}}}`,
	}, shared...) {
		for _, pipeline := range normalizers.Pipelines {
			once, err := pipeline.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: parse(t, parameters)})
			if err != nil {
				continue // strict mode cannot say it
			}
			twice := normalize(t, pipeline, once.Tool)
			if schema.Equal(once.Tool.Parameters, twice.Tool.Parameters) && len(twice.Changes) > 0 {
				t.Errorf("%s: %s stays as it is, and the change is %s", pipeline.Name(), once.Tool.Parameters, twice.Changes[0].Rule)
			}
		}
	}
}
