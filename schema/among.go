package schema

import "hash/maphash"

// few is the greatest length at which searching a list is cheaper than building a map of it.
const few = 16

// Indexed returns a function that gives the same answers as n.Index in constant time. It
// reflects the members at the time of the call: a member renamed later is not found under its
// new name.
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

// Indices caches the function that Indexed returns for each node, so that the nodes must not
// change while it is in use. A nil Indices caches nothing.
type Indices map[*Node]func(key string) int

// Get returns the value of the member of node called key, or nil, as node.Get does.
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

// Values is a set of JSON values, of which no two are Equal. The zero Values is empty.
type Values struct {
	list  []*Node
	table map[uint64][]*Node // nil until there are more than few
}

// Add adds a value and reports whether the set did not have it.
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

// Has reports whether the set has a value Equal to the given one.
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

// hashOfValue returns the same number for any two values that are Equal, whatever the order of
// their members and the spelling of their numbers. Other values rarely share it.
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
