package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UpgradeDraft serves the other rules, which know only the forms of draft 2020-12.
var UpgradeDraft = &engine.Rule{
	Name: "upgrade_draft",
	Doc: `the forms of older drafts become those of draft 2020-12

definitions becomes $defs, and a list of items becomes prefixItems, with additionalItems as
items. dependencies becomes dependentRequired and dependentSchemas. A boolean exclusive
bound makes the bound beside it exclusive. References follow. A target that reads the older
forms keeps them, except for boolean bounds, which no newer metaschema accepts. Sources: the
release notes of drafts 6, 2019-09 and 2020-12.`,
	Before:     `{"items": [{"type": "string"}], "additionalItems": false, "definitions": {"a": {"minimum": 1, "exclusiveMinimum": true}}}`,
	After:      `{"prefixItems": [{"type": "string"}], "items": false, "$defs": {"a": {"exclusiveMinimum": 1}}}`,
	Loss:       rewrite.Exact,
	Everywhere: true,
	On:         []string{"definitions", "items", "additionalItems", "dependencies", "exclusiveMinimum", "exclusiveMaximum"},
	Moves:      true,
	Rewrite: func(p *engine.Pass) {
		upgradeBound(p, "exclusiveMinimum", "minimum")
		upgradeBound(p, "exclusiveMaximum", "maximum")
		if items := p.Schema.Get("items"); engine.Has[OldDrafts](p.Target) && !(items != nil && items.Kind == schema.Array && len(items.Elements) == 0) {
			return // an empty list is upgraded all the same, because no draft allows it
		}
		upgradeItems(p)
		if p.Target.Typeless && p.Target.Keywords == nil && !p.Target.DefinitionRefs {
			return // a target that reads all of JSON Schema ignores the other forms
		}
		if !p.Target.Typeless || p.Target.Keywords != nil {
			upgradeDependencies(p)
		}
		if definitions := p.Schema.Get("definitions"); definitions != nil && definitions.Kind == schema.Object {
			upgradeDefinitions(p, definitions)
		}
	},
}

// OldDrafts marks a target that takes the forms of drafts before 2020-12, except those that a newer
// metaschema refuses.
type OldDrafts struct{}

// upgradeBound replaces the boolean of draft 4 by the bound that it makes exclusive.
func upgradeBound(p *engine.Pass, exclusive, inclusive string) {
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

// upgradeItems turns a list of items into prefixItems. Without such a list it removes
// additionalItems, which has no effect.
func upgradeItems(p *engine.Pass) {
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
		// No draft defines a list of items beside prefixItems.
		p.SpillAway("items", rewrite.Widens)
	}
}

// upgradeDependencies adds each dependency to dependentRequired or to dependentSchemas.
func upgradeDependencies(p *engine.Pass) {
	dependencies := p.Schema.Get("dependencies")
	if dependencies == nil || dependencies.Kind != schema.Object {
		return
	}
	p.Edit(rewrite.Exact, func() {
		p.Schema.Delete("dependencies")
		for _, dependency := range dependencies.Members {
			switch dependency.Value.Kind {
			case schema.Array:
				addDependency(p, "dependentRequired", dependency)
			case schema.String:
				dependency.Value = schema.NewStrings(dependency.Value.Text)
				addDependency(p, "dependentRequired", dependency)
			default:
				addDependency(p, "dependentSchemas", dependency)
			}
		}
	}, "dependencies", "dependentRequired", "dependentSchemas")
}

// addDependency adds a dependency to those of a keyword. If the property has one already, both
// must hold.
func addDependency(p *engine.Pass, keyword string, dependency schema.Member) {
	united := schema.NewObject()
	if existing := p.Schema.Get(keyword); existing != nil {
		united.Members = slices.Clone(existing.Members)
	}
	value := dependency.Value
	if existing := united.Get(dependency.Key); existing != nil && value.Kind == schema.Array {
		value = schema.NewStrings(merge.Names(existing.Strings(), value.Strings())...)
	} else if existing != nil {
		value = schema.NewObject(schema.Member{Key: "allOf", Value: schema.NewArray(existing, dependency.Value)})
	}
	united.Set(dependency.Key, value)
	p.Schema.Set(keyword, united)
}

// upgradeDefinitions moves definitions into $defs, after those that are there.
func upgradeDefinitions(p *engine.Pass, definitions *schema.Node) {
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
