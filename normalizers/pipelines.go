package normalizers

import (
	"context"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Pipelines are the targets, in the order in which they are listed.
var Pipelines = []*Pipeline{
	Gemini, GeminiJSON, GeminiResponse, GeminiResponseJSON, Vertex, VertexJSON, GeminiOpenAI,
	OpenAI, OpenAIStrict, OpenAIResponses,
	Anthropic, AnthropicStrict,
	CodeAssistClaude, MCP, Ollama, LlamaCPP, VLLM, Moonshot, Portable,
}

// Named returns the pipeline of a target or an alternate, or nil.
func Named(name string) *Pipeline {
	for _, pipeline := range All {
		if pipeline.Name() == name {
			return pipeline
		}
	}
	return nil
}

// Rule is the documentation of one kind of rewrite.
type Rule struct {
	Name string // in snake_case, as in Change.Rule
	// Doc is a title, a blank line, text and sources.
	Doc string
	// Before is an example of a schema or a tool, and After is the result of the rule alone.
	Before, After string
	// Loss is the greatest loss of a change of the rule. Each Change has its own.
	Loss rewrite.Loss
}

// Title returns the first line of Doc.
func (r Rule) Title() string {
	title, _, _ := strings.Cut(r.Doc, "\n")
	return title
}

func documented(rule *engine.Rule) Rule {
	return Rule{Name: rule.Name, Doc: rule.Doc, Before: rule.Before, After: rule.After, Loss: rule.Loss}
}

// Rules returns the documentation of every rule of All, each once, in the order of the pipelines.
func Rules() []Rule {
	var all []Rule
	seen := map[*engine.Rule]bool{}
	for _, pipeline := range All {
		for _, rule := range slices.Concat(pipeline.rules, pipeline.onDemand()) {
			if !seen[rule] {
				all = append(all, documented(rule))
			}
			seen[rule] = true
		}
	}
	return all
}

// repairs correct schemas that no provider accepts, or that readers of JSON Schema interpret
// differently. They come first in every pipeline.
var repairs = []*engine.Rule{
	rules.ProtoNames,
	rules.LocalizeText,
	rules.SlippedRequired,
	rules.KeywordValue,
	rules.RequiredFlags,
	rules.ForeignType,
	rules.UpgradeDraft,
}

// allRepairs are the repairs for targets whose rules rewrite the target of a reference wherever it
// is.
var allRepairs = append([]*engine.Rule{rules.ForeignDefinitions}, repairs...)

// Repair returns a tool in JSON Schema 2020-12, after the repairs with which every pipeline begins:
// of required flags, types of programming languages, texts in several languages, and keywords of
// older drafts.
func Repair(ctx context.Context, tool schema.Tool) (Result, error) {
	pipeline := &Pipeline{
		target: &engine.Target{Name: "repair", Typeless: true, TypeLists: engine.TypeNames},
		rules:  slices.Concat(repairs, []*engine.Rule{rules.SchemaDialect, rules.DanglingRefs}),
	}
	return pipeline.Normalize(ctx, tool)
}

// simplify, toMessage and fillMessage turn JSON Schema into a Schema message of Google's: simplify
// removes what the message has no fields for, toMessage expresses the rest in its fields, and
// fillMessage adds what the message needs and JSON Schema does not.
var (
	simplify = []*engine.Rule{
		rules.PointerRefs,
		rules.InlineRefs,
		rules.MergeAllOf,
		rules.TupleToItems,
		rules.DropMeta,
		rules.SpillKeywords,
		rules.OneOfToAnyOf,
		rules.ConstToEnum,
	}
	toMessage = []*engine.Rule{
		rules.Nullable,
		rules.UnnamedProperty,
		rules.EnumValues,
		rules.TypeUnion,
		rules.LoneAnyOf,
	}
	fillMessage = []*engine.Rule{
		rules.FillType,
		rules.ExclusiveBounds,
		rules.FillItems,
		rules.AnyValue,
		rules.UndeclaredRequired,
	}
)

// Gemini serves the parameters of function declarations in the Gemini API.
var Gemini = &Pipeline{
	target:   geminiTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.PlainData}, simplify, []*engine.Rule{rules.MergeRootUnion}, toMessage, fillMessage,
		[]*engine.Rule{rules.IdleKeywords, rules.TypeCase, rules.DeclarationMembers, rules.ToolName}),
}

