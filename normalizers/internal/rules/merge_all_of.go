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
	Doc: `the schemas of allOf become one

Properties and required names are united, and properties of one name are merged. The
tightest bound stays, and the values that all enums share. The text of the schema itself
wins over that of the branches. What one schema cannot say twice goes into the
description. An object that is closed in one branch is closed to the properties of all
of them. Source: docs/seeds.md#seed-002-log-002, pattern 7.`,
	Before:  `{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "integer", "minimum": 1}}}]}`,
	After:   `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "minimum": 1}}, "required": ["a"]}`,
	Loss:    rewrite.Both,
	On:      []string{"allOf"},
	Rewrite: mergeAll,
}

// mergeAll merges allOf, and that of its branches, where the target refuses it.
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
		// Nothing is accepted; not says so until a later rule describes it.
		p.Replace("allOf", "not", schema.NewObject(), rewrite.Exact)
		return
	}
	in := merge.Intersection{Work: work{p}}
	before := *p.Schema
	before.Members = slices.Clone(p.Schema.Members)
	p.Schema.Delete("allOf")
	for _, branch := range branches {
		branch = dereferenced(p, "allOf", branch)
		if branch == nil {
			in.Loss |= rewrite.Widens
		} else if branch.Kind == schema.Object {
			in.Into(p.Schema, branch)
		}
	}
	p.Report(in.Loss, &before, p.Schema)
}

// mergeBelow merges what a definition contains that was not visited yet.
func mergeBelow(p *engine.Pass) {
	for place := range p.Schema.Subschemas() {
		mergeBelow(p.Below(place.Node(), place.Keyword))
	}
	if branches := p.Schema.Get("allOf"); branches != nil && branches.Kind == schema.Array {
		mergeBranches(p, branches.Elements)
	}
}

// dereferenced returns a branch of a keyword with what it refers to, which other targets have
// inlined before. It returns nil for a branch that cannot be said, and spills it.
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

// maxChain bounds how many references may follow one another.
const maxChain = 32

// work is a pass as merging needs it.
type work struct{ *engine.Pass }

// Content implements merge.Work.
func (w work) Content(node *schema.Node) *schema.Node { return dereferenced(w.Pass, "$ref", node) }

// SpillAt implements merge.Work.
func (w work) SpillAt(node *schema.Node, member schema.Member) {
	w.Below(node, "").Spill(member.Key, member.Value)
}
