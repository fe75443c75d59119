package advice

import (
	"slices"
	"strings"

	"toolproof/internal/lazy"
)

// choice matches a closed list of quoted values in a text, and plain one of unquoted
// words.
var (
	choice = lazy.Compile(`(?i)(?:\bone of|\bcan be|\boptions(?: are)?|\ballowed(?: values)?(?: are)?|\bvalid(?: values| options)?(?: are)?|\bpossible values(?: are)?|\bsupported values(?: are)?|\baccepts|\bvalues)\s*[:=]?\s*[(\[]?\s*((?:["'` + "`" + `][\w.+/-]{1,30}["'` + "`" + `]\s*(?:,\s*(?:or\s+|and\s+)?|\||/|\s+or\s+|\s+and\s+)\s*)+["'` + "`" + `][\w.+/-]{1,30}["'` + "`" + `])`)
	plain  = lazy.Compile(`(?i)(?:\bone of|\boptions|\ballowed(?: values)?|\bvalid(?: values| options)?|\bpossible values|\bsupported values|\bvalues)(?: are)?\s*[:=]\s*[(\[]?\s*([\w-]{1,30}(?:\s*(?:,\s*(?:or\s+|and\s+)?|\||/|\s+or\s+)\s*[\w-]{1,30})+)\s*(?:[.;)\]\n]|$)`)
)

// openEnded are words that say that there are further values.
var openEnded = []string{"e.g", "such as", "for example", "etc", "for instance", "like ", "...", "and more", "among others", "examples", "example:", "typically", "usually", "including", "comma", "separated"}

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
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"sort": {"type": "string", "description": "The order, one of 'asc' or 'desc'.", "enum": ["asc", "desc"]}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			if param.isClosed() || !param.isA("string") || param.schema.Has("pattern") || param.schema.Has("format") {
				continue
			}
			if strings.Contains(string(param.at), "/createdBy") || strings.Contains(string(param.at), "/lastModified") || param.schema.Get("readOnly").IsTrue() {
				continue // the server sets it
			}
			if param.schema.Has("anyOf") || param.schema.Has("oneOf") || !hasAny(param.lower, "one of", "can be", "options", "allowed", "valid", "values", "accepts") || hasAny(param.lower, openEnded...) {
				continue
			}
			var values []string
			if found := choice.FindStringSubmatch(param.text); found != nil {
				values = valuesOf(found[1])
			} else if found := plain.FindStringSubmatch(param.text); found != nil {
				values = strings.FieldsFunc(found[1], func(letter rune) bool { return strings.ContainsRune(",|/ \t\n", letter) })
				values = slices.DeleteFunc(values, func(word string) bool { return word == "or" || word == "and" })
			}
			values = slices.DeleteFunc(values, func(word string) bool { return word == "null" })
			isParam := func(value string) bool { return tool.param(value) != nil }
			if len(values) < 2 || slices.ContainsFunc(values, isParam) {
				continue
			}
			at, node := param.descriptionOf()
			p.report(at, node, param.name+" takes "+list(values)+" by its text: add enum with these values")
		}
	},
}

// valuesOf returns the distinct quoted values of a list.
func valuesOf(text string) []string {
	var values []string
	for _, found := range value.FindAllStringSubmatch(text, -1) {
		if word := strings.TrimRight(found[1], "."); !slices.Contains(values, word) {
			values = append(values, word)
		}
	}
	return values
}

// defaultOf returns the default that a text states, or "".
func defaultOf(param *parameter) string {
	found := match(standard, param.lower, param.text, "default")
	if found == nil {
		return ""
	}
	return strings.Trim(found[1], "\"'`.,")
}
