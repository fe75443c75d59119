package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DeclareRequired serves targets that read JSON Schema and refuse a required property that is
// not declared.
var DeclareRequired = &engine.Rule{
	Name: "declare_required",
	Doc: `a required name that properties does not declare is declared

The declared property accepts any value, even if additionalProperties accepted fewer. If the
object allows no such property, no value is valid, and the name is removed from required.
Source: rule required_unspecified of gemini/parametersJsonSchema, 2026-09-14.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "b"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a", "b"]}`,
	Loss:   rewrite.Widens,
	On:     []string{"required"},
	Rewrite: func(p *engine.Pass) {
		properties := p.Schema.Get("properties")
		if properties == nil && p.Target.Disjoint {
			properties = schema.NewObject() // such a target needs the keyword in any case
		}
		if properties == nil || properties.Kind != schema.Object || !p.IsJudged() {
			return
		}
		isDeclared := schema.Among(properties.Keys())
		var missing []string
		for _, name := range p.Schema.Get("required").Strings() {
			if !isDeclared(name) {
				missing = append(missing, name)
			}
		}
		if len(missing) == 0 {
			return
		}
		others := p.Schema.Get("additionalProperties")
		if others.IsFalse() || p.Schema.Has("unevaluatedProperties") || p.Schema.Has("patternProperties") {
			keepDeclared(p, "required", rewrite.Widens)
			return
		}
		declared := schema.NewObject(properties.Members...)
		for _, name := range merge.Names(nil, missing) {
			declared.Members = append(declared.Members, schema.Member{Key: name, Value: schema.NewObject()})
		}
		p.Set("properties", declared, lossIf(others != nil && others.Kind == schema.Object, rewrite.Widens))
	},
}
