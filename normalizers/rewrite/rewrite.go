// Package rewrite is the account that a normalizer gives of its work: each Change says what
// was rewritten, where, and with which Loss. An error says why a tool has no result.
package rewrite

import (
	"fmt"
	"slices"

	"toolproof/schema"
)

// Change is one rewrite that took place.
type Change struct {
	// Rule is the name of the rule that rewrote, such as const_to_enum.
	Rule string
	// At leads to the schema in the result, and From to the rewritten one in the input.
	// Both begin at the tool, whose schema is at /parameters.
	At, From schema.Pointer
	Loss     Loss
	// Restored reports whether the way back from arguments to the given tool undoes the
	// change, as it does for null in place of an absent property. Such a change loses
	// only what Remains says.
	Restored bool
	// Remains is what the change loses in spite of the way back, such as a string that is
	// not the JSON text it should be. It is Exact unless Restored is set.
	Remains Loss
	// Schema is the rewritten schema in the result; nil if it is no longer there.
	Schema *schema.Node
	// Property is the name of a property that the way back sets to null where it is absent;
	// empty if there is none.
	Property string
	// Before holds the replaced members as they are in the input, and After the new ones as
	// they are in the result. Either is the zero Part if there were none.
	Before, After Part
}

// Lost returns what the change loses after the way back: Remains if the change is Restored,
// and Loss otherwise.
func (c *Change) Lost() Loss {
	if c.Restored {
		return c.Remains
	}
	return c.Loss
}

// Loss says how a rewrite changes the set of instances that a schema accepts.
type Loss uint8

// A Loss is a set of two bits.
const (
	Exact   Loss = 0                // accepts the same instances
	Widens  Loss = 1                // accepts more instances
	Narrows Loss = 2                // accepts fewer instances
	Both         = Widens | Narrows // accepts some others, and some no more
)

var losses = [...]string{"exact", "widens", "narrows", "both"}

// String returns the name of the loss as files have it.
func (l Loss) String() string { return losses[l] }

// MarshalText returns the name of the loss.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a loss.
func (l *Loss) UnmarshalText(text []byte) error {
	at := slices.Index(losses[:], string(text))
	if at < 0 {
		return fmt.Errorf("unknown loss %q", text)
	}
	*l = Loss(at) //nolint:gosec // there are four
	return nil
}

// Part is what a change shows of a value: some members of an object, or the value as a
// whole. The zero Part shows nothing.
type Part struct {
	// A tool may have as many changes as values: most parts are members, and need no node.
	members []schema.Member
	whole   *schema.Node
}

// PartOf returns the part that is the whole node. It is the zero Part if the node is nil.
func PartOf(node *schema.Node) Part { return Part{whole: node} }

// PartOfMembers returns the part that has the members, which it keeps.
func PartOfMembers(members []schema.Member) Part { return Part{members: members} }

// IsZero reports whether the part shows nothing.
func (p Part) IsZero() bool { return p.whole == nil && p.members == nil }

// Node returns the part as a node, with members in an object, or nil for the zero Part.
func (p Part) Node() *schema.Node {
	if p.whole != nil || p.members == nil {
		return p.whole
	}
	return schema.NewObject(p.members...)
}

// Size returns the number of values in the part.
func (p Part) Size() int { return p.Node().Size() }

// MarshalJSON returns the compact JSON text of the part, or null for the zero Part.
func (p Part) MarshalJSON() ([]byte, error) {
	if p.IsZero() {
		return []byte("null"), nil
	}
	return p.Node().JSON(), nil
}

// UnmarshalJSON reads a part as a Node is read.
func (p *Part) UnmarshalJSON(data []byte) error {
	node := new(schema.Node)
	if err := node.UnmarshalJSON(data); err != nil {
		return err
	}
	*p = PartOf(node)
	return nil
}
