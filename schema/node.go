// Package schema represents JSON Schemas, and tools with such schemas, as ordered trees. A tree
// keeps the order of members, the spelling of numbers and the source position of each value, so
// that findings can name line and column and an unchanged tool prints unchanged. The package
// knows which members of a schema hold subschemas and which hold data; it knows nothing of
// providers.
package schema

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// Kind is the JSON type of a Node.
type Kind uint8

// The JSON types. A zero Node is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the JSON Schema name of the type, such as "object".
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Position is a place in a source file. Line and Column count from 1; Column counts bytes. The
// zero Position means that the place is unknown.
type Position struct {
	Line, Column int32
}

// IsKnown reports whether p is a place.
func (p Position) IsKnown() bool { return p.Line > 0 }

// String returns "line:column", or "-" if the place is unknown.
func (p Position) String() string {
	if !p.IsKnown() {
		return "-"
	}
	return strconv.Itoa(int(p.Line)) + ":" + strconv.Itoa(int(p.Column))
}

// Node is one JSON value. Trees returned by Parse are shared and must not be changed; to
// rewrite a tree, Clone it.
type Node struct {
	Kind Kind
	// Number is free for programs that rewrite a tree of their own and keep a table indexed by
	// node. Clone copies it; nothing in this package reads it.
	Number int32
	// Text is the value of a String, the spelling of a Number, and "true" or "false" for a
	// Bool.
	Text     string
	Members  []Member // of an Object, in document order
	Elements []*Node  // of an Array
	Position Position // of the first byte of the value
	// From is the parsed node that this node was cloned from or that it replaces. It is nil for
	// parsed nodes and for new ones.
	From *Node
}

// Member is a name with its value.
type Member struct {
	Key      string
	Value    *Node
	Position Position // of the name
}

// NewString returns a string.
func NewString(value string) *Node { return &Node{Kind: String, Text: value} }

// NewNumber returns a number with the given JSON spelling.
func NewNumber(spelling string) *Node { return &Node{Kind: Number, Text: spelling} }

// NewInt returns a whole number.
func NewInt(value int) *Node { return NewNumber(strconv.Itoa(value)) }

// NewBool returns true or false.
func NewBool(value bool) *Node { return &Node{Kind: Bool, Text: strconv.FormatBool(value)} }

// NewArray returns an array of the given elements.
func NewArray(elements ...*Node) *Node { return &Node{Kind: Array, Elements: elements} }

// NewStrings returns an array of strings.
func NewStrings(values ...string) *Node {
	nodes, elements := make([]Node, len(values)), make([]*Node, len(values))
	for i, value := range values {
		nodes[i] = Node{Kind: String, Text: value}
		elements[i] = &nodes[i]
	}
	return &Node{Kind: Array, Elements: elements}
}

// NewObject returns an object of the given members.
func NewObject(members ...Member) *Node { return &Node{Kind: Object, Members: members} }

// IsTrue reports whether n is the value true.
func (n *Node) IsTrue() bool { return n != nil && n.Kind == Bool && n.Text == "true" }

// IsFalse reports whether n is the value false.
func (n *Node) IsFalse() bool { return n != nil && n.Kind == Bool && n.Text == "false" }

// IsOf reports whether n is of a JSON Schema type, such as "integer".
func (n *Node) IsOf(typeName string) bool {
	if typeName == "integer" {
		return n.IsInteger()
	}
	return n != nil && n.Kind.String() == typeName
}

// Is reports whether n is the string value.
func (n *Node) Is(value string) bool { return n != nil && n.Kind == String && n.Text == value }

// Index returns the index of the last member called key, or -1. JSON readers take the last of
// duplicates, too.
func (n *Node) Index(key string) int {
	if n == nil {
		return -1
	}
	for i := len(n.Members) - 1; i >= 0; i-- { //nolint:modernize // slices.Backward copies each member: twice the time
		if n.Members[i].Key == key {
			return i
		}
	}
	return -1
}

// Get returns the value of the member called key, or nil.
func (n *Node) Get(key string) *Node {
	if i := n.Index(key); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// First returns the value of the first of the keys that is present and not null, or nil.
func (n *Node) First(keys ...string) *Node {
	for _, key := range keys {
		if value := n.Get(key); value != nil && value.Kind != Null {
			return value
		}
	}
	return nil
}

// Has reports whether there is a member called key.
func (n *Node) Has(key string) bool { return n.Index(key) >= 0 }

// GetString returns the value of the member called key if it is a string, and "" otherwise.
func (n *Node) GetString(key string) string {
	if value := n.Get(key); value != nil && value.Kind == String {
		return value.Text
	}
	return ""
}

// Set replaces the value of the member called key, or appends such a member.
func (n *Node) Set(key string, value *Node) {
	if i := n.Index(key); i >= 0 {
		n.Members[i].Value = value
		return
	}
	n.Members = append(n.Members, Member{Key: key, Value: value})
}

// With returns a copy of the object in which the member called key has another value. The copy
// shares all other values with n.
func (n *Node) With(key string, value *Node) *Node {
	clone := *n
	clone.Members = slices.Clone(n.Members)
	clone.Set(key, value)
	return &clone
}

// Delete removes the member called key and returns its value, or nil.
func (n *Node) Delete(key string) *Node {
	i := n.Index(key)
	if i < 0 {
		return nil
	}
	value := n.Members[i].Value
	n.Members = append(n.Members[:i], n.Members[i+1:]...)
	return value
}

// Strings returns the string elements of an array, leaving out all others.
func (n *Node) Strings() []string {
	if n == nil {
		return nil
	}
	var values []string
	for _, element := range n.Elements {
		if element.Kind == String {
			values = append(values, element.Text)
		}
	}
	return values
}

// Clone returns a deep copy. From of each copy is the From of its original, or the original
// itself if that has none.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	slab := make([]Node, 0, n.Size())
	return n.cloneInto(&slab)
}

