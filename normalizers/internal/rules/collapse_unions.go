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

Branches of one type become one schema of that type, which accepts the values of every enum
and the items of every array among them. That is exact if one branch accepts all that the
others accept. If the types differ and one branch is an array of what the others accept,
only the array stays, because a single value can be given as a list of one. Otherwise the
first scalar type stays, or the first object with properties. The description lists the
branches. Sources: docs/seeds.md#seed-004-33; docs/clients.json.`,
	Before: `{"type": "object", "properties": {"unit": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]}, ` +
		`"id": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "integer"}]}}}`,
	After: `{"type": "object", "properties": {"unit": {"type": "string", "enum": ["a", "b"]}, ` +
		`"id": {"type": "integer", "description": "{anyOf: [{\"type\":\"array\",\"items\":{\"type\":\"string\"}},{\"type\":\"integer\"}]}"}}}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: collapse,
}

// collapse replaces a union by one schema.
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
	merged := p.New()
	kept := listOfOthers(union.Elements)
	if kept == nil {
		kept = ofFirstType(union.Elements)
	}
	loss, isSaid := lossIf(len(kept) < len(union.Elements), rewrite.Narrows), false
	switch {
	case isObjectSchema(kept[0]):
		merged.Members = slices.Clone(kept[0].Members)
		loss |= lossIf(len(kept) > 1, rewrite.Narrows)
	default:
		var widens rewrite.Loss
		widens, isSaid = mergeType(p, merged, kept)
		loss |= widens
	}
	if slices.ContainsFunc(union.Elements, (*schema.Node).IsNullable) {
		merged.Set("nullable", schema.NewBool(true))
	}
	if loss != rewrite.Exact || !isSaid {
		p.Spill("anyOf", shortened(p, union, merged))
	}
	p.Edit(loss, func() {
		p.Schema.Delete("anyOf")
		description := merge.Descriptions(p.Schema.GetString("description"), merged.GetString("description"))
		rest := slices.DeleteFunc(p.Schema.Members, func(member schema.Member) bool { return merged.Has(member.Key) })
		p.Schema.Members = slices.Concat(merged.Members, rest)
		if description != "" {
			p.Schema.Set("description", schema.NewString(description))
		}
	})
	collapseWithin(p)
}

// collapseWithin collapses the unions below a schema, which merging branches may have made.
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

// ofFirstType returns the branches of the same type as the first branch that is scalar or an object
// with properties, or as the first branch if there is no such branch. number includes integer.
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

// listOfOthers returns the branch that is an array whose items accept what each of the others accepts,
// so that a single value can be given as a list of one. It returns nil if there is none.
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

// isWithin reports whether a schema has every assertion that another schema of the same type has.
func isWithin(node, other *schema.Node) bool {
	return every(other.Members, func(member schema.Member) bool {
		return member.Key == "type" || saysNoMore(member.Key) || schema.Equal(member.Value, node.Get(member.Key))
	})
}

// mergeType makes merged accept what branches of one type accept. It returns the loss, and whether
// merged has every member of the branches.
func mergeType(p *engine.Pass, merged *schema.Node, branches []*schema.Node) (rewrite.Loss, bool) {
	inAll := func(member schema.Member) bool {
		return every(branches[1:], func(branch *schema.Node) bool { return schema.Equal(member.Value, branch.Get(member.Key)) })
	}
	for _, member := range branches[0].Members {
		if member.Key == "type" || member.Key != "nullable" && !saysNoMore(member.Key) && inAll(member) {
			merged.Set(member.Key, member.Value)
		}
	}
	for _, branch := range branches {
		p.MoveSpills(branch, p.Schema)
		if isOfType(branch, "number") {
			merged.Set("type", branch.Get("type"))
		}
	}
	if every(branches, func(branch *schema.Node) bool { return branch.Has("enum") }) {
		merged.Set("enum", unitedValues(p, branches))
	}
	if every(branches, func(branch *schema.Node) bool { return branch.Has("items") }) {
		items := merge.Union{Work: work{p}}
		for _, branch := range branches {
			items.Add(p.Clone(branch.Get("items")))
		}
		merged.Set("items", items.Schema())
	}
	isSaid, asserts := true, true
	for _, branch := range branches {
		for _, member := range branch.Members {
			if !isSaidBy(merged, branch, member) {
				isSaid = false
				asserts = asserts && saysNoMore(member.Key)
			}
		}
	}
	// If a branch has the assertions of merged, it accepts what all accept.
	isAll := func(branch *schema.Node) bool {
		return typeOf(branch) == typeOf(merged) && isWithin(merged, branch) && isWithin(branch, merged)
	}
	return lossIf(!asserts && !slices.ContainsFunc(branches, isAll), rewrite.Widens), isSaid
}

// isSaidBy reports whether merged, which was made of several branches, says what a member of a branch
// says.
func isSaidBy(merged, branch *schema.Node, member schema.Member) bool {
	switch member.Key {
	case "nullable":
		return true
	case "type":
		return typeName(branch) == typeName(merged)
	case "enum":
		return merged.Has("enum")
	default:
		return schema.Equal(member.Value, merged.Get(member.Key))
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
