package merge

import (
	"slices"

	"toolproof/schema"
)

// Union makes one schema that accepts what at least one of several schemas accepts. A Union with only
// its Work set accepts nothing yet.
type Union struct {
	Work Work

	node   *schema.Node
	values *schema.Values // of the enum of node, which Schema writes; nil if there is none
	isOwn  bool           // the list of anyOf in node is a copy, to which branches can be added
}

// Add makes the union accept what another schema accepts.
func (u *Union) Add(other *schema.Node) {
	u.Work.Charge(other.Size())
	switch {
	case u.node == nil:
		u.node = other
	case u.node.IsTrue() || u.values == nil && schema.Equal(u.node, other):
	case other.IsTrue():
		u.node, u.values = other, nil
	case (u.values != nil || isList(u.node)) && isList(other) && schema.Equal(typeOrNull(u.node), typeOrNull(other)):
		u.list(other)
	case isUnion(u.node):
		u.union(other)
	default:
		u.node = u.Work.New(schema.Member{Key: "anyOf", Value: schema.NewArray(u.Schema(), other)})
		u.values, u.isOwn = nil, true
	}
}

// list adds the values that another schema lists to the enum.
func (u *Union) list(other *schema.Node) {
	if u.values == nil {
		u.values = new(schema.Values)
		u.listed(u.node)
		u.node = u.Work.Clone(u.node)
		u.node.Delete("const")
		u.node.Set("enum", schema.NewArray())
	}
	u.listed(other)
}

func (u *Union) listed(node *schema.Node) {
	for _, value := range Listed(node) {
		u.values.Add(value)
	}
}

// union adds a branch.
func (u *Union) union(other *schema.Node) {
	union := u.node.Get("anyOf")
	if !u.isOwn {
		u.Work.Charge(len(union.Elements))
		union, u.isOwn = schema.NewArray(slices.Clone(union.Elements)...), true
		u.node.Set("anyOf", union)
	}
	union.Elements = append(union.Elements, other)
}

// Schema returns the schema that accepts what at least one of the added schemas accepts.
func (u *Union) Schema() *schema.Node {
	if u.values != nil {
		u.node.Set("enum", schema.NewArray(u.values.List()...))
	}
	return u.node
}

func typeOrNull(node *schema.Node) *schema.Node {
	if value := node.Get("type"); value != nil {
		return value
	}
	return &schema.Node{}
}

// isList reports whether a schema lists values, and has only a type and annotations besides.
func isList(node *schema.Node) bool {
	return Listed(node) != nil && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "const" && member.Key != "enum" && member.Key != "type" && !schema.IsAnnotation(member.Key)
	})
}

// isUnion reports whether a schema has only anyOf, as the result of a Union has.
func isUnion(node *schema.Node) bool { return len(node.Members) == 1 && node.Has("anyOf") }
