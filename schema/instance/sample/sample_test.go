package sample_test

import (
	"math/rand/v2"
	"testing"

	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// TestValueTakesBoundedSteps uses schemas whose values are too large to make.
func TestValueTakesBoundedSteps(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type": "array", "minItems": 1000000000}`, `{"contains": {}, "minContains": 1000000000}`, `{"type": "object", "minProperties": 1000000000}`,
		`{"type": "string", "minLength": 1000000000}`, `{"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}`,
	} {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if value := sample.Value(node, rand.New(rand.NewPCG(1, 2)), node); value.Size() > 100_000 {
			t.Errorf("%s: a value of %d parts", text, value.Size())
		}
	}
}
