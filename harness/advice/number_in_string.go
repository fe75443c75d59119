package advice

import (
	"slices"

	"toolproof/schema"
)

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
	Good: `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"count": {"type": "integer", "description": "How many.", "default": 10, "minimum": 1, "maximum": 100}}}}]`,
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
		var edits []Edit
		for _, param := range found {
			if edit, isMechanical := param.asNumber(); isMechanical {
				edits = append(edits, edit)
			}
		}
		p.answerAll(found, "is a string that has to be a number: declare a number", "are strings that have to be numbers: declare numbers", edits...)
	},
}

// asNumber returns the edit that makes a number of a string: an integer if it counts something, and its default and its examples
// are integers.
func (p *parameter) asNumber() (Edit, bool) {
	isWhole := p.hasNameOf("limit", "offset", "page", "count", "results", "top", "skip", "days", "tokens", "number", "num", "quantity")
	convert := func(value *schema.Node) *schema.Node {
		number := numberOf(value.Text)
		isWhole = isWhole && number != nil && number.IsInteger()
		return number
	}
	edit, isMechanical := p.retyped("number", p.text, convert)
	if isMechanical && isWhole {
		edit.After[0].Value = schema.NewString("integer")
	}
	edit.Loses = "a string is refused, and the tool has to read a number"
	return edit, isMechanical
}
