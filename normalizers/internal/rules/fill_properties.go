package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillProperties serves targets where an object has properties.
var FillProperties = &engine.Rule{
	Name: "fill_properties",
	Doc: `an object without properties gets an empty set of them

The root gets it; in strict mode, and where the target needs it, every object does.
Sources: docs/seeds.md#seed-004-24;
https://github.com/github/github-mcp-server/issues/1548.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object", "properties": {}}`,
	Loss:   rewrite.Exact,
	On:     []string{"type"},
	Rewrite: func(p *engine.Pass) {
		if namesType(p.Schema, "object") && !p.Schema.Has("properties") && !p.Schema.Has("anyOf") && (p.IsRoot() || p.Target.Strict || engine.Has[EveryObjectHasProperties](p.Target)) {
			p.Set("properties", schema.NewObject(), rewrite.Exact)
		}
	},
}

// EveryObjectHasProperties marks a target where each object, and not only the root, has
// properties, even if there are none.
type EveryObjectHasProperties struct{}
