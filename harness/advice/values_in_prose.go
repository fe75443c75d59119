package advice

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// valuesInProse finds closed sets of values without an enum.
var valuesInProse = &Rule{
	Name: "values_in_prose",
	Doc: `a text lists the only values, and the schema has no enum

Strict modes and grammars enforce an enum, and every client shows it. Nothing enforces a
sentence.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"sort": {"type": "string", "description": "The order, one of 'asc' or 'desc'."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"sort": {"type": "string", "description": "The order, one of 'asc' or 'desc'.", "enum": ["asc", "desc"], "default": "asc"}}}}]`,
	check: func(p *pass, tool *declaration) {
		var edits, numbers []Edit
		var separated []*parameter
		for _, param := range tool.params {
			if only := onlyOf(param); only != nil {
				edits = append(edits, adding(param, "other values are refused", schema.Member{Key: "const", Value: only}))
				continue
			}
			if param.isText() && param.isSeparated() {
				if param.prose.Choice(true) != nil {
					separated = append(separated, param)
				}
				continue
			}
			values, at := valuesOf(param)
			if len(values) == 0 || slices.ContainsFunc(values, func(value *schema.Node) bool { return tool.param(value.Text) != nil }) {
				continue
			}
			if given := tool.prose.Given(param.name); given != "" && !slices.ContainsFunc(values, func(value *schema.Node) bool { return value.Text == given }) {
				continue // the text of the tool has another one
			}
			edit := adding(param, "other values are refused", schema.Member{Key: "enum", Value: schema.NewArray(values...)})
			edit.At = at
			if values[0].Kind == schema.Number {
				numbers = append(numbers, edit)
			} else {
				edits = append(edits, edit)
			}
		}
		const one, several = "takes only the values that its text lists", "take only the values that their texts list"
		p.reportEdits(edits, one, several)
		last := len(p.found)
		p.reportEdits(numbers, one, several)
		p.reportAll(separated, "is a list of values that only its text has: declare an array whose items have them as enum", "are lists of values that only their texts have: declare arrays whose items have them as enum")
		p.note(last) // a model counts, and keeps to a list, within what a text explains
	},
}

// onlyOf returns the one value that the text of a parameter allows; nil if there is none.
func onlyOf(param *parameter) *schema.Node {
	if param.isClosed() || param.hasDefault() || param.schema.Has("pattern") || !hasAny(param.lower, "must", "has to", "only)") {
		return nil
	}
	switch only := param.prose.Only(); {
	case only == "":
		return nil
	case param.isText() && !strings.EqualFold(only, "true"):
		return schema.NewString(only)
	default:
		return nil
	}
}

// isSeparated reports whether a text says what is between the values of a parameter.
func (p *parameter) isSeparated() bool { return hasAny(p.lower, "separated", "delimited") }

// choices are last words of names of parameters with a closed set of values.
var choices = []string{
	"type", "types", "mode", "modes", "status", "statuses", "state", "states", "order", "sort", "direction", "format", "formats", "level", "kind", "category", "categories", "visibility", "privacy", "style", "align", "alignment", "method", "action", "operation",
	"scope", "role", "roles", "unit", "units", "granularity", "priority", "severity", "provider", "environment", "platform", "gender", "strategy", "operator", "setting", "interval", "period", "frequency", "by", "side", "size", "theme", "weight", "quality", "orientation",
	"position", "permission", "sorting", "model", "algorithm", "encoding", "protocol", "filter", "variant", "importance", "access", "product", "service", "phase", "resolution", "decision", "language", "sensitivity", "color",
}

// valuesOf returns the values that the text of a parameter lists as the only ones, and the
// schema that has to have them: of the parameter, or of the items of a list.
func valuesOf(param *parameter) ([]*schema.Node, schema.Pointer) {
	node, at := param.sole()
	isList, holder := false, param.schema // of a default
	if items := node.Get("items"); items != nil && items.Kind == schema.Object && param.isA("array") {
		node, at, isList, holder = items, at.Child("items"), true, items
	}
	if param.isClosed() || slices.ContainsFunc([]string{"pattern", "format", "anyOf", "oneOf", "contentMediaType", "readOnly"}, node.Has) {
		return nil, at
	}
	isString, isNumber := isA(node, []string{"string"}), isA(node, []string{"integer", "number"})
	if !isString && !isNumber || strings.Contains(string(param.at), "/createdBy") || strings.Contains(string(param.at), "/lastModified") {
		return nil, at
	}
	isChoice := slices.Contains(choices, param.last()) || len(param.words) > 0 && slices.Contains(choices, param.words[0]) && param.words[0] != "filter"
	choice := param.prose.Choice(isChoice)
	if choice == nil || param.isSeparated() && !isList || choice.IsNumbers && !isNumber && !isChoice || isNumber && !choice.IsNumbers || isList && !choice.IsIntroduced {
		return nil, at
	}
	const codes = 3 // of a number that need not be an integer
	if isNumber && !isA(node, []string{"integer"}) && !isChoice && len(choice.Values) < codes {
		return nil, at
	}
	values := make([]*schema.Node, 0, len(choice.Values))
	for _, value := range choice.Values {
		switch {
		case value == "null":
		case isNumber:
			number := numberOf(value)
			if number == nil {
				return nil, at
			}
			values = append(values, number)
		default:
			values = append(values, schema.NewString(value))
		}
	}
	const fewest = 2
	if fallback := holder.Get("default"); len(values) < fewest || fallback != nil && fallback.Kind != schema.Null && !slices.ContainsFunc(values, func(value *schema.Node) bool { return schema.Equal(value, fallback) }) {
		return nil, at // the default shows that there are others
	}
	return values, at
}
