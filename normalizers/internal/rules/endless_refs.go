package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// EndlessRefs serves targets that refuse a reference to a schema without a finite value.
var EndlessRefs = &engine.Rule{
	Name: "endless_refs",
	Doc: `a schema whose references never come to an end gets an end

The rule applies if the root has no end either. A schema comes to an end if it has a type
other than object and array, or need not hold another schema. It also does if one of the
properties that it requires, its items, a branch or its reference comes to an end. A schema
that is referred to and has no end stops requiring its properties or loses its items; one
that only lacks a type gets a type. If that is not enough, the reference is removed. Source:
rule endless_reference of moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], ` +
		`"$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}}}`,
	After: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], ` +
		`"$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "description": "{required: [\"a\"]}"}}}`,
	Loss: rewrite.Both,
	On:   []string{"$ref"},
	Rewrite: func(p *engine.Pass) {
		if !p.Target.DefinitionRefs {
			return
		}
		ends := engine.State[endings](p)
		if ends.isKnown == nil {
			if _, isEnd := waysOf(p, p.Root()); isEnd {
				ends.isKnown = map[*schema.Node]bool{p.Root(): true} // most tools
			} else {
				ends.find(p)
			}
		}
		target := p.Resolve(p.Schema)
		if target == nil || ends.isKnown[p.Root()] || ends.isKnown[target] {
			return
		}
		makeEnd(p, target, 0)
		ends.find(p)
		if !ends.isKnown[p.Root()] && !ends.isKnown[target] {
			p.Remove("$ref", rewrite.Widens)
			ends.find(p)
		}
	},
}

// endings are the schemas of a tool that come to an end: those that a finite value can
// satisfy, as far as the surface looks.
type endings struct{ isKnown map[*schema.Node]bool }

// find notes all of them, beginning with those that end by themselves.
func (e *endings) find(p *engine.Pass) {
	e.isKnown = map[*schema.Node]bool{}
	leadsTo := map[*schema.Node][]*schema.Node{} // by a schema, those that end if it ends
	var ended []*schema.Node
	p.Root().Each(func(node *schema.Node) bool {
		ways, isEnd := waysOf(p, node)
		p.Charge(1 + len(node.Members) + len(ways))
		if isEnd {
			e.isKnown[node] = true
			ended = append(ended, node)
		}
		for _, way := range ways {
			leadsTo[way] = append(leadsTo[way], node)
		}
		return true
	})
	for len(ended) > 0 {
		last := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, node := range leadsTo[last] {
			if !e.isKnown[node] {
				e.isKnown[node] = true
				ended = append(ended, node)
			}
		}
	}
}

// waysOf returns the schemas of which one that ends makes node end. If isEnd is set, node ends
// by itself.
func waysOf(p *engine.Pass, node *schema.Node) (ways []*schema.Node, isEnd bool) {
	types := node.Types()
	if len(node.Members) == 0 || slices.ContainsFunc(types, func(name string) bool { return name != "object" && name != "array" }) {
		return nil, true
	}
	switch {
	case len(types) == 0:
	case types[len(types)-1] == "array":
		items := node.Get("items")
		if items == nil {
			return nil, true
		}
		ways = append(ways, items)
	default:
		properties := node.Get("properties")
		names := node.Get("required").Strings()
		if len(names) == 0 || properties == nil || len(properties.Members) == 0 {
			return nil, true
		}
		isRequired := schema.Among(names)
		for _, property := range properties.Members {
			if isRequired(property.Key) {
				ways = append(ways, property.Value)
			}
		}
	}
	if union := node.Get("anyOf"); union != nil {
		ways = append(ways, union.Elements...)
	}
	if target := p.Resolve(node); target != nil {
		ways = append(ways, target)
	}
	return ways, false
}

// makeEnd makes an endless schema end: it removes required or items from the schema, or else
// from the first schema on its way that has them. step counts the schemas on the way.
func makeEnd(p *engine.Pass, node *schema.Node, step int) {
	p.Charge(1)
	below := p.Below(node, "")
	switch types := node.Types(); {
	case step > maxChain || node.Kind != schema.Object || node == p.Root() && !node.Has("required"):
	case node.Has("required") && isOfType(node, "object"):
		below.SpillAway("required", rewrite.Widens)
	case node.Has("items") && len(types) > 0:
		below.SpillAway("items", rewrite.Widens)
	case node.Has("anyOf") && len(node.Get("anyOf").Elements) > 0:
		makeEnd(p, node.Get("anyOf").Elements[0], step+1)
	case node.Reference() != "":
		if target := p.Resolve(node); target != nil {
			makeEnd(p, target, step+1)
		}
	case len(types) == 0:
		giveAnyType(below)
	}
}

// giveAnyType gives a schema without a type the type that its keywords imply, or else all
// types.
func giveAnyType(p *engine.Pass) {
	if value := p.Schema.Get("const"); value != nil {
		giveType(p, []string{typeOfInstance(value)}, rewrite.Exact)
		return
	}
	if name := impliedType(p.Schema); name != "" {
		giveType(p, []string{name}, rewrite.Narrows)
		return
	}
	giveType(p, []string{"string", "number", "boolean", "object", "array", "null"}, rewrite.Exact)
	if isCrowded(p.Schema) {
		splitTypes(p, p.Schema.Types())
	}
}
