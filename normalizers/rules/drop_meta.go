package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DropMeta serves targets that refuse what they do not know.
var DropMeta = &rewrite.Rule{
	Name: "drop_meta",
	Doc: `keywords about the schema itself are left out

$schema, $id, $comment, $vocabulary, anchors, OpenAPI's xml, externalDocs and
discriminator, and names that begin with x-. They accept every instance and tell a
model nothing. Definitions go when nothing refers to them any more. Sources: seed 001;
seed 002 patterns 2, 3 and 4.`,
	Before: `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "a", "type": "string", "x-order": 1}`,
	After:  `{"type": "string"}`,
	Loss:   rewrite.Exact,
	Idle:   func(_ *rewrite.Target, keyword string) bool { return !isMeta(keyword) },
	Rewrite: func(p *rewrite.Pass) {
		for member := range p.Members() {
			isDefinitions := member.Key == "$defs" || member.Key == "definitions"
			switch {
			case isDefinitions && p.IsRoot() && !p.Refuses(member.Key):
				dropUnused(p, member)
			case isMeta(member.Key) && p.Refuses(member.Key), isDefinitions && !p.IsRoot() && p.Target.Keywords != nil:
				p.Remove(member.Key, rewrite.Exact)
			}
		}
	},
}

// dropUnused removes the definitions that nothing in the schema leads to.
func dropUnused(p *rewrite.Pass, definitions schema.Member) {
	used := map[*schema.Node]bool{}
	var reach func(node *schema.Node)
	reach = func(node *schema.Node) {
		node.Each(func(below *schema.Node) bool {
			for _, definition := range definitions.Value.Members {
				if definition.Value == below && !used[below] {
					return false
				}
			}
			if target := p.Resolve(below); target != nil && !used[target] {
				used[target] = true
				reach(target)
			}
			return true
		})
	}
	reach(p.Root())
	for _, definition := range slices.Clone(definitions.Value.Members) {
		if !used[definition.Value] {
			p.Below(definitions.Value, "").Remove(definition.Key, rewrite.Exact)
		}
	}
	if len(definitions.Value.Members) == 0 {
		p.Remove(definitions.Key, rewrite.Exact)
	}
}

// isMeta reports whether a member speaks of the schema and not of instances.
func isMeta(keyword string) bool {
	switch keyword {
	case "$schema", "$id", "id", "$comment", "$vocabulary", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$defs", "definitions",
		"xml", "externalDocs", "discriminator":
		return true
	default:
		return schema.ClassOf(keyword) == schema.Unknown && (strings.HasPrefix(keyword, "x-") || strings.HasPrefix(keyword, "$"))
	}
}
