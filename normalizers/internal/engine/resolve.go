package engine

import (
	"strings"

	"toolproof/schema"
)

// Resources returns the resources of the tool's parameters as they were when the current rule first
// called it.
func (p *Pass) Resources() *schema.Resources {
	if p.work.resources == nil {
		p.Charge(len(p.work.visits))
		p.work.resources = schema.NewResources(p.Root())
	}
	return p.work.resources
}

// Step is Node.Step, charged to the budget of the work. After the first step into a large object,
// further steps into it take constant time.
func (p *Pass) Step(node *schema.Node, token string) *schema.Node {
	if node == nil || node.Kind != schema.Object {
		return node.Step(token)
	}
	return p.work.memberOf(node, token)
}

// Resolve returns the target of the reference of a schema, or nil if there is no reference or it
// leads nowhere.
func (p *Pass) Resolve(node *schema.Node) *schema.Node {
	reference := node.Reference()
	if reference == "" {
		return nil
	}
	return p.ResolveIn(p.Resources(), node, reference)
}

// ResolveIn returns the target of a reference in the schema from, which belongs to resources, or
// nil.
func (p *Pass) ResolveIn(resources *schema.Resources, from *schema.Node, reference string) *schema.Node {
	if !strings.HasPrefix(reference, "#/") {
		p.Charge(1)
		return resources.Resolve(from, reference)
	}
	p.ChargeText(len(reference))
	node, pointer, _ := resources.Pointer(from, reference)
	for _, token := range pointer.Tokens() {
		node = p.Step(node, token)
	}
	if node == nil || node.Kind != schema.Object && node.Kind != schema.Bool {
		return nil
	}
	return node
}

// table holds the indexes of the members of an object by name, as they were when the table was
// built.
type table struct {
	index map[string]int
	moves int // the value of Work.moves at that time
}

// moved records that a rule may have added, moved or removed subschemas.
func (w *Work) moved() {
	w.outdated = true
	w.moves++
}

// memberOf returns the value of the named member, or nil. It keeps a table for each large object,
// because a schema may have as many references as definitions. A table that is out of date is built
// anew.
func (w *Work) memberOf(node *schema.Node, name string) *schema.Node {
	const few = 32
	if len(node.Members) <= few {
		w.Charge(len(node.Members))
		return node.Get(name)
	}
	w.Charge(1)
	known := w.tables[node]
	for range 2 {
		if i, found := known.index[name]; found && i < len(node.Members) && node.Members[i].Key == name {
			return node.Members[i].Value
		}
		if len(known.index) == len(node.Members) && known.moves == w.moves {
			return nil
		}
		w.Charge(len(node.Members))
		known = table{make(map[string]int, len(node.Members)), w.moves}
		for i := range node.Members {
			known.index[node.Members[i].Key] = i
		}
		if w.tables == nil {
			w.tables = map[*schema.Node]table{}
		}
		w.tables[node] = known
	}
	return nil
}
