package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillProperties serves targets that refuse an object without properties.
var FillProperties = &engine.Rule{
	Name: "fill_properties",
	Doc: `an object without properties gets an empty set of properties

The root gets it, and in strict mode, or if the target asks for it, every object does. A root
that takes members by a keyword that went into the description says so by
additionalProperties: true. Otherwise it would seem to take no arguments.
Sources: docs/seeds.md#seed-004-24; https://github.com/github/github-mcp-server/issues/1548.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object", "properties": {}}`,
	Loss:   rewrite.Exact,
	On:     []string{"type"},
	Rewrite: func(p *engine.Pass) {
		if namesType(p.Schema, "object") && !p.Schema.Has("properties") && !p.Schema.Has("anyOf") && (p.IsRoot() || p.Target.Strict || engine.Has[EveryObjectHasProperties](p.Target)) {
			p.Set("properties", schema.NewObject(), rewrite.Exact)
		}
		if p.IsArguments() && len(membersOf(p.Schema.Get("properties"))) == 0 && !p.Refuses("additionalProperties") && spoke(p.Schema) {
			p.Set("additionalProperties", schema.NewBool(true), rewrite.Exact)
		}
	},
}

// spoke reports whether a keyword of the given schema says that an object without properties has
// members, and the schema has none such now.
func spoke(node *schema.Node) bool {
	says := func(node *schema.Node) bool {
		return node != nil && slices.ContainsFunc(speakOfMembers, func(keyword string) bool {
			value := node.Get(keyword)
			return value != nil && !saysNothing(keyword, value)
		})
	}
	return says(node.From) && !says(node) && !node.Has("additionalProperties")
}

// EveryObjectHasProperties marks a target where every object needs the keyword properties, and
// not only the root.
type EveryObjectHasProperties struct{}
