package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillParameters serves targets that refuse a tool without parameters.
var FillParameters = &engine.Rule{
	Name: "fill_parameters",
	Doc: `a tool without parameters gets the schema of an object without properties

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
