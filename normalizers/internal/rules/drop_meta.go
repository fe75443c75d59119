package rules

import (
	"net/url"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DropMeta serves targets that refuse unknown keywords.
var DropMeta = &engine.Rule{
	Name: "drop_meta",
	Doc: `keywords about the schema itself are left out

These are $schema, $id, $comment, $vocabulary, anchors, names that begin with x-, and
OpenAPI's xml, externalDocs and discriminator. They accept every instance and tell a model
nothing. A definition is removed if nothing refers to it, not even a keyword that was moved
into a description. Sources: docs/seeds.md#seed-001; docs/seeds.md#seed-002-log-002,
patterns 2, 3 and 4.`,
	Before: `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "a", "type": "string", "x-order": 1}`,
	After:  `{"type": "string"}`,
	Loss:   rewrite.Exact,
	Idle:   func(_ *engine.Target, keyword string) bool { return !schema.IsMeta(keyword) },
	Rewrite: func(p *engine.Pass) {
		p.RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
			if schema.IsMeta(member.Key) && p.Refuses(member.Key) || areDefinitions(member.Key) && !p.IsRoot() && p.Target.Keywords != nil {
				return engine.Goes, rewrite.Exact
			}
			return engine.Stays, rewrite.Exact
		})
		if p.IsRoot() {
			for member := range p.Members() {
				if areDefinitions(member.Key) {
					dropUnused(p, member)
				}
			}
		}
	},
}

// definitionKeywords are the keywords for definitions in all drafts.
var definitionKeywords = []string{"$defs", "definitions"}

func areDefinitions(keyword string) bool { return slices.Contains(definitionKeywords, keyword) }

// dropUnused removes the definitions that no reference in the schema leads to.
func dropUnused(p *engine.Pass, definitions schema.Member) {
	isDefinition, used := map[*schema.Node]bool{}, map[*schema.Node]bool{}
	for _, definition := range definitions.Value.Members {
		isDefinition[definition.Value] = true
	}
	var reach func(node *schema.Node)
	reach = func(node *schema.Node) {
		node.Each(func(below *schema.Node) bool {
			p.Charge(1)
			if isDefinition[below] && !used[below] {
				return false
			}
			if target := p.Resolve(below); target != nil && !used[target] {
				used[target] = true
				reach(target)
			}
			return true
		})
	}
	reach(p.Root())
	for _, definition := range definitions.Value.Members {
		// A reference may lead to a part of a definition and not to the whole.
		definition.Value.Each(func(below *schema.Node) bool {
			p.Charge(1)
			used[definition.Value] = used[definition.Value] || used[below]
			return !used[definition.Value]
		})
	}
	var isMentioned map[string]bool
	if !every(definitions.Value.Members, func(definition schema.Member) bool { return used[definition.Value] }) {
		isMentioned = mentioned(p, definitions.Key)
	}
	p.Below(definitions.Value, "").RemoveEach(func(definition schema.Member) (engine.Fate, rewrite.Loss) {
		if used[definition.Value] || isMentioned[definition.Key] {
			return engine.Stays, rewrite.Exact
		}
		return engine.Goes, rewrite.Exact
	})
	if len(definitions.Value.Members) == 0 {
		p.Remove(definitions.Key, rewrite.Exact)
	}
}

// mentioned returns the names of the definitions to which references in descriptions lead, because
// spilled keywords may have references.
func mentioned(p *engine.Pass, keyword string) map[string]bool {
	before := `"$ref":"#/` + keyword
	names := map[string]bool{}
	p.Root().Each(func(node *schema.Node) bool {
		text := node.GetString("description")
		p.ChargeText(len(text))
		for found := true; found; {
			if _, text, found = strings.Cut(text, before); found {
				fragment, _, _ := strings.Cut(text, `"`)
				if pointer, err := url.PathUnescape(fragment); err == nil && strings.HasPrefix(pointer, "/") {
					names[schema.Pointer(pointer).Tokens()[0]] = true
				}
			}
		}
		return true
	})
	return names
}
