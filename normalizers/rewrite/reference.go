package rewrite

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"toolproof/schema"
)

// ReferenceKeywords are the keywords that lead to another schema.
var ReferenceKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// Reference returns the text of the schema's reference, or "" where it has none.
// An empty reference leads to the whole, as # does.
func Reference(node *schema.Node) string {
	for _, keyword := range ReferenceKeywords {
		if value := node.Get(keyword); value != nil && value.Kind == schema.String {
			return cmp.Or(value.Text, "#")
		}
	}
	return ""
}

// Resolve returns the schema that a reference of the given text leads to within
// root, or nil: a JSON Pointer with ~ and % escapes, an anchor, or # for the whole.
// Nothing outside is ever read.
func Resolve(root *schema.Node, reference string) *schema.Node {
	base, fragment, found := strings.Cut(reference, "#")
	if base != "" && base != strings.TrimSuffix(root.GetString("$id"), "#") {
		return nil
	}
	if !found && base == "" {
		return nil
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	if fragment == "" {
		return root
	}
	if strings.HasPrefix(fragment, "/") {
		return schemaAt(root.Find(schema.Pointer(fragment)))
	}
	var target *schema.Node
	root.Each(func(node *schema.Node) bool {
		for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
			if node.GetString(keyword) == fragment {
				target = node
			}
		}
		for _, keyword := range []string{"$id", "id"} {
			if node.GetString(keyword) == "#"+fragment {
				target = node
			}
		}
		return target == nil
	})
	return target
}

// Fragment returns the reference to a place within a document: a URI fragment, as
// RFC 6901 section 6 has it, but for letters beyond ASCII, which stay readable.
func Fragment(pointer schema.Pointer) string {
	var text strings.Builder
	text.WriteByte('#')
	for i := range len(pointer) {
		if c := pointer[i]; c <= ' ' || c == 0x7f || strings.IndexByte("%\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&text, "%%%02X", c)
		} else {
			text.WriteByte(c)
		}
	}
	return text.String()
}

// schemaAt returns the node when it can be a schema.
func schemaAt(node *schema.Node) *schema.Node {
	if node == nil || node.Kind != schema.Object && node.Kind != schema.Bool {
		return nil
	}
	return node
}

// references returns the schemas that refer to another, in document order, with
// where they lead.
func (w *Work) references() (order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	targets = map[*schema.Node]*schema.Node{}
	resolved := map[string]*schema.Node{}
	w.Root().Each(func(node *schema.Node) bool {
		w.Charge(1)
		if reference := Reference(node); reference != "" {
			target, known := resolved[reference]
			if !known {
				target = w.resolve(w.Root(), reference)
				resolved[reference] = target
			}
			if target != nil {
				order = append(order, node)
				targets[node] = target
			}
		}
		return true
	})
	return order, targets
}

// repoint makes references follow the schemas that a rule has moved.
func (w *Work) repoint(rule *Rule, order []*schema.Node, targets map[*schema.Node]*schema.Node) {
	wanted := map[*schema.Node]bool{}
	for _, target := range targets {
		wanted[target] = true
	}
	pointers := w.Root().Pointers(wanted)
	pass := &Pass{Target: w.target, work: w, rule: rule, around: &around{node: w.Root(), outer: &around{node: w.tool}}}
	for _, node := range order {
		pointer, present := pointers[targets[node]]
		if !present || w.resolve(w.Root(), Reference(node)) == targets[node] {
			continue
		}
		pass.Schema = node
		for _, keyword := range ReferenceKeywords {
			if node.Has(keyword) {
				pass.Set(keyword, schema.NewString(Fragment(pointer)), Exact)
			}
		}
	}
}
