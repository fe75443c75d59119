package compatible

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object","properties":{"a.b":{"properties":{"c":{"items":{"$ref":"#"}}},"required":null},"u":{"anyOf":[{"type":"null"},{"properties":{"v":{}}}]}},"required":[]}`
	const (
		groq     = "invalid JSON schema for tool f, tools[0].function.parameters: "
		format   = "invalid JSON schema for response_format: 'f': "
		moonshot = "tools.function.parameters is not a valid moonshot flavored json schema, details: "
		java     = "The json schema definition at toolConfig.tools.1.toolSpec.inputSchema is invalid. Fix the following errors and try again: "
	)
	for name, test := range map[string]struct {
		dialect *provider.Dialect
		message string
		want    string
	}{
		"Groq":                        {groqChat, groq + "'required' present but 'properties' is missing", "1 /parameters"},
		"Groq, wrapped":               {groqChat, "invalid JSON schema for tool f, tools[0].function.parameters: \n'required' present but 'properties' is missing", "1 /parameters"},
		"Groq, a place":               {groqChat, groq + "/properties/a.b/properties: words", "1 /parameters/properties/a.b/properties"},
		"Groq, a place not there":     {groqChat, groq + "/properties/x/items: words", "-1 "},
		"Groq, another tool":          {groqChat, "invalid JSON schema for tool g, tools[7].function.parameters: words", "-1 "},
		"Groq, a format":              {groqResponseFormat, format + "/properties/a.b: `additionalProperties:false` must be set on every object", "1 /parameters/properties/a.b"},
		"Groq, others' words":         {groqChat, format + "words", ""},
		"Cerebras":                    {cerebrasChat, "Unsupported JSON schema fields: {'minItems'}", "-1 "},
		"DeepSeek":                    {deepSeekChat, `Invalid schema for function 'f': null is not of type "array"`, "1 /parameters"},
		"DeepSeek, a tool":            {deepSeekChat, "Failed to deserialize the JSON body into the target type: tools[1]: missing field `type` at line 1 column 9", "1 /type"},
		"DeepSeek, OpenAI's words":    {deepSeekChat, `Invalid schema for function 'f': None is not of type 'array'.`, ""},
		"Moonshot":                    {MoonshotChat, moonshot + "<At path 'properties.a.b.properties.c.items.$ref': references must start with #/$defs/>", "1 /parameters/properties/a.b/properties/c/items/$ref"},
		"Moonshot, the root":          {MoonshotChat, moonshot + "<At path 'root': words>", "0 /parameters"},
		"Moonshot, a branch":          {MoonshotChat, moonshot + "<At path 'properties.u.anyOf.properties.v': words>", "1 /parameters/properties/u/anyOf/1/properties/v"},
		"Moonshot, no branch":         {MoonshotChat, moonshot + "<At path 'properties.u.anyOf.properties.w.x': words>", "-1 "},
		"Moonshot, a format":          {moonshotResponseFormat, "Invalid request: response_format.json_schema is not a valid moonshot flavored json schema, details: <At path 'properties.a.b.properties.c.items': words>", "1 /parameters/properties/a.b/properties/c/items"},
		"Moonshot, cut":               {MoonshotChat, "Invalid request: " + moonshot + "<At path 'properties.a.b': wor", "1 /parameters/properties/a.b"},
		"Moonshot, not there":         {MoonshotChat, moonshot + "<At path 'properties.x.y': words>", "-1 "},
		"xAI":                         {xaiChat, "mcp__f: tool parameter root must be an object type (root schema is a $ref)", "1 /parameters"},
		"xAI, nothing":                {xaiChat, "Invalid request content: Invalid function schema.", "-1 "},
		"Bedrock":                     {bedrockConverse, "The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be one of the following: object.", "1 /parameters/type"},
		"Bedrock, a keyword":          {bedrockConverse, "#/toolConfig/tools/1/toolSpec/inputSchema/json: extraneous key [required] is not permitted", "1 /parameters/required"},
		"Bedrock, a value":            {bedrockConverse, java + "$.properties.a.b.required: null found, array expected", "1 /parameters/properties/a.b/required"},
		"Bedrock, what Claude says":   {bedrockConverse, "The model returned the following errors: tools.1.custom.input_schema: JSON schema is invalid.", "1 /parameters"},
		"Bedrock, beyond the tools":   {bedrockConverse, "The value at toolConfig.tools.9.toolSpec.inputSchema.json.type must be one of the following: object.", "-1 "},
		"Bedrock, a number too large": {bedrockConverse, "The value at toolConfig.tools.99999999999999999999.toolSpec.inputSchema.json.type must be", "-1 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			declarations := []*schema.Node{
				test.dialect.Declare(schema.Tool{Name: "first", Parameters: read(t, `{"type":"object"}`)}),
				test.dialect.Declare(schema.Tool{Name: "f", Parameters: read(t, parameters)}),
			}
			var found []string
			for _, place := range test.dialect.Locate(provider.Response{Message: test.message}, declarations) {
				found = append(found, fmt.Sprintf("%d %s", place.Declaration, place.At))
			}
			if got := strings.Join(found, ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
