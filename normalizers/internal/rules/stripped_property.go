package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// StrippedProperty serves targets for which keywords are stripped.
var StrippedProperty = &engine.Rule{
	Name: "stripped_property",
	Doc: `a property is removed if stripping leaves nothing of its schema

Such a property has only keywords that the target does not take, such as anyOf. Its name is
removed from required too. Source: docs/seeds.md#seed-001, the property conditions of the
example.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"anyOf": [{"type": "string"}]}}, "required": ["b"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}}`,
	Loss:   rewrite.Widens,
	On:     []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		properties := p.Schema.Get("properties")
		required := p.Schema.Get("required").Strings()
		left := required
		for _, property := range slices.Clone(membersOf(properties)) {
			if !isStripped(p, property.Value) {
				continue
			}
			p.Below(properties, "properties").Remove(property.Key, rewrite.Widens)
			left = slices.DeleteFunc(slices.Clone(left), func(name string) bool { return name == property.Key })
		}
		switch {
		case len(left) == len(required):
		case len(left) == 0:
			p.Remove("required", rewrite.Widens)
		default:
			p.Set("required", schema.NewStrings(left...), rewrite.Widens)
		}
	},
}

// isStripped reports whether the target takes no member of a property's schema. const counts as
// taken, because it becomes an enum.
func isStripped(p *engine.Pass, property *schema.Node) bool {
	return len(property.Members) > 0 && every(property.Members, func(member schema.Member) bool {
		return member.Key != "const" && !p.Target.Takes(member.Key, false)
	})
}
