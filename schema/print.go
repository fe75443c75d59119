package schema

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendJSON appends the compact JSON text of the tree to dst. It has no white space,
// and members in order. Numbers keep their spelling, and strings have the fewest
// escapes. Equal trees of equal order have equal text, so that a digest can stand for
// it.
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

// MostBytes returns a number of bytes that the JSON text does not exceed, also where each
// character is escaped. It costs much less than the text, for one who bounds large trees.
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

// String returns the compact JSON text of the tree.
func (n *Node) String() string {
	if n == nil {
		return "<none>"
	}
	return string(n.JSON())
}

// MarshalJSON returns the compact JSON text of the tree.
func (n *Node) MarshalJSON() ([]byte, error) { return n.JSON(), nil }

// UnmarshalJSON reads a tree with Parse; positions count from the start of data.
func (n *Node) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*n = *parsed
	return nil
}

// Indented returns the JSON text of the tree over several lines, two spaces a
// level.
func (n *Node) Indented() []byte {
	value := jsontext.Value(n.JSON())
	// The text was printed above, so that it cannot fail to be read.
	_ = value.Indent(jsontext.WithIndent("  "))
	return value
}

// AppendQuoted appends s as a JSON string. Invalid UTF-8, which Parse refuses
// and only a program can put into a tree, becomes the replacement character.
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

// isPlain reports whether a text is of ASCII and stands in JSON as it is: most texts are
// and do. It looks at eight letters at once, because printing looks at each letter of
// each result.
func isPlain(s string) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	for ; len(s) >= 8; s = s[8:] {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, backslash := w^'"'*ones, w^'\\'*ones
		// A byte below n, where the highest bit is not set, borrows from its highest bit.
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
