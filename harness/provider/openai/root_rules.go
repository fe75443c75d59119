package openai

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// functionRootRules judge the root of a function's parameters.
var functionRootRules = []*provider.Rule{rootType, rootCombinatorBefore, rootCombinator, rootProperties}

// looseResponsesRootRules judge the root of a function of Responses that is not strict. Only some
// models refuse a union there. Which keywords the others demand beside the union is not known.
var looseResponsesRootRules = []*provider.Rule{
	unless(isTypelessUnion, rootType), rootUnionBefore, rootUnion,
	withCheck(rootCombinatorBefore, refuseAtRoot(combinatorsBefore, "enum", "not")),
	withCheck(rootCombinator, refuseAtRoot(combinators, "enum", "const", "not")),
	unless(isUnion, rootProperties),
}

// withCheck returns a copy of the rule that has another check.
func withCheck(rule *provider.Rule, check func(*provider.Pass)) *provider.Rule {
	clone := *rule
	clone.Check = check
	return &clone
}

// unless returns a copy of the rule that does not judge some schemas.
func unless(isPassedOver func(*schema.Node) bool, rule *provider.Rule) *provider.Rule {
	return withCheck(rule, func(p *provider.Pass) {
		if !isPassedOver(p.Node) {
			rule.Check(p)
		}
	})
}

// isUnion reports whether a schema has a keyword that combines schemas.
func isUnion(node *schema.Node) bool { return hasAny(node, "oneOf", "anyOf", "allOf") }

func isTypelessUnion(node *schema.Node) bool { return isUnion(node) && !node.Has("type") }

// formatRootRules judge the root of a response schema on Chat.
var formatRootRules = []*provider.Rule{rootType}

// textRootRules judge the root of a response schema on Responses, which refuses keywords of the root
// before its type.
var textRootRules = []*provider.Rule{
	onStage(root, unsupportedKeywords), onStage(root, remoteReference), onStage(root, notPermitted), rootType,
}

// onStage returns a copy of the rule for another stage.
func onStage(stage *provider.Stage, rule *provider.Rule) *provider.Rule {
	clone := *rule
	clone.Stage = stage
	return &clone
}

// parametersMissing reports a strict function without parameters.
var parametersMissing = &provider.Rule{
	Name:   "parameters_missing",
	Effect: provider.Rejects,
	Stage:  withoutSchema,
	Doc: `a strict function has parameters

Without parameters its schema is empty, which is an open object. How functions of Responses
are judged is not known.`,
	Evidence: []string{
		"openai/chat-strict/0ad70dd6db15",
		// Near misses.
		"openai/chat-strict/2dbc8ab1b7e3",
	},
	Check: func(p *provider.Pass) { reportInf(p, "%s", openObject) },
}

// rootType reports a root whose type is not object.
var rootType = &provider.Rule{
	Name:   "root_type",
	Effect: provider.Rejects,
	About:  "type",
	Stage:  root,
	Doc: `a root of another type than object fails the request

The message calls the type of a root without one None. An empty schema counts as an object
without properties.`,
	Evidence: []string{
		"openai/chat/86b83dc39e98",
		"openai/responses/5c4ea59dfd25",
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

// rootCombinatorBefore is rootCombinator in the words of before it named const.
var rootCombinatorBefore = &provider.Rule{
	Name:   "root_combinator_before",
	Effect: provider.Rejects,
	Stage:  root,
	Until:  "2026-07-24",
	Doc: `the root has no oneOf, anyOf, allOf, enum or not

The same rule as root_combinator, before its words had const too.`,
	Evidence: []string{
		"openai/chat/457c90ecb5af",
		// Near misses.
		"openai/chat/c8167ceb29c0",
	},
	Check: refuseAtRoot(combinatorsBefore, "oneOf", "anyOf", "allOf", "enum", "not"),
}

// The validator's words about a keyword at the root.
const (
	combinatorsBefore = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
	combinators       = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level."
)

// refuseAtRoot makes a check that reports a root with one of the keywords.
func refuseAtRoot(words string, keywords ...string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if hasAny(p.Node, keywords...) {
			reportf(p, "%s", words)
		}
	}
}

// rootCombinator reports a combinator at the root, also beside type object.
var rootCombinator = &provider.Rule{
	Name:   "root_combinator",
	Effect: provider.Rejects,
	Stage:  root,
	Since:  "2026-07-24",
	Doc: `the root has no oneOf, anyOf, allOf, enum, const or not

That holds for functions that are not strict too, and beside type object.`,
	Evidence: []string{
		"openai/chat/6acfe1f5992f",
		"azure/chat/9902f9d5bc13",
		// Near misses.
		"openai/chat/d19859d41904",
	},
	Check: refuseAtRoot(combinators, "oneOf", "anyOf", "allOf", "enum", "const", "not"),
}

// rootUnionBefore is rootUnion as it was when all models refused a union.
var rootUnionBefore = &provider.Rule{
	Name:   "root_union_before",
	Effect: provider.Rejects,
	Stage:  root,
	Until:  "2026-06-25",
	Doc: `the root of a function of Responses is no union

Refused on 2026-01-09, and on Azure until 2026-07-16. On 2026-06-25 a client of OpenAI sent
such a tool, and only Azure refused it: https://github.com/openai/codex/issues/30132.`,
	Evidence: []string{
		"openai/responses/86e5208946af",
		"azure/responses/3d580571ead4",
		"azure/responses/4fa17506cff0",
		// Near misses.
		"openai/responses/fed40a95d79f",
	},
	Check: refuseRootUnion(combinatorsBefore),
}

// rootUnion reports a union at the root for the models that refuse it.
var rootUnion = &provider.Rule{
	Name:   "root_union",
	Effect: provider.Rejects,
	Stage:  root,
	Since:  rootUnionBefore.Until,
	Models: []string{"gpt-3.5*", "gpt-4*", "o1*", "o3*", "o4*"},
	Doc: `the root of a function of Responses is no union for models before GPT-5

Measured on 2026-08-29: these models refuse oneOf, anyOf and allOf at the root
(https://github.com/BerriAI/litellm/pull/38792). GPT-5 and later accept them. pull/38837
says the same of Azure. Chat Completions refuses them for every model, and so does the
guide for strict functions.`,
	Evidence: []string{
		"azure/responses/246a37c3007b",
		// Near misses.
		"azure/responses/543d3f5c2bdc",
		"openai/responses/b35fc26ece52",
	},
	Check: refuseRootUnion(combinators),
}

// refuseRootUnion makes a check that reports a union at the root or, if the union has no type, the
// missing type.
func refuseRootUnion(words string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		switch {
		case !isUnion(p.Node):
		case isTypelessUnion(p.Node):
			rootType.Check(p)
		default:
			reportf(p, "%s", words)
		}
	}
}

// rootProperties reports a root object without properties.
var rootProperties = &provider.Rule{
	Name:   "root_properties",
	Effect: provider.Rejects,
	About:  "properties",
	Stage:  root,
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
