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

A schema comes to an end if it has a type other than object and array, or if no value of it
has to contain another value. It also comes to an end if one of its required properties, its
items, a branch of its union or the target of its reference does. If the root does not come
to an end, the target of a reference that does not either loses its required or its items,
or gets a type if it has none. If that is not enough, the reference is removed. Source: rule
endless_reference of moonshot/chat, 2026-06-29.`,
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
			if _, isEnd := nextSchemas(p, p.Root()); isEnd {
				ends.isKnown = map[*schema.Node]bool{p.Root(): true} // as in most tools
			} else {
				ends.find(p)
			}
		}
		if ends.isKnown[p.Root()] {
			return
		}
		target := p.Resolve(p.Schema)
		if target == nil || ends.isKnown[target] {
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

// endings are the schemas of a tool that come to an end, because a finite value satisfies them as far
// as the surface checks.
type endings struct{ isKnown map[*schema.Node]bool }

// find finds all of them, beginning with the schemas that end by themselves.
func (e *endings) find(p *engine.Pass) {
	e.isKnown = map[*schema.Node]bool{}
	dependents := map[*schema.Node][]*schema.Node{} // by schema, the schemas that end if it ends
	var ended []*schema.Node
	p.Root().Each(func(node *schema.Node) bool {
		next, isEnd := nextSchemas(p, node)
		p.Charge(1 + len(node.Members) + len(next))
		if isEnd {
			e.isKnown[node] = true
			ended = append(ended, node)
		}
		for _, other := range next {
			dependents[other] = append(dependents[other], node)
		}
		return true
	})
	for len(ended) > 0 {
		last := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, node := range dependents[last] {
			if !e.isKnown[node] {
				e.isKnown[node] = true
				ended = append(ended, node)
			}
		}
	}
}

// nextSchemas returns schemas such that node ends if one of them ends. If isEnd is set, node ends by
// itself.
func nextSchemas(p *engine.Pass, node *schema.Node) (next []*schema.Node, isEnd bool) {
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
		next = append(next, items)
	default:
		properties := node.Get("properties")
		names := node.Get("required").Strings()
		if len(names) == 0 || properties == nil || len(properties.Members) == 0 {
			return nil, true
		}
		isRequired := schema.Among(names)
		for _, property := range properties.Members {
			if isRequired(property.Key) {
				next = append(next, property.Value)
			}
		}
	}
	if union := node.Get("anyOf"); union != nil {
		next = append(next, union.Elements...)
	}
	if target := p.Resolve(node); target != nil {
		next = append(next, target)
	}
	return next, false
}

// makeEnd removes required or items from a schema that does not come to an end. If it has neither,
// makeEnd goes on with its first branch or the target of its reference, or gives it a type. step is
// the number of schemas so far.
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
