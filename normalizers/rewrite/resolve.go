package rewrite

import (
	"strings"

	"toolproof/schema"
)

// Resolve is Resolve of the package at the expense of the work's budget.
func (p *Pass) Resolve(root *schema.Node, reference string) *schema.Node {
	return p.work.resolve(root, reference)
}

// Step is Step of a node at the expense of the work's budget, and for the cost of one
// member where many are asked for.
func (p *Pass) Step(node *schema.Node, token string) *schema.Node {
	if node == nil || node.Kind != schema.Object {
		return node.Step(token)
	}
	return p.work.memberOf(node, token)
}

// resolve finds a definition by its name in a table, where there are many, and anything
// else as Resolve does.
func (w *Work) resolve(root *schema.Node, reference string) *schema.Node {
	w.Charge(1)
	if reference == "" {
		return nil
	}
	for _, keyword := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(reference, "#/"+keyword+"/")
		if !ok || strings.ContainsAny(name, "/~%") {
			continue
		}
		definitions := root.Get(keyword)
		w.Charge(len(root.Members))
		if definitions == nil || definitions.Kind != schema.Object {
			return nil
		}
		return schemaAt(w.memberOf(definitions, name))
	}
	steps := 0
	if strings.HasPrefix(reference, "#/") {
		steps = costOfWay(root, reference)
	} else {
		root.Each(func(node *schema.Node) bool {
			const names = 4 // that an anchor may stand under, each searched
			steps += names * (1 + len(node.Members))
			return true
		})
	}
	w.Charge(steps)
	return Resolve(root, reference)
}

// costOfWay returns how many members are looked at on the way of a pointer.
func costOfWay(node *schema.Node, reference string) int {
	steps := len(reference) / bytesPerStep
	for token := range strings.SplitSeq(reference[2:], "/") {
		if node == nil {
			break
		}
		steps += 1 + len(node.Members)
		node = node.Step(token)
	}
	return steps
}

// wide are the members of an object as they were when somebody last asked for one.
type wide struct {
	of    *schema.Node
	index map[string]int
	// isFresh is set while no rule has moved a schema since.
	isFresh bool
}

// moved notes that a rule may have changed which subschemas there are.
func (w *Work) moved() { w.outdated, w.wide.isFresh = true, false }

// memberOf returns the value of a member. It keeps a table of the object that it was
// asked about last: a schema may have as many references as definitions.
func (w *Work) memberOf(node *schema.Node, name string) *schema.Node {
	const few = 32
	if len(node.Members) <= few {
		w.Charge(len(node.Members))
		return node.Get(name)
	}
	for range 2 {
		if i, found := w.wide.index[name]; found && w.wide.of == node && i < len(node.Members) && node.Members[i].Key == name {
			return node.Members[i].Value
		}
		if w.wide.of == node && len(w.wide.index) == len(node.Members) && w.wide.isFresh {
			return nil
		}
		w.Charge(len(node.Members))
		w.wide = wide{node, make(map[string]int, len(node.Members)), true}
		for i := range node.Members {
			w.wide.index[node.Members[i].Key] = i
		}
	}
	return nil
}
