package advice

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// openObject finds objects of which neither the schema nor a text names the members.
var openObject = &Rule{
	Name:    "open_object",
	IsGrave: true,
	Doc: `no schema and no text says what an object has

A model invents the members of such an object. Declare its properties, or show an example in the
description. An object with any keys, such as labels or headers, needs additionalProperties with
the schema of its values.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "update", "description": "Change a customer.", "parameters": {"type": "object", "properties": {"changes": {"type": "object", "description": "What is to be changed."}}}}]`,
	Good: `[{"name": "update", "description": "Change a customer.", "parameters": {"type": "object", "properties": {"changes": {"type": "object", "description": "What is to be changed, such as {\"mail\": \"a@example.org\"}."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var open []*parameter
		for _, param := range tool.params {
			if isOpen(param.schema) && !param.isBranch && !shows(param.text) && !isForeign(param.text) && !param.hasNameOf(anyKeys...) && !hasAny(param.lower, "key-value", "key/value", "key value", "mapping", "map of", "arbitrary", "any json", "json schema", "custom", "keys", "empty") && !tool.shows(param) {
				open = append(open, param)
			}
		}
		const end = "no schema and no text says what is in it: declare its properties, or show an example"
		p.reportAll(open, "is an object, and "+end, "are objects, and "+strings.ReplaceAll(strings.ReplaceAll(end, "it:", "them:"), "its", "their"))
	},
}

// anyKeys are words in names of objects that may have any keys.
var anyKeys = []string{
	"metadata", "meta", "labels", "tags", "headers", "env", "environment", "variables", "vars", "attributes", "annotations", "extra", "args", "arguments", "params", "parameters", "context", "payload", "custom",
}

// isOpen reports whether a schema is an object without a word on its members.
func isOpen(node *schema.Node) bool {
	if types := node.Types(); len(types) != 1 || types[0] != "object" {
		return false
	}
	extra := node.Get("additionalProperties")
	if extra != nil && extra.Kind == schema.Object && len(extra.Members) > 0 {
		return false
	}
	properties := node.Get("properties")
	return (properties == nil || len(properties.Members) == 0) &&
		!slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "$ref", "patternProperties", "propertyNames", "examples", "example", "default", "enum", "const", "if"}, node.Has)
}

// shows reports whether a text has an example of an object, or names members.
func shows(text string) bool {
	return strings.ContainsAny(text, "{`\"'") || hasAny(strings.ToLower(text), "e.g", "example", "http", "field", "propert", "see ", " with ", "contain", "schema", ": ", "(")
}

// shows reports whether the text of a tool has an example of a parameter.
func (t *declaration) shows(param *parameter) bool {
	return strings.Contains(t.text, "{") && hasWord(t.lower, strings.ToLower(param.name))
}
