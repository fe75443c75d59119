package rules

import (
	"maps"
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// IdleKeywords serves targets that refuse a keyword beside a type to which it does not apply.
var IdleKeywords = &engine.Rule{
	Name: "idle_keywords",
	Doc: `properties, required and items are removed beside another type

These keywords ignore values of other types, so that they have no effect there. Those with
descriptions go into the description. A branch that a union lists twice is removed too, for it
has no effect either. Sources: https://github.com/anomalyco/opencode/pull/11888;
docs/providers.md#google-messages.`,
	Before: `{"type": "string", "properties": {"a": {"type": "string"}}, "required": ["a"], "items": {}}`,
	After:  `{"type": "string"}`,
	Loss:   rewrite.Exact,
	On:     append(slices.Sorted(maps.Keys(belongsTo)), "anyOf"),
	Rewrite: func(p *engine.Pass) {
		keywords := []string{"properties", "required", "propertyOrdering", "items", "prefixItems", "additionalProperties"}
		if engine.Has[OwnKeywords](p.Target) {
			keywords = p.Schema.Keys()
		}
		dropIdle(p, keywords...)
		if union := p.Schema.Get("anyOf"); union != nil && union.Kind == schema.Array {
			dropRepeated(p, union)
		}
	},
}

// OwnKeywords marks a target that takes a keyword only in a schema of a type that the keyword applies
// to, and in an enum only values of the schema's type.
type OwnKeywords struct{}

// dropIdle removes the keywords that apply only to types that the schema does not have. Those with
// descriptions go into that of the schema, because they say what its author had in mind.
func dropIdle(p *engine.Pass, keywords ...string) {
	for _, keyword := range keywords {
		switch {
		case belongsTo[keyword] == nil || !p.Schema.Has(keyword) || !belongsElsewhere(p.Schema, keyword):
		case describes(p.Schema, keyword):
			p.SpillAway(keyword, rewrite.Exact)
		default:
			p.Remove(keyword, rewrite.Exact)
		}
	}
}

// describes reports whether a schema within the value of a keyword has a description.
func describes(node *schema.Node, keyword string) bool {
	described := false
	for place := range (&schema.Member{Key: keyword, Value: node.Get(keyword)}).Subschemas() {
		place.Node().Each(func(subschema *schema.Node) bool {
			described = described || subschema.GetString("description") != ""
			return !described
		})
	}
	return described
}

// dropRepeated removes branches that equal an earlier branch of the union.
func dropRepeated(p *engine.Pass, union *schema.Node) {
	distinct := distinctSchemas(union.Elements)
	switch {
	case len(distinct) == len(union.Elements):
	case len(distinct) > 1:
		p.Set("anyOf", schema.NewArray(distinct...), rewrite.Exact)
	default:
		intersect(p, func(in *merge.Intersection) {
			p.Schema.Delete("anyOf")
			in.Into(p.Schema, distinct[0])
		})
	}
}
