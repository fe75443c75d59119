package openai

import (
	"context"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Responses is the parameters of a function of Responses without the member strict. The provider
// judges it like a function that is not strict, and makes it strict if it can: see echo.
var Responses = &provider.Dialect{
	Name:         "openai/responses",
	Doc:          "functions of Responses with strict absent",
	Rules:        looseResponsesRules,
	Path:         "/v1/responses",
	API:          provider.Responses,
	Subject:      provider.Arguments,
	Portable:     true,
	Traffic:      responsesTraffic,
	MostTools:    maxTools,
	Account:      "openai",
	Control:      provider.ListControl,
	JudgesCustom: true,
	Members:      functionMembers,
	Schema:       "/parameters",
	Declare:      declareFlat(nil),
	Envelope:     responses,
	Render:       render,
	Classify:     classify,
	Echo:         echo,
	Own:          responsesTools,
	Locate:       locator(responsesTools, false),
	Kin:          oneValidator,
}

// responsesStrict is the parameters of a strict function of Responses.
var responsesStrict = &provider.Dialect{
	Name:         "openai/responses-strict",
	Doc:          "functions of Responses with strict true",
	Rules:        slices.Concat(responsesRules, strictResponsesSchemaRules, []*provider.Rule{schemaURI, memberUnknown}, customRules),
	Path:         "/v1/responses",
	API:          provider.Responses,
	Subject:      provider.Arguments,
	Aliases:      []string{"openai.responses.strict"},
	Traffic:      responsesTraffic,
	MostTools:    maxTools,
	Account:      "openai",
	Control:      provider.ListControl,
	JudgesCustom: true,
	Relative:     "openai-strict",
	Members:      functionMembers,
	Schema:       "/parameters",
	Strict:       true,
	Declare:      declareFlat(schema.NewBool(true)),
	Envelope:     responses,
	Render:       render,
	Classify:     classify,
	Echo:         echoStrict,
	Own:          responsesTools,
	Locate:       locator(responsesTools, true),
	Kin:          oneValidator,
}

// responsesNonstrict is the parameters of a function of Responses with strict false or null.
var responsesNonstrict = &provider.Dialect{
	Name:         "openai/responses-nonstrict",
	Doc:          "functions of Responses with strict false or null",
	Rules:        looseResponsesRules,
	Path:         "/v1/responses",
	API:          provider.Responses,
	Subject:      provider.Arguments,
	Portable:     true,
	Traffic:      responsesTraffic,
	MostTools:    maxTools,
	Account:      "openai",
	Control:      provider.ListControl,
	JudgesCustom: true,
	Relative:     "openai",
	Members:      functionMembers,
	Schema:       "/parameters",
	Declare:      declareFlat(schema.NewBool(false)),
	Envelope:     responses,
	Render:       render,
	Classify:     classify,
	Own:          responsesTools,
	Locate:       locator(responsesTools, false),
	Kin:          oneValidator,
}

// looseResponsesRules judge a function of Responses that is not strict.
var looseResponsesRules = slices.Concat(responsesRules, metaschemaRules, looseResponsesRootRules, []*provider.Rule{arrayItems, memberUnknown}, customRules)

// declareFlat makes a declaration in the form of Responses, where the members of the
// function are beside its type. It adds strict unless that is nil.
func declareFlat(strict *schema.Node) func(schema.Tool) *schema.Node {
	return func(tool schema.Tool) *schema.Node {
		declaration := tool.Node()
		declaration.Members = slices.Insert(declaration.Members, 0, schema.Member{Key: "type", Value: function})
		if strict != nil {
			declaration.Set("strict", strict)
		}
		return declaration
	}
}

func responses(declarations []*schema.Node) *schema.Node {
	return provider.Object("model", anyModel, "input", hi, "tools", schema.NewArray(declarations...))
}

// The days on which Responses changed how it rewrites functions, as far as its answers, which echo
// them, show.
const (
	// makesStrict is when Responses began to rewrite a function without strict. Echoes of
	// 2025-05 and 2025-06 have the schema as it was sent, with strict true; the first
	// rewritten one is of 2025-09-08.
	makesStrict = provider.Date("2025-09-01")
	// keepsSchemaURI is the day of the first echo of a strict function with its $schema. The
	// echo of 2026-05-15 lacks it.
	keepsSchemaURI = provider.Date("2026-06-23")
)

// echo returns the function that Responses makes of one without strict. That is a strict function,
// with additionalProperties false and every property required, if the strict surface accepts it.
// Otherwise it is the function as sent, and not strict.
//
// Source: the answers of recorded requests, which echo the tools. No echo of a function that
// was left as sent is known: OpenAI's guide to function calling, quoted in
// https://github.com/0xPlaygrounds/rig/issues/2477, says so.
func echo(declaration *schema.Node, day provider.Date) *schema.Node {
	rewritten := echoStrict(declaration, day)
	rewritten.Set("strict", schema.NewBool(true))
	if day < makesStrict {
		return rewritten
	}
	rewritten.Get("parameters").Each(func(subschema *schema.Node) bool {
		closeObject(subschema)
		return true
	})
	if isRefused(responsesStrict, rewritten, day) {
		asSent := declaration.Clone()
		asSent.Set("strict", schema.NewBool(false))
		return asSent
	}
	return rewritten
}

// closeObject adds additionalProperties false to the schema of an object that lacks
// additionalProperties, and appends its optional properties to required.
func closeObject(node *schema.Node) {
	if node.Kind != schema.Object || !isOf(node, "object") {
		return
	}
	if !node.Has("additionalProperties") {
		node.Set("additionalProperties", schema.NewBool(false))
	}
	names := node.Get("required").Strings()
	isRequired := schema.Among(slices.Clone(names))
	for _, property := range members(node.Get("properties")) {
		if !isRequired(property.Key) {
			names = append(names, property.Key)
		}
	}
	node.Set("required", schema.NewStrings(names...))
}

// isRefused reports whether a surface refuses a declaration.
func isRefused(dialect *provider.Dialect, declaration *schema.Node, day provider.Date) bool {
	model := provider.Model{Dialect: dialect, AsOf: day}
	response, err := model.Send(context.Background(), dialect.Request([]*schema.Node{declaration}))
	return err != nil || response.Verdict != provider.Accepted
}

// schemaURI reports $schema, which the answers of Responses lacked for some time.
var schemaURI = &provider.Rule{
	Name:   "schema_uri",
	Effect: provider.Ignores,
	Stage:  root,
	Until:  keepsSchemaURI,
	Doc: `$schema at the root of a strict function is dropped

The answer of 2026-05-15 has the function without it, that of 2026-06-23 with it.`,
	Source: "the tools that recorded answers echo",
	Evidence: []string{
		"openai/responses-strict/14a87a6d3497",
		// Near misses.
		"openai/responses-strict/25828941e9cd",
	},
	Check: func(p *provider.Pass) {
		if i := p.Node.Index("$schema"); i >= 0 {
			member := *p
			member.At = []byte(schema.Pointer(p.At).Child("$schema"))
			member.Node, member.KeyPosition = p.Node.Members[i].Value, p.Node.Members[i].Position
			member.Reportf("'$schema' is dropped")
		}
	},
}

// echoStrict returns a strict function as Responses echoes it, which for some time was without
// $schema.
func echoStrict(declaration *schema.Node, day provider.Date) *schema.Node {
	understood := declaration.Clone()
	if parameters := understood.Get("parameters"); day < keepsSchemaURI && parameters != nil {
		parameters.Delete("$schema")
	}
	return understood
}
