package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillProperties serves targets that refuse an object without properties.
var FillProperties = &engine.Rule{
	Name: "fill_properties",
	Doc: `an object without properties gets an empty set of properties

The root gets it, and in strict mode, or if the target asks for it, every object does.
Sources: docs/seeds.md#seed-004-24; https://github.com/github/github-mcp-server/issues/1548.`,
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

// EveryObjectHasProperties marks a target where every object needs the keyword properties, and
// not only the root.
type EveryObjectHasProperties struct{}
