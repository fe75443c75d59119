package advice

import (
	"slices"
	"strings"
)

// RequiredOfMode finds parameters that a mode needs, and the schema does not require.
var RequiredOfMode = &Rule{
	Name: "required_of_mode",
	Doc: `a mode needs parameters, and nothing says which

The list required has what all modes need. What one mode needs besides is in the
description, in conditions of the schema, or nowhere. Then a model calls the tool without
it, and reads an error.`,
	Source: Source{"Each of five modes of an edit tool needed other parameters, and required had one: docs/seeds.md#seed-002-log-009, gap 3.", "", "2026-02-17"},
	Bad: `[{"name": "issue", "description": "Work with issues.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "Title, at most 80 letters."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	Good: `[{"name": "issue", "description": "Work with issues. create needs title, close needs number.", "parameters": {"type": "object", "required": ["action"], "properties": {
  "action": {"type": "string", "enum": ["create", "close"], "description": "What to do."}, "title": {"type": "string", "description": "Title, at most 80 letters."}, "number": {"type": "integer", "description": "Number shown by list_issues."}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		if schemaSays(tool.Parameters) {
			return
		}
		if modes := modesOf(tool); modes.batch != nil && switchOf(tool) == nil && !listsNeeds(tool, modes) {
			p.Report(modes.batch.At, modes.batch.Schema, tool.Name+" needs either "+modes.batch.Name+" or "+list(namesOf(modes.single))+
				", and required has neither: say in the description what each mode needs")
			return
		}
		switchOfModes(p, tool)
	},
}

// listsNeeds reports whether the description of a tool names the parameters of its modes
// close to each other, as a list of modes does.
func listsNeeds(tool *Tool, modes modes) bool {
	if slices.ContainsFunc(modes.single, func(param *Param) bool { return hasWord(param.Lower, strings.ToLower(modes.batch.Name)) }) {
		return true
	}
	needs := func(text string) bool {
		return hasAny(text, "+", "need", "requir", "with ", ":") && hasWord(text, strings.ToLower(modes.single[0].Name))
	}
	batch := func(text string) bool { return hasWord(text, strings.ToLower(modes.batch.Name)) }
	lines := sentences(tool.Lower)
	lines = slices.DeleteFunc(lines, isCall) // an example is no list
	return slices.ContainsFunc(lines, needs) && slices.ContainsFunc(lines, batch)
}

// switches are names of parameters whose values are modes.
var switches = []string{"action", "operation", "command", "mode", "method", "op", "subcommand", "operation_type", "action_type"}

// switchOf returns the parameter whose values are modes, or nil.
func switchOf(tool *Tool) *Param {
	own := tool.Own()
	at := slices.IndexFunc(own, func(param *Param) bool {
		values := param.Schema.Get("enum").Strings()
		return param.IsRequired && slices.Contains(switches, strings.ToLower(param.Name)) && len(values) > 1 && !slices.Contains(values, "GET")
	})
	if at < 0 {
		return nil
	}
	return own[at]
}

// switchOfModes reports a parameter whose values are modes, where no other parameter says of
// which mode it is.
func switchOfModes(p *Pass, tool *Tool) {
	own, param := tool.Own(), switchOf(tool)
	if param == nil || isForeign(tool.Text) {
		return
	}
	var optional []string
	for _, other := range own {
		if !other.IsRequired && !other.Schema.Has("default") {
			optional = append(optional, other.Name)
		}
	}
	if len(optional) < 2 {
		return
	}
	isNamed := func(name string) bool { return isMeant(tool.Text, name) }
	if named := slices.DeleteFunc(slices.Clone(optional), func(name string) bool { return !isNamed(name) }); 2*len(named) >= len(optional) {
		return
	}
	for _, value := range param.Schema.Get("enum").Strings() {
		value = strings.ToLower(value)
		for _, other := range own {
			if other != param && hasWord(other.Lower, value) {
				return
			}
		}
		for _, name := range optional {
			if sentenceHas(tool.Lower, value, strings.ToLower(name)) || sentenceHas(param.Lower, value, strings.ToLower(name)) {
				return
			}
		}
	}
	p.Report(param.At, param.Schema, param.Name+" chooses what "+tool.Name+" does, and no text says which value needs "+list(optional)+": say it at each parameter")
}

// sentenceHas reports whether one line or sentence of a text has both words.
func sentenceHas(lower, one, other string) bool {
	for _, line := range sentences(lower) {
		if hasWord(line, one) && hasWord(line, other) {
			return true
		}
	}
	return false
}
