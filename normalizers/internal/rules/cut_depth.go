package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// CutDepth serves targets that read JSON to a certain depth.
var CutDepth = &engine.Rule{
	Name: "cut_depth",
	Doc: `what is nested too deep for the target goes into the description

Subschemas below the allowed depth move to the description, and any value is accepted in
their place. Source: rule too_deep of codeassist/parameters, measured 2026-09-05.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object"}`,
	Loss:   rewrite.Widens,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		if most := int(engine.LimitsOf[MaxDepth](p.Target)); most > 0 && depthOf(p.Schema, most) > most {
			cutBelow(p, 1, most)
		}
	},
}

// MaxDepth bounds how deep the objects and lists in the JSON of a schema nest; 0 means no bound.
type MaxDepth int

// depthOf returns how deep the objects and lists in a value nest, or most+1 if they nest
// deeper than most.
func depthOf(value *schema.Node, most int) int {
	if value.Kind != schema.Object && value.Kind != schema.Array {
		return 0
	}
	if most <= 0 {
		return 1
	}
	deepest := 0
	for _, member := range value.Members {
		deepest = max(deepest, depthOf(member.Value, most-1))
	}
	for _, element := range value.Elements {
		deepest = max(deepest, depthOf(element, most-1))
	}
	return deepest + 1
}

// cutBelow removes those members of a schema at the given depth that reach below most.
func cutBelow(p *engine.Pass, depth, most int) {
	for _, member := range slices.Clone(p.Schema.Members) {
		rest := most - depth
		if depthOf(member.Value, rest) <= rest {
			continue
		}
		reach := 1 // levels from the schema to a subschema
		if schema.ClassOf(member.Key) == schema.SchemaMap || schema.ClassOf(member.Key) == schema.SchemaList {
			reach = 2
		}
		if schema.ClassOf(member.Key) == schema.Data || schema.ClassOf(member.Key) == schema.Unknown || depth+reach >= most {
			p.SpillAway(member.Key, rewrite.Widens)
			continue
		}
		for place := range p.Schema.Subschemas() {
			if place.Keyword == member.Key {
				cutBelow(p.Below(place.Node(), place.Keyword), depth+reach, most)
			}
		}
	}
}
