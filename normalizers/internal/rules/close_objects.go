package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// CloseObjects serves strict targets.
var CloseObjects = &engine.Rule{
	Name: "close_objects",
	Doc: `every object is closed

Each object gets additionalProperties: false. Strict mode cannot express a map, whose names
are not known beforehand. A root without properties takes no arguments, and is closed too.
Source: docs/seeds.md#seed-004-13.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}`,
	Loss:   rewrite.Narrows,
	Rewrite: func(p *engine.Pass) {
		isObject := namesType(p.Schema, "object") || !namesTypes(p.Schema) && (p.IsRoot() || p.Schema.Has("properties"))
		if !isObject {
			return
		}
		rest := p.Schema.Get("additionalProperties")
		isMap := rest != nil && rest.Kind == schema.Object && !isAnything(rest)
		known := len(membersOf(p.Schema.Get("properties"))) > 0
		switch {
		case rest.IsFalse():
		case isMap:
			p.Unrepresentablef("additionalProperties with a schema: an object of unknown names")
		case !known && !p.IsRoot() && !p.Schema.Has("anyOf"):
			p.Unrepresentablef("an object that may have any members")
		case known || p.IsRoot():
			p.Set("additionalProperties", schema.NewBool(false), rewrite.Narrows)
		}
	},
}
