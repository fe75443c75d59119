package rules

import (
	"math/big"
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PossibleBounds serves engines that refuse bounds between which there is no value.
var PossibleBounds = &engine.Rule{
	Name: "possible_bounds",
	Doc: `bounds that leave no value go into the description

Examples are a minimum above the maximum, and more required properties than maxProperties
allows. An engine treats an array without items, and an object without additionalProperties,
as closed: if it needs more elements or properties than are declared, the keyword is added
and allows anything. Places of a tuple beyond maxItems are removed, since no element can
fill them.
Source: json_schema_converter.cc of xgrammar 0.1.27.`,
	Before: `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 5, "maximum": 3}, "a": {"type": "array", "minItems": 1}}}`,
	After: `{"type": "object", "properties": {"n": {"type": "integer", "description": "{minimum: 5, maximum: 3}"}, ` +
		`"a": {"type": "array", "minItems": 1, "items": true}}}`,
	Loss: rewrite.Both,
	Rewrite: func(p *engine.Pass) {
		if !p.Target.TypeDecides || p.Schema.Kind != schema.Object {
			return
		}
		if isReadAs(p.Schema, "integer") || isReadAs(p.Schema, "number") {
			possibleNumber(p)
		}
		if isReadAs(p.Schema, "string") && !p.Schema.Has("pattern") && !slices.Contains(p.Target.Formats, p.Schema.GetString("format")) {
			possibleCounts(p, "minLength", "maxLength")
		}
		if isReadAs(p.Schema, "array") {
			possibleArray(p)
		}
		if isReadAs(p.Schema, "object") {
			possibleObject(p)
		}
	},
}

// spillEach spills all of the keywords that the schema has.
func spillEach(p *engine.Pass, keywords ...string) {
	loss := lossIn(p, rewrite.Widens)
	p.RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
		if slices.Contains(keywords, member.Key) {
			return engine.IsSpilled, loss
		}
		return engine.Stays, rewrite.Exact
	})
}

// possibleNumber spills the bounds of a number if no number lies between them. As in the engine, an
// exclusive bound replaces an inclusive one, and counts as inclusive unless the number is an integer.
func possibleNumber(p *engine.Pass) {
	least, most := lastOf(p.Schema, "minimum", "exclusiveMinimum"), lastOf(p.Schema, "maximum", "exclusiveMaximum")
	if least == nil || most == nil {
		return
	}
	from, to := least.Value.Rat(), most.Value.Rat()
	if from == nil || to == nil {
		return
	}
	if isReadAs(p.Schema, "integer") {
		from, to = new(big.Rat).Set(from), new(big.Rat).Set(to)
		if least.Key == "exclusiveMinimum" {
			from.Add(from, big.NewRat(1, 1))
		}
		if most.Key == "exclusiveMaximum" {
			to.Sub(to, big.NewRat(1, 1))
		}
	}
	if from.Cmp(to) > 0 {
		spillEach(p, "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
	}
}

// lastOf returns the last member of a schema with one of the keywords, or nil.
func lastOf(node *schema.Node, keywords ...string) *schema.Member {
	for _, keyword := range slices.Backward(keywords) {
		if i := node.Index(keyword); i >= 0 {
			return &node.Members[i]
		}
	}
	return nil
}

// possibleCounts spills two counts if least is above most. It reports whether it did.
func possibleCounts(p *engine.Pass, least, most string) bool {
	low, hasLow := p.Schema.Get(least).Int64()
	high, hasHigh := p.Schema.Get(most).Int64()
	if hasLow && hasHigh && low > high {
		spillEach(p, least, most)
		return true
	}
	return false
}

func possibleArray(p *engine.Pass) {
	if possibleCounts(p, "minItems", "maxItems") || possibleCounts(p, "minContains", "maxItems") {
		return
	}
	places := p.Schema.Get("prefixItems")
	if most, ok := p.Schema.Get("maxItems").Int64(); ok && places != nil && most < int64(len(places.Elements)) {
		p.Edit(lossIf(p.HasAnywhere("unevaluatedItems"), rewrite.Both), func() {
			if most == 0 {
				p.Schema.Delete("prefixItems")
				return
			}
			p.Schema.Set("prefixItems", schema.NewArray(places.Elements[:most]...))
		}, "prefixItems")
		places = p.Schema.Get("prefixItems")
	}
	declared := int64(0)
	if places != nil {
		declared = int64(len(places.Elements))
	}
	least, _ := p.Schema.Get("minItems").Int64()
	if contained, ok := p.Schema.Get("minContains").Int64(); ok {
		least = max(least, contained)
	}
	rest := p.Schema.Get("items")
	if rest == nil {
		rest = p.Schema.Get("unevaluatedItems")
	}
	switch {
	case least <= declared || rest != nil && !rest.IsFalse():
	case rest == nil:
		p.Set("items", schema.NewBool(true), lossIf(p.HasAnywhere("unevaluatedItems"), rewrite.Both))
	default:
		spillEach(p, "minItems", "minContains")
	}
}

func possibleObject(p *engine.Pass) {
	if possibleCounts(p, "minProperties", "maxProperties") {
		return
	}
	required := len(merge.Names(nil, p.Schema.Get("required").Strings()))
	if most, ok := p.Schema.Get("maxProperties").Int64(); ok && int64(required) > most {
		spillEach(p, "maxProperties")
	}
	least, _ := p.Schema.Get("minProperties").Int64()
	if least <= int64(len(membersOf(p.Schema.Get("properties")))) || len(membersOf(p.Schema.Get("patternProperties"))) > 0 || p.Schema.Has("propertyNames") {
		return
	}
	rest := p.Schema.Get("additionalProperties")
	if rest == nil {
		rest = p.Schema.Get("unevaluatedProperties")
	}
	switch {
	case rest == nil:
		p.Set("additionalProperties", schema.NewBool(true), lossIf(p.HasAnywhere("unevaluatedProperties"), rewrite.Both))
	case rest.IsFalse():
		spillEach(p, "minProperties")
	}
}
