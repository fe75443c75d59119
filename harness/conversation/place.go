package conversation

import (
	"strings"

	"toolproof/schema"
)

// place returns the part of a body that is to blame: the node, or what param names, as far as the body
// has it.
func (f *found) place(body *schema.Node) schema.Pointer {
	if f.node != nil {
		at, _ := pointerTo(body, f.node)
		return at
	}
	var at schema.Pointer
	for _, token := range strings.FieldsFunc(f.param, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		if body = body.Step(token); body == nil {
			break
		}
		at = at.Child(token)
	}
	return at
}

// pointerTo returns the pointer to a node of a tree, and whether the tree has it.
func pointerTo(tree, node *schema.Node) (at schema.Pointer, ok bool) {
	if tree == node {
		return "", true
	}
	for i, element := range tree.Elements {
		if at, ok := pointerTo(element, node); ok {
			return schema.Pointer("").Element(i) + at, true
		}
	}
	for _, member := range tree.Members {
		if at, ok := pointerTo(member.Value, node); ok {
			return schema.Pointer("").Child(member.Key) + at, true
		}
	}
	return "", false
}
