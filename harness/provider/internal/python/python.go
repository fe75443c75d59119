// Package python prints JSON values as Python does. Several providers' messages quote
// values in this form.
package python

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"toolproof/schema"
)

// String prints a string as Python's repr does.
func String(text string) string {
	quote := byte('\'')
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	out := []byte{quote}
	for _, r := range text {
		switch {
		case r == rune(quote) || r == '\\':
			out = append(out, '\\', byte(r)) //nolint:gosec // one of three, all ASCII
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r == '\t':
			out = append(out, `\t`...)
		case strconv.IsPrint(r):
			out = append(out, string(r)...)
		case r <= 0xff:
			out = fmt.Appendf(out, `\x%02x`, r)
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\U%08x`, r)
		}
	}
	return string(append(out, quote))
}

// Value prints a JSON value as repr(json.loads(text)) does in Python.
func Value(node *schema.Node) string {
	switch node.Kind {
	case schema.Null:
		return "None"
	case schema.Bool:
		return strings.ToUpper(node.Text[:1]) + node.Text[1:]
	case schema.String:
		return String(node.Text)
	case schema.Array:
		elements := make([]string, len(node.Elements))
		for i, element := range node.Elements {
			elements[i] = Value(element)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case schema.Object:
		members := make([]string, len(node.Members))
		for i, member := range node.Members {
			members[i] = String(member.Key) + ": " + Value(member.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	default:
		return number(node.Text)
	}
}

// number prints a number as Python does: an integer with the digits that it has, and any other number
// as the shortest float, with an exponent if it is below 1e-04 or at least 1e+16.
func number(text string) string {
	if text == "-0" {
		return "0"
	}
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil { // beyond the range of float64
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(value, 'f', -1, 64), "+"))
	}
	const least, most = 1e-4, 1e16
	if size := math.Abs(value); size != 0 && (size < least || size >= most) {
		return strconv.FormatFloat(value, 'e', -1, 64)
	}
	fixed := strconv.FormatFloat(value, 'f', -1, 64)
	if !strings.Contains(fixed, ".") {
		fixed += ".0"
	}
	return fixed
}

// Text prints a value as Python's str does: a string without quotes, any other value like
// Value.
func Text(node *schema.Node) string {
	if node.Kind == schema.String {
		return node.Text
	}
	return Value(node)
}
