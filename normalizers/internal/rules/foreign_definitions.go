package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ForeignDefinitions serves targets whose rules rewrite the schemas that references lead to.
var ForeignDefinitions = &engine.Rule{
	Name: "foreign_definitions",
	Doc: `definitions where JSON Schema has no schemas move into $defs

A reference may lead into a keyword of another language, such as components of OpenAPI. What
it leads to becomes a definition, which all other rules read, and the keyword is removed.
Sources: the Reference Object of OpenAPI 3.0.3; rule reference_prefix of moonshot/chat,
2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}, "components": {"schemas": {"A": {"type": "string"}}}}`,
	After:  `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}}`,
	Loss:   rewrite.Exact,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		if !p.HasAnywhere("$ref") {
			return
		}
		isKnown, keywords := subschemasOf(p), map[string]bool{}
		hoisted := map[*schema.Node]schema.Pointer{}
		for waiting := []*schema.Node{p.Root()}; len(waiting) > 0; {
			found := foreignReferences(p, waiting, isKnown)
			waiting = nil
			definitions, taken := schema.NewObject(), map[string]bool{}
			for _, definition := range membersOf(p.Root().Get("$defs")) {
				definitions.Members = append(definitions.Members, definition)
				taken[definition.Key] = true
			}
			for _, f := range found {
				keywords[f.keyword] = true
				if _, isHoisted := hoisted[f.target]; !isHoisted {
					own := definitionNameOf(f.node.Reference())
					name, content := freeName(definitionName(own), own, engine.NameGrammar{}, taken), p.Copy(f.target)
					definitions.Members = append(definitions.Members, schema.Member{Key: name, Value: content})
					taken[name], hoisted[f.target] = true, schema.Pointer("/$defs").Child(name)
					waiting = append(waiting, content) // the definition may have references too
				}
				p.Below(f.node, "").Set("$ref", schema.NewString(hoisted[f.target].Fragment()), rewrite.Exact)
			}
			if len(waiting) > 0 {
				p.Set("$defs", definitions, rewrite.Exact)
			}
		}
		for member := range p.Members() {
			if keywords[member.Key] && schema.ClassOf(member.Key) == schema.Unknown {
				p.Remove(member.Key, rewrite.Exact)
			}
		}
	},
}

// foreign is a reference whose target is not a subschema. keyword is the name of the root's member
// that contains the target, or "".
type foreign struct {
	node, target *schema.Node
	keyword      string
}

// foreignReferences returns the references within schemas whose target is not known. The caller should
// not change any before all are found, because the engine builds its tables of members anew after a
// change.
func foreignReferences(p *engine.Pass, schemas []*schema.Node, isKnown func(*schema.Node) bool) (found []foreign) {
	for _, root := range schemas {
		root.Each(func(node *schema.Node) bool {
			p.Charge(1)
			target := p.Resolve(node)
			if target == nil || node.GetString("$ref") == "" || isKnown(target) {
				return true
			}
			f := foreign{node: node, target: target}
			if base, pointer, isPointer := p.Resources().Pointer(node, node.Reference()); isPointer && base == p.Root() {
				f.keyword = pointer.Tokens()[0]
			}
			found = append(found, f)
			return true
		})
	}
	return found
}
