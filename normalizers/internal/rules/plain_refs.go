package rules

import (
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
		isEscaped := func(node, _ *schema.Node) bool { return !isPlain(p, node.GetString("$ref")) }
		defineTargets(p, func() referenceFilter { return isEscaped })
	},
}

// isPlain reports whether the target takes a reference as it is.
func isPlain(p *engine.Pass, reference string) bool {
	if takes := engine.LimitsOf[References](p.Target); takes != nil {
		p.Charge(len(reference))
		return takes(p.Step, p.Root(), reference)
	}
	return reference != "#" && !strings.ContainsAny(reference, "~%")
}

// References reports whether an engine takes a reference in a schema below root. step returns the
// member or element of a node that a token of a pointer leads to. If it is nil, the target takes any
// reference without escapes except one to the root.
type References func(step func(node *schema.Node, token string) *schema.Node, root *schema.Node, reference string) bool
