package normalizers_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// shared are tools whose data and shapes results might take over wrongly.
var shared = []string{
	`{"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x", null], "pattern": "^a"}, "b": {"$ref": "#/$defs/B"}}, "required": ["a"], "$defs": {"B": {"type": "object", "properties": {"c": {"const": 1}}}}}`,
	`{"type": "object", "properties": {"a/b": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": [1]}}, "x-order": {"deep": [{}]}}`,
	`{"type": "dict", "properties": {"t": {"type": "tuple", "items": [{"type": "float"}]}, "required": ["t"]}}`,
	`{"oneOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]}`,
}

// printed is all of a result.
func printed(result normalizers.Result) string {
	var text strings.Builder
	fmt.Fprintln(&text, result.Tool.Node())
	for _, change := range result.Changes {
		fmt.Fprintln(&text, change.Rule, change.At, change.From, change.Before.Node(), change.After.Node())
	}
	return text.String()
}

// TestResultsAreTheirOwn normalizes the same tools at once and again, because one Work
// goes on with the lists of another: no result, and no input, may change by it.
func TestResultsAreTheirOwn(t *testing.T) {
	t.Parallel()
	var inputs []schema.Tool
	for _, text := range shared {
		parameters := parse(t, text)
		inputs = append(inputs, schema.Tool{Name: "a tool", Description: schema.NewString("d"), Parameters: parameters})
	}
	for _, pipeline := range normalizers.Pipelines {
		var firsts []normalizers.Result
		var texts []string
		for i, input := range inputs {
			result := normalize(t, pipeline, input)
			firsts, texts = append(firsts, result), append(texts, printed(result))
			if got := input.Parameters.String(); got != parse(t, shared[i]).String() {
				t.Errorf("%s changed its input to %s", pipeline.Name(), got)
			}
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for i, input := range inputs {
					result, err := pipeline.Normalize(t.Context(), input)
					if got := printed(result); err != nil || got != texts[i] {
						t.Errorf("%s: the second time it is %s\nnot %s", pipeline.Name(), got, texts[i])
					}
				}
			})
		}
		group.Wait()
		for i, first := range firsts {
			if got := printed(first); got != texts[i] {
				t.Errorf("%s: a result became %s\nit was %s", pipeline.Name(), got, texts[i])
			}
		}
	}
}
