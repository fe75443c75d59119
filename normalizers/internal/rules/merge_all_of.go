package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// MergeAllOf serves targets without allOf.
var MergeAllOf = &engine.Rule{
	Name: "merge_all_of",
	Doc: `the schemas of allOf become one schema

The schema has the properties and required names of all branches; properties of one name are
merged. The tightest bound stays, and so do the values that all enums share. The texts of
the schema itself win over those of the branches. Keywords that one schema cannot have twice
go into the description. An object that is closed in one branch is closed to the properties
of all of them. Source: docs/seeds.md#seed-002-log-002, pattern 7.`,
	Before:  `{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "integer", "minimum": 1}}}]}`,
	After:   `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "minimum": 1}}, "required": ["a"]}`,
	Loss:    rewrite.Both,
	On:      []string{"allOf"},
	Rewrite: mergeAll,
}

// mergeAll merges allOf, and the allOf of its branches, if the target refuses the keyword.
func mergeAll(p *engine.Pass) {
	for {
		branches := p.Schema.Get("allOf")
		if branches == nil || branches.Kind != schema.Array || !p.Refuses("allOf") {
			return
		}
		mergeBranches(p, branches.Elements)
	}
}

func mergeBranches(p *engine.Pass, branches []*schema.Node) {
	if slices.ContainsFunc(branches, (*schema.Node).IsFalse) {
		// The schema accepts nothing: not expresses that until a later rule describes it.
		p.Replace("allOf", "not", schema.NewObject(), rewrite.Exact)
		return
	}
	intersect(p, func(in *merge.Intersection) {
		p.Schema.Delete("allOf")
		for _, branch := range branches {
			branch = dereferenced(p, "allOf", branch)
			if branch == nil {
				in.Loss |= rewrite.Widens
			} else if branch.Kind == schema.Object {
				in.Into(p.Schema, branch)
			}
		}
	})
}

// intersect calls edit, which merges schemas into the pass's schema, and reports one change with the
// loss of the intersection.
func intersect(p *engine.Pass, edit func(in *merge.Intersection)) {
	in := &merge.Intersection{Work: work{p}}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)
	edit(in)
	p.Report(in.Loss, &before, p.Schema)
}

// mergeBelow merges every allOf in a copied definition, which the rule has not visited.
func mergeBelow(p *engine.Pass) {
	for place := range p.Schema.Subschemas() {
		mergeBelow(p.Below(place.Node(), place.Keyword))
	}
	if branches := p.Schema.Get("allOf"); branches != nil && branches.Kind == schema.Array {
		mergeBranches(p, branches.Elements)
	}
}

// dereferenced returns a branch, or for a reference a copy of its target with the siblings of the
// reference. If that is impossible, it spills the branch and returns nil.
func dereferenced(p *engine.Pass, keyword string, branch *schema.Node) *schema.Node {
	for range maxChain {
		reference := branch.Reference()
		if reference == "" {
			return branch
		}
		target := p.Resolve(branch)
		if target == nil || isRecursive(p, target) {
			if p.Target.Strict {
				p.Unrepresentablef("%s with the reference %q, which cannot be merged", keyword, reference)
				return nil
			}
			p.Spill(keyword, schema.NewArray(branch))
			return nil
		}
		content := asObject(p, target)
		if p.HasAnywhere(namesOfOne...) {
			deleteNames(content)
		}
		for _, member := range branch.Members {
			if !slices.Contains(schema.ReferenceKeywords, member.Key) {
				content.Set(member.Key, member.Value)
			}
		}
		branch = content
		mergeBelow(p.Below(branch, keyword))
	}
	return nil
}

// maxChain bounds the length of a chain of references.
const maxChain = 32

// work implements merge.Work for a pass.
type work struct{ *engine.Pass }

// Content implements merge.Work.
func (w work) Content(node *schema.Node) *schema.Node { return dereferenced(w.Pass, "$ref", node) }

// SpillAt implements merge.Work.
func (w work) SpillAt(node *schema.Node, member schema.Member) {
	w.Below(node, "").Spill(member.Key, member.Value)
}
