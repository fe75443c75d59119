package advice

import (
	"slices"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// jsonInString finds strings that have to be JSON.
var jsonInString = &Rule{
	Name: "json_in_string",
	Doc: `a string has to be JSON

A model has to write JSON within a string of JSON, and gets the escaping wrong. No schema checks
it, and no strict mode guides it. Declare an object or an array instead.`,
	Source: Source{
		"Anthropic: the more a format makes a model escape or count, the more mistakes it makes, as with code inside of JSON.",
		"https://www.anthropic.com/engineering/building-effective-agents", "2024-12-19",
	},
	Bad:  `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"filters": {"type": "string", "description": "A JSON object, such as {\"state\": \"open\"}."}}}}]`,
	Good: `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"filters": {"type": "object", "description": "Only such orders.", "properties": {"state": {"type": "string", "enum": ["open", "closed"]}}}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, others []*parameter
		for _, param := range tool.params {
			if param.isText() && param.prose.Has(jsons...) && !param.prose.Has(noJSON...) && !param.hasNameOf("path", "file", "url", "content", "text", "format", "schema", "mime", "source", "code") {
				found = append(found, param)
			}
			if param.isA("string") && !param.isText() && param.schema.Has("anyOf") && !param.isA("number", "boolean") && (param.prose.Has(jsons...) || hasJSON(param)) {
				others = append(others, param)
			}
		}
		p.reportAll(found, "is a string that has to be JSON: declare the object or array itself", "are strings that have to be JSON: declare the objects or arrays themselves")
		last := len(p.found)
		p.reportAll(others, "takes JSON in a string beside what that stands for: declare the object or array alone", "take JSON in strings beside what that stands for: declare the objects or arrays alone")
		p.note(last)
	},
}

// hasJSON reports whether a branch of a parameter is a string for what another branch has.
func hasJSON(param *parameter) bool {
	return slices.ContainsFunc(param.schema.Get("anyOf").Elements, func(branch *schema.Node) bool {
		return isA(branch, []string{"string"}) && prose.Read(branch.GetString("description")).Has(inString...)
	})
}

// inString are what texts say of a string with something else in it.
var inString = prose.Phrases("as a string", "json string", "json-encoded", "stringified")

// jsons are what a text says of a string that has to be JSON, and noJSON what it says of others.
var (
	jsons  = prose.Phrases("json string", "json object", "json array", "json-encoded", "json encoded", "stringified", "stringified json", "json-formatted", "json-string", "json representation", "valid json", "json-stringified", "serialized json")
	noJSON = prose.Phrases("path to", "path of", "file", "url", "or a", "or json", "response", "return", "returned", "output", "jsonpath", "plain text")
)

// isText reports whether a parameter is a string, and nothing else, of any form.
func (p *parameter) isText() bool {
	node, _ := p.sole()
	types := node.Types()
	return slices.Contains(types, "string") && !slices.Contains(types, "object") && !slices.Contains(types, "array") && !p.isClosed() && !node.Has("anyOf") && !node.Has("oneOf")
}
