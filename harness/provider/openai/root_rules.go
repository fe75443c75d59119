package openai

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/python"
	"toolproof/schema"
)

// functionRootRules judge the root of a function's parameters.
var functionRootRules = []*provider.Rule{RootType, RootCombinatorBefore, RootCombinator, RootProperties}

// formatRootRules judge the root of a response schema on Chat.
var formatRootRules = []*provider.Rule{RootType}

// textRootRules judge the root of a response schema on Responses, which names a
// keyword of the root before the type of the root.
var textRootRules = []*provider.Rule{
	onStage(Root, UnsupportedKeywords), onStage(Root, RemoteReference), onStage(Root, NotPermitted), RootType,
}

// onStage returns the rule as another stage applies it.
func onStage(stage *provider.Stage, rule *provider.Rule) *provider.Rule {
	clone := *rule
	clone.Stage = stage
	return &clone
}

// ParametersMissing reports a strict function without parameters.
var ParametersMissing = &provider.Rule{
	Name:   "parameters_missing",
	Effect: provider.Rejects,
	Stage:  WithoutSchema,
	Doc: `a strict function has parameters

One without them is taken for one with an empty schema, which is an open object. Of
functions of Responses nothing is known.`,
	Evidence: []string{
		"openai/chat-strict/0ad70dd6db15",
		// Near misses.
		"openai/chat-strict/2dbc8ab1b7e3",
	},
	Check: func(p *provider.Pass) { reportInf(p, "%s", openObject) },
}

// RootType reports a root whose type is not object.
var RootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc: `the root has type object

A root without a type is named None. An empty schema stands for an object without
properties.`,
	Evidence: []string{
		"openai/chat/86b83dc39e98",
		"openai/response_format/0b1039824e2b",
		"openai/response_format/175f94c7f11b",
		"openai/response_format/20709f20e64f",
		"openai/response_format/27d76bca6780",
		"openai/response_format/55e24a5337fe",
		"openai/response_format/715a1f4e2116",
		"openai/response_format/94058f7c75cb",
		"openai/response_format/cdc6304801ac",
		"openai/response_format/dc8a53d90b86",
		"openai/text_format/2f48727f56ca",
		"openai/text_format/5739620ba90e",
		"openai/text_format/9060c60fb4e8",
		// Near misses.
		"openai/chat/b30f4e50cab7",
		"openai/response_format/a2604c6d57c9",
	},
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		switch {
		case p.Node.Kind == schema.Bool, len(p.Node.Members) == 0, value.Is("object"):
		case value == nil:
			reportf(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`)
		case value.Kind == schema.String:
			reportf(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, value.Text)
		default:
			reportf(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, python.Value(value))
		}
	},
}

// RootCombinatorBefore is RootCombinator as it was before it named const.
var RootCombinatorBefore = &provider.Rule{
	Name:   "root_combinator_before",
	Effect: provider.Rejects,
	Stage:  Root,
	Until:  "2026-07-24",
	Doc: `the root has no oneOf, anyOf, allOf, enum or not

The same rule as root_combinator, before its words had const too.`,
	Evidence: []string{
		"openai/chat/457c90ecb5af",
		// Near misses.
		"openai/chat/c8167ceb29c0",
	},
	Check: func(p *provider.Pass) {
		if hasAny(p.Node, "oneOf", "anyOf", "allOf", "enum", "not") {
			reportf(p, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
		}
	},
}

// RootCombinator reports a combinator at the root, also beside type object.
var RootCombinator = &provider.Rule{
	Name:   "root_combinator",
	Effect: provider.Rejects,
	Stage:  Root,
	Since:  "2026-07-24",
	Doc: `the root has no oneOf, anyOf, allOf, enum, const or not

That holds for functions that are not strict too, and beside type object.`,
	Evidence: []string{
		"openai/chat/6acfe1f5992f",
		// Near misses.
		"openai/chat/d19859d41904",
	},
	Check: func(p *provider.Pass) {
		if hasAny(p.Node, "oneOf", "anyOf", "allOf", "enum", "const", "not") {
			reportf(p, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level.")
		}
	},
}

// RootProperties reports a root object without properties.
var RootProperties = &provider.Rule{
	Name:   "root_properties",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc:    `the root has properties, if only an empty object of them`,
	Evidence: []string{
		"openai/chat/623b46acef29",
		// Near misses.
		"openai/chat/f73d7ddc1200",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object && len(p.Node.Members) > 0 && !p.Node.Has("properties") {
			reportInf(p, "object schema missing properties.")
		}
	},
}

func hasAny(node *schema.Node, keywords ...string) bool {
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool { return slices.Contains(keywords, member.Key) })
}
