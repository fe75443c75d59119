package rules

import (
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UpgradeDraft serves the other rules, which know the forms of draft 2020-12.
var UpgradeDraft = &rewrite.Rule{
	Name: "upgrade_draft",
	Doc: `the forms of older drafts become those of draft 2020-12

definitions is $defs, a list of items is prefixItems with additionalItems as items,
dependencies is dependentRequired and dependentSchemas, and a boolean
exclusive bound makes the bound beside it exclusive. References follow. A target
that reads the older forms keeps them, but for the boolean bounds, which no newer
metaschema takes. Sources: the release notes of drafts 6, 2019-09 and 2020-12.`,
	Before: `{"items": [{"type": "string"}], "additionalItems": false, "definitions": {"a": {"minimum": 1, "exclusiveMinimum": true}}}`,
	After:  `{"prefixItems": [{"type": "string"}], "items": false, "$defs": {"a": {"exclusiveMinimum": 1}}}`,
	Loss:   rewrite.Exact,
	On:     []string{"definitions", "items", "additionalItems", "dependencies", "exclusiveMinimum", "exclusiveMaximum"},
	Moves:  true,
	Rewrite: func(p *rewrite.Pass) {
		upgradeBound(p, "exclusiveMinimum", "minimum")
		upgradeBound(p, "exclusiveMaximum", "maximum")
		if items := p.Schema.Get("items"); p.Target.OldDrafts && !(items != nil && items.Kind == schema.Array && len(items.Elements) == 0) {
			return // an empty list is of no draft
		}
		upgradeItems(p)
		if p.Target.Typeless {
			return // a target that reads all of JSON Schema passes over the other forms
		}
		upgradeDependencies(p)
		if definitions := p.Schema.Get("definitions"); definitions != nil && definitions.Kind == schema.Object {
			upgradeDefinitions(p, definitions)
		}
	},
}

// upgradeBound turns the boolean of draft 4 into the number it makes exclusive.
func upgradeBound(p *rewrite.Pass, exclusive, inclusive string) {
	flag := p.Schema.Get(exclusive)
	switch {
	case flag.IsTrue() && p.Schema.Has(inclusive):
		p.Edit(rewrite.Exact, func() {
			p.Schema.Set(exclusive, p.Schema.Get(inclusive))
			p.Schema.Delete(inclusive)
		}, exclusive, inclusive)
	case flag.IsTrue() || flag.IsFalse():
		p.Remove(exclusive, rewrite.Exact)
	}
}

// upgradeItems turns a list of items into prefixItems; additionalItems says
// nothing without such a list.
func upgradeItems(p *rewrite.Pass) {
	items, rest := p.Schema.Get("items"), p.Schema.Get("additionalItems")
	switch {
	case items != nil && items.Kind == schema.Array && len(items.Elements) == 0 && !p.Schema.Has("prefixItems"):
		p.Edit(rewrite.Exact, func() {
			p.Schema.Delete("items")
			if rest != nil {
				p.Schema.Members[p.Schema.Index("additionalItems")].Key = "items"
			}
		}, "items", "additionalItems")
	case items != nil && items.Kind == schema.Array && !p.Schema.Has("prefixItems"):
		p.Edit(rewrite.Exact, func() {
			p.Schema.Members[p.Schema.Index("items")].Key = "prefixItems"
			if rest != nil {
				p.Schema.Members[p.Schema.Index("additionalItems")].Key = "items"
			}
		}, "items", "additionalItems", "prefixItems")
	case rest != nil:
		p.Remove("additionalItems", rewrite.Exact)
	}
	if items := p.Schema.Get("items"); items != nil && items.Kind == schema.Array {
		// Beside prefixItems a list says nothing that any draft defines.
		p.SpillAway("items", rewrite.Widens)
	}
}

func upgradeDependencies(p *rewrite.Pass) {
	dependencies := p.Schema.Get("dependencies")
	if dependencies == nil || dependencies.Kind != schema.Object {
		return
	}
	required, schemas := schema.NewObject(), schema.NewObject()
	for _, dependency := range dependencies.Members {
		switch dependency.Value.Kind {
		case schema.Array:
			required.Members = append(required.Members, dependency)
		case schema.String:
			dependency.Value = schema.NewArray(dependency.Value)
			required.Members = append(required.Members, dependency)
		default:
			schemas.Members = append(schemas.Members, dependency)
		}
	}
	p.Edit(rewrite.Exact, func() {
		p.Schema.Delete("dependencies")
		if len(required.Members) > 0 && !p.Schema.Has("dependentRequired") {
			p.Schema.Set("dependentRequired", required)
		}
		if len(schemas.Members) > 0 && !p.Schema.Has("dependentSchemas") {
			p.Schema.Set("dependentSchemas", schemas)
		}
	}, "dependencies", "dependentRequired", "dependentSchemas")
}

// upgradeDefinitions moves definitions into $defs, beside what is there.
func upgradeDefinitions(p *rewrite.Pass, definitions *schema.Node) {
	existing := p.Schema.Get("$defs")
	if existing == nil {
		p.Replace("definitions", "$defs", definitions, rewrite.Exact)
		return
	}
	p.Edit(rewrite.Exact, func() {
		p.Schema.Delete("definitions")
		for _, definition := range definitions.Members {
			name := definition.Key
			for existing.Has(name) {
				name += "_"
			}
			definition.Key = name
			existing.Members = append(existing.Members, definition)
		}
	}, "definitions", "$defs")
}
