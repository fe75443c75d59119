package rules

import (
	"slices"

	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// CollapseUnions serves targets without unions.
var CollapseUnions = &rewrite.Rule{
	Name: "collapse_unions",
	Doc: `a union becomes one schema

Branches of one type become one schema of that type. It has all values that they list,
and the elements of all. Where the types differ, the first scalar one stays. The
description lists the branches. Source: docs/seeds.md#seed-004-33.`,
	Before: `{"type": "object", "properties": {"unit": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]}, ` +
		`"id": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}]}}}`,
	After: `{"type": "object", "properties": {"unit": {"type": "string", "enum": ["a", "b"]}, ` +
		`"id": {"type": "integer", "description": "{anyOf: [{\"type\":\"array\",\"items\":{\"type\":\"string\"}},{\"type\":\"integer\"}]}"}}}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: collapse,
}

// collapse puts one schema in the place of a union that stands alone.
func collapse(p *rewrite.Pass) {
	union := p.Schema.Get("anyOf")
	if flatten(p); union != nil && !p.Schema.Has("anyOf") {
		// Branches that have become objects: what they have in common is of unions again.
		collapseWithin(p)
		return
	}
	if union == nil || union.Kind != schema.Array || !p.Refuses("anyOf") {
		return
	}
	one := p.New()
	kept := ofFirstType(union.Elements)
	loss := lossIf(len(kept) < len(union.Elements), rewrite.Narrows)
	if isObjectSchema(kept[0]) {
		one.Members = slices.Clone(kept[0].Members)
		loss |= lossIf(len(kept) > 1, rewrite.Narrows)
	} else {
		loss |= ofOneType(p, one, kept)
	}
	if slices.ContainsFunc(union.Elements, (*schema.Node).IsNullable) {
		one.Set("nullable", schema.NewBool(true))
	}
	if loss != rewrite.Exact {
		p.Spill("anyOf", shortened(union))
	}
	p.Edit(loss, func() {
		p.Schema.Delete("anyOf")
		description := merge.Descriptions(p.Schema.GetString("description"), one.GetString("description"))
		rest := slices.DeleteFunc(p.Schema.Members, func(member schema.Member) bool { return one.Has(member.Key) })
		p.Schema.Members = slices.Concat(one.Members, rest)
		if description != "" {
			p.Schema.Set("description", schema.NewString(description))
		}
	})
	collapseWithin(p)
}

// collapseWithin serves what collapsing has made: unions within unions.
func collapseWithin(p *rewrite.Pass) {
	for place := range p.Schema.Subschemas() {
		below := p.Below(place.Node(), place.Keyword)
		collapse(below)
		collapseWithin(below)
	}
}

func isScalar(branch *schema.Node) bool {
	types := branch.Types()
	return len(types) == 1 && types[0] != "object" && types[0] != "array" && types[0] != "null"
}

// ofFirstType returns the branches of the first scalar type, or where there is none, of
// the first type; integer is within number.
func ofFirstType(branches []*schema.Node) []*schema.Node {
	first := branches[max(0, slices.IndexFunc(branches, isScalar))]
	return slices.DeleteFunc(slices.Clone(branches), func(branch *schema.Node) bool { return typeName(branch) != typeName(first) })
}

func typeName(branch *schema.Node) string {
	if isOfType(branch, "integer") {
		return "number"
	}
	return branch.GetString("type")
}

// ofOneType makes a schema of what branches of one type accept.
func ofOneType(p *rewrite.Pass, one *schema.Node, branches []*schema.Node) rewrite.Loss {
	if given := branches[0].Get("type"); given != nil {
		one.Set("type", given)
	}
	for _, branch := range branches {
		p.MoveSpills(branch, p.Schema)
		if isOfType(branch, "number") {
			one.Set("type", branch.Get("type"))
		}
	}
	if every(branches, func(branch *schema.Node) bool { return branch.Has("enum") }) {
		one.Set("enum", unitedValues(p, branches))
	}
	if every(branches, func(branch *schema.Node) bool { return branch.Has("items") }) {
		items := merge.Union{Work: work{p}}
		for _, branch := range branches {
			items.Add(p.Clone(branch.Get("items")))
		}
		one.Set("items", items.Schema())
	}
	isSaid := func(branch *schema.Node) bool {
		return every(branch.Members, func(member schema.Member) bool {
			return member.Key == "nullable" || schema.Equal(member.Value, one.Get(member.Key)) || member.Key == "enum" && one.Has("enum")
		})
	}
	return lossIf(!every(branches, isSaid), rewrite.Widens)
}

// unitedValues returns the values that the branches list, each once.
func unitedValues(p *rewrite.Pass, branches []*schema.Node) *schema.Node {
	var values schema.Values
	for _, branch := range branches {
		for _, value := range branch.Get("enum").Elements {
			p.Charge(1 + value.Size())
			values.Add(value)
		}
	}
	return schema.NewArray(values.List()...)
}
