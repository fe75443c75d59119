package meaning_test

import (
	"testing"

	"toolproof/harness/meaning"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// TestCheckFindsUnreported checks normalized tools whose changes conceal a loss, and tools
// whose changes report every loss.
func TestCheckFindsUnreported(t *testing.T) {
	t.Parallel()
	const given = `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}, "b": {"type": "integer", "maximum": 5}}, "required": ["a"]}`
	const open = `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "maximum": 5}}, "required": ["a"]}`
	const strict = `{"type": "object", "properties": {"a": {"type": "string", "minLength": 9}, "b": {"type": "integer", "maximum": 5}}, "required": ["a"]}`
	const closed = `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}, "b": {"type": "integer", "maximum": 5}}, "required": ["a"], "additionalProperties": false}`
	at := func(pointer schema.Pointer, loss rewrite.Loss) rewrite.Change {
		return rewrite.Change{Rule: "r", At: pointer, From: pointer, Loss: loss}
	}
	for _, test := range []struct {
		name, normalized string
		change           rewrite.Change
		needs            rewrite.Loss
	}{
		{"wider, and exact", open, at("/parameters/properties/a", rewrite.Exact), rewrite.Widens},
		{"wider, and narrows", open, at("/parameters/properties/a", rewrite.Narrows), rewrite.Widens},
		{"wider, and widens elsewhere", open, at("/parameters/properties/b", rewrite.Widens), rewrite.Widens},
		{"wider, and restored", open, rewrite.Change{Rule: "r", At: "/parameters/properties/a", From: "/parameters/properties/a", Loss: rewrite.Widens, Restored: true}, rewrite.Widens},
		{"wider there", open, at("/parameters/properties/a", rewrite.Widens), rewrite.Exact},
		{"wider around it", open, at("/parameters", rewrite.Widens), rewrite.Exact},
		{"wider in spite of the way back", open, rewrite.Change{Rule: "r", At: "/parameters", From: "/parameters", Restored: true, Remains: rewrite.Widens}, rewrite.Exact},
		{"narrower, and widens", strict, at("/parameters/properties/a", rewrite.Widens), rewrite.Narrows},
		{"narrower, and narrows elsewhere", strict, at("/parameters/properties/b", rewrite.Narrows), rewrite.Narrows},
		{"narrower there", strict, at("/parameters/properties/a/minLength", rewrite.Narrows), rewrite.Exact},
		{"narrower, and closes", strict, at("/parameters/properties/a", rewrite.Closes), rewrite.Narrows},
		{"closed, and exact", closed, at("/parameters", rewrite.Exact), rewrite.Narrows},
		{"closed", closed, at("/parameters", rewrite.Closes), rewrite.Exact},
		{"everything is gone", `{"type": "object"}`, at("/parameters/properties/a", rewrite.Widens), rewrite.Widens},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := schema.Tool{Name: "f", Parameters: parse(t, given)}
			original, err := meaning.Checker{}.Original(t.Context(), tool, parse(t, `{"a": "twelve or more", "extra": 1}`))
			if err != nil {
				t.Fatal(err)
			}
			result := normalizers.Result{Tool: schema.Tool{Name: "f", Parameters: parse(t, test.normalized)}, Given: tool, Changes: []rewrite.Change{test.change}}
			findings, pairs, err := original.Check(t.Context(), result)
			if err != nil || pairs == 0 {
				t.Fatal(pairs, err)
			}
			found := rewrite.Exact
			for _, finding := range findings {
				found |= finding.Needs
			}
			if found != test.needs {
				t.Errorf("found %s, want %s: %v", found, test.needs, findings)
			}
		})
	}
}

// TestInstancesAreOfEveryKind checks that instances reach the branches, bounds and names of a
// schema, and that the same seed gives the same instances.
func TestInstancesAreOfEveryKind(t *testing.T) {
	t.Parallel()
	node := parse(t, `{"type": "object", "properties": {"a": {"anyOf": [{"type": "boolean"}, {"const": "x"}]}, "n": {"minimum": 3}, "l": {"type": "array", "items": {}, "maxItems": 2}}}`)
	const most = 400
	made := meaning.Instances(node, 1, most)
	for _, text := range []string{`{}`, `{"a": true}`, `{"a": "x"}`, `{"a": null}`, `{"n": 3}`, `{"n": 2}`, `{"": 0}`} {
		wanted := parse(t, text)
		member := func(instance *schema.Node) bool {
			for _, member := range wanted.Members {
				if value := instance.Get(member.Key); value == nil || member.Key != "" && !schema.Equal(value, member.Value) {
					return false
				}
			}
			return instance.Kind == schema.Object
		}
		found := false
		for _, instance := range made {
			found = found || member(instance)
		}
		if !found {
			t.Errorf("none of %d instances has %s", len(made), text)
		}
	}
	again := meaning.Instances(node, 1, most)
	for i, instance := range made {
		if !schema.Identical(instance, again[i]) {
			t.Fatalf("%s, and then %s", instance, again[i])
		}
	}
}
