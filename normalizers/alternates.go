package normalizers

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
)

// alternates are pipelines to compare with the targets: each follows one seed document where the
// target does something else or more, and PortableUnions keeps the unions that Portable gives up.
// They report every change as the targets do, but a surface may refuse their results.
var alternates = []*Pipeline{GeminiFlags, GeminiStrip, GeminiInline, GeminiLocalize, GeminiSpill, OpenAIStrictSpill, PortableUnions}

// All are the targets and the alternates.
var All = slices.Concat(Pipelines, alternates)

// GeminiFlags collects the flags of required properties and gives the root its type, as in
// docs/seeds.md#seed-000. Everything else stays.
var GeminiFlags = &Pipeline{
	target: &engine.Target{Name: "gemini-flags", Typeless: true, RootRequired: true},
	rules:  []*engine.Rule{rules.SlippedRequired, rules.RequiredFlags, rules.FillType},
}

// GeminiStrip removes unions and the keywords that Gemini lacks, as in docs/seeds.md#seed-001. It
// spills nothing, and replaces only const.
var GeminiStrip = &Pipeline{
	target: &engine.Target{Name: "gemini-strip", Keywords: without(geminiTarget.Keywords, "anyOf"), Spilled: []string{}, Limits: []any{rules.KeywordLimits{Strips: true}}},
	rules:  []*engine.Rule{rules.StrippedProperty, rules.DropMeta, rules.SpillKeywords, rules.ConstToEnum},
}

// GeminiInline applies the 22 patterns of docs/seeds.md#seed-002-log-002. It keeps the fields that
// caused the seed no trouble, and spills nothing.
var GeminiInline = &Pipeline{
	target: &engine.Target{
		Name:     "gemini-inline",
		Keywords: without(geminiTarget.Keywords, "title", "default", "propertyOrdering"),
		Spilled:  []string{},
		Limits:   []any{rules.FirstPlace{}},
	},
	rules: []*engine.Rule{
		rules.PointerRefs,
		rules.InlineRefs,
		rules.MergeAllOf,
		rules.TupleToItems,
		rules.DropMeta,
		rules.SpillKeywords,
		rules.OneOfToAnyOf,
		rules.ConstToEnum,
		rules.Nullable,
		rules.ExclusiveBounds,
		rules.TypeCase,
	},
}

// GeminiLocalize reduces every text to one language, as in docs/seeds.md#seed-003. Everything else
// stays.
var GeminiLocalize = &Pipeline{
	target: &engine.Target{Name: "gemini-localize", Limits: []any{rules.Texts{"description", "title", "name"}}},
	rules:  []*engine.Rule{rules.LocalizeText},
}

// GeminiSpill prepares JSON Schema for parametersJsonSchema, as in docs/seeds.md#seed-004-2. It spills
// keywords that a model can act on, and removes the others.
var GeminiSpill = &Pipeline{
	target: &engine.Target{
		Name: "gemini-spill",
		Without: []string{
			"$schema", "$ref", "$defs", "$dynamicRef", "$dynamicAnchor", "examples", "prefixItems", "unevaluatedProperties",
			"unevaluatedItems", "patternProperties", "additionalProperties", "minItems", "maxItems", "minLength", "maxLength",
			"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "pattern", "format", "default", "const",
		},
		Spilled: []string{
			"examples", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
			"pattern", "format", "default",
		},
		Limits: []any{rules.KeywordLimits{Strips: true}, rules.EveryObjectHasProperties{}},
	},
	rules: []*engine.Rule{rules.SpillKeywords, rules.DropMeta, rules.NullableType, rules.ConstToEnum, rules.FillProperties},
}

// OpenAIStrictSpill prepares strict functions, as in docs/seeds.md#seed-004-1. It spills keywords that
// a model can act on, even if strict mode accepts them today.
var OpenAIStrictSpill = &Pipeline{
	target:   openAIStrictSpillTarget,
	fallback: OpenAI,
	rules: []*engine.Rule{
		rules.InlineRefs,
		rules.KeepRefs,
		rules.ConstToEnum,
		rules.DefaultToDescription,
		rules.SpillKeywords,
		rules.DropMeta,
		rules.CloseObjects,
		rules.OptionalToNullable,
		rules.SpliceUnions,
		rules.Representable,
	},
}

// without returns the keywords that are not among the others.
func without(keywords []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(keywords), func(keyword string) bool { return slices.Contains(others, keyword) })
}
