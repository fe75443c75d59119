package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// inputSchemaType reports a root whose type is not object.
var inputSchemaType = &provider.Rule{
	Name:   "input_schema_type",
	Effect: provider.Rejects,
	Stage:  root,
	Doc:    `the root has type object`,
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
	Stage:  subschemas,
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
	Stage:  root,
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
