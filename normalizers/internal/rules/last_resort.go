package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// LastResort comes after all other rules of a target whose refusals give no reason.
var LastResort = &engine.Rule{
	Name: "last_resort",
	Doc: `a tool that the target still cannot express loses its schema

The other rules leave no list of types, null, nullable, union or reference, and at most
twice as many values as the limit, because some rules add values later. If any of these is
left, the tool accepts any object, so that one tool does not fail the request of all.
Source: docs/seeds.md#seed-004-35 and docs/seeds.md#seed-004-36.`,
	Before: `{"type": "object", "properties": {"a": {"type": ["string", "integer"]}}}`,
	After:  `{"type": "object", "properties": {}}`,
	Loss:   rewrite.Widens,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		if isIncompatible(p.Schema) || p.Schema.Size() > 2*p.Options().MaxValues {
			p.Become(p.New(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: schema.NewObject()},
			), rewrite.Widens)
		}
	},
}

// isIncompatible reports whether a schema or one below it has a form that the target refuses.
func isIncompatible(root *schema.Node) bool {
	found := false
	root.Each(func(node *schema.Node) bool {
		found = found || node.Kind != schema.Object || isOfType(node, "null") || node.Get("type").IsOf("array") ||
			slices.ContainsFunc([]string{"nullable", "anyOf", "oneOf", "allOf", "$ref"}, node.Has)
		return !found
	})
	return found
}
