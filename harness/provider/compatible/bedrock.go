package compatible

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/claude"
	"toolproof/schema"
)

// The surfaces of Bedrock.
var (
	bedrockConverse = converseTools(&provider.Dialect{
		Name: "bedrock/converse", Doc: "tools of Bedrock's Converse",
		Rules: []*provider.Rule{rootKeyword, inputSchemaType, keywordValue},
	})

	bedrockConverseStrict = func() *provider.Dialect {
		row := strict(converseTools(&provider.Dialect{
			Name: "bedrock/converse-strict", Doc: "tools of Bedrock's Converse with strict true",
			Rules: slices.Concat([]*provider.Rule{inputSchemaType, keywordValue, strictExtra}, ofClaude(claude.Rules)),
		}))
		row.Relative = "anthropic-strict"
		row.Own = claude.Surface{Before: ofModel}
		row.Kin = "Bedrock passes strict tools on to Anthropic's models, and their refusals back: those of open objects, of maxItems and of references to no definition " +
			"have the same words there. What limits the number of strict tools and of parameters is not known."
		return row
	}()
)

// ofModel begins the refusals that Bedrock passes on from a model.
const ofModel = "The model returned the following errors: "

// converseTools completes the row of a surface for tools of Converse, which has a name, a line about it, and
// rules.
func converseTools(row *provider.Dialect) *provider.Dialect {
	row.Doc += thin
	row.Path, row.API, row.Subject, row.Schema = "/model/{model}/converse", provider.Converse, provider.Arguments, inSpec
	row.Portable, row.Relative = true, "anthropic" // most tools on Bedrock go to its models
	row.Traffic = provider.Traffic{Hosts: []string{"bedrock-runtime.*.amazonaws.com"}}
	row.Declare, row.Envelope = declareToolSpec, converse
	row.Render, row.Classify, row.Locate = bedrockErrors.render, bedrockErrors.classify, locateBedrock.locate(inSpec)
	return row
}

// The stages in which Converse judges a tool before it asks a model.
var (
	converseRoot       = ofConverse(root)
	converseSubschemas = ofConverse(subschemas)
)

func ofConverse(stage *provider.Stage) *provider.Stage {
	clone := *stage
	clone.Shared = "Converse judges the schemas of tools, strict or not, before it passes them to a model"
	return &clone
}

// ofClaude returns rules that hold unless the request names a model of another maker.
func ofClaude(rules []*provider.Rule) []*provider.Rule {
	of := make([]*provider.Rule, len(rules))
	for i, rule := range rules {
		clone := *rule
		clone.Models = []string{"!*nova*", "!*llama*", "!*mistral*", "!*qwen*", "!*gpt-oss*", "!*deepseek*", "!*glm*", "!*kimi*", "!*minimax*"}
		of[i] = &clone
	}
	return of
}

func declareToolSpec(tool schema.Tool) *schema.Node {
	spec := tool.Node()
	if parameters := spec.Delete("parameters"); parameters != nil {
		spec.Set("inputSchema", provider.Object("json", parameters))
	}
	return provider.Object("toolSpec", spec)
}

func converse(declarations []*schema.Node) *schema.Node {
	return provider.Object("messages", helloOfParts, "toolConfig", provider.Object("tools", schema.NewArray(declarations...)))
}

// strictExtra reports strict, where the model does not take it.
var strictExtra = &provider.Rule{
	Name:   "strict_extra",
	Effect: provider.Rejects,
	Stage:  tools,
	Since:  "2026-06-17",
	Models: []string{"*claude-opus-4-7*", "*claude-opus-4-8*", "*claude-sonnet-5", "*claude-sonnet-4-20250514*"},
	Doc: `on some of Anthropic's models a tool has no strict

Opus 4.7 and 4.8, Sonnet 5 and Sonnet 4 refuse it. Haiku 4.5, Sonnet 4.5 and 4.6, Opus 4.6 and
Opus 5 take it, so that it does not follow from the version.`,
	Evidence: []string{
		"bedrock/converse-strict/a233468629ae",
		// Near misses.
		"bedrock/converse-strict/e3b0019f6401",
	},
	Check: func(p *provider.Pass) {
		strict := p.Node.Get("toolSpec").Get("strict")
		p.Node, p.At = strict, []byte("/strict")
		p.Reportf(ofModel+"tools.%d.custom.strict: Extra inputs are not permitted", p.Request.Index(p.Declaration))
	},
}

// inputSchemaType reports a root whose type is not object.
var inputSchemaType = &provider.Rule{
	Name:   "input_schema_type",
	Effect: provider.Rejects,
	Stage:  converseRoot,
	Doc:    `a root of another type than object fails the request`,
	Evidence: []string{
		"bedrock/converse/73267100db7c",
		// Near misses.
		"bedrock/converse/9f5d77423d06",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			p.Report(provider.Finding{
				Message: "The value at toolConfig.tools." + strconv.Itoa(p.Declaration) + ".toolSpec.inputSchema.json.type must be one of the following: object.",
			})
		}
	},
}

// keywordValue reports a keyword whose value is of the wrong type.
var keywordValue = &provider.Rule{
	Name:   "keyword_value",
	Effect: provider.Rejects,
	Stage:  converseSubschemas,
	Doc: `the value of a keyword is of the type that the metaschema demands

The words are those of a Java library and were seen for properties. The provider probably
reports several faults of one tool together; the model reports the first.`,
	Evidence: []string{
		"bedrock/converse/30649005104a",
		// Near misses.
		"bedrock/converse/9f5d77423d06",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			switch member.Key {
			case "properties", "required", "enum", "anyOf", "allOf", "oneOf", "description", "title", "pattern":
			default:
				continue
			}
			if want := schema.TypeOf(member.Key); want != "" && !member.Value.IsOf(want) {
				p.Reportf("The json schema definition at toolConfig.tools.%d.toolSpec.inputSchema is invalid. Fix the following errors and try again: %s: %s found, %s expected",
					p.Declaration, strings.Join(append(append([]string{"$"}, in(p).tokens()...), member.Key), "."), typeName(member.Value), want)
				return
			}
		}
	},
}

// typeName returns the name of a value's type.
func typeName(value *schema.Node) string {
	for _, name := range []string{"null", "boolean", "string", "integer", "number", "array"} {
		if value.IsOf(name) {
			return name
		}
	}
	return "object"
}

// rootKeyword reports a keyword at the root that a tool for Nova may not have.
var rootKeyword = &provider.Rule{
	Name:   "root_keyword",
	Effect: provider.Rejects,
	Stage:  converseRoot,
	Models: []string{"*nova*"},
	Doc: `on Amazon's Nova, the root has type, properties and required alone

Bedrock's documentation says so, and a refusal of $defs was seen.`,
	Evidence: []string{
		"bedrock/converse/f71e80ba666d",
		// Near misses.
		"bedrock/converse/9f5d77423d06",
	},
	Check: func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			switch member.Key {
			case "type", "properties", "required":
			default:
				p.Reportf("The model returned the following errors: Malformed input request: #/toolConfig/tools/%d/toolSpec/inputSchema/json: "+
					"extraneous key [%s] is not permitted, please reformat your input and try again.", p.Declaration, member.Key)
				return
			}
		}
	},
}
