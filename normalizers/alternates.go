package normalizers

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
)

// alternates do what one seed document each describes, and PortableUnions what Portable
// gives up. The targets decide otherwise or do more, so that users can compare both. They report every change as the targets do;
// that the surface accepts what they make is for them to show.
var alternates = []*Pipeline{GeminiFlags, GeminiStrip, GeminiInline, GeminiLocalize, GeminiSpill, OpenAIStrictSpill, PortableUnions}

// All are the targets and the alternates.
var All = slices.Concat(Pipelines, alternates)

// GeminiFlags collects the flags of required properties and gives the root its type, as
// docs/seeds.md#seed-000 has it. All else passes through.
var GeminiFlags = &Pipeline{
	target: &engine.Target{Name: "gemini-flags", Typeless: true, RootRequired: true},
	rules:  []*engine.Rule{rules.SlippedRequired, rules.RequiredFlags, rules.FillType},
}

// GeminiStrip removes keywords that Gemini lacks, and unions, as docs/seeds.md#seed-001 has it.
// It reports nothing and replaces nothing, except const.
var GeminiStrip = &Pipeline{
	target: &engine.Target{Name: "gemini-strip", Keywords: without(geminiTarget.Keywords, "anyOf"), Spilled: []string{}, Limits: []any{rules.KeywordLimits{Strips: true}}},
	rules:  []*engine.Rule{rules.StrippedProperty, rules.DropMeta, rules.SpillKeywords, rules.ConstToEnum},
}

// GeminiInline has the 22 patterns of docs/seeds.md#seed-002-log-002. It keeps the fields
// that the seed found without trouble, and spills nothing.
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

// GeminiLocalize gives every text in one language, as docs/seeds.md#seed-003 has it. All
// else passes through.
var GeminiLocalize = &Pipeline{
	target: &engine.Target{Name: "gemini-localize", Limits: []any{rules.Texts{"description", "title", "name"}}},
	rules:  []*engine.Rule{rules.LocalizeText},
}

// GeminiSpill prepares JSON Schema for parametersJsonSchema, as
// docs/seeds.md#seed-004-2 has it. It spills what a model can act on, and removes
// structure without a word.
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

// OpenAIStrictSpill prepares strict functions as docs/seeds.md#seed-004-1 has it. It
// spills what a model can act on, also what strict mode accepts today.
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
