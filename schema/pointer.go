package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Pointer is a JSON Pointer (RFC 6901): "" is the whole document, and each "/token" leads to a
// member or an element.
type Pointer string

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// Child returns the pointer to the member or element named by token.
func (p Pointer) Child(token string) Pointer {
	if strings.IndexByte(token, '~') >= 0 || strings.IndexByte(token, '/') >= 0 {
		token = escaper.Replace(token)
	}
	return p + "/" + Pointer(token)
}

// AppendToken is like Pointer.Child for the text of a pointer: it appends the slash and the
// escaped token.
func AppendToken(at []byte, token string) []byte {
	at = append(at, '/')
	if strings.IndexByte(token, '~') >= 0 || strings.IndexByte(token, '/') >= 0 {
		token = escaper.Replace(token)
	}
	return append(at, token...)
}

// Element returns the pointer to the element at index.
func (p Pointer) Element(index int) Pointer { return p + "/" + Pointer(strconv.Itoa(index)) }

// Tokens returns the unescaped tokens of the pointer, outermost first.
func (p Pointer) Tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(string(p), "/"), "/")
	for i, token := range tokens {
		if strings.Contains(token, "~") {
			tokens[i] = unescaper.Replace(token)
		}
	}
	return tokens
}

// Fragment returns the pointer as a URI fragment with its "#" (RFC 6901 section 6). Characters
// beyond ASCII are not escaped.
func (p Pointer) Fragment() string {
	var text strings.Builder
	text.WriteByte('#')
	for i := range len(p) {
		if c := p[i]; c <= ' ' || c == 0x7f || strings.IndexByte("%\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&text, "%%%02X", c)
		} else {
			text.WriteByte(c)
		}
	}
	return text.String()
}

// Under reports whether p is parent or lies below it.
func (p Pointer) Under(parent Pointer) bool {
	rest, ok := strings.CutPrefix(string(p), string(parent))
	return ok && (rest == "" || rest[0] == '/')
}

// Find returns the value at the pointer, or nil if there is none. A non-empty text that does
// not begin with a slash is not a pointer and leads nowhere.
func (n *Node) Find(p Pointer) *Node { return Indices(nil).Find(n, p) }

// Find returns what n.Find returns.
func (x Indices) Find(n *Node, p Pointer) *Node {
	if p != "" && p[0] != '/' {
		return nil
	}
	for p != "" && n != nil {
		token, rest := string(p[1:]), Pointer("")
		if end := strings.IndexByte(token, '/'); end >= 0 {
			token, rest = token[:end], p[1+end:]
		}
		if strings.IndexByte(token, '~') >= 0 {
			token = unescaper.Replace(token)
		}
		n, p = x.step(n, token), rest
	}
	return n
}

// Step returns the member or element named by one unescaped token, or nil. An array index has
// no leading zeros, as in RFC 6901.
func (n *Node) Step(token string) *Node { return Indices(nil).step(n, token) }

func (x Indices) step(n *Node, token string) *Node {
	if n == nil || n.Kind != Array {
		return x.Get(n, token)
	}
	index, err := strconv.Atoi(token)
	if err != nil || index < 0 || index >= len(n.Elements) || strconv.Itoa(index) != token {
		return nil
	}
	return n.Elements[index]
}

// Pointers returns the pointer to each of the nodes that the tree n holds, in one walk.
func (n *Node) Pointers(nodes map[*Node]bool) map[*Node]Pointer {
	found := make(map[*Node]Pointer, len(nodes))
	var walk func(node *Node, at []byte)
	walk = func(node *Node, at []byte) {
		if len(found) == len(nodes) {
			return
		}
		if nodes[node] {
			found[node] = Pointer(at)
		}
		for _, member := range node.Members {
			walk(member.Value, AppendToken(at, member.Key))
		}
		for i, element := range node.Elements {
			walk(element, strconv.AppendInt(append(at, '/'), int64(i), 10))
		}
	}
	walk(n, make([]byte, 0, 128))
	return found
}
