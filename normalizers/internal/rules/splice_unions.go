package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// SpliceUnions serves strict targets, some of which refuse a branch without a type.
var SpliceUnions = &engine.Rule{
	Name: "splice_unions",
	Doc: `a union within a union becomes part of it

(A or B) or C is A or B or C. The description of the outer union is followed by that of the
inner one if that says more. Source: docs/seeds.md#seed-004-13.`,
	Before: `{"anyOf": [{"description": "d", "anyOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "null"}]}`,
	After:  `{"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}], "description": "d"}`,
	Loss:   rewrite.Exact,
	On:     []string{"anyOf"},
	Rewrite: func(p *engine.Pass) {
		union := p.Schema.Get("anyOf")
		if !slices.ContainsFunc(union.Elements, isPureUnion) {
			dropRepeated(p, union)
			return
		}
		var branches []*schema.Node
		description := p.Schema.GetString("description")
		for _, branch := range union.Elements {
			if !isPureUnion(branch) {
				branches = append(branches, branch)
				continue
			}
			branches = append(branches, branch.Get("anyOf").Elements...)
			description = merge.Descriptions(description, branch.GetString("description"))
			p.MoveSpills(branch, p.Schema)
		}
		if len(branches) > len(union.Elements) {
			p.Edit(rewrite.Exact, func() {
				p.Schema.Set("anyOf", schema.NewArray(branches...))
				if description != "" {
					p.Schema.Set("description", schema.NewString(description))
				}
			}, "anyOf", "description")
		}
		dropRepeated(p, p.Schema.Get("anyOf"))
	},
}
