package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

var (
	// mistralChat is the functions of Mistral.
	mistralChat = func() *provider.Dialect {
		row := chat("mistral/chat", "functions of Mistral's chat completions", "/v1/chat/completions", mistralHosts, mistralErrors, locateMistral,
			toolExtra, toolSchemaInvalid, schemaOfUnknownDraft)
		row.Traffic.Models = []string{"mistral-large-*", "mistral-medium-*", "mistral-small-*", "ministral-*-*", "magistral-*-*", "codestral-*", "devstral-*-*"}
		return row
	}()

	// mistralResponseFormat refuses nothing that is known: a plain schema was accepted of 14 models on
	// 2026-08-17 (https://github.com/mnfst/modelparams.dev/pull/233).
	mistralResponseFormat = format("mistral/response_format", "response_format of Mistral, type json_schema with strict true", "/v1/chat/completions", mistralHosts,
		mistralErrors, locateMistral)

	mistralHosts  = []string{"mistral.*", "*.mistral.*"}
	mistralErrors = envelope{
		object: "error", kind: "invalid_request_error", kinds: map[string]string{"3230": "invalid_request_message_order"},
		hasNulls: true, bodies: true, about: lazy.Compile(`"loc":\["body","tools"|^Grammar error: at \d|^Invalid tool schema: `),
	}
	locateMistral = spoken(
		`"loc":\["body","tools",(?P<index>\d+),"function"[^\n]*`,
		`Grammar error: at \d[^\n]*`,
		`Invalid tool schema: [^\n]*`,
	)
)

// toolSchemaInvalid reports a bound that is true or false, as draft 4 has it.
var toolSchemaInvalid = &provider.Rule{
	Name:   "tool_schema_invalid",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `exclusiveMinimum and exclusiveMaximum are numbers

The words are those of a Python library, which judges a schema by its metaschema. A fault below
items was seen once, and the message quotes these items. How other faults are judged is not known.`,
	Source: "https://github.com/SylphxAI/pdf-reader-mcp/issues/63 (2025-05-22)",
	Check: func(p *provider.Pass) {
		bound := p.Node.First("exclusiveMinimum", "exclusiveMaximum")
		if bound == nil || bound.Kind != schema.Bool {
			return
		}
		root := p.Dialect().SchemaOf(p.Request.Declarations[p.Declaration])
		if items := outermostItems(root, in(p).tokens()); items != nil {
			p.Charge(items.Size())
			p.Reportf("Invalid tool schema: %s is not valid under any of the given schemas", python.Value(items))
		}
	},
}

// outermostItems returns the first items through which tokens lead from the root, or nil.
func outermostItems(root *schema.Node, tokens []string) *schema.Node {
	node := root
	for len(tokens) > 0 && node != nil {
		keyword := tokens[0]
		node, tokens = node.Step(keyword), tokens[1:]
		if keyword == "items" {
			return node
		}
		if class := schema.ClassOf(keyword); (class == schema.SchemaMap || class == schema.SchemaOrNamesMap || class == schema.SchemaList) && len(tokens) > 0 {
			node, tokens = node.Step(tokens[0]), tokens[1:]
		}
	}
	return nil
}

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