// GeminiJSON serves the parametersJsonSchema of function declarations in the Gemini API, which
// takes nearly all of JSON Schema.
var GeminiJSON = &Pipeline{
	target:   geminiJSONTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules:    slices.Concat(toJSONSchema, []*engine.Rule{rules.ManyItems, rules.ToolName}),
}

// toJSONSchema repairs parametersJsonSchema.
var toJSONSchema = slices.Concat(repairs, []*engine.Rule{
	rules.PlainData,
	rules.SchemaDialect,
	rules.HiddenRefs,
	rules.DanglingRefs,
	rules.RequiredLoops,
	rules.DeclareRequired,
	rules.WrapRoot,
	rules.DeclarationMembers,
})

// GeminiResponse serves the responseSchema of the Gemini API.
var GeminiResponse = &Pipeline{
	target:   geminiResponseTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.FillParameters, rules.PlainData}, simplify, toMessage, fillMessage,
		[]*engine.Rule{rules.JSONText, rules.IdleKeywords, rules.TypeCase}),
}

// GeminiResponseJSON serves the responseJsonSchema of the Gemini API.
var GeminiResponseJSON = &Pipeline{
	target:   geminiResponseJSONTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules: slices.Concat(repairs, []*engine.Rule{
		rules.PlainData,
		rules.SchemaDialect,
		rules.HiddenRefs,
		rules.DanglingRefs,
		rules.RequiredLoops,
		rules.DeclareRequired,
		rules.PointerRefs,
		rules.HoistNested,
		rules.ManyItems,
	}),
}

// Vertex serves the parameters of function declarations in Vertex AI, which are an object.
var Vertex = &Pipeline{
	target:   vertexTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.PlainData}, simplify, []*engine.Rule{rules.MergeRootUnion}, toMessage, []*engine.Rule{rules.WrapRoot}, fillMessage,
		[]*engine.Rule{rules.IdleKeywords, rules.NullType, rules.TypeCase, rules.DeclarationMembers, rules.ToolName}),
}

// VertexJSON serves the parametersJsonSchema of function declarations in Vertex AI, which takes nearly
// all of JSON Schema.
var VertexJSON = &Pipeline{
	target:   vertexJSONTarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules:    slices.Concat(toJSONSchema, []*engine.Rule{rules.ToolName}),
}

// GeminiOpenAI serves the functions of the Gemini API's endpoint that is compatible with OpenAI's,
// which passes them to the Gemini API.
var GeminiOpenAI = &Pipeline{
	target:   geminiOpenAITarget,
	optional: []*engine.Rule{rules.PropertyOrdering},
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.PlainData}, simplify, []*engine.Rule{rules.MergeRootUnion}, toMessage, fillMessage,
		[]*engine.Rule{rules.IdleKeywords, rules.ToolName}),
}

// OpenAI serves functions that are not strict. It leaves alone what OpenAI accepts.
var OpenAI = &Pipeline{
	target: openAITarget,
	rules: slices.Concat(repairs, []*engine.Rule{
		rules.PointerRefs,
		rules.InlineRefs,
		rules.MergeAllOf,
		rules.MergeRootUnion,
		rules.WrapRoot,
		rules.SchemaDialect,
		rules.PythonPatterns,
		rules.SpillKeywords,
		rules.FillType,
		rules.FillProperties,
		rules.FillItems,
		rules.ToolName,
	}),
}

// OpenAIResponses serves functions of the Responses API that do not set strict. Apart from null
// parameters, they take what other functions that are not strict take.
var OpenAIResponses = &Pipeline{target: openAIResponsesTarget, rules: OpenAI.rules}

