package engine

import (
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Resolver returns a function that does what Resolve does, and remembers the answers. It holds as
// long as no schema moves.
func (p *Pass) Resolver() func(node *schema.Node) *schema.Node {
	type place struct {
		root *schema.Node
		text string
	}
	known := map[place]*schema.Node{}
	return func(node *schema.Node) *schema.Node {
		text := node.Reference()
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

// references returns the schemas with a reference that leads to a schema, in document order, and
// the targets.
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

// MoveContent notes that another schema, below the pass's schema, has now the content that the
// pass's schema had: references to it follow, and so do its own. The rule must have Moves.
func (p *Pass) MoveContent(to *schema.Node) {
	p.MoveSpills(p.Schema, to)
	p.work.heir = heir{p.Schema, to}
}

// heir notes that the content of one schema has moved to another.
type heir struct{ from, to *schema.Node }

// of returns the schema that has the content now that node had.
func (h heir) of(node *schema.Node) *schema.Node {
	if node == h.from {
		return h.to
	}
	return node
}

// repoint makes references follow the schemas that a rule has moved.
func (p *Pass) repoint(order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	p.work.resources = nil // as they are now
	resources := p.Resources()
	wanted := map[*schema.Node]bool{}
	for _, target := range targets {
		target = p.work.heir.of(target)
		wanted[target], wanted[resources.Root(target)] = true, true
	}
	pointers := p.Root().Pointers(wanted)
	for _, node := range order {
		target := p.work.heir.of(targets[node])
		node = p.work.heir.of(node)
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
		for _, keyword := range schema.ReferenceKeywords {
			if node.Has(keyword) {
				below.Set(keyword, schema.NewString(text), rewrite.Exact)
			}
		}
	}
}
