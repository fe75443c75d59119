package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ReferenceSiblings serves targets that refuse a keyword both beside a reference and in the
// schema that it leads to.
var ReferenceSiblings = &engine.Rule{
	Name: "reference_siblings",
	Doc: `no keyword is both beside a reference and in what it leads to

A type beside the reference is removed if the definition names the same or a narrower one.
Otherwise the two become one schema. For any other keyword the reference becomes the only
branch of a union, which accepts the same; so does a reference where the surface looks for
none, such as in not. Sources: rules reference_beside_type, reference_conflict,
reference_to_union and reference_place of moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "type": "string", "default": "x"}, "b": {"$ref": "#/$defs/A", "minLength": 2}}, ` +
		`"$defs": {"A": {"type": "string", "minLength": 1}}}`,
	After: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A", "default": "x"}, "b": {"anyOf": [{"$ref": "#/$defs/A"}], "minLength": 2}}, ` +
		`"$defs": {"A": {"type": "string", "minLength": 1}}}`,
	Loss:    rewrite.Both,
	On:      []string{"$ref"},
	Rewrite: separateReference,
}

// DescribedOnce marks a target that refuses a description both beside a reference and in its target.
type DescribedOnce struct{}

// separateReference separates a reference from the members that the target refuses beside it.
func separateReference(p *engine.Pass) {
	if !p.Target.Disjoint || !p.Schema.Has("$ref") || p.IsArguments() || isHidden(p) && !engine.Has[DescribedOnce](p.Target) {
		return
	}
	target := followed(p)
	if target == nil {
		return
	}
	if types := target.Types(); len(types) > 0 && p.Schema.Has("type") && areWithin(types, p.Schema.Types()) {
		p.Remove("type", rewrite.Exact)
	}
	switch {
	case p.Schema.Has("type") || p.Schema.Has("enum"):
		mergeReference(p, target)
	case p.Schema.Has("anyOf") && (target.Has("type") || target.Has("anyOf")):
		wrapReference(p, "allOf")
	case hasBeside(p, target) || !p.Target.Judges(p.Keyword()):
		wrapReference(p, "anyOf")
	}
}

// chains holds the ends of chains of references that have only title and description beside them.
type chains struct {
	ends  map[*schema.Node]*schema.Node // by a reference of the chain
	moves int                           // the value of Pass.Moves when the map was empty
}

// followed returns the schema at the end of the chain of references that begins at the schema,
// or nil.
func followed(p *engine.Pass) *schema.Node {
	known := engine.State[chains](p)
	if known.ends == nil || known.moves != p.Moves() {
		*known = chains{ends: map[*schema.Node]*schema.Node{}, moves: p.Moves()}
	}
	target := p.Resolve(p.Schema)
	var chain []*schema.Node
	for target != nil && target.Has("$ref") && !slices.ContainsFunc(target.Members, isNoText) {
		if end, isKnown := known.ends[target]; isKnown {
			target = end
			break
		}
		known.ends[target] = target // until the end is known, so that a circle ends too
		chain = append(chain, target)
		next := p.Resolve(target)
		if next == nil {
			break
		}
		target = next
	}
	for _, node := range chain {
		known.ends[node] = target
	}
	return target
}

// isNoText reports whether a member is neither a reference nor a title or description.
func isNoText(member schema.Member) bool {
	return member.Key != "$ref" && member.Key != "title" && member.Key != "description"
}

// isHidden reports whether the schema lies in a list of schemas that the surface does not check.
func isHidden(p *engine.Pass) bool {
	for _, keyword := range p.Around() {
		if !p.Target.Judges(keyword) && schema.ClassOf(keyword) == schema.SchemaList {
			return true
		}
	}
	return false
}

// hasBeside reports whether a keyword is both beside the reference and in target, or in a branch
// of target.
func hasBeside(p *engine.Pass, target *schema.Node) bool {
	isBoth := func(member schema.Member) bool {
		switch member.Key {
		case "$ref", "title":
			return false
		case "description":
			return engine.Has[DescribedOnce](p.Target) && p.Schema.Has(member.Key)
		default:
			return p.Schema.Has(member.Key)
		}
	}
	p.Charge(len(target.Members))
	if slices.ContainsFunc(target.Members, isBoth) {
		return true
	}
	union := target.Get("anyOf")
	return union != nil && slices.ContainsFunc(union.Elements, func(branch *schema.Node) bool {
		p.Charge(1 + len(branch.Members))
		return slices.ContainsFunc(branch.Members, isBoth)
	})
}

// wrapReference makes a reference the only branch of keyword, or adds it to the branches.
func wrapReference(p *engine.Pass, keyword string) {
	p.Edit(rewrite.Exact, func() {
		i := p.Schema.Index("$ref")
		alone := p.New(p.Schema.Members[i])
		if list := p.Schema.Get(keyword); list != nil {
			p.Schema.Delete("$ref")
			p.Schema.Set(keyword, schema.NewArray(append(slices.Clone(list.Elements), alone)...))
			return
		}
		p.Schema.Members[i] = schema.Member{Key: keyword, Value: schema.NewArray(alone)}
	})
}

// mergeReference makes one schema of a target and the members beside the reference. A schema that
// contains itself cannot be merged, and becomes a branch of allOf.
func mergeReference(p *engine.Pass, target *schema.Node) {
	if isRecursive(p, target) {
		wrapReference(p, "allOf")
		return
	}
	intersect(p, func(in *merge.Intersection) {
		p.Schema.Delete("$ref")
		in.Into(p.Schema, asObject(p, target))
	})
	settle(p)
}
