package conversation

import (
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// place returns the part of a body that is to blame: the node, or what param names, as far as the body
// has it.
func (f *found) place(body *schema.Node) schema.Pointer {
	if f.node != nil {
		at, _ := pointerTo(body, f.node)
		return at
	}
	return along(f.param, body)
}

// along follows a path such as messages.[2].role or contents[0].parts as far as a body has it.
func along(path string, body *schema.Node) schema.Pointer {
	var at schema.Pointer
	for _, token := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		next := body.Step(token)
		if next == nil { // Google's answers have the names of the proto
			token = camel(token)
			next = body.Step(token)
		}
		if body = next; body == nil {
			break
		}
		at = at.Child(token)
	}
	return at
}

// camel returns the JSON name of a field by its name in the proto: functionCall for function_call.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}

// path matches a path into the messages or the tools of a request, as providers write it.
var path = lazy.Compile(`\b(?:messages|contents|input|tools|functions)(?:\.?\[\d+\]|\.\w+)+`)

// PlaceIn returns the deepest place in the messages or the tools of a request that the words of a provider name, or "" if
// they name none that the request has.
func PlaceIn(words string, body *schema.Node) schema.Pointer {
	var deepest schema.Pointer
	for _, named := range path.FindAllString(words, -1) {
		if at := along(named, body); len(at.Tokens()) > max(len(deepest.Tokens()), 1) {
			deepest = at
		}
	}
	return deepest
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
