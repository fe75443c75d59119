package engines

import (
	"math"
	"strconv"
	"strings"

	"toolproof/schema"
)

// jsonWriter writes values as a C++ library does.
type jsonWriter struct {
	number  func(out []byte, value *schema.Node) []byte
	escaped string // the printable characters that are written after a backslash
	// hidden is the one character besides control characters that is written as \u, or 0.
	hidden  byte
	members func(*schema.Node) []schema.Member
}

// The JSON libraries of llama.cpp and xgrammar.
var (
	nlohmann = jsonWriter{number: appendNlohmannNumber, escaped: `"\`, members: func(node *schema.Node) []schema.Member { return node.Members }}
	picojson = jsonWriter{number: appendPicoNumber, escaped: `"\/`, hidden: 0x7f, members: membersOf}
)

func appendNlohmann(out []byte, value *schema.Node) []byte { return nlohmann.append(out, value) }

func appendPicoJSON(out []byte, value *schema.Node) []byte { return picojson.append(out, value) }

func (w *jsonWriter) append(out []byte, value *schema.Node) []byte {
	if value == nil {
		return append(out, "null"...)
	}
	switch value.Kind {
	case schema.Object:
		out = append(out, '{')
		for i, member := range w.members(value) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(w.text(out, member.Key), ':')
			out = w.append(out, member.Value)
		}
		return append(out, '}')
	case schema.Array:
		out = append(out, '[')
		for i, element := range value.Elements {
			if i > 0 {
				out = append(out, ',')
			}
			out = w.append(out, element)
		}
		return append(out, ']')
	case schema.String:
		return w.text(out, value.Text)
	case schema.Number:
		return w.number(out, value)
	case schema.Bool:
		return append(out, value.Text...)
	default:
		return append(out, "null"...)
	}
}

// text writes a string. Characters beyond ASCII are not escaped.
func (w *jsonWriter) text(out []byte, text string) []byte {
	const hex, short = "0123456789abcdef", "\b\f\n\r\t"
	out = append(out, '"')
	for _, letter := range []byte(text) {
		switch i := strings.IndexByte(short, letter); {
		case strings.IndexByte(w.escaped, letter) >= 0:
			out = append(out, '\\', letter)
		case i >= 0:
			out = append(out, '\\', "bfnrt"[i])
		case letter < ' ' || letter == w.hidden && letter != 0:
			out = append(out, '\\', 'u', '0', '0', hex[letter>>4], hex[letter&0xf])
		default:
			out = append(out, letter)
		}
	}
	return append(out, '"')
}

// appendNlohmannNumber writes a number that was read as an integer in full, and any other in the
// shortest form that is read as the same float.
func appendNlohmannNumber(out []byte, value *schema.Node) []byte {
	if whole, isLarge, ok := wholeOf(value.Text); ok {
		if isLarge {
			return strconv.AppendUint(out, uint64(whole), 10) //nolint:gosec // it wrapped
		}
		return strconv.AppendInt(out, whole, 10)
	}
	const least, most = 1e-4, 1e15 // a number from least up to most has no exponent
	number := floatOf(value)
	if size := math.Abs(number); number != 0 && (size < least || size >= most) {
		return strconv.AppendFloat(out, number, 'e', -1, 64)
	}
	start := len(out)
	out = strconv.AppendFloat(out, number, 'f', -1, 64)
	if !strings.Contains(string(out[start:]), ".") {
		out = append(out, ".0"...)
	}
	return out
}

// appendPicoNumber writes integers and whole numbers below 2^53 in full, and others with 17 digits.
func appendPicoNumber(out []byte, node *schema.Node) []byte {
	const whole, digits = 1 << 53, 17
	if value, ok := integerOf(node); ok {
		return strconv.AppendInt(out, value, 10)
	}
	value := floatOf(node)
	if math.Abs(value) < whole && value == math.Trunc(value) {
		return strconv.AppendFloat(out, value, 'f', 0, 64)
	}
	return append(out, shortened(strconv.FormatFloat(value, 'e', digits-1, 64))...)
}
