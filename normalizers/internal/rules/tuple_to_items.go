package rules

import (
	"slices"
	"strconv"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TupleToItems serves targets without tuples.
var TupleToItems = &engine.Rule{
	Name: "tuple_to_items",
	Doc: `a tuple becomes an array of what its places accept

items accepts what at least one place accepts. If no element may follow the places, their
number becomes maxItems. An open tuple no longer accepts further elements of other kinds. A
target may keep only the first place. Source: docs/seeds.md#seed-002-log-002, pattern 19,
which does so.`,
	Before: `{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}`,
	After:  `{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "maxItems": 2}`,
	Loss:   rewrite.Both,
	On:     []string{"prefixItems"},
	Rewrite: func(p *engine.Pass) {
		places := p.Schema.Get("prefixItems")
		rest := p.Schema.Get("items")
		// A strict target takes prefixItems only together with items.
		takesPlaces := !p.Refuses("prefixItems") && rest != nil && rest.Kind == schema.Object
		if takesPlaces || places.Kind != schema.Array {
			return
		}
		all := slices.Clone(places.Elements)
		if rest != nil {
			all = append(all, rest)
		}
		distinct := distinctSchemas(slices.DeleteFunc(all, (*schema.Node).IsFalse))
		open := rest == nil && !endsTuple(p.Schema, len(places.Elements))
		loss := lossOfTuple(distinct, open) | lossIf(slices.ContainsFunc(places.Elements, (*schema.Node).IsFalse), rewrite.Widens)
		if engine.Has[FirstPlace](p.Target) && len(distinct) > 1 {
			distinct, loss = distinct[:1], rewrite.Both
		}
		p.Edit(loss, func() {
			p.Schema.Delete("items")
			i := p.Schema.Index("prefixItems")
			p.Schema.Members[i].Key, p.Schema.Members[i].Value = "items", itemsOf(p, distinct)
			if rest.IsFalse() && !p.Schema.Has("maxItems") {
				p.Schema.Set("maxItems", schema.NewNumber(strconv.Itoa(len(places.Elements))))
			}
		}, "prefixItems", "items", "maxItems")
	},
}

// FirstPlace marks a target where a tuple becomes an array of what its first place accepts.
type FirstPlace struct{}

// endsTuple reports whether no element can follow the places.
func endsTuple(node *schema.Node, places int) bool {
	most, ok := node.Get("maxItems").Int64()
	return ok && most <= int64(places)
}

// isAnything reports whether a schema accepts every value.
func isAnything(node *schema.Node) bool {
	return node.IsTrue() || node.Kind == schema.Object && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "nullable" && !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key)
	})
}

// lossOfTuple returns the loss of giving all places one schema. It widens unless all places are
// alike, and narrows for an open tuple, which accepts anything behind its places.
func lossOfTuple(distinct []*schema.Node, open bool) rewrite.Loss {
	loss := lossIf(len(distinct) > 1, rewrite.Widens)
	if open && !slices.ContainsFunc(distinct, isAnything) {
		loss |= rewrite.Narrows
	}
	return loss
}

// itemsOf returns a schema that accepts what any place accepts.
func itemsOf(p *engine.Pass, distinct []*schema.Node) *schema.Node {
	switch {
	case len(distinct) == 0 || slices.ContainsFunc(distinct, isAnything):
		return p.New()
	case len(distinct) == 1:
		return distinct[0]
	default:
		return p.New(schema.Member{Key: "anyOf", Value: schema.NewArray(distinct...)})
	}
}
