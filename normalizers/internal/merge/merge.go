// Package merge makes one schema of several: an Intersection accepts what all of them accept, and a
// Union what at least one accepts.
package merge

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// Work is what merging needs from the engine.
type Work interface {
	// Charge takes steps off the budget, one for each value that merging reads.
	Charge(steps int)
	// New returns a schema of the given members.
	New(members ...schema.Member) *schema.Node
	// Clone returns a copy of a schema that may be changed.
	Clone(node *schema.Node) *schema.Node
	// Content returns the schema itself, or for a reference a copy of its target with the
	// siblings of the reference. It returns nil if no copy can replace the reference.
	Content(node *schema.Node) *schema.Node
	// SpillAt spills a member into the description of a schema that cannot have it.
	SpillAt(node *schema.Node, member schema.Member)
	// MoveSpills moves the members spilled into the description of from to that of to.
	MoveSpills(from, to *schema.Node)
}

// Descriptions returns the outer description, followed by the inner one unless the outer one contains
// it.
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

// Names returns the names of a as they are, followed by each other name of b once.
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
	if typeA, typeB := a.Get("type"), b.Get("type"); typeA != nil && typeB != nil && typeA.Kind == schema.String && typeB.Kind == schema.String {
		return !strings.EqualFold(typeA.Text, typeB.Text) && !(isNumber(typeA) && isNumber(typeB))
	}
	typesA, typesB := a.Types(), b.Types()
	return len(typesA) > 0 && len(typesB) > 0 && len(commonTypes(typesA, typesB)) == 0
}

// isNumber reports whether a type is number or integer.
func isNumber(name *schema.Node) bool {
	return strings.EqualFold(name.Text, "number") || strings.EqualFold(name.Text, "integer")
}

// commonTypes returns the types that both lists allow. number includes integer.
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
