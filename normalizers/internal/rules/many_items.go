package rules

import (
	"cmp"
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// ManyItems serves targets that bound how many elements all arrays may have together.
var ManyItems = &engine.Rule{
	Name: "many_items",
	Doc: `the largest maxItems are removed if their sum is too large

They go into the description, the largest first, until the sum of the others is within the
limit. Sources: rule too_many_items of gemini/parametersJsonSchema;
https://github.com/googleapis/python-genai/issues/2170.`,
	Before: `{"type": "object", "properties": {"a": {"type": "array", "maxItems": 900}, "b": {"type": "array", "maxItems": 61}}}`,
	After: `{"type": "object", "properties": {"a": {"type": "array", "description": "{maxItems: 900}"}, ` +
		`"b": {"type": "array", "maxItems": 61}}}`,
	Loss: rewrite.Widens,
	Root: true,
	Rewrite: func(p *engine.Pass) {
		limit := int64(engine.LimitsOf[MaxTotalItems](p.Target))
		if limit == 0 || !p.HasAnywhere("maxItems") {
			return
		}
		type array struct {
			pass *engine.Pass
			most int64
		}
		var arrays []array
		sum := int64(0)
		eachSubschema(p, func(below *engine.Pass) {
			if most, ok := below.Schema.Get("maxItems").Int64(); ok && most > 0 {
				arrays = append(arrays, array{below, min(most, limit+1)})
				sum += min(most, limit+1)
			}
		})
		slices.SortStableFunc(arrays, func(a, b array) int { return cmp.Compare(b.most, a.most) })
		for _, largest := range arrays {
			if sum <= limit {
				return
			}
			largest.pass.SpillAway("maxItems", rewrite.Widens)
			sum -= largest.most
		}
	},
}

// MaxTotalItems bounds the sum of all maxItems; 0 means no bound.
type MaxTotalItems int

// eachSubschema visits the schema and every subschema, each before those in it.
func eachSubschema(p *engine.Pass, visit func(*engine.Pass)) {
	visit(p)
	for place := range p.Schema.Subschemas() {
		eachSubschema(p.Below(place.Node(), place.Keyword), visit)
	}
}
