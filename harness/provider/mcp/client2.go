package mcp

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// client is the Own of a surface: how a client of the TypeScript SDK reads tools. The zero value is one of 1.x.
type client struct {
	// takesAnyProperty says that the properties of a schema may have any value.
	takesAnyProperty bool
	// validator returns what compiles the outputSchema of a tool on a day; nil means Ajv for draft 7.
	validator func(day provider.Date, tool *schema.Node) validator
}

// kin is the Kin of both surfaces.
const kin = "the client 2.x parses tools with the types of 1.x, and compiles an outputSchema with the same validator: " +
	"lab/referees/mcp-clients asks each release"

// Client2 is a tool as clients of the TypeScript SDK 2.x read it from a server of 2025-11-25 or before. A client reads tools
// in this way unless it is told to speak the newer protocol. It refuses a whole list for the types of one tool. It refuses
// an outputSchema only when the tool is called.
var Client2 = &provider.Dialect{
	Name: "mcp/client-2",
	Doc:  "tools of the Model Context Protocol, as the TypeScript client 2.x reads and calls those of a server of 2025-11-25 or before",
	Kin:  kin, Versions: releases2, Relative: "mcp",
	Rules: slices.Concat(
		onStage(types2, "", typeRules...),
		onStage(validators2, "", outputSchemaDialect, outputSchemaKeyword, outputSchemaPattern, outputSchemaReference),
	),
	Own:  client{takesAnyProperty: true, validator: validator2},
	Path: "tools/list", API: provider.ToolsList, Subject: provider.Arguments, Schema: "/inputSchema",
	Declare: declare, Envelope: envelope, Render: render, Classify: classify, Locate: locate,
}

// Stateless is a tool as the same clients read it from a server of 2026-07-28, whose schemas are any of JSON Schema. The
// headers of x-mcp-header are StreamableHTTP's.
var Stateless = &provider.Dialect{
	Name: "mcp/2026-07-28",
	Doc:  "tools of the Model Context Protocol of 2026-07-28, as the TypeScript client 2.x reads and calls them",
	Kin:  kin, Versions: modern, Relative: "mcp",
	Rules: slices.Concat(
		onStage(types2, beta1, nameType, titleType, iconsType, descriptionType, inputSchemaMissing, inputSchemaDialect, inputSchemaType,
			outputSchemaObject, outputSchemaDialectType, annotationsType, metaType),
		onStage(validators2, beta1, outputSchemaDialect, outputSchemaKeyword, outputSchemaPattern, outputSchemaReference),
	),
	Own:  client{takesAnyProperty: true, validator: validator2},
	Path: "tools/list", API: provider.ToolsList, Subject: provider.Arguments, Schema: "/inputSchema",
	Declare: declare, Envelope: envelope, Render: render, Classify: classify, Locate: locate,
}

// types2 is the stage types of the client 2.x, which says what it refuses.
var types2 = &provider.Stage{
	Name: types.Name, All: true, Walk: parse,
	Compose: func(findings []provider.Finding) string {
		if strings.HasPrefix(findings[0].Message, "{") || strings.HasPrefix(findings[0].Message, " ") {
			return issues(findings)
		}
		lines := make([]string, len(findings)) // those of alpha.3
		for i, finding := range findings {
			lines[i] = finding.Message
		}
		return strings.Join(lines, ", ")
	},
	Preface: func(day provider.Date, _ provider.Finding) string {
		if day < alpha3 {
			return ""
		}
		return "Invalid result for tools/list: "
	},
}

// validators2 is the stage validators of the client 2.x.
var validators2 = &provider.Stage{Name: validators.Name, Walk: compile}

// onStage returns copies of rules for another stage. They begin on a day if that is not empty.
func onStage(stage *provider.Stage, since provider.Date, rules ...*provider.Rule) []*provider.Rule {
	copies := make([]*provider.Rule, len(rules))
	for i, rule := range rules {
		clone := *rule
		clone.Stage, clone.Since = stage, max(clone.Since, since)
		copies[i] = &clone
	}
	return copies
}

