// Package rewrite describes what a normalizer does to a tool: each Change says what it rewrote, where,
// and with which Loss. The errors say why a tool has no result.
package rewrite

import (
	"fmt"
	"slices"

	"toolproof/schema"
)

// Change is one rewrite that took place.
type Change struct { //nolint:recvcheck // a printed value has a String, too
	// Rule is the name of the rule that rewrote, such as const_to_enum.
	Rule string
	// At leads to the schema in the result, and From to the rewritten one in the input.
	// Both begin at the tool, whose schema is at /parameters.
	At, From schema.Pointer
	Loss     Loss
	// Restored reports whether Result.Restore undoes the change in the arguments of a call,
	// such as null that stands for an absent property. The loss of such a change is Remains.
	Restored bool
	// Remains is the loss in spite of Result.Restore, as for a string that should be JSON text
	// and is not. It is Exact unless Restored is set.
	Remains Loss
	// Schema is the rewritten schema in the result; nil if it is no longer there.
	Schema *schema.Node
	// Property is the name of a property that Result.Restore sets to null where it is absent;
	// empty if there is none.
	Property string
	// Before holds the replaced members as they are in the input, and After the new members as
	// they are in the result. Each is the zero Part if there are none.
	Before, After Part
}

// Lost returns the loss that remains after Result.Restore: Remains if the change is Restored, and
// Loss otherwise.
func (c *Change) Lost() Loss {
	if c.Restored {
		return c.Remains
	}
	return c.Loss
}

// String returns the rule, the place in the tool as given, what was there and what replaces it, and the
// loss: "const_to_enum at /parameters/properties/unit: {"const":"celsius"} becomes {"enum":["celsius"]} (exact)".
func (c Change) String() string {
	text := c.Rule + " at " + string(c.From)
	switch {
	case !c.Before.IsZero() && !c.After.IsZero():
		text += fmt.Sprintf(": %s becomes %s", c.Before.Node(), c.After.Node())
	case !c.Before.IsZero():
		text += fmt.Sprintf(": %s is left out", c.Before.Node())
	case !c.After.IsZero():
		text += fmt.Sprintf(": %s is added", c.After.Node())
	}
	if c.Restored && c.Loss != c.Remains {
		return text + fmt.Sprintf(" (%s, after Restore %s)", c.Loss, c.Remains)
	}
	return text + fmt.Sprintf(" (%s)", c.Loss)
}

// Loss says how a rewrite changes the set of instances that a schema accepts.
type Loss uint8

// A Loss is a set. Closes is a part of Narrows, so that a loss of both is Narrows.
const (
	Exact  Loss = 0 // accepts the same instances
	Widens Loss = 1 // accepts more instances
	// Closes: an object that says nothing of properties beside those that it lists accepts only
	// those.
	Closes  Loss = 2
	Narrows      = Closes | 4       // accepts fewer instances
	Both         = Widens | Narrows // accepts some instances more and some fewer
)

var losses = [...]string{Exact: "exact", Widens: "widens", Closes: "closes", Widens | Closes: "widens_closes", Narrows: "narrows", Both: "both"}

// String returns the name of the loss as files have it.
func (l Loss) String() string { return losses[l] }

// MarshalText returns the name of the loss.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a loss.
func (l *Loss) UnmarshalText(text []byte) error {
	at := slices.Index(losses[:], string(text))
	if at < 0 || len(text) == 0 {
		return fmt.Errorf("unknown loss %q", text)
	}
	*l = Loss(at) //nolint:gosec // there are few
	return nil
}

// Part is the part of a value that a change shows: some members of an object, or the whole value. The
// zero Part shows nothing.
type Part struct {
	// Most parts are members. Keeping them without a node saves memory, because a tool may have
	// as many changes as values.
	members []schema.Member
	whole   *schema.Node
}

// PartOf returns the part that shows a whole node. It is the zero Part if the node is nil.
func PartOf(node *schema.Node) Part { return Part{whole: node} }

// PartOfMembers returns the part that shows members. It keeps the list.
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
