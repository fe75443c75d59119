package schema

// IsPlain reports whether the node is the schema of a string, number, integer or boolean with
// nothing beside its type but a description. Two of three properties of real tools are plain, and
// most rules do not apply to them, so that expensive walks should skip them.
func (n *Node) IsPlain() bool {
	const most = 2
	if n.Kind != Object || len(n.Members) == 0 || len(n.Members) > most {
		return false
	}
	hasType := false
	for i := range n.Members {
		switch value := n.Members[i].Value; n.Members[i].Key {
		case "type":
			if hasType || value.Kind != String || !isScalarType(value.Text) {
				return false
			}
			hasType = true
		case "description":
			if value.Kind != String || value.Text == "" {
				return false
			}
		default:
			return false
		}
	}
	return hasType
}

func isScalarType(name string) bool {
	switch name {
	case "string", "number", "integer", "boolean":
		return true
	default:
		return false
	}
}
