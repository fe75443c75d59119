package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// OneOfToAnyOf serves targets that take anyOf and not oneOf.
var OneOfToAnyOf = &engine.Rule{
	Name: "one_of_to_any_of",
	Doc: `oneOf becomes anyOf

The change is exact if no value can match two branches: their types differ, or they require
a property whose values differ. If there is an anyOf already, each pair of branches becomes
one branch. Sources: docs/seeds.md#seed-002-log-002, pattern 6; docs/seeds.md#seed-004-4.`,
	Before: `{"oneOf": [{"type": "string"}, {"type": "integer"}]}`,
	After:  `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`,
	Loss:   rewrite.Widens,
	On:     []string{"oneOf"},
	Rewrite: func(p *engine.Pass) {
		branches := p.Schema.Get("oneOf")
		if !p.Refuses("oneOf") || branches.Kind != schema.Array {
			return
		}
		loss := lossIf(!areDisjoint(p, branches.Elements), rewrite.Widens)
		if !p.Schema.Has("anyOf") {
			p.Replace("oneOf", "anyOf", branches, loss)
			return
		}
		in := merge.Intersection{Work: work{p}, Loss: loss}
		before := schema.NewObject(schema.Member{Key: "oneOf", Value: branches}, schema.Member{Key: "anyOf", Value: p.Schema.Get("anyOf")})
		p.Schema.Delete("oneOf")
		in.Union(p.Schema, schema.Member{Key: "anyOf", Value: branches}, p.Schema.Get("anyOf"))
		p.Report(in.Loss, before, schema.NewObject(schema.Member{Key: "anyOf", Value: p.Schema.Get("anyOf")}))
	},
}

// areDisjoint reports whether no two of the schemas accept the same value.
func areDisjoint(p *engine.Pass, branches []*schema.Node) bool {
	const few = 8
	if len(branches) > few && tellApart(p, branches) {
		return true
	}
	for i, a := range branches {
		for _, b := range branches[i+1:] {
			p.Charge(len(a.Members) + len(b.Members))
			if !merge.TypesDiffer(a, b) && !valuesDiffer(p, a, b) && !discriminates(p, a, b) {
				return false
			}
		}
	}
	return true
}

// tellApart reports whether each branch lists values that no other branch lists, or is an object that
// requires the same property with such values. It does not compare each pair.
func tellApart(p *engine.Pass, branches []*schema.Node) bool {
	names := branches[0].Get("required").Strings()
	return areAllApart(p, branches, func(branch *schema.Node) *schema.Node { return branch }) ||
		slices.ContainsFunc(names, func(name string) bool {
			return areAllApart(p, branches, func(branch *schema.Node) *schema.Node {
				p.Charge(len(branch.Members) + len(branch.Get("required").Strings()) + len(membersOf(branch.Get("properties"))))
				if !isOfType(branch, "object") || !slices.Contains(branch.Get("required").Strings(), name) {
					return nil
				}
				return branch.Get("properties").Get(name)
			})
		})
}

// areAllApart reports whether each of the schemas that of returns for the branches lists values
// that no other lists.
func areAllApart(p *engine.Pass, branches []*schema.Node, of func(branch *schema.Node) *schema.Node) bool {
	var seen schema.Values
	for _, branch := range branches {
		var own schema.Values // an enum may list a value twice
		values := merge.Listed(of(branch))
		for _, value := range values {
			p.Charge(1 + value.Size())
			if own.Add(value) && !seen.Add(value) {
				return false
			}
		}
		if len(values) == 0 {
			return false
		}
	}
	return true
}

// valuesDiffer reports whether both schemas list values and share none.
func valuesDiffer(p *engine.Pass, a, b *schema.Node) bool {
	if constA, constB := a.Get("const"), b.Get("const"); constA != nil && constB != nil {
		return !schema.Equal(constA, constB)
	}
	valuesA, valuesB := merge.Listed(a), merge.Listed(b)
	return valuesA != nil && valuesB != nil && !slices.ContainsFunc(valuesA, valuesAmong(p, valuesB))
}

// discriminates reports whether both schemas accept only objects and require a property whose
// values differ.
func discriminates(p *engine.Pass, a, b *schema.Node) bool {
	if !isOfType(a, "object") || !isOfType(b, "object") {
		return false
	}
	names, others := a.Get("required"), b.Get("required")
	if names == nil || others == nil {
		return false
	}
	ofA, ofB := a.Get("properties"), b.Get("properties")
	return slices.ContainsFunc(names.Elements, func(name *schema.Node) bool {
		if name.Kind != schema.String {
			return false
		}
		p.Charge(len(membersOf(ofA)) + len(membersOf(ofB)) + len(others.Elements))
		x, y := ofA.Get(name.Text), ofB.Get(name.Text)
		return x != nil && y != nil && (valuesDiffer(p, x, y) || merge.TypesDiffer(x, y)) &&
			slices.ContainsFunc(others.Elements, func(other *schema.Node) bool { return other.Is(name.Text) })
	})
}