// Anthropic serves tools that are not strict.
var Anthropic = &Pipeline{
	target: anthropicTarget,
	rules: slices.Concat(repairs, []*engine.Rule{
		rules.SchemaDialect,
		rules.PointerRefs,
		rules.InlineRefs,
		rules.MergeAllOf,
		rules.MergeRootUnion,
		rules.WrapRoot,
		rules.FillType,
		rules.FillParameters,
		rules.PropertyKeys,
		rules.ToolName,
	}),
}

// AnthropicStrict serves strict tools. A tool that cannot be strict is normalized as Anthropic does.
var AnthropicStrict = &Pipeline{
	target:   anthropicStrictTarget,
	fallback: Anthropic,
	request:  requestLimits{Tools: 20, Optional: 24, Unions: 16},
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.NullableToNull,

		rules.PointerRefs,
		rules.InlineRefs,
		rules.MergeAllOf,
		rules.TupleToItems,
		rules.OneOfToAnyOf,
		rules.MergeRootUnion,
		rules.WrapRoot,

		rules.FillType,
		rules.FillParameters,
		rules.UnlistedMembers,
		rules.TypeUnion,
		rules.LoneAnyOf,
		rules.DropMeta, // before SpillKeywords, which also spills keywords in unused definitions
		rules.SpillKeywords,
		rules.IdleKeywords,
		rules.AnyValue,
		rules.CloseObjects,
		rules.UndeclaredRequired, // a closed object would never have what it requires
		rules.Representable,
		rules.PropertyKeys,
		rules.ToolName,
	}),
}

// OpenAIStrict serves strict functions. A tool that cannot be strict is normalized as OpenAI does.
var OpenAIStrict = &Pipeline{
	target:   openAIStrictTarget,
	fallback: OpenAI,
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.NullableToNull,

		rules.PointerRefs,
		rules.InlineRefs,
		rules.KeepRefs,
		rules.MergeAllOf,
		rules.TupleToItems,
		rules.OneOfToAnyOf,
		rules.ConstToEnum,
		rules.MergeRootUnion,
		rules.WrapRoot,

		rules.FillType,
		rules.FillParameters,
		rules.UnlistedMembers,
		rules.TypeUnion,
		rules.LoneAnyOf,
		rules.IdleValues,
		rules.PythonPatterns,
		rules.IdleKeywords, // before DropMeta: an idle keyword may have the only reference to a definition
		rules.DropMeta,     // before SpillKeywords, which also spills keywords in unused definitions
		rules.SpillKeywords,
		rules.AnyValue,
		rules.CloseObjects,
		rules.FillProperties,
		rules.UndeclaredRequired,
		rules.OptionalToNullable,
		rules.SpliceUnions,
		rules.Representable,
		rules.ToolName,
	}),
}

// CodeAssistClaude serves the functions of Claude models in Cloud Code Assist and Antigravity, which
// take no union and no null.
var CodeAssistClaude = &Pipeline{
	target: codeAssistClaudeTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.FillParameters}, simplify, []*engine.Rule{rules.MergeRootUnion}, toMessage, []*engine.Rule{
		rules.WrapRoot,
		rules.FillType,
		rules.FlattenUnions,
		rules.CollapseUnions,
		rules.IdleKeywords,
		rules.NullToOptional,
		rules.FillItems,
		rules.AnyValue,
		rules.UndeclaredRequired,
		rules.FillProperties,
		rules.CutDepth,
		rules.LastResort,
		rules.DeclarationMembers,
		rules.ToolName,
	}),
}

// MCP serves the tools that a server of the Model Context Protocol publishes.
var MCP = &Pipeline{
	target: mcpTarget,
	rules: slices.Concat(repairs, []*engine.Rule{
		rules.SchemaDialect,
		rules.WrapRoot,
		rules.FillType,
		rules.FillParameters,
		rules.BooleanProperties,
		rules.HeaderNames,
		rules.OutputSchema,
		rules.ToolMembers,
	}),
}

