package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// LoneAnyOf serves targets that refuse most siblings of anyOf.
var LoneAnyOf = &engine.Rule{
	Name: "lone_any_of",
	Doc: `the siblings of anyOf move into its branches

Each branch is merged with the members that the target refuses beside the union. A branch
that contradicts them is removed, and a single branch takes the place of the union. If the
copies would grow too large, the union goes into the description. Sources:
https://github.com/anomalyco/opencode/issues/48073 (Gemini),
https://github.com/BerriAI/litellm/issues/11164 (Vertex).`,
	Before:  `{"type": "array", "items": {"type": "string"}, "description": "d", "anyOf": [{"minItems": 1}, {"maxItems": 9}]}`,
	After:   `{"description": "d", "anyOf": [{"type": "array", "minItems": 1, "items": {"type": "string"}}, {"type": "array", "maxItems": 9, "items": {"type": "string"}}]}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: standAlone,
}

// standAlone moves the siblings of a union into its branches, and then does the same in the branches,
// whose unions may have got siblings.
func standAlone(p *engine.Pass) {
	for {
		union := p.Schema.Get("anyOf")
		if union == nil || union.Kind != schema.Array || mayShare(p) {
			return
		}
		beside, shared := besideAnyOf(p)
		if len(shared) == 0 && !slices.ContainsFunc(union.Elements, isBool) {
			return
		}
		if !distribute(p, union, beside, shared) {
			break
		}
		// The single branch may have had a union of its own.
		for place := range p.Schema.Subschemas() {
			if place.Keyword != "anyOf" {
				standAloneBelow(p.Below(place.Node(), place.Keyword))
			}
		}
	}
	if union := p.Schema.Get("anyOf"); union != nil {
		for _, branch := range union.Elements {
			standAloneBelow(p.Below(branch, "anyOf"))
		}
	}
	if !p.Target.Strict {
		nullFromUnion(p, "anyOf") // a type that moved into a branch may be null
	}
}

// standAloneBelow does what standAlone does for a schema and all schemas below it.
func standAloneBelow(p *engine.Pass) {
	for place := range p.Schema.Subschemas() {
		standAloneBelow(p.Below(place.Node(), place.Keyword))
	}
	standAlone(p)
}

// mayShare reports whether siblings may stay beside a union. They may if a target takes them, unless a
// strict target would close an object beside the union, which would leave its branches no property.
func mayShare(p *engine.Pass) bool {
	return p.Target.BesideAnyOf == nil && (!p.Target.Strict || !namesType(p.Schema, "object"))
}

// besideAnyOf returns the members that stay beside the union, and those that move into its
// branches.
func besideAnyOf(p *engine.Pass) (beside, shared []schema.Member) {
	for _, member := range p.Schema.Members {
		if member.Key == "anyOf" || slices.Contains(p.Target.BesideAnyOf, member.Key) || p.Target.Strict && member.Key == "description" {
			beside = append(beside, member)
		} else {
			shared = append(shared, member)
		}
	}
	return beside, shared
}

// maxDistributed bounds how many values move into the branches together.
const maxDistributed = 2000

func isBool(node *schema.Node) bool { return node.Kind == schema.Bool }

// distribute merges the shared members into each branch. It reports whether a single branch is left,
// which then replaces the union.
func distribute(p *engine.Pass, union *schema.Node, beside, shared []schema.Member) bool {
	// nullable beside the union goes into each branch.
	base := p.New(slices.Clone(shared)...)
	nullable := base.Delete("nullable").IsTrue()
	if base.Size()*len(union.Elements) > maxDistributed {
		p.SpillAway("anyOf", rewrite.Widens)
		return false
	}
	in := merge.Intersection{Work: work{p}}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)

	var branches []*schema.Node
	for _, branch := range union.Elements {
		switch {
		case branch.IsFalse() || merge.TypesDiffer(base, branch):
			continue
		case branch.IsTrue():
			branch = p.Clone(base)
		default:
			in.Into(branch, p.Clone(base))
			dropIdle(p.Below(branch, "anyOf"), branch.Keys()...)
		}
		branches = append(branches, branch)
	}
	for _, branch := range branches {
		if nullable {
			branch.Set("nullable", schema.NewBool(true))
		}
	}
	branches = distinctSchemas(branches)
	switch len(branches) {
	case 0:
		// The schema accepts nothing, which no target can express.
		p.SpillAway("anyOf", rewrite.Widens)
		return false
	case 1:
		p.Schema.Members = slices.DeleteFunc(beside, func(member schema.Member) bool { return member.Key == "anyOf" })
		// nullable beside the union stays, whatever the branch accepts.
		nullable := p.Schema.Delete("nullable")
		in.Into(p.Schema, branches[0])
		if nullable.IsTrue() {
			p.Schema.Set("nullable", nullable)
		}
	default:
		p.Schema.Members = beside
		p.Schema.Set("anyOf", schema.NewArray(branches...))
	}
	p.Report(in.Loss, &before, p.Schema)
	return len(branches) == 1
}
