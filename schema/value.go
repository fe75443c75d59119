package schema

import "encoding/json"

// Value returns the value as encoding/json decodes it into an any, with numbers as json.Number,
// which keeps their spelling. It is nil for null and for a nil node.
func (n *Node) Value() any {
	switch {
	case n == nil || n.Kind == Null:
		return nil
	case n.Kind == Object:
		object := make(map[string]any, len(n.Members))
		for _, member := range n.Members {
			object[member.Key] = member.Value.Value()
		}
		return object
	case n.Kind == Array:
		array := make([]any, len(n.Elements))
		for i, element := range n.Elements {
			array[i] = element.Value()
		}
		return array
	case n.Kind == Number:
		return json.Number(n.Text)
	case n.Kind == Bool:
		return n.Text == "true"
	default:
		return n.Text
	}
}
