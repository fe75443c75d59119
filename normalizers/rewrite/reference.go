package rewrite

import (
	"cmp"
	"strings"

	"toolproof/schema"
)

// ReferenceKeywords are the keywords that lead to another schema.
var ReferenceKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// Reference returns the text of the schema's reference, or "" where it has none.
// An empty reference leads to the whole, as # does.
func Reference(node *schema.Node) string {
	for _, keyword := range ReferenceKeywords {
		if value := node.Get(keyword); value != nil && value.Kind == schema.String {
			return cmp.Or(value.Text, "#")
		}
	}
	return ""
}

// Resolver returns a Resolve that remembers, for as long as nothing is moved.
func (p *Pass) Resolver() func(node *schema.Node) *schema.Node {
	type place struct {
		root *schema.Node
		text string
	}
	known := map[place]*schema.Node{}
	return func(node *schema.Node) *schema.Node {
		text := Reference(node)
		if text == "" {
			return nil
		}
		at := place{p.Resources().Root(node), text}
		target, ok := known[at]
		if !ok {
			target = p.Resolve(node)
			known[at] = target
		}
		return target
	}
}

// references returns the schemas that refer to another, in document order, with
// where they lead.
func (p *Pass) references() (order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	targets = map[*schema.Node]*schema.Node{}
	resolve := p.Resolver()
	p.Root().Each(func(node *schema.Node) bool {
		p.Charge(1)
		if target := resolve(node); target != nil {
			order = append(order, node)
			targets[node] = target
		}
		return true
	})
	return order, targets
}

// repoint makes references follow the schemas that a rule has moved.
func (p *Pass) repoint(order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	p.work.resources = nil // as they are now
	resources := p.Resources()
	wanted := map[*schema.Node]bool{}
	for _, target := range targets {
		wanted[target], wanted[resources.Root(target)] = true, true
	}
	pointers := p.Root().Pointers(wanted)
	for _, node := range order {
		target := targets[node]
		pointer, present := pointers[target]
		if !present || p.Resolve(node) == target {
			continue
		}
		text := strings.TrimPrefix(string(pointer), string(pointers[resources.Root(target)]))
		text = schema.Pointer(text).Fragment()
		if resources.Root(node) != resources.Root(target) {
			text = resources.URI(target) + text
		}
		below := p.Below(node, "")
		for _, keyword := range ReferenceKeywords {
			if node.Has(keyword) {
				below.Set(keyword, schema.NewString(text), Exact)
			}
		}
	}
}