// Ollama serves tools of Ollama, which silently drops keywords that it has no fields for.
var Ollama = &Pipeline{
	target: ollamaTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.PointerRefs,
		rules.InlineRefs,
		rules.NullableToNull, // after InlineRefs, because Ollama takes definitions whole
		rules.MergeAllOf,
		rules.TupleToItems,
		rules.OneOfToAnyOf,
		rules.ConstToEnum,
		rules.MergeRootUnion,
		rules.WrapRoot,
		rules.FillType,
		rules.DropMeta,
		rules.PlainData,
		rules.RootDescription,
		rules.AnyValue,
		rules.SpillKeywords,
	}),
}

// LlamaCPP serves tools of llama.cpp, which makes a grammar of each schema and refuses the request
// if it cannot.
var LlamaCPP = &Pipeline{
	target: llamaCPPTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.SchemaDialect,
		rules.PointerRefs,
		rules.DanglingRefs,
		rules.PlainRefs,
		rules.RequiredLoops,
		rules.WrapRoot,
		rules.FillType,
		rules.FillParameters,
		rules.ClosedTuple,
		rules.AnyValue,
		rules.PlainPatterns,
		rules.PlainNames,
		rules.PlainData,
		rules.WholeCounts,
		rules.SpillKeywords,
		rules.UntypedSchema,
		rules.PropertyKeys,
	}),
}

// VLLM serves tools of vLLM, whose engine xgrammar makes a grammar of each schema if a call is
// forced.
var VLLM = &Pipeline{
	target: vllmTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.SchemaDialect,
		rules.PointerRefs,
		rules.DanglingRefs,
		rules.PlainRefs,
		rules.WrapRoot,
		rules.FillType,
		rules.FillParameters,
		rules.PlainData,
		rules.AnyValue,
		rules.PlainPatterns,
		rules.WholeBounds,
		rules.SpillKeywords,
		rules.PossibleBounds,
		rules.PropertyKeys,
	}),
}

// Moonshot serves functions of Moonshot, whose validator knows few keywords and ignores the others.
var Moonshot = &Pipeline{
	target: moonshotTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{
		rules.SchemaDialect,
		rules.PointerRefs,
		rules.DanglingRefs,
		rules.RootReference,
		rules.MergeRootUnion,
		rules.WrapRoot,
		rules.FillType,
		rules.ClosedTuple,
		rules.AnyValue,
		rules.DefinitionRefs,
		rules.PayloadNames,
		rules.DeclareRequired,
		rules.EnumTypes,
		rules.UntypedSchema,
		rules.TypeUnion,
		rules.UnionSiblings,
		rules.ReferenceSiblings,
		rules.PropertyKeys,
		rules.EndlessRefs,
		rules.FitLists,
		rules.FitSize,
		rules.ToolName,
	}),
}

// Portable makes a declaration that every surface accepts outside strict mode, and that every
// measured client of the Model Context Protocol sends. It is for authors who know neither the
// provider nor the client.
var Portable = &Pipeline{target: portableTarget, rules: PortableUnions.rules}

// PortableUnions is Portable with unions. It keeps more of the meaning, but the client Continue does
// not send its tools to Gemini.
var PortableUnions = &Pipeline{
	target: portableUnionsTarget,
	rules: slices.Concat(allRepairs, []*engine.Rule{rules.FillParameters, rules.PlainData, rules.PlainPatterns, rules.WholeCounts}, simplify,
		[]*engine.Rule{rules.MergeRootUnion}, toMessage, []*engine.Rule{rules.NullToOptional, rules.WrapRoot}, fillMessage, []*engine.Rule{
			rules.FlattenUnions,
			rules.CollapseUnions,
			rules.IdleKeywords,
			rules.FillProperties,
			rules.BareArguments,
			rules.ManyItems,
			rules.CutDepth,
			rules.PropertyKeys,
			rules.FitLists,
			rules.RootDescription,
			rules.FillDescription,
			rules.DescriptionLimit,
			rules.OutputSchema,
			rules.ToolMembers,
			rules.FitSize,
			rules.SayConstraints,
			rules.ToolName,
		}),
}
