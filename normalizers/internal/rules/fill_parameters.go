package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillParameters serves targets where every tool has parameters.
var FillParameters = &engine.Rule{
	Name: "fill_parameters",
	Doc: `a tool without parameters gets those of an object without properties

A model calls the tool without arguments in either case. Source: rule schema_required of
anthropic/tools.`,
	Before: `{"name": "now"}`,
	After:  `{"name": "now", "parameters": {"type": "object", "properties": {}}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		if p.Target.RootRequired && !p.Schema.Has("parameters") {
			p.Set("parameters", schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: schema.NewObject()},
			), rewrite.Exact)
		}
	},
}
