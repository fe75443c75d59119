package schema

import "hash/maphash"

// few is how many things are searched one after the other sooner than in a table.
const few = 16

// Indexed returns what Index does, at a cost that does not grow with how many members
// there are. It knows the members as they are now: one that gets another name later is
// no longer found.
func (n *Node) Indexed() func(key string) int {
	if n == nil || len(n.Members) <= few {
		return n.Index
	}
	index := make(map[string]int, len(n.Members))
	for i := range n.Members {
		index[n.Members[i].Key] = i
	}
	return func(key string) int {
		if i, found := index[key]; found {
			return i
		}
		return -1
	}
}

// Indices keeps what Indexed returns, by node, for many questions about objects that do
// not change meanwhile. A nil Indices keeps nothing.
type Indices map[*Node]func(key string) int

// Get returns what node.Get does.
func (x Indices) Get(node *Node, key string) *Node {
	if x == nil || node == nil || len(node.Members) <= few {
		return node.Get(key)
	}
	index, known := x[node]
	if !known {
		index = node.Indexed()
		x[node] = index
	}
	if i := index(key); i >= 0 {
		return node.Members[i].Value
	}
	return nil
}

// Values is a set of JSON values. No two are Equal.
type Values struct {
	list  []*Node
	table map[uint64][]*Node // made when there are more than few
}

// Add adds a value, and reports whether it was not there.
func (v *Values) Add(value *Node) bool {
	if v.Has(value) {
		return false
	}
	v.list = append(v.list, value)
	switch {
	case v.table != nil:
		v.enter(value)
	case len(v.list) > few:
		v.table = map[uint64][]*Node{}
		for _, known := range v.list {
			v.enter(known)
		}
	}
	return true
}

func (v *Values) enter(value *Node) {
	hash := value.hashOfValue()
	v.table[hash] = append(v.table[hash], value)
}

// Has reports whether a value is there.
func (v *Values) Has(value *Node) bool {
	candidates := v.list
	if v.table != nil {
		candidates = v.table[value.hashOfValue()]
	}
	for _, known := range candidates {
		if Equal(known, value) {
			return true
		}
	}
	return false
}

// List returns the values in the order in which they were added.
func (v *Values) List() []*Node { return v.list }

// hashOfValue is Hash for values that are Equal: their members may stand in any order,
// and their numbers be spelt in several ways.
func (n *Node) hashOfValue() uint64 {
	const factor = 0x9e3779b97f4a7c15 // odd, with bits all over
	text := n.Text
	if n.Kind == Number {
		if value := n.Rat(); value != nil {
			text = value.RatString()
		}
	}
	hash := uint64(n.Kind) + maphash.String(hashSeed, text)
	for i := range n.Members {
		hash += (maphash.String(hashSeed, n.Members[i].Key) ^ factor) * (n.Members[i].Value.hashOfValue() | 1)
	}
	for _, element := range n.Elements {
		hash = hash*factor + element.hashOfValue()
	}
	return hash
}
