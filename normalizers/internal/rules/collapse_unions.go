package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// CollapseUnions serves targets without unions.
var CollapseUnions = &engine.Rule{
	Name: "collapse_unions",
	Doc: `a union becomes one schema

Branches of one type become one schema of that type, with all the values that they list and
the elements of all. That is exact if one branch accepts what the others accept. If the
types differ, an array of what the other branches accept stays, because a single value can
be given as a list of one. Otherwise the first scalar type stays, or the first object with
properties. The description lists the branches. Sources: docs/seeds.md#seed-004-33;
docs/clients.json.`,
	Before: `{"type": "object", "properties": {"unit": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]}, ` +
		`"id": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}]}}}`,
	After: `{"type": "object", "properties": {"unit": {"type": "string", "enum": ["a", "b"]}, ` +
		`"id": {"type": "integer", "description": "{anyOf: [{\"type\":\"array\",\"items\":{\"type\":\"string\"}},{\"type\":\"integer\"}]}"}}}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: collapse,
}

// collapse puts one schema in the place of a union that stands alone.
func collapse(p *engine.Pass) {
	union := p.Schema.Get("anyOf")
	if flatten(p); union != nil && !p.Schema.Has("anyOf") {
		// The properties that merged branches share have become unions again.
		collapseWithin(p)
		return
	}
	if union == nil || union.Kind != schema.Array || !p.Refuses("anyOf") {
		return
	}
	one := p.New()
	kept := listOfOthers(union.Elements)
	if kept == nil {
		kept = ofFirstType(union.Elements)
	}
	loss, isSaid := lossIf(len(kept) < len(union.Elements), rewrite.Narrows), false
	switch {
	case isObjectSchema(kept[0]):
		one.Members = slices.Clone(kept[0].Members)
		loss |= lossIf(len(kept) > 1, rewrite.Narrows)
	default:
		var widens rewrite.Loss
		widens, isSaid = ofOneType(p, one, kept)
		loss |= widens
	}
	if slices.ContainsFunc(union.Elements, (*schema.Node).IsNullable) {
		one.Set("nullable", schema.NewBool(true))
	}
	if loss != rewrite.Exact || !isSaid {
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

// collapseWithin collapses the unions within unions that collapsing has made.
func collapseWithin(p *engine.Pass) {
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

// ofFirstType returns the branches of the first type that is scalar or an object with
// properties, or of the first type if there is no such type. integer is within number.
func ofFirstType(branches []*schema.Node) []*schema.Node {
	first := branches[max(0, slices.IndexFunc(branches, func(branch *schema.Node) bool {
		return isScalar(branch) || isObjectSchema(branch) && len(membersOf(branch.Get("properties"))) > 0
	}))]
	return slices.DeleteFunc(slices.Clone(branches), func(branch *schema.Node) bool { return typeName(branch) != typeName(first) })
}

func typeName(branch *schema.Node) string {
	if isOfType(branch, "integer") {
		return "number"
	}
	return branch.GetString("type")
}

// listOfOthers returns the branch that is an array of what each of the others accepts, so
// that a single value can be given as a list of one; nil if there is none.
func listOfOthers(branches []*schema.Node) []*schema.Node {
	at := slices.IndexFunc(branches, func(branch *schema.Node) bool { return isOfType(branch, "array") })
	if at < 0 || len(branches) == 1 || isAbove(branches[at].Get("minItems"), 1) {
		return nil
	}
	items := branches[at].Get("items")
	for i, branch := range branches {
		if i != at && (!isScalar(branch) || typeOf(branch) != typeOf(items) || !isWithin(branch, items)) {
			return nil
		}
	}
	return branches[at : at+1]
}

// isWithin reports whether a schema has all assertions of another schema of the same type.
func isWithin(node, other *schema.Node) bool {
	return every(other.Members, func(member schema.Member) bool {
		return member.Key == "type" || saysNoMore(member.Key) || schema.Equal(member.Value, node.Get(member.Key))
	})
}

// ofOneType makes one accept what branches of one type accept. It returns the loss, and
// whether one has all that the branches say.
func ofOneType(p *engine.Pass, one *schema.Node, branches []*schema.Node) (rewrite.Loss, bool) {
	inAll := func(member schema.Member) bool {
		return every(branches[1:], func(branch *schema.Node) bool { return schema.Equal(member.Value, branch.Get(member.Key)) })
	}
	for _, member := range branches[0].Members {
		if member.Key == "type" || member.Key != "nullable" && !saysNoMore(member.Key) && inAll(member) {
			one.Set(member.Key, member.Value)
		}
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
	isSaid, asserts := true, true
	for _, branch := range branches {
		for _, member := range branch.Members {
			if !isSaidBy(one, branch, member) {
				isSaid = false
				asserts = asserts && saysNoMore(member.Key)
			}
		}
	}
	// One branch may accept what all accept.
	isAll := func(branch *schema.Node) bool {
		return typeOf(branch) == typeOf(one) && isWithin(one, branch) && isWithin(branch, one)
	}
	return lossIf(!asserts && !slices.ContainsFunc(branches, isAll), rewrite.Widens), isSaid
}

// isSaidBy reports whether one, made of several branches, says what a member of a branch says.
func isSaidBy(one, branch *schema.Node, member schema.Member) bool {
	switch member.Key {
	case "nullable":
		return true
	case "type":
		return typeName(branch) == typeName(one)
	case "enum":
		return one.Has("enum")
	default:
		return schema.Equal(member.Value, one.Get(member.Key))
	}
}

func typeOf(node *schema.Node) string { return node.GetString("type") }

// unitedValues returns the values that the branches list, each once.
func unitedValues(p *engine.Pass, branches []*schema.Node) *schema.Node {
	var values schema.Values
	for _, branch := range branches {
		for _, value := range branch.Get("enum").Elements {
			p.Charge(1 + value.Size())
			values.Add(value)
		}
	}
	return schema.NewArray(values.List()...)
}
