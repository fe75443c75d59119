package openai

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// functionMembers are the members of a function of Responses beside its name, description, parameters
// and strictness.
var functionMembers = append([]string{"defer_loading"}, unknownMembers...)

// unknownMembers are those of functionMembers that no public request with an answer has.
var unknownMembers = []string{"output_schema", "async", "allowed_callers"}

// wholeFunctions is the stage that looks at whole functions.
var wholeFunctions = &provider.Stage{
	Name:           "functions",
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		visitor.VisitAll(&provider.Pass{Request: request, Declaration: declaration, Node: request.Declarations[declaration]})
	},
}

// memberUnknown reports members that Responses has and of which no answer is known.
var memberUnknown = &provider.Rule{
	Name:   "member_unknown",
	Effect: provider.Unknown,
	Stage:  wholeFunctions,
	Since:  "2026-07-14",
	Doc: `what is refused of output_schema, async and allowed_callers is not known

OpenAI's libraries have the members. No public request with one of them and its answer is known, so
that nobody knows how the schema in output_schema is judged, nor which callers and values are taken.`,
	Source: "https://github.com/openai/openai-agents-python/pull/3833 (2026-07-14) and https://github.com/openai-php/client/pull/790 (2026-07-20) send them; " +
		"neither shows an answer",
	Check: func(p *provider.Pass) {
		declaration := p.Node
		for _, member := range declaration.Members {
			if slices.Contains(unknownMembers, member.Key) {
				p.Node, p.At = member.Value, []byte(schema.Pointer("").Child(member.Key))
				p.Report(provider.Finding{Message: "it is unknown what " + p.Dialect().Name + " refuses of " + member.Key})
			}
		}
		p.Node = declaration
	},
}
