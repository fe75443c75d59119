package openai

import (
	"slices"

	"toolproof/harness/provider"
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

// RootType reports a root whose type is not object.
var RootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc: `the root has type object

A root without a type is named None. An empty schema stands for an object without
properties.`,
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		switch {
		case p.Node.Kind == schema.Bool, len(p.Node.Members) == 0, value.Is("object"):
		case value == nil:
			report(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`)
		case value.Kind == schema.String:
			report(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, value.Text)
		default:
			report(p, `schema must be a JSON Schema of 'type: "object"', got 'type: "%s"'.`, pythonValue(value))
		}
	},
}

// RootCombinatorBefore is RootCombinator as it was before it told of const.
var RootCombinatorBefore = &provider.Rule{
	Name:   "root_combinator_before",
	Effect: provider.Rejects,
	Stage:  Root,
	Until:  "2026-07-24",
	Doc: `the root has no oneOf, anyOf, allOf, enum or not

The same rule as root_combinator, before its words had const too.`,
	Check: func(p *provider.Pass) {
		if hasAny(p.Node, "oneOf", "anyOf", "allOf", "enum", "not") {
			report(p, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
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
	Check: func(p *provider.Pass) {
		if hasAny(p.Node, "oneOf", "anyOf", "allOf", "enum", "const", "not") {
			report(p, "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level.")
		}
	},
}

// RootProperties reports a root object without properties.
var RootProperties = &provider.Rule{
	Name:   "root_properties",
	Effect: provider.Rejects,
	Stage:  Root,
	Doc:    `the root has properties, if only an empty object of them`,
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object && len(p.Node.Members) > 0 && !p.Node.Has("properties") {
			reportIn(p, "object schema missing properties.")
		}
	},
}

func hasAny(node *schema.Node, keywords ...string) bool {
	return slices.ContainsFunc(node.Members, func(member schema.Member) bool { return slices.Contains(keywords, member.Key) })
}
