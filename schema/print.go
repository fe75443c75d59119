package schema

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the compact JSON text of the tree to dst: without white space, with
// members in order, numbers as they were spelt, and strings with as few escapes as possible.
// Identical trees have identical text.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch n.Kind {
	case Object:
		dst = append(dst, '{')
		for i, member := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendQuoted(dst, member.Key)
			dst = append(dst, ':')
			dst = member.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	case Array:
		dst = append(dst, '[')
		for i, element := range n.Elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = element.AppendJSON(dst)
		}
		return append(dst, ']')
	case String:
		return AppendQuoted(dst, n.Text)
	case Null:
		return append(dst, "null"...)
	default:
		return append(dst, n.Text...)
	}
}

// JSON returns the compact JSON text of the tree.
func (n *Node) JSON() []byte { return n.AppendJSON(nil) }

// MostBytes returns an upper bound for the length of the JSON text, even if a printer escapes
// every character. It costs much less than printing a large tree.
func (n *Node) MostBytes() int {
	const (
		escaped = len(`\u003c`)
		around  = len("null,") // of a value, or of a name with its quotes and colon
	)
	most := around + escaped*len(n.Text)
	for i := range n.Members {
		most += around + escaped*len(n.Members[i].Key) + n.Members[i].Value.MostBytes()
	}
	for _, element := range n.Elements {
		most += element.MostBytes()
	}
	return most
}

// String returns the compact JSON text of the tree, or "<none>" for a nil node.
func (n *Node) String() string {
	if n == nil {
		return "<none>"
	}
	return string(n.JSON())
}

// MarshalJSON returns the compact JSON text of the tree.
func (n *Node) MarshalJSON() ([]byte, error) { return n.JSON(), nil }

// UnmarshalJSON reads a tree as Parse does. Positions count from the start of data.
func (n *Node) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*n = *parsed
	return nil
}

// Indented returns the JSON text of the tree over several lines, indented by two spaces a
// level.
func (n *Node) Indented() []byte {
	value := jsontext.Value(n.JSON())
	// The text was printed above and is valid JSON.
	_ = value.Indent(jsontext.WithIndent("  "))
	return value
}

// AppendQuoted appends s as a JSON string. Invalid UTF-8, which Parse refuses and only a
// program can put into a tree, becomes the replacement character.
func AppendQuoted(dst []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(dst, '"'), s...), '"')
	}
	quoted, err := jsontext.AppendQuote(dst, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(dst, []byte(string([]rune(s))))
	}
	return quoted
}

// isPlain reports whether s is ASCII and needs no escape in JSON, as most texts do. It looks at
// eight bytes at a time, because printing looks at every byte of every result.
func isPlain(s string) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, backslash := w^'"'*ones, w^'\\'*ones
		// Subtracting n borrows from the highest bit of every byte below n that does not have
		// it set.
		if (w|(w-' '*ones)|(quote-ones)|(backslash-ones))&highs != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
