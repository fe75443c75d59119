package rules

import (
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ForeignDefinitions serves targets whose rules rewrite what is referred to.
var ForeignDefinitions = &rewrite.Rule{
	Name: "foreign_definitions",
	Doc: `definitions where JSON Schema has no schemas move into $defs

A reference may lead into a keyword of another language, such as components of OpenAPI. What
is there becomes a definition, which all other rules read, and the keyword goes. Sources: the Reference Object of OpenAPI 3.0.3; rule
reference_prefix of moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}, "components": {"schemas": {"A": {"type": "string"}}}}`,
	After:  `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}}`,
	Loss:   rewrite.Exact,
	Root:   true,
	Rewrite: func(p *rewrite.Pass) {
		if !p.HasAnywhere("$ref") {
			return
		}
		hoisted, keywords := map[*schema.Node]schema.Pointer{}, map[string]bool{}
		for range maxChain { // what becomes a definition may refer itself
			isSchema := subschemasOf(p)
			isForeign := func(node, target *schema.Node) bool {
				if isSchema(target) {
					return false
				}
				if base, pointer, isPointer := p.Resources().Pointer(node, rewrite.Reference(node)); isPointer && base == p.Root() {
					keywords[pointer.Tokens()[0]] = true
				}
				return true
			}
			if !defineTargets(p, hoisted, isForeign) {
				break
			}
		}
		for member := range p.Members() {
			if keywords[member.Key] && schema.ClassOf(member.Key) == schema.Unknown {
				p.Remove(member.Key, rewrite.Exact)
			}
		}
	},
}
