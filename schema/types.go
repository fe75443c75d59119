package schema

import "slices"

// Types returns the types that a schema names, or nil if it names none.
func (n *Node) Types() []string {
	value := n.Get("type")
	switch {
	case value == nil:
		return nil
	case value.Kind == String:
		return []string{value.Text}
	default:
		return value.Strings()
	}
}

// AllowsNull reports whether the type and nullable keywords of a schema allow null.
func (n *Node) AllowsNull() bool {
	value := n.Get("type")
	switch {
	case value == nil || n.IsNullable():
		return true
	case value.Kind == String:
		return value.Text == "null"
	default:
		isName := func(element *Node) bool { return element.Kind == String }
		return !slices.ContainsFunc(value.Elements, isName) || slices.ContainsFunc(value.Elements, func(element *Node) bool { return element.Is("null") })
	}
}

// IsNullable reports whether nullable is true. The string "true" counts, as it does to Google's
// readers.
func (n *Node) IsNullable() bool {
	nullable := n.Get("nullable")
	return nullable.IsTrue() || nullable.Is("true")
}
