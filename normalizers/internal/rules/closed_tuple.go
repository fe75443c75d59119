package rules

import (
	"strconv"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ClosedTuple serves engines that do not take true or false as items.
var ClosedTuple = &engine.Rule{
	Name: "closed_tuple",
	Doc: `items that is false becomes maxItems

The array has no more elements than its tuple has places. items stays if a reference leads
to it. Source: json-schema-to-grammar.cpp of llama.cpp ec98e2002, which looks for items
before prefixItems and has no grammar for false.`,
	Before: `{"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": false}`,
	After:  `{"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "maxItems": 2}`,
	Loss:   rewrite.Exact,
	On:     []string{"items"},
	Rewrite: func(p *engine.Pass) {
		items := p.Schema.Get("items")
		if !engine.LimitsOf[AnyOrNone](p.Target).Objects || !items.IsFalse() || p.Refuses("maxItems") || isReferredTo(p, items) {
			return
		}
		places := 0
		if tuple := p.Schema.Get("prefixItems"); tuple != nil {
			places = len(tuple.Elements)
		}
		p.Edit(rewrite.Exact, func() {
			p.Schema.Delete("items")
			if most, ok := p.Schema.Get("maxItems").Int64(); !ok || most > int64(places) {
				p.Schema.Set("maxItems", schema.NewNumber(strconv.Itoa(places)))
			}
		}, "items", "maxItems")
	},
}

// referredTo holds the targets of all references.
type referredTo map[*schema.Node]bool

// isReferredTo reports whether the schema was the target of a reference when the current rule first
// called isReferredTo.
func isReferredTo(p *engine.Pass, node *schema.Node) bool {
	if !p.HasAnywhere(schema.ReferenceKeywords...) {
		return false
	}
	targets := engine.State[referredTo](p)
	if *targets == nil {
		*targets = referredTo{}
		p.Root().Each(func(referring *schema.Node) bool {
			p.Charge(1)
			(*targets)[p.Resolve(referring)] = true
			return true
		})
	}
	return (*targets)[node]
}
