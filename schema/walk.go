package schema

import (
	"iter"
	"strconv"
)

// Place is where a subschema stands inside the schema that holds it.
type Place struct {
	Keyword string // properties, items, anyOf ...
	Name    string // the member name below the keyword, or ""
	Index   int    // the element below the keyword, or -1
	// Slot is where the pointer to the subschema is kept: a rewrite replaces
	// the subschema by storing another node there.
	Slot **Node
}

// Node returns the subschema.
func (p Place) Node() *Node { return *p.Slot }

// Tokens returns the unescaped tokens that lead from the schema to the subschema.
func (p Place) Tokens() []string {
	switch {
	case p.Index >= 0:
		return []string{p.Keyword, strconv.Itoa(p.Index)}
	case ClassOf(p.Keyword) == SchemaMap || ClassOf(p.Keyword) == SchemaOrNamesMap:
		return []string{p.Keyword, p.Name}
	default:
		return []string{p.Keyword}
	}
}

// Subschemas yields the subschemas directly below a schema, in document order.
// A property named like a keyword is one of them; a value inside default, enum,
// const or examples is not. Where a subschema should stand but something else
// does, such as a string, that value is yielded as it is.
func (n *Node) Subschemas() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		if n == nil {
			return
		}
		for i := range n.Members {
			if !n.Members[i].subschemas(yield) {
				return
			}
		}
	}
}

// Subschemas yields the subschemas in the value of a keyword, as those of the schema
// that has it are.
func (m *Member) Subschemas() iter.Seq[Place] {
	return func(yield func(Place) bool) { m.subschemas(yield) }
}

// subschemas yields the subschemas in the value of a keyword. It returns false
// when yield has.
func (m *Member) subschemas(yield func(Place) bool) bool {
	class := ClassOf(m.Key)
	if class == SchemaOrList {
		class = OneSchema
		if m.Value.Kind == Array {
			class = SchemaList
		}
	}
	switch class {
	case OneSchema:
		return yield(Place{Keyword: m.Key, Index: -1, Slot: &m.Value})
	case SchemaList:
		for i := range m.Value.Elements {
			if !yield(Place{Keyword: m.Key, Index: i, Slot: &m.Value.Elements[i]}) {
				return false
			}
		}
	case SchemaMap, SchemaOrNamesMap:
		for i := range m.Value.Members {
			entry := &m.Value.Members[i]
			if class == SchemaOrNamesMap && entry.Value.Kind == Array {
				continue
			}
			if !yield(Place{Keyword: m.Key, Name: entry.Key, Index: -1, Slot: &entry.Value}) {
				return false
			}
		}
	case Unknown, Data, SchemaOrList: // the last has been told apart before
	}
	return true
}

// Each visits the schema and every subschema below it, as Walk does, without the
// cost of telling where they are.
func (n *Node) Each(visit func(subschema *Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for place := range n.Subschemas() {
		place.Node().Each(visit)
	}
}

// Walk visits the schema and every subschema below it, each before its own
// subschemas, with its pointer seen from n. It never visits data. When visit
// returns false, what lies below that subschema is passed over.
func (n *Node) Walk(visit func(at Pointer, subschema *Node) bool) {
	var walk func(at Pointer, node *Node)
	walk = func(at Pointer, node *Node) {
		if node == nil || !visit(at, node) {
			return
		}
		for place := range node.Subschemas() {
			below := at
			for _, token := range place.Tokens() {
				below = below.Child(token)
			}
			walk(below, place.Node())
		}
	}
	walk("", n)
}
