package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UnionSiblings serves targets that refuse a keyword both beside a union and in its branches.
var UnionSiblings = &engine.Rule{
	Name: "union_siblings",
	Doc: `no keyword is both beside anyOf and in its branches

A type moves into the branches, or is removed if each branch names the same or a narrower
one. A keyword that some branch has too moves into all branches, together with keywords that
mean something only with it. An annotation of a branch goes into the description of the
branch instead. If the copies would grow too large, the union goes there. Sources: rules
union_beside_type and union_conflict of moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"type": ["string", "null"], "default": null, "anyOf": [{"type": "string", "default": "x"}, {"type": "null"}]}, ` +
		`"b": {"type": "object", "minProperties": 1, "properties": {"c": {}}, "anyOf": [{"properties": {"d": {}}}, {"maxProperties": 2}]}}}`,
	After: `{"type": "object", "properties": {"a": {"default": null, "anyOf": [{"type": "string", "description": "{default: \"x\"}"}, {"type": "null"}]}, ` +
		`"b": {"minProperties": 1, "anyOf": [{"type": "object", "properties": {"d": {}, "c": {}}}, ` +
		`{"type": "object", "maxProperties": 2, "properties": {"c": {}}}]}}}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: separateUnion,
}

// separateUnion moves the members that the target refuses beside a union into its branches.
func separateUnion(p *engine.Pass) {
	if !p.Target.Disjoint || !p.IsJudged() {
		return
	}
	for {
		union := p.Schema.Get("anyOf")
		if union == nil || union.Kind != schema.Array {
			return
		}
		spillRepeated(p, union)
		if p.Schema.Has("type") && every(union.Elements, func(branch *schema.Node) bool { return isWithinTypes(p, branch) }) {
			p.Remove("type", rewrite.Exact)
		}
		for _, keyword := range []string{"unevaluatedProperties", "unevaluatedItems"} {
			inBranch := func(branch *schema.Node) bool { return branch.Has(keyword) }
			if p.Schema.Has(keyword) && slices.ContainsFunc(union.Elements, inBranch) {
				p.SpillAway(keyword, rewrite.Widens) // in a branch it would not count what the other branches evaluate
			}
		}
		beside, shared := sharedWith(p.Schema, union)
		if len(shared) == 0 {
			return
		}
		distribute(p, union, beside, shared)
		// A merged branch may have a union of its own, even in the place of this one.
		for place := range p.Schema.Subschemas() {
			settle(p.Below(place.Node(), place.Keyword))
		}
		settleTypes(p)
	}
}

// settle applies the rules for types and siblings to a schema that was merged.
func settle(p *engine.Pass) {
	if p.Schema.Kind != schema.Object || !p.Target.Judges(p.Keyword()) {
		return
	}
	for place := range p.Schema.Subschemas() {
		settle(p.Below(place.Node(), place.Keyword))
	}
	settleTypes(p)
	separateUnion(p)
	separateReference(p)
}

func settleTypes(p *engine.Pass) {
	listTypes(p)
	if isCrowded(p.Schema) {
		splitTypes(p, p.Schema.Types())
	}
	typeEnum(p)
}

// spillRepeated removes or spills the annotations of the branches that are beside the union too.
func spillRepeated(p *engine.Pass, union *schema.Node) {
	isBeside := schema.Among(p.Schema.Keys())
	for _, branch := range union.Elements {
		p.Charge(1 + len(branch.Members))
		below := p.Below(branch, "anyOf")
		for _, member := range slices.Clone(branch.Members) {
			isText := member.Key == "title" || member.Key == "description" || member.Key == "anyOf"
			if isText || !isBeside(member.Key) || !saysNoMore(member.Key) {
				continue
			}
			if schema.IsMeta(member.Key) || schema.Equal(member.Value, p.Schema.Get(member.Key)) {
				below.Remove(member.Key, rewrite.Exact)
			} else {
				below.SpillAway(member.Key, rewrite.Exact)
			}
		}
	}
}

// saysNoMore reports whether a keyword asserts nothing.
func saysNoMore(keyword string) bool {
	return schema.IsAnnotation(keyword) || schema.IsMeta(keyword) || schema.ClassOf(keyword) == schema.Unknown && keyword != "nullable"
}

// isWithinTypes reports whether a branch accepts only instances of the types of the schema.
func isWithinTypes(p *engine.Pass, branch *schema.Node) bool {
	for range maxChain {
		if types := branch.Types(); len(types) > 0 {
			return !branch.Get("nullable").IsTrue() && areWithin(types, p.Schema.Types())
		}
		if branch = p.Resolve(branch); branch == nil {
			return false
		}
	}
	return false
}

// areWithin reports whether each type is among others. integer is within number.
func areWithin(types, others []string) bool {
	return every(types, func(name string) bool {
		return slices.Contains(others, name) || name == "integer" && slices.Contains(others, "number")
	})
}

// together are groups of keywords whose meaning depends on the others of their group.
var together = [][]string{
	{"properties", "patternProperties", "additionalProperties", "required"},
	{"items", "prefixItems"},
	{"contains", "minContains", "maxContains"},
	{"if", "then", "else"},
	{"type", "enum"},
}

// sharedWith returns the members of a schema that may stay beside its union, and those that move
// into its branches.
func sharedWith(node, union *schema.Node) (beside, shared []schema.Member) {
	goes := map[string]bool{"type": node.Has("type"), "enum": node.Has("enum")}
	for _, branch := range union.Elements {
		for _, member := range branch.Members {
			if member.Key != "title" && member.Key != "description" && member.Key != "anyOf" && node.Has(member.Key) {
				goes[member.Key] = true
			}
		}
	}
	for _, group := range together {
		if slices.ContainsFunc(group, func(keyword string) bool { return goes[keyword] }) {
			for _, keyword := range group {
				goes[keyword] = true
			}
		}
	}
	for _, member := range node.Members {
		if goes[member.Key] {
			shared = append(shared, member)
		} else {
			beside = append(beside, member)
		}
	}
	return beside, shared
}
