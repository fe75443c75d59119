package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PointerRefs serves the rules that copy or move schemas, because only a pointer from the root means
// the same in every place.
var PointerRefs = &engine.Rule{
	Name: "pointer_refs",
	Doc: `a reference becomes a pointer from the root

An $id makes a schema the base of the references and anchors in it. If schemas are copied or
moved, each reference becomes a JSON Pointer from the root, and the $id is removed with the
anchors below it. A reference that leads nowhere gets its whole URI, and an empty reference
becomes #. Of several dynamic anchors with one name, the nearest counts. Source: sections
8.2 and 9 of https://json-schema.org/draft/2020-12/json-schema-core.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "point.json"}, "b": {"$ref": "#x"}}, "$defs": {` +
		`"P": {"$id": "point.json", "type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"type": "number"}}}, ` +
		`"x": {"$anchor": "x", "type": "string"}}}`,
	After: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/x"}}, "$defs": {` +
		`"P": {"type": "array", "items": {"$ref": "#/$defs/P/$defs/x"}, "$defs": {"x": {"type": "number"}}}, ` +
		`"x": {"$anchor": "x", "type": "string"}}}`,
	Loss:       rewrite.Both,
	Everywhere: true,
	Root:       true,
	Rewrite: func(p *engine.Pass) {
		if p.HasAnywhere(schema.ReferenceKeywords...) && copies(p) {
			pointReferences(p)
		}
	},
}

// copies reports whether later rules copy or move schemas for the target.
func copies(p *engine.Pass) bool {
	return p.Refuses("$id") || p.Target.DefinitionRefs || p.Refuses("$ref") && p.Schema.Reference() != "" || nestsTooDeep(p) ||
		slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf"}, func(keyword string) bool { return p.Schema.Has(keyword) && p.Refuses(keyword) })
}

func pointReferences(p *engine.Pass) {
	resources := p.Resources()
	var referring []*schema.Node
	targets, located := map[*schema.Node]*schema.Node{}, map[*schema.Node]bool{}
	p.Root().Each(func(node *schema.Node) bool {
		text := node.Reference()
		if text == "" || resources.Root(node) == p.Root() && (text == "#" || strings.HasPrefix(text, "#/")) {
			if node.Get("$ref").Is("") {
				p.Below(node, "").Set("$ref", schema.NewString("#"), rewrite.Exact)
			}
			return true
		}
		referring = append(referring, node)
		if target := p.Resolve(node); target != nil {
			targets[node], located[target] = target, true
		}
		return true
	})
	pointers := p.Root().Pointers(located)
	for _, node := range referring {
		text := resources.Absolute(node, node.Reference())
		loss := lossIf(resources.IsDynamic(node), rewrite.Both)
		if target := targets[node]; target != nil {
			text = pointers[target].Fragment()
		} else if resources.Root(node) == p.Root() {
			continue
		}
		keyword := schema.ReferenceKeywords[slices.IndexFunc(schema.ReferenceKeywords, node.Has)]
		p.Below(node, "").Replace(keyword, "$ref", schema.NewString(text), loss)
	}
	for node, keyword := range resources.Embedded() {
		p.Below(node, "").Remove(keyword, rewrite.Exact)
	}
	p.Root().Each(func(node *schema.Node) bool {
		for _, anchor := range []string{"$anchor", "$dynamicAnchor", "$recursiveAnchor"} {
			if node.Has(anchor) && (p.Target.DefinitionRefs || resources.Root(node) != p.Root()) {
				p.Below(node, "").Remove(anchor, rewrite.Exact) // the root or a copy may have the same anchor
			}
		}
		return true
	})
}
