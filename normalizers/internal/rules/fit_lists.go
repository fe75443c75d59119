package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FitLists serves targets that bound the length of an enum and of a union.
var FitLists = &engine.Rule{
	Name: "fit_lists",
	Doc: `a list that is too long becomes a union of shorter ones

An enum with too many values becomes a union of enums, and a union with too many branches a
union of unions. If there can be no union, the enum goes into the description. Sources:
rules union_size and enum_size of moonshot/chat.`,
	Before: `{"type": "object"}`,
	After:  `{"type": "object"}`,
	Loss:   rewrite.Widens,
	On:     []string{"enum", "anyOf"},
	Rewrite: func(p *engine.Pass) {
		if !p.IsJudged() {
			return
		}
		limits := engine.LimitsOf[ListLimits](p.Target)
		if limits.Values > 0 {
			splitEnum(p, limits.Values)
		}
		if limits.Branches > 0 {
			splitUnion(p, limits.Branches)
		}
	},
}

// ListLimits bound the values of an enum and the branches of a union. 0 means no bound.
type ListLimits struct{ Values, Branches int }

// splitEnum turns an enum of more than most values into a union.
func splitEnum(p *engine.Pass, most int) {
	enum := p.Schema.Get("enum")
	if enum == nil || len(enum.Elements) <= most {
		return
	}
	copied := (p.Schema.Size() - enum.Size()) * (len(enum.Elements) / most) // if all siblings move into the branches
	if p.Refuses("anyOf") || p.Schema.Has("anyOf") || !p.Schema.Has("type") || copied > maxDistributed {
		p.SpillAway("enum", rewrite.Widens)
		return
	}
	p.Edit(rewrite.Exact, func() {
		union := schema.NewArray()
		for values := range slices.Chunk(enum.Elements, most) {
			union.Elements = append(union.Elements, p.New(
				schema.Member{Key: "type", Value: p.Schema.Get("type")},
				schema.Member{Key: "enum", Value: schema.NewArray(values...)},
			))
		}
		p.Schema.Delete("enum")
		p.Schema.Members[p.Schema.Index("type")] = schema.Member{Key: "anyOf", Value: union}
	})
	standAlone(p)
}

// splitUnion groups the branches of a union of more than most branches into unions.
func splitUnion(p *engine.Pass, most int) {
	union := p.Schema.Get("anyOf")
	for union != nil && len(union.Elements) > most {
		outer := schema.NewArray()
		for branches := range slices.Chunk(union.Elements, most) {
			outer.Elements = append(outer.Elements, p.New(schema.Member{Key: "anyOf", Value: schema.NewArray(branches...)}))
		}
		p.Set("anyOf", outer, rewrite.Exact)
		union = outer
	}
}
