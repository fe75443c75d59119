package advice

import "slices"

// requiredWithDefault finds parameters that are required and have a default.
var requiredWithDefault = &Rule{
	Name: "required_with_default",
	Doc: `a parameter is required and has a default

A default is for calls that leave the parameter out, which required forbids. A model has to write
a value that the tool knows. Take the parameter out of required, or the default out of the schema.`,
	Source: Source{
		"JSON Schema: default supplies a value for where an instance has none.",
		"https://json-schema.org/draft/2020-12/json-schema-validation#name-default", "2022-06-16",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "required": ["order"], "properties": {"order": {"type": "string", "enum": ["asc", "desc"], "default": "asc"}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"order": {"type": "string", "enum": ["asc", "desc"], "default": "asc"}}}}]`,
	check: func(p *pass, tool *declaration) {
		var both []*parameter
		for _, param := range tool.params {
			if value := param.schema.Get("default"); param.isRequired && value != nil && !param.schema.Has("const") && !isOnly(param) {
				both = append(both, param)
			}
		}
		before := len(p.found)
		p.answerAll(both, "is required and has a default: take it out of required, so that a model may leave it out",
			"are required and have defaults: take them out of required, so that a model may leave them out", optional(both)...)
		if len(both) == 1 && both[0].hasNameOf("version", "header", "accept") { // a model copies what a service needs in each call
			p.note(before)
		}
	},
}

// optional returns the edits that take parameters out of required, one for each schema that has some of them.
func optional(params []*parameter) []Edit {
	var edits []Edit
	for len(params) > 0 {
		first := params[0]
		isBeside := func(param *parameter) bool { return param.holder == first.holder }
		var names []string
		for _, param := range params {
			if isBeside(param) {
				names = append(names, param.name)
			}
		}
		left := slices.DeleteFunc(first.holder.Get("required").Strings(), func(name string) bool { return slices.Contains(names, name) })
		edit := requiredEdit(first.above, first.holder, left)
		edit.Widens, edit.Loses = true, "calls without "+list(names)+" are taken, and the tool has to use the default"
		edits = append(edits, edit)
		params = slices.DeleteFunc(slices.Clone(params), isBeside)
	}
	return edits
}

// isOnly reports whether a parameter has one possible value.
func isOnly(param *parameter) bool {
	values := param.schema.Get("enum")
	return values != nil && len(values.Elements) == 1
}
