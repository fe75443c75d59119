package advice

import "slices"

// numberInString finds strings that have to be numbers.
var numberInString = &Rule{
	Name: "number_in_string",
	Doc: `a string has to be a number

The schema lets a model write "ten" or "10 days". Declare an integer or a number, with its limits.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"count": {"type": "string", "description": "How many.", "default": "10"}}}}]`,
	Good: `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"count": {"type": "integer", "description": "How many.", "default": 10, "minimum": 1}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found []*parameter
		for _, param := range tool.params {
			if types := param.schema.Types(); len(types) != 1 || types[0] != "string" || param.isClosed() || hasForm(param.schema) || param.hasNameOf("version", "id", "code", "zip", "phone", "revision") {
				continue
			}
			fallback := param.schema.Get("default")
			isCount := slices.Contains([]string{"limit", "offset", "page", "per_page", "page_size", "pagesize", "perpage", "count", "max_results", "maxresults", "top_k", "skip", "days", "max_tokens"}, param.name)
			isCounting := fallback != nil && isNumber(fallback.Text) && param.hasNameOf("limit", "count", "size", "days", "max", "min", "number", "num", "offset", "page", "top", "depth", "quantity", "hours", "length", "skip")
			if (isCount && param.depth == 0 || isCounting) && !hasAny(param.lower, "cursor", "token", "px", "css", "%", "name", "url", "e.g", "unit", "title", "expression", "(*") {
				found = append(found, param)
			}
		}
		p.reportAll(found, "is a string that has to be a number: declare a number", "are strings that have to be numbers: declare numbers")
	},
}
