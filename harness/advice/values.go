package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
)

// special finds a value that a text gives a meaning of its own.
var special = lazy.Compile(`(?i)(?:\b(?:use|set to|pass|specify|leave|provide|enter|send)\s+)(-1|"\*"|'\*'|["'` + "`" + `](?-i:[A-Z][A-Z_]{2,30})["'` + "`" + `])\s*(?:to|for|means|if|when|as|=)\s+([^.;,)\n]{3,60})`)

// SentinelValue finds values with a meaning of their own that only a sentence has.
var SentinelValue = &Rule{
	Name: "sentinel_value",
	Doc: `a special value stands in a sentence alone

A value such as -1 or "OVERWRITE_FILE" switches what a tool does. In a sentence it is easily
missed. A branch with const or enum shows it to models and to programs that check calls.`,
	Source: Source{"Two special values of a free text switched the mode of an edit tool: docs/seeds.md#seed-002-log-009.", "", "2026-02-17"},
	Bad:    `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"type": "integer", "description": "How many lines. Use -1 for the whole file."}}}}]`,
	Good:   `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"description": "How many lines. Use -1 for the whole file.", "anyOf": [{"const": -1}, {"type": "integer", "minimum": 1}]}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if param.IsClosed() || !param.IsA("string", "integer", "number") {
				continue
			}
			found := match(special, param.Lower, param.Text, "-1", `"`, "'", "`")
			if found == nil {
				continue
			}
			value := found[1]
			if minimum := param.Schema.Get("minimum"); value == "-1" && minimum != nil && minimum.Text == "-1" {
				continue // the bound lets it in on purpose
			}
			at, node := param.descriptionOf()
			p.Report(at, node, param.Name+" takes "+value+" for "+quoted(found[2])+", and only a sentence says so: add it as a branch with const, such as anyOf of const and the type")
		}
	},
}

// choice finds a closed list of quoted values in a text, and plain one of plain words.
var (
	choice = lazy.Compile(`(?i)(?:\bone of|\bcan be|\boptions(?: are)?|\ballowed(?: values)?(?: are)?|\bvalid(?: values| options)?(?: are)?|\bpossible values(?: are)?|\bsupported values(?: are)?|\baccepts|\bvalues)\s*[:=]?\s*[(\[]?\s*((?:["'` + "`" + `][\w.+/-]{1,30}["'` + "`" + `]\s*(?:,\s*(?:or\s+|and\s+)?|\||/|\s+or\s+|\s+and\s+)\s*)+["'` + "`" + `][\w.+/-]{1,30}["'` + "`" + `])`)
	plain  = lazy.Compile(`(?i)(?:\bone of|\boptions|\ballowed(?: values)?|\bvalid(?: values| options)?|\bpossible values|\bsupported values|\bvalues)(?: are)?\s*[:=]\s*[(\[]?\s*([\w-]{1,30}(?:\s*(?:,\s*(?:or\s+|and\s+)?|\||/|\s+or\s+)\s*[\w-]{1,30})+)\s*(?:[.;)\]\n]|$)`)
)

// openEnded are words that say that a list has further values.
var openEnded = []string{"e.g", "such as", "for example", "etc", "for instance", "like ", "...", "and more", "among others", "examples", "example:", "typically", "usually", "including", "comma", "separated"}

// ValuesInProse finds closed sets of values that are no enum.
var ValuesInProse = &Rule{
	Name: "values_in_prose",
	Doc: `a text lists the only values, and the schema has no enum

An enum is enforced by strict modes and by grammars, and every client shows it. A sentence
is neither.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"sort": {"type": "string", "description": "The order, one of 'asc' or 'desc'."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"sort": {"type": "string", "description": "The order, one of 'asc' or 'desc'.", "enum": ["asc", "desc"]}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if param.IsClosed() || !param.IsA("string") || param.Schema.Has("pattern") || param.Schema.Has("format") {
				continue
			}
			if strings.Contains(string(param.At), "/createdBy") || strings.Contains(string(param.At), "/lastModified") || param.Schema.Get("readOnly").IsTrue() {
				continue // the server sets it
			}
			if param.Schema.Has("anyOf") || param.Schema.Has("oneOf") || !hasAny(param.Lower, "one of", "can be", "options", "allowed", "valid", "values", "accepts") || hasAny(param.Lower, openEnded...) {
				continue
			}
			var values []string
			if found := choice.FindStringSubmatch(param.Text); found != nil {
				values = valuesOf(found[1])
			} else if found := plain.FindStringSubmatch(param.Text); found != nil {
				values = strings.FieldsFunc(found[1], func(letter rune) bool { return strings.ContainsRune(",|/ \t\n", letter) })
				values = slices.DeleteFunc(values, func(word string) bool { return word == "or" || word == "and" })
			}
			values = slices.DeleteFunc(values, func(word string) bool { return word == "null" })
			isParam := func(value string) bool { return tool.Param(value) != nil }
			if len(values) < 2 || slices.ContainsFunc(values, isParam) {
				continue
			}
			at, node := param.descriptionOf()
			p.Report(at, node, param.Name+" takes "+list(values)+" by its text: add enum with these values")
		}
	},
}

// value is one of a list in a text.
var value = lazy.Compile("[\"'`]([\\w.+/-]{1,30})[\"'`]")

// valuesOf returns the quoted values of a list, each once.
func valuesOf(text string) []string {
	var values []string
	for _, found := range value.FindAllStringSubmatch(text, -1) {
		if word := strings.TrimRight(found[1], "."); !slices.Contains(values, word) {
			values = append(values, word)
		}
	}
	return values
}

// standard finds a default in a text.
var standard = lazy.Compile(`(?i)\bdefaults?(?:\s+(?:is|to|value is|value|=|:))*\s*[:=]?\s*["'` + "`" + `]?(-?\d[\d_,.]*\d|-?\d|true|false|[\w./-]{1,30}["'` + "`" + `])`)

// defaultOf returns the default that a text states, or "".
func defaultOf(param *Param) string {
	found := match(standard, param.Lower, param.Text, "default")
	if found == nil {
		return ""
	}
	return strings.Trim(found[1], "\"'`.,")
}

// DefaultInProse finds defaults that the schema does not have.
var DefaultInProse = &Rule{
	Name: "default_in_prose",
	Doc: `a text has a default, and the schema has none

A default in the schema is read by programs that fill in forms and check calls. A model
reads the text all the same. The seed calls that sufficient: the rule is off unless named.`,
	Source: Source{"A default that stands in the description alone needs no repair: docs/seeds.md#seed-002-log-009, gap 6.", "", "2026-02-17"},
	IsOff:  true,
	Bad:    `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, default 10."}}}}]`,
	Good:   `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, default 10.", "default": 10}}}}]`,
	Check: func(p *Pass, tool *Tool) {
		for _, param := range tool.Params {
			if param.Schema.Has("default") || param.IsRequired {
				continue
			}
			if stated := defaultOf(param); stated != "" {
				at, node := param.descriptionOf()
				p.Report(at, node, param.Name+" has the default "+stated+" in its text alone: add default to the schema")
			}
		}
	},
}
