package engine

import (
	"strings"

	"toolproof/schema"
)

// Resources returns the resources of the tool's parameters as they were when the rule first called
// it.
func (p *Pass) Resources() *schema.Resources {
	if p.work.resources == nil {
		p.Charge(len(p.work.visits))
		p.work.resources = schema.NewResources(p.Root())
	}
	return p.work.resources
}

// Step does what Node.Step does, at the expense of the work's budget. Steps into one object of many
// members cost one member each.
func (p *Pass) Step(node *schema.Node, token string) *schema.Node {
	if node == nil || node.Kind != schema.Object {
		return node.Step(token)
	}
	return p.work.memberOf(node, token)
}

// Resolve returns the schema that the reference of a schema leads to, or nil if it leads nowhere or
// there is none.
func (p *Pass) Resolve(node *schema.Node) *schema.Node {
	reference := node.Reference()
	if reference == "" {
		return nil
	}
	return p.ResolveIn(p.Resources(), node, reference)
}

// ResolveIn returns the schema that a reference with the given text leads to from a schema within
// resources, or nil.
func (p *Pass) ResolveIn(resources *schema.Resources, from *schema.Node, reference string) *schema.Node {
	root := resources.Root(from)
	for _, keyword := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(reference, "#/"+keyword+"/")
		if !ok || strings.ContainsAny(name, "/~%") {
			continue
		}
		definitions := p.work.definitionsOf(root, keyword)
		if definitions == nil || definitions.Kind != schema.Object {
			return nil
		}
		found := p.work.memberOf(definitions, name)
		if found == nil || found.Kind != schema.Object && found.Kind != schema.Bool {
			return nil
		}
		return found
	}
	p.Charge(1)
	if !strings.HasPrefix(reference, "#/") {
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

// definitionsPlace is where definitionsOf found the definitions that it returned last.
type definitionsPlace struct {
	root    *schema.Node
	keyword string
	index   int
}

// definitionsOf returns the definitions of a root under a keyword, or nil. It remembers where they
// are, because most references lead to the same ones.
func (w *Work) definitionsOf(root *schema.Node, keyword string) *schema.Node {
	w.Charge(1)
	last := &w.definitions
	if last.root != root || last.keyword != keyword || last.index >= len(root.Members) || root.Members[last.index].Key != keyword {
		w.Charge(len(root.Members))
		index := root.Index(keyword)
		if index < 0 {
			return nil
		}
		*last = definitionsPlace{root, keyword, index}
	}
	return root.Members[last.index].Value
}

// table holds the indexes of the members of an object by their names, as they were when it was
// made.
type table struct {
	index map[string]int
	moves int // Work.moves when it was made
}

// moved notes that a rule may have changed which subschemas there are.
func (w *Work) moved() {
	w.outdated = true
	w.moves++
}

// memberOf returns the value of a member. It keeps a table of each object of many members that it
// was called for, because a schema may have as many references as definitions.
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
