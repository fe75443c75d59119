package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// EnumTypes serves targets that need a type beside an enum, and only values of that type.
var EnumTypes = &engine.Rule{
	Name: "enum_types",
	Doc: `an enum has the type of its values, and only values of that type

A missing type is taken from the values; values of several types become a union. A value
that the type refuses is removed. An enum without a value goes into the description.
Sources: rules enum_without_type, enum_value, enum_types and enum_size of moonshot/chat,
2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"enum": ["x", 1]}, "b": {"type": "string", "enum": ["y", 2]}, "c": {"type": "string", "enum": []}}}`,
	After: `{"type": "object", "properties": {"a": {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "integer", "enum": [1]}]}, ` +
		`"b": {"type": "string", "enum": ["y"]}, "c": {"type": "string", "description": "{enum: []}"}}}`,
	Loss: rewrite.Widens,
	On:   []string{"enum"},
	Rewrite: func(p *engine.Pass) {
		if p.IsJudged() {
			typeEnum(p)
		}
	},
}

// typeEnum makes the type and the values of an enum agree.
func typeEnum(p *engine.Pass) {
	listed := p.Schema.Get("enum")
	if listed == nil || listed.Kind != schema.Array {
		return
	}
	p.Charge(len(listed.Elements))
	types := p.Schema.Types()
	values := slices.DeleteFunc(slices.Clone(listed.Elements), func(value *schema.Node) bool { return !isOneOfTypes(value, types) })
	switch {
	case len(values) == 0:
		p.SpillAway("enum", rewrite.Widens) // nothing is accepted, which no schema of the target says
		return
	case len(values) < len(listed.Elements):
		p.Set("enum", schema.NewArray(values...), rewrite.Exact)
	}
	if len(types) == 0 {
		giveType(p, instanceTypes(values), rewrite.Exact)
	}
	if isCrowded(p.Schema) {
		splitTypes(p, p.Schema.Types())
	}
}
