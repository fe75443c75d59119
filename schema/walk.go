package schema

import (
	"iter"
	"strconv"
)

// Place is the position of a subschema in the schema that directly holds it.
type Place struct {
	Keyword string // such as properties, items or anyOf
	Name    string // of the member in the value of the keyword, or ""
	Index   int    // of the element in the value of the keyword, or -1
	// Slot points to the field that holds the subschema. A rewrite replaces the subschema by
	// storing another node there.
	Slot **Node
}

// Node returns the subschema.
func (p Place) Node() *Node { return *p.Slot }

// Tokens returns the unescaped tokens that lead from the schema to the subschema.
func (p Place) Tokens() []string { return p.AppendTokens(nil) }

// AppendTokens appends what Tokens returns to tokens.
func (p Place) AppendTokens(tokens []string) []string {
	tokens = append(tokens, p.Keyword)
	switch {
	case p.Index >= 0:
		return append(tokens, strconv.Itoa(p.Index))
	case p.isNamed():
		return append(tokens, p.Name)
	default:
		return tokens
	}
}

// AppendTo appends the escaped tokens to the text of a pointer.
func (p Place) AppendTo(at []byte) []byte {
	at = AppendToken(at, p.Keyword)
	switch {
	case p.Index >= 0:
		return strconv.AppendInt(append(at, '/'), int64(p.Index), 10)
	case p.isNamed():
		return AppendToken(at, p.Name)
	default:
		return at
	}
}

// isNamed reports whether the keyword holds subschemas by name.
func (p Place) isNamed() bool {
	class := ClassOf(p.Keyword)
	return class == SchemaMap || class == SchemaOrNamesMap
}

// Subschemas yields the subschemas directly below a schema, in document order. A property named
// like a keyword is one of them; a value inside default, enum, const or examples is not. A
// value other than a schema, such as a string, in the place of a subschema is yielded as it is.
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

// Subschemas yields the subschemas in the value of a keyword, as Node.Subschemas does.
func (m *Member) Subschemas() iter.Seq[Place] {
	return func(yield func(Place) bool) { m.subschemas(yield) }
}

// subschemas yields the subschemas in the value of a keyword. It returns false if yield did.
func (m *Member) subschemas(yield func(Place) bool) bool {
	switch class := ClassOf(m.Key); class.HeldIn(m.Value) {
	case Itself:
		return yield(Place{Keyword: m.Key, Index: -1, Slot: &m.Value})
	case Elements:
		for i := range m.Value.Elements {
			if !yield(Place{Keyword: m.Key, Index: i, Slot: &m.Value.Elements[i]}) {
				return false
			}
		}
	case Members:
		for i := range m.Value.Members {
			entry := &m.Value.Members[i]
			if class.IsSchema(entry.Value) && !yield(Place{Keyword: m.Key, Name: entry.Key, Index: -1, Slot: &entry.Value}) {
				return false
			}
		}
	case Nothing:
	}
	return true
}

// Each visits the schema and every subschema below it in the order of Walk, but without
// computing pointers.
func (n *Node) Each(visit func(subschema *Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for place := range n.Subschemas() {
		place.Node().Each(visit)
	}
}

// Holding tells where the value of a keyword holds subschemas.
type Holding uint8

// A value is a subschema itself, has subschemas as its elements or members, or holds none.
const (
	Nothing Holding = iota
	Itself
	Elements
	Members
)

// HeldIn tells where a value of a keyword of the class holds its subschemas. It serves walks for
// which Subschemas is too slow; they have to skip the members for which IsSchema reports false.
func (c Class) HeldIn(value *Node) Holding {
	switch c {
	case OneSchema:
		return Itself
	case SchemaOrList:
		if value.Kind == Array {
			return Elements
		}
		return Itself
	case SchemaList:
		return Elements
	case SchemaMap, SchemaOrNamesMap:
		return Members
	case Unknown, Data:
	}
	return Nothing
}

// IsSchema reports whether a member of the value of a keyword of the class is a subschema,
// given that the keyword holds subschemas by name.
func (c Class) IsSchema(entry *Node) bool { return c != SchemaOrNamesMap || entry.Kind != Array }

// Walk visits the schema and every subschema below it, each before its own subschemas, with its
// pointer seen from n. It never visits data. If visit returns false, Walk skips everything
// below that subschema.
func (n *Node) Walk(visit func(at Pointer, subschema *Node) bool) {
	n.WalkText(func(at []byte, subschema *Node) bool { return visit(Pointer(at), subschema) })
}

// WalkText is like Walk for callers that need few of the pointers. The bytes of at are
// overwritten after visit returns.
func (n *Node) WalkText(visit func(at []byte, subschema *Node) bool) {
	var walk func(at []byte, node *Node)
	walk = func(at []byte, node *Node) {
		if node == nil || !visit(at, node) {
			return
		}
		for place := range node.Subschemas() {
			walk(place.AppendTo(at), place.Node())
		}
	}
	walk(nil, n)
}
