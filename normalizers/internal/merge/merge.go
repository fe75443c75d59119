// Package merge makes one schema of several: an Intersection if all must hold, and a Union if one
// must hold.
package merge

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// Work is what merging needs of the rewrite that it belongs to.
type Work interface {
	// Charge takes steps off the budget, one for each value that merging looks at.
	Charge(steps int)
	// New returns a schema of the given members.
	New(members ...schema.Member) *schema.Node
	// Clone returns a copy of a schema that may be changed.
	Clone(node *schema.Node) *schema.Node
	// Content returns a schema as it is, or for a reference the schema that it leads to with the
	// siblings of the reference. It returns nil if that schema cannot replace the reference.
	Content(node *schema.Node) *schema.Node
	// SpillAt notes for the description of a schema a member that the schema cannot have.
	SpillAt(node *schema.Node, member schema.Member)
	// MoveSpills notes at the schema to what was spilled at from, which becomes a part of it.
	MoveSpills(from, to *schema.Node)
}

// Descriptions returns the outer description, followed by the inner one if that says more.
func Descriptions(outer, inner string) string {
	switch {
	case outer == "" || inner == "":
		return outer + inner
	case strings.Contains(outer, inner):
		return outer
	default:
		return outer + "\n\n" + inner
	}
}

// Names returns the names of a, followed by the names of b that are new, each once.
func Names(a, b []string) []string {
	names, seen := slices.Clone(a), make(map[string]bool, len(a)+len(b))
	for _, name := range a {
		seen[name] = true
	}
	for _, name := range b {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// Listed returns the values that a schema lists with const or enum, or nil.
func Listed(node *schema.Node) []*schema.Node {
	if value := node.Get("const"); value != nil {
		return []*schema.Node{value}
	}
	if values := node.Get("enum"); values != nil && values.Kind == schema.Array {
		return values.Elements
	}
	return nil
}

// TypesDiffer reports whether the schemas name types that have no value in common. It ignores the
// case of letters.
func TypesDiffer(a, b *schema.Node) bool {
	if a.Get("nullable").IsTrue() && b.AllowsNull() || b.Get("nullable").IsTrue() && a.AllowsNull() {
		return false
	}
	if one, other := a.Get("type"), b.Get("type"); one != nil && other != nil && one.Kind == schema.String && other.Kind == schema.String {
		return !strings.EqualFold(one.Text, other.Text) && !(isNumber(one) && isNumber(other))
	}
	x, y := a.Types(), b.Types()
	return len(x) > 0 && len(y) > 0 && len(commonTypes(x, y)) == 0
}

// isNumber reports whether a type is number or integer.
func isNumber(name *schema.Node) bool {
	return strings.EqualFold(name.Text, "number") || strings.EqualFold(name.Text, "integer")
}

// commonTypes returns the types that both lists allow. integer is within number.
func commonTypes(a, b []string) []string {
	var both []string
	for _, name := range a {
		switch {
		case slices.Contains(both, name):
		case slices.Contains(b, name), name == "integer" && slices.Contains(b, "number"):
			both = append(both, name)
		case name == "number" && slices.Contains(b, "integer") && !slices.Contains(both, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}
