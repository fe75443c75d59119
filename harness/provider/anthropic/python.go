package anthropic

import (
	"strconv"
	"strings"

	"toolproof/schema"
)

// pythonText prints a value as Python's str does: strings as they are.
func pythonText(node *schema.Node) string {
	if node.Kind == schema.String {
		return node.Text
	}
	return pythonValue(node)
}

// pythonValue prints a value as Python's repr does; numbers as they are spelt.
func pythonValue(node *schema.Node) string {
	switch node.Kind {
	case schema.Null:
		return "None"
	case schema.Bool:
		return strings.ToUpper(node.Text[:1]) + node.Text[1:]
	case schema.String:
		return pythonString(node.Text)
	case schema.Array:
		elements := make([]string, len(node.Elements))
		for i, element := range node.Elements {
			elements[i] = pythonValue(element)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case schema.Object:
		members := make([]string, len(node.Members))
		for i, member := range node.Members {
			members[i] = pythonString(member.Key) + ": " + pythonValue(member.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	default:
		return node.Text
	}
}

// pythonString prints a string in single quotes, or in double ones around an
// apostrophe; what is not printable as its escape.
func pythonString(text string) string {
	quoted := strconv.Quote(text)
	inner := quoted[1 : len(quoted)-1]
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		return `"` + inner + `"`
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(inner, `\"`, `"`), "'", `\'`) + "'"
}
