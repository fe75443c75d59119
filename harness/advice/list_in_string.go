package advice

import "toolproof/harness/advice/prose"

// listInString finds strings that have to be lists.
var listInString = &Rule{
	Name: "list_in_string",
	Doc: `a string has to be a list

Models write lists as arrays, with spaces behind commas, or in brackets. No schema checks the
items of a string. Declare an array with the schema of its items.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"states": {"type": "string", "description": "Comma-separated states of the orders."}}}}]`,
	Good: `[{"name": "find", "description": "Find orders of a customer.", "parameters": {"type": "object", "properties": {"states": {"type": "array", "items": {"type": "string", "enum": ["open", "closed"]}}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found []*parameter
		for _, param := range tool.params {
			if param.isText() && param.prose.Has(lists...) && !hasAny(param.lower, "csv file", "tsv", "lat,", "latitude", "longitude", "lng") && !param.hasNameOf("content", "csv", "data", "text", "bbox", "bounds", "coordinates", "location", "query", "format", "path", "sql", "command") {
				found = append(found, param)
			}
		}
		p.reportAll(found, "is a string that has to be a list: declare an array", "are strings that have to be lists: declare arrays")
	},
}

// lists are what a text says of a string that has to be a list.
var lists = prose.Phrases("comma-separated", "comma separated", "comma-delimited", "comma delimited", "separated by commas", "separated by comma", "space-separated", "space separated", "pipe-separated", "semicolon-separated", "newline-separated", "one per line", "commas between", "separate with commas",
	"separated by a comma", "separated by spaces", "separated with commas", "csv list", "delimited by commas")
