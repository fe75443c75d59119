package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// LoneAnyOf serves targets where little or nothing may stand beside anyOf.
var LoneAnyOf = &rewrite.Rule{
	Name: "lone_any_of",
	Doc: `what stands beside anyOf moves into its branches

Each branch takes the members that may not stand beside the union, merged with its own;
a branch that contradicts them goes away, and a single branch takes the place of the
union. Where the copies would grow too large, the union goes into the description.
Sources: https://github.com/anomalyco/opencode/issues/48073 (Gemini),
https://github.com/BerriAI/litellm/issues/11164 (Vertex).`,
	Before: `{"type": "array", "items": {"type": "string"}, "description": "d", "anyOf": [{"minItems": 1}, {"maxItems": 9}]}`,
	After:  `{"description": "d", "anyOf": [{"type": "array", "minItems": 1, "items": {"type": "string"}}, {"type": "array", "maxItems": 9, "items": {"type": "string"}}]}`,
	Loss:   rewrite.Widens,
	On:     []string{"anyOf"},
	Rewrite: func(p *rewrite.Pass) {
		union := p.Schema.Get("anyOf")
		// A strict target takes siblings, but closing an object beside its
		// branches would leave them nothing.
		isClosed := p.Target.Strict && slices.Contains(typesOf(p.Schema), "object")
		mayShare := p.Target.BesideAnyOf == nil && !isClosed
		if union.Kind != schema.Array || mayShare {
			return
		}
		var beside, shared []schema.Member
		for _, member := range p.Schema.Members {
			if member.Key == "anyOf" || slices.Contains(p.Target.BesideAnyOf, member.Key) || p.Target.Strict && member.Key == "description" {
				beside = append(beside, member)
			} else {
				shared = append(shared, member)
			}
		}
		if len(shared) > 0 || slices.ContainsFunc(union.Elements, isBool) {
			distribute(p, union, beside, shared)
		}
	},
}

// maxDistributed bounds how many values the branches together take over.
const maxDistributed = 2000

func isBool(node *schema.Node) bool { return node.Kind == schema.Bool }

func distribute(p *rewrite.Pass, union *schema.Node, beside, shared []schema.Member) {
	base := p.New(shared...)
	if base.Size()*len(union.Elements) > maxDistributed {
		p.SpillAway("anyOf", rewrite.Widens)
		return
	}
	in := intersection{pass: p}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)

	var branches []*schema.Node
	for _, branch := range union.Elements {
		switch {
		case branch.IsTrue():
			branches = append(branches, base.Clone())
		case branch.IsFalse() || typesDiffer(base, branch):
		default:
			in.into(branch, base.Clone())
			branches = append(branches, branch)
		}
	}
	switch len(branches) {
	case 0:
		// The schema accepts nothing, which no target can say.
		p.SpillAway("anyOf", rewrite.Widens)
		return
	case 1:
		p.Schema.Members = slices.DeleteFunc(beside, func(member schema.Member) bool { return member.Key == "anyOf" })
		in.into(p.Schema, branches[0])
	default:
		p.Schema.Members = beside
		p.Schema.Set("anyOf", schema.NewArray(branches...))
	}
	p.Report(in.loss, &before, p.Schema)
}
