package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
)

// spoken matches a mention of a parameter in a text.
var spoken = lazy.Compile("(?:\\bparam(?:eter)?|\\bargument|\\bfield|\\bproperty)\\s+[`'\"]([a-zA-Z][\\w]{2,40})[`'\"]|[`'\"]([a-zA-Z][\\w]{2,40})[`'\"]\\s+(?:param(?:eter)?|argument)\\b")

// unknownParameter finds mentions of a parameter that does not exist.
var unknownParameter = &Rule{
	Name: "unknown_parameter",
	Doc: `a text speaks of a parameter that the schema does not have

The parameter was renamed or removed, but the text still names it, so a model passes it.`,
	Source: Source{
		"Anthropic: small errors in descriptions cost much, and input is checked against the schema, not the text.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  "[{\"name\": \"list\", \"description\": \"List orders. Set the parameter `customer` to list those of one.\", \"parameters\": {\"type\": \"object\", \"properties\": {\"customer_id\": {\"type\": \"string\", \"description\": \"A number such as 4711.\"}}}}]",
	Good: "[{\"name\": \"list\", \"description\": \"List orders. Set the parameter `customer_id` to list those of one.\", \"parameters\": {\"type\": \"object\", \"properties\": {\"customer_id\": {\"type\": \"string\", \"description\": \"A number such as 4711.\"}}}}]",
	check: func(p *pass, tool *declaration) {
		if len(tool.params) == 0 || len(tool.params) == mostParams {
			return
		}
		known := map[string]bool{}
		for _, param := range tool.params {
			known[strings.ToLower(param.name)] = true
		}
		look := func(text, lower string, report func(name string)) {
			if !hasAny(lower, "param", "argument", "field", "property") {
				return
			}
			for _, found := range spoken.FindAllStringSubmatch(text, 5) {
				if name := found[1] + found[2]; !known[strings.ToLower(name)] && isNear(tool, name) && !p.isTool(name) && !p.isElsewhere(tool, text, found[0]) {
					report(name)
					known[strings.ToLower(name)] = true
				}
			}
		}
		at, node := tool.descriptionOf()
		look(tool.text, tool.lower, func(name string) {
			p.report(at, node, "the description speaks of the parameter "+name+", and "+tool.Name+" has none of that name: rename it in the text")
		})
		for _, param := range tool.own() {
			at, node := param.descriptionOf()
			look(param.text, param.lower, func(name string) {
				p.report(at, node, "the description of "+param.name+" speaks of the parameter "+name+", and "+tool.Name+" has none of that name: rename it in the text")
			})
		}
	},
}

// isNear reports whether a parameter has a similar name, with more or fewer words.
func isNear(tool *declaration, name string) bool {
	said := words(name)
	return slices.ContainsFunc(tool.own(), func(param *parameter) bool {
		own := words(param.name)
		return has(own, said) || has(said, own)
	})
}

// isElsewhere reports whether the sentence that mentions a parameter denies that it
// exists, or is about a URL, a request or another tool.
func (p *pass) isElsewhere(tool *declaration, text, spoken string) bool {
	if hasAny(strings.ToLower(text), "deprecated", "tool calls", "other tools", "all tools") {
		return true
	}
	for _, sentence := range sentences(text) {
		if strings.Contains(sentence, spoken) {
			lower := strings.ToLower(sentence)
			return hasAny(lower, "no "+strings.ToLower(spoken), "not a ", "url", "query string", "header", "endpoint", "request body", "http", "response", "deprecated", "removed", "formerly") || p.names(tool, lower)
		}
	}
	return p.names(tool, strings.ToLower(text))
}

// isTool reports whether a tool of the list has a name.
func (p *pass) isTool(name string) bool {
	return !p.options.alone && slices.ContainsFunc(p.tools, func(tool *declaration) bool { return strings.EqualFold(tool.Name, name) })
}