// cloneInto takes the copies from one allocation.
func (n *Node) cloneInto(slab *[]Node) *Node {
	*slab = append(*slab, *n)
	clone := &(*slab)[len(*slab)-1]
	if clone.From == nil {
		clone.From = n
	}
	// An empty slice could still share capacity with the original's.
	clone.Members, clone.Elements = nil, nil
	if len(n.Members) > 0 {
		clone.Members = make([]Member, len(n.Members))
		for i, member := range n.Members {
			clone.Members[i] = member
			clone.Members[i].Value = member.Value.cloneInto(slab)
		}
	}
	if len(n.Elements) > 0 {
		clone.Elements = make([]*Node, len(n.Elements))
		for i, element := range n.Elements {
			clone.Elements[i] = element.cloneInto(slab)
		}
	}
	return clone
}

// Size returns how many values the tree holds.
func (n *Node) Size() int {
	if n == nil {
		return 0
	}
	size := 1
	for _, member := range n.Members {
		size += member.Value.Size()
	}
	for _, element := range n.Elements {
		size += element.Size()
	}
	return size
}

// Equal reports whether a and b are the same value to JSON Schema: members may be in any order,
// and numbers are compared by value (1.0 is 1).
func Equal(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || len(a.Members) != len(b.Members) || len(a.Elements) != len(b.Elements) {
		return false
	}
	switch a.Kind {
	case Number:
		return a.Text == b.Text || sameNumber(a.Text, b.Text)
	case Object:
		indexInA, indexInB := a.Indexed(), b.Indexed()
		for i, member := range a.Members {
			other := indexInB(member.Key)
			// If names are repeated, b may have a name that a lacks.
			if other < 0 || !Equal(member.Value, b.Members[other].Value) || indexInA(b.Members[i].Key) < 0 {
				return false
			}
		}
		return true
	case Array:
		for i, element := range a.Elements {
			if !Equal(element, b.Elements[i]) {
				return false
			}
		}
		return true
	default:
		return a.Text == b.Text
	}
}

// Identical reports whether a and b print alike: with members in the same order and numbers
// spelt alike.
func Identical(a, b *Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Members) != len(b.Members) || len(a.Elements) != len(b.Elements) {
		return false
	}
	for i, member := range a.Members {
		if member.Key != b.Members[i].Key || !Identical(member.Value, b.Members[i].Value) {
			return false
		}
	}
	for i, element := range a.Elements {
		if !Identical(element, b.Elements[i]) {
			return false
		}
	}
	return true
}

// Hash returns a number that is the same for identical trees within one run of the program and
// that other trees rarely share.
func (n *Node) Hash() uint64 {
	const factor = 0x9e3779b97f4a7c15 // odd, with bits all over
	hash := uint64(n.Kind) + maphash.String(hashSeed, n.Text)
	for i := range n.Members {
		hash = (hash^maphash.String(hashSeed, n.Members[i].Key))*factor + n.Members[i].Value.Hash()
	}
	for _, element := range n.Elements {
		hash = hash*factor + element.Hash()
	}
	return hash
}

var hashSeed = maphash.MakeSeed()

// Repeated returns a function that reports whether an earlier member has the same name as the
// member at index. The function takes constant time.
func (n *Node) Repeated() func(index int) bool {
	if len(n.Members) <= few {
		return func(index int) bool {
			for i := range index {
				if n.Members[i].Key == n.Members[index].Key {
					return true
				}
			}
			return false
		}
	}
	first := make(map[string]int, len(n.Members))
	for i := range n.Members {
		if _, isKnown := first[n.Members[i].Key]; !isKnown {
			first[n.Members[i].Key] = i
		}
	}
	return func(index int) bool { return first[n.Members[index].Key] < index }
}

// Keys returns the names of an object's members in document order.
func (n *Node) Keys() []string {
	if n == nil {
		return nil
	}
	keys := make([]string, len(n.Members))
	for i := range n.Members {
		keys[i] = n.Members[i].Key
	}
	return keys
}

// Among returns a function that reports in constant time whether a name is one of names.
func Among(names []string) func(name string) bool {
	if len(names) <= few {
		return func(name string) bool { return slices.Contains(names, name) }
	}
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return func(name string) bool { return set[name] }
}
