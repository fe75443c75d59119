package rules

import (
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RequireAll serves strict targets, after OptionalToNullable.
var RequireAll = &rewrite.Rule{
	Name: "require_all",
	Doc: `every property is required

In the order of the properties. Source: seed 004 §1.3.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["a"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}`,
	Loss:   rewrite.Narrows,
	On:     []string{"properties"},
	Rewrite: func(p *rewrite.Pass) {
		properties := p.Schema.Get("properties")
		if listed := p.Schema.Get("required"); listed == nil || len(listed.Elements) != len(properties.Members) {
			p.Set("required", schema.NewStrings(properties.Keys()...), rewrite.Narrows)
			p.Restored()
		}
	},
}
