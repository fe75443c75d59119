package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// mistralChat is the functions of Mistral. Its library mistral-common validates schemas by draft
// 7 and names by a pattern. Whether the servers do so is not known.
var mistralChat = chat("mistral/chat", "functions of Mistral's chat completions", "/v1/chat/completions", []string{"mistral.*", "*.mistral.*"},
	envelope{kind: "invalid_request_error", bodies: true, about: lazy.Compile(`"loc":\["body","tools"|^Grammar error: at \d`)},
	spoken(
		`"loc":\["body","tools",(?P<index>\d+),"function"[^\n]*`,
		`Grammar error: at \d[^\n]*`,
	), toolExtra, schemaOfUnknownDraft)

// bodyOfTools is the stage that reads the tools, before anything else is judged. Its words are
// those of a Python library.
var bodyOfTools = &provider.Stage{
	Name:   "body",
	All:    true,
	Status: 422,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, declaration := range request.Declarations {
			visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: declaration})
		}
	},
	Compose: func(findings []provider.Finding) string {
		details := make([]string, len(findings))
		for i, finding := range findings {
			details[i] = finding.Message
		}
		return `{"detail":[` + strings.Join(details, ",") + `]}`
	},
}

// toolExtra reports an unknown member of a function.
var toolExtra = &provider.Rule{
	Name:   "tool_extra",
	Effect: provider.Rejects,
	Stage:  bodyOfTools,
	Until:  "2026-02-08",
	Doc: `a function has a name, a description, parameters and strict

Seen in 2024. A refusal of 2026-02-08 names its place in other words; whether unknown members
were still refused then is not known.`,
	Evidence: []string{
		"mistral/chat/5fffd91426cf",
		// Near misses.
		"mistral/chat/7f079075543b",
	},
	Check: func(p *provider.Pass) {
		for _, member := range membersOf(p.Node.Get("function")) {
			switch member.Key {
			case "name", "description", "parameters", "strict":
			default:
				place := schema.NewArray(schema.NewString("body"), schema.NewString("tools"), schema.NewNumber(strconv.Itoa(p.Request.Index(p.Declaration))),
					schema.NewString("function"), schema.NewString(member.Key))
				p.Charge(member.Value.Size())
				p.Reportf(`{"type":"extra_forbidden","loc":%s,"msg":"Extra inputs are not permitted","input":%s}`, place.JSON(), member.Value.JSON())
			}
		}
	},
}

// schemaOfUnknownDraft reports a $schema that names no draft.
var schemaOfUnknownDraft = &provider.Rule{
	Name:   "schema_of_unknown_draft",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `$schema names a draft of JSON Schema, where there is an $id

Seen with https://json-schema.org/draft-07 beside an $id; which of the two was refused is not
known. The place in the message is one in a grammar, which is not predicted.`,
	Evidence: []string{
		"mistral/chat/6110776bc6ae",
		// Near misses.
		"mistral/chat/7f079075543b",
	},
	Check: func(p *provider.Pass) {
		named := strings.TrimSuffix(p.Node.GetString("$schema"), "#")
		if p.Node.Has("$id") && strings.Contains(named, "json-schema.org/draft-") && !strings.HasSuffix(named, "/schema") {
			p.Reportf("Grammar error: at 3(11): failed to compile JSON schema")
		}
	},
}
