package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// sentinelValue finds special values that only a sentence mentions.
var sentinelValue = &Rule{
	Name: "sentinel_value",
	Doc: `a special value stands in a sentence alone

A value such as -1 or "OVERWRITE_FILE" changes what a tool does, and is easily missed in a
sentence. A branch of its own shows it to models and to programs that check calls.`,
	Source: Source{"Two special values of a free text switched the mode of an edit tool: docs/seeds.md#seed-002-log-009.", "", "2026-02-17"},
	Bad:    `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"type": "integer", "description": "How many lines. Use -1 for the whole file."}}}}]`,
	Good:   `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"anyOf": [{"type": "integer", "minimum": 1, "description": "How many lines. Use -1 for the whole file."}, {"type": "integer", "minimum": -1, "maximum": -1, "description": "the whole file"}]}}}}]`,
	check: func(p *pass, tool *declaration) {
		var standing []*parameter
		for _, param := range tool.params {
			if standsForNone(param) {
				standing = append(standing, param)
			}
			if param.isClosed() || !param.isA("string", "integer", "number") || slices.ContainsFunc([]string{"anyOf", "oneOf", "pattern"}, param.schema.Has) {
				continue
			}
			special := param.prose.Special(param.name)
			if special == nil || strings.Contains(special.Value, "null") || isNumber(special.Value) && !param.isA("integer", "number") || param.prose.Choice(true) != nil || len(special.Value) > 2 && hasAny(strings.ToLower(special.Meaning), "wildcard", "match") || p.isName(tool, special.Value) {
				continue
			}
			if minimum := param.schema.Get("minimum"); minimum != nil && minimum.Text == special.Value {
				continue // the bound lets it in on purpose
			}
			if fallback := param.schema.Get("default"); fallback != nil && fallback.Text == special.Value {
				continue // the schema shows it
			}
			last := len(p.found)
			isRefused := !isNumber(special.Value) && !param.isA("string")
			lack := "only a sentence says so"
			if isRefused {
				lack = "its type refuses that"
			}
			p.answerAll([]*parameter{param}, "takes "+special.Value+" for "+quoted(special.Meaning)+", and "+lack+": add it as a branch, such as anyOf of the type and of the value alone", "", valued(param, special)...)
			if !isRefused {
				p.note(last)
			}
		}
		last := len(p.found)
		p.reportAll(standing, "has a default that stands for something else, and no text says for what: leave the default out, or say it", "have defaults that stand for something else, and no text says for what: leave the defaults out, or say it")
		p.note(last)
	},
}

// standsForNone reports whether the default of a parameter is no value of its own: an empty string, or -1.
func standsForNone(param *parameter) bool {
	fallback := param.schema.Get("default")
	if fallback == nil || param.isRequired || param.isClosed() || param.text == "" {
		return false
	}
	isEmpty := fallback.Kind == schema.String && fallback.Text == "" && slices.Contains(naming, param.last())
	isMinus := fallback.Kind == schema.Number && fallback.Text == "-1"
	return (isEmpty || isMinus) && !hasAny(param.lower, "empty", "blank", "-1", "omit", "if not", "without", "none", "\"\"", "''", "all ", "unless", "optional filter")
}

// naming are last words of names of strings that name something else, so that an empty one does not.
var naming = []string{"context", "country", "namespace", "path", "id", "type", "category", "format", "language", "region", "project", "branch", "model", "state", "status", "url", "date", "user", "file", "token"}

// isName reports whether a literal is the name of a parameter of a tool, or of a tool of the list.
func (p *pass) isName(tool *declaration, literal string) bool {
	name := strings.Trim(literal, "\"'`“”‘’")
	return hasAny(name, "list_", "get_") || tool.param(name) != nil || p.byName[strings.ToLower(name)] != nil
}

// valued returns the edit that gives a value with a special meaning a branch of its own. Bounds say it of numbers, because surfaces
// refuse const and an enum of numbers.
func valued(param *parameter, special *prose.Special) []Edit {
	kind := param.schema.Get("type")
	if kind == nil || kind.Kind != schema.String {
		return nil
	}
	branch := schema.NewObject(schema.Member{Key: "type", Value: kind})
	value := numberOf(special.Value)
	switch {
	case !kind.Is("string") && value == nil:
		return nil
	case kind.Is("string"):
		value = schema.NewString(strings.Trim(special.Value, "\"'`“”‘’"))
		branch.Set("enum", schema.NewArray(value))
	default:
		branch.Set("minimum", value)
		branch.Set("maximum", value)
	}
	branch.Set("description", schema.NewString(special.Meaning))
	edit := branching(param, branch)
	if edit.Widens = slices.ContainsFunc(edit.Before, restricts); edit.Widens {
		edit.Loses = special.Value + " is taken, whatever else restricts " + param.name
	}
	return []Edit{edit}
}

// restricts reports whether a member of a schema may refuse what its type takes.
func restricts(member schema.Member) bool { return member.Key != "type" && member.Key != "description" }