// validator2 returns what the client 2.x compiles an outputSchema with. The alphas do as 1.x does, when they read the
// list; the betas know draft 2020-12 alone.
func validator2(day provider.Date, tool *schema.Node) validator {
	if day < beta1 {
		return validator{vocabulary: ajv07}
	}
	const most = 200
	compiles := validator{vocabulary: ajv2020, preface: fmt.Sprintf("Tool '%s' has an invalid outputSchema: ", tool.GetString("name")), most: most}
	declared := tool.Get("outputSchema").Get("$schema")
	if declared == nil || declared.Kind != schema.String {
		return compiles
	}
	address := strings.TrimSuffix(declared.Text, "#")
	draft, isOfJSONSchema := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(address, "https:"), "http:"), "//json-schema.org/")
	known := "2020-12 only"
	if day >= final {
		known = "2020-12, 2019-09, draft-07, and draft-06"
	}
	switch {
	case isOfJSONSchema && draft == "draft/2020-12/schema":
	case day >= final && isOfJSONSchema && draft == "draft/2019-09/schema":
		compiles.vocabulary = ajv2019
	case day >= final && isOfJSONSchema && (draft == "draft-07/schema" || draft == "draft-06/schema"):
		compiles.vocabulary = ajv07
	default:
		compiles.unsupported = fmt.Sprintf(`JSON Schema declares an unsupported dialect ("$schema": "%s"). The default validator supports JSON Schema %s; `+
			"pass a pre-configured Ajv instance to AjvJsonSchemaValidator(ajv) to validate other dialects.", cut(declared.Text, most), known)
	}
	return compiles
}

// dialectSource says where the rules of $schema are known from.
const dialectSource = "npm packages @modelcontextprotocol/client 2.0.0-beta.1 to 2.4.0, validators/dialects.ts, of which lab/referees/mcp-clients asks each release"

// outputSchemaDialect reports an outputSchema of a draft that the client does not know.
var outputSchemaDialect = &provider.Rule{
	Name: "output_schema_dialect", Effect: provider.Rejects, Stage: validators2, Since: beta1,
	Doc: `the $schema of an outputSchema is of a draft that the client knows

The clients 2.0.0-beta.1 to 2.0.0-beta.5 know draft 2020-12 alone, and refuse each call of a tool whose outputSchema says
draft-07, as zod-to-json-schema writes it. Since 2.0.0 (2026-07-28) they also know 2019-09, draft-07 and draft-06. The clients
1.x do not read $schema.`,
	Source: dialectSource,
	Check: func(p *provider.Pass) {
		if reading := compilingOf(p); reading.unsupported != "" {
			place := *p
			place.Node, place.At = reading.root.Get("$schema"), append(p.At, "/$schema"...)
			reading.reportf(place, "%s", reading.unsupported)
		}
	},
}

// inputSchemaDialect and outputSchemaDialectType report a $schema other than a string.
var (
	inputSchemaDialect      = dialectType("inputSchema", "input_schema_dialect_type")
	outputSchemaDialectType = dialectType("outputSchema", "output_schema_dialect_type")
)

func dialectType(member, name string) *provider.Rule {
	return &provider.Rule{
		Name: name, Effect: provider.Rejects, Stage: types2, Since: beta1,
		Doc: `the $schema of an ` + member + ` is a string

Clients that speak the protocol of 2026-07-28 refuse the whole list of a server for one tool.`,
		Source: "types of 2026-07-28 in the npm package @modelcontextprotocol/client 2.4.0, of which lab/referees/mcp-clients asks each release",
		Check: func(p *provider.Pass) {
			if root := memberOf(p, member); root.node != nil && root.node.Kind == schema.Object {
				root.member("$schema").isAbsentOr("string")
			}
		},
	}
}
