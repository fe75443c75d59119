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
func (p Place) Tokens() []string { return p.AppendTokens(nil) }

// AppendTokens appends the Tokens to others.
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

// AppendTo appends the Tokens to the text of a pointer.
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

// isNamed reports whether the subschema is one of several by name.
func (p Place) isNamed() bool {
	class := ClassOf(p.Keyword)
	return class == SchemaMap || class == SchemaOrNamesMap
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

// Each visits the schema and every subschema below it, as Walk does, without the
// cost of telling where they are.
func (n *Node) Each(visit func(subschema *Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for i := range n.Members {
		value := n.Members[i].Value
		switch class := ClassOf(n.Members[i].Key); class.HeldIn(value) {
		case Itself:
			value.Each(visit)
		case Elements:
			for _, element := range value.Elements {
				element.Each(visit)
			}
		case Members:
			for i := range value.Members {
				if entry := value.Members[i].Value; class.IsSchema(entry) {
					entry.Each(visit)
				}
			}
		case Nothing:
		}
	}
}

// Holding says where the value of a keyword holds subschemas.
type Holding uint8

// A value may be a subschema itself, or have them as its elements or members.
const (
	Nothing Holding = iota
	Itself
	Elements
	Members
)

// HeldIn returns where the subschemas in the value of a keyword of the class are. It is
// for walks that Subschemas is too slow for; of members, IsSchema says which count.
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

// IsSchema reports whether a member's value is a subschema, where a keyword of the
// class has subschemas by name.
func (c Class) IsSchema(entry *Node) bool { return c != SchemaOrNamesMap || entry.Kind != Array }

// Walk visits the schema and every subschema below it, each before its own
// subschemas, with its pointer seen from n. It never visits data. When visit
// returns false, what lies below that subschema is passed over.
func (n *Node) Walk(visit func(at Pointer, subschema *Node) bool) {
	n.WalkText(func(at []byte, subschema *Node) bool { return visit(Pointer(at), subschema) })
}

// WalkText is Walk for those who need few of the pointers. The text of a pointer is that
// of the next subschema after visit.
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
