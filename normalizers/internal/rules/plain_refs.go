package rules

import (
	"net/url"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PlainRefs serves engines that do not decode the escapes in a pointer.
var PlainRefs = &engine.Rule{
	Name: "plain_refs",
	Doc: `a reference has no escapes

A pointer with ~0, ~1 or a percent sign leads to a definition with a plain name instead, and
a reference to the root leads to a copy of the root among the definitions. Some engines take
these and refuse pointers into lists. Sources: resolve_refs in json-schema-to-grammar.cpp of
llama.cpp ec98e2002; URIToRule in json_schema_converter.cc of xgrammar 0.1.27.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A%20b"}}, "$defs": {"A b": {"type": "string"}}}`,
	After: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A_b"}}, ` +
		`"$defs": {"A b": {"$ref": "#/$defs/A_b"}, "A_b": {"type": "string"}}}`,
	Loss: rewrite.Exact,
	Root: true,
	Rewrite: func(p *engine.Pass) {
		if !p.HasAnywhere("$ref") {
			return
		}
		hoisted := map[*schema.Node]schema.Pointer{}
		isEscaped := func(node, _ *schema.Node) bool { return !isPlain(p, node.GetString("$ref")) }
		for range maxChain { // a definition that moves may have references with escapes too
			if !defineTargets(p, hoisted, isEscaped) {
				return
			}
		}
	},
}

// defineTargets turns the targets of the references for which isWanted holds into definitions
// with plain names, each target once, which it notes in hoisted. It reports whether there was
// any such reference.
func defineTargets(p *engine.Pass, hoisted map[*schema.Node]schema.Pointer, isWanted func(node, target *schema.Node) bool) (changed bool) {
	var wanted []*schema.Node
	targets := map[*schema.Node]*schema.Node{} // as they are before one moves
	isSchema := subschemasOf(p)
	p.Root().Each(func(node *schema.Node) bool {
		p.Charge(1)
		if target := p.Resolve(node); target != nil && node.GetString("$ref") != "" && isWanted(node, target) {
			wanted, targets[node] = append(wanted, node), target
		}
		return true
	})
	for _, node := range wanted {
		target := targets[node]
		to, known := hoisted[target]
		switch {
		case known:
		case target == p.Root():
			to = copyRoot(p)
		default:
			to = hoistTarget(p, target, plainName(definitionNameOf(node.Reference())), isSchema)
		}
		hoisted[target] = to
		p.Below(node, "").Set("$ref", schema.NewString(to.Fragment()), rewrite.Exact)
		changed = true
	}
	return changed
}

// isPlain reports whether an engine takes a reference as it is written.
func isPlain(p *engine.Pass, reference string) bool {
	if takes := engine.LimitsOf[References](p.Target); takes != nil {
		p.Charge(len(reference))
		return takes(p.Step, p.Root(), reference)
	}
	return reference != "#" && !strings.ContainsAny(reference, "~%")
}

// copyRoot makes a definition of a copy of the root without its definitions, and returns the
// pointer to it.
func copyRoot(p *engine.Pass) schema.Pointer {
	content := p.Clone(p.Root())
	content.Delete("$defs")
	content.Delete("$schema")
	pointer := define(p, "root", content)
	content.Each(func(node *schema.Node) bool {
		for _, name := range namesOfOne {
			node.Delete(name)
		}
		if node.GetString("$ref") == "#" {
			node.Set("$ref", schema.NewString(pointer.Fragment()))
		}
		return true
	})
	return pointer
}

// plainName returns a name with _ for all characters but letters, digits, - and _.
func plainName(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, name)
}

// References reports whether an engine takes a reference in a schema of root. step returns the
// member or element of a node that a token of a pointer leads to. nil takes any reference
// without escapes but that to the root.
type References func(step func(node *schema.Node, token string) *schema.Node, root *schema.Node, reference string) bool
