package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// IdleValues serves strict targets.
var IdleValues = &engine.Rule{
	Name: "idle_values",
	Doc: `an enum loses values that its type refuses, and repeated values

The schema accepts the same instances without them. It is not known how a provider responds
to such values in strict mode. If no value remains, the schema accepts nothing, which strict
mode cannot express. Source: the metaschema, where the values of an enum should be unique.`,
	Before: `{"type": "string", "enum": ["a", 1, "a", null]}`,
	After:  `{"type": "string", "enum": ["a"]}`,
	Loss:   rewrite.Exact,
	On:     []string{"enum"},
	Rewrite: func(p *engine.Pass) {
		listed := p.Schema.Get("enum")
		if listed.Kind != schema.Array {
			return
		}
		values, types := distinctSchemas(listed.Elements), p.Schema.Types()
		if namesTypes(p.Schema) {
			values = slices.DeleteFunc(slices.Clone(values), func(value *schema.Node) bool { return !isOneOfTypes(value, types) })
		}
		if len(values) < len(listed.Elements) {
			p.Set("enum", schema.NewArray(values...), rewrite.Exact)
		}
	},
}
