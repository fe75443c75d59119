package advice

import (
	"strconv"
	"strings"
)

// manyParameters finds tools with too many parameters.
var manyParameters = &Rule{
	Name: "many_parameters",
	Doc: `a tool has very many parameters

The more parameters a tool has, the more of them a model gets wrong. Group those that belong
together in objects, leave out those that no model sets, or split the tool by what it does. The same is true of the members of
an object.`,
	Source: Source{
		"OpenAI: make functions obvious, and do not let the model fill in arguments that you know.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "paint", "description": "Paint a picture.", "parameters": {"type": "object", "properties": {` + colors(most) + `}}}]`,
	Good: `[{"name": "paint", "description": "Paint a picture.", "parameters": {"type": "object", "properties": {` + colors(1) + `}}}]`,
	check: func(p *pass, tool *declaration) {
		const (
			several = 15
			many    = 20
		)
		before := len(p.found)
		if own := len(tool.own()); own > several {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" has "+strconv.Itoa(own)+" parameters: leave out those that models need not set, group those that belong together, or split the tool")
			if own <= many {
				p.note(before)
			}
			return
		}
		for _, param := range tool.params {
			if members := param.schema.Get("properties"); members != nil && len(members.Members) > many {
				p.reportText(param, param.path+" has "+strconv.Itoa(len(members.Members))+" members: leave out those that models need not set, or split the tool")
				p.note(before)
				return
			}
		}
	},
}

// colors are so many properties, for an example.
func colors(count int) string {
	all := make([]string, count)
	for i := range all {
		all[i] = `"color_` + strconv.Itoa(i) + `": {"type": "string", "description": "A color such as #ff8000."}`
	}
	return strings.Join(all, ", ")
}
