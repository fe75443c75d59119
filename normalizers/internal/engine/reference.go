package engine

import (
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Resolver returns a function that does what Resolve does and remembers the results. The function
// is valid as long as no schema moves.
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

// References returns, in document order, the schemas whose reference leads to a schema, and the
// targets of the references.
func (p *Pass) References() (order []*schema.Node, targets map[*schema.Node]*schema.Node) {
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

// MoveContent records that the content of the pass's schema is about to move to a new schema below
// it. References to the content follow, and so does the reference in it. The rule must have Moves.
func (p *Pass) MoveContent(to *schema.Node) {
	p.MoveSpills(p.Schema, to)
	p.work.content = movedContent{p.Schema, to}
}

// movedContent records that the content of one schema has moved to another. The zero value records
// nothing.
type movedContent struct{ from, to *schema.Node }

// holder returns the schema that now has the content of node.
func (m movedContent) holder(node *schema.Node) *schema.Node {
	if node == m.from {
		return m.to
	}
	return node
}

// repoint makes references follow the schemas that a rule has moved. order and targets are what
// References returned before the rule ran.
func (p *Pass) repoint(order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	p.work.resources = nil // the rule may have changed them
	resources := p.Resources()
	located := map[*schema.Node]bool{}
	for _, target := range targets {
		target = p.work.content.holder(target)
		located[target], located[resources.Root(target)] = true, true
	}
	pointers := p.Root().Pointers(located)
	for _, node := range order {
		target := p.work.content.holder(targets[node])
		node = p.work.content.holder(node)
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
