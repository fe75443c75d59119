package advice

import (
	"slices"
	"strings"
)

// noDescription finds tools and parameters without a description.
var noDescription = &Rule{
	Name: "no_description",
	Doc: `a tool or parameter has no description

Besides names and types, the description is all that a model knows about a tool. A closed set
of values explains itself, as does a flag whose name says what it does.`,
	Source: Source{
		"Anthropic calls a detailed description of the tool and of each parameter the most important factor of tool use.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}]`,
	Good: `[{"name": "search", "description": "Search the issues of a project.", "parameters": {"type": "object", "properties": {"q": {"type": "string", "description": "Words that the issue has."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if strings.TrimSpace(tool.text) == "" {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" has no description: say what it does, when to call it and what it returns")
		}
		var first *parameter
		var names []string
		text := words(tool.text)
		for _, param := range tool.undescribed() {
			if param.isClosed() || param.isA("boolean") || param.schema.Has("title") && len(words(param.schema.GetString("title"))) > wordy || slices.Contains(plainNames, strings.ToLower(param.name)) {
				continue
			}
			// A parameter that the tool's own text explains needs no second one.
			if has(text, words(param.name)) || hasWord(tool.lower, strings.ToLower(param.name)) {
				continue
			}
			if names = append(names, param.name); first == nil {
				first = param
			}
		}
		switch {
		case len(names) == 1:
			p.report(first.at, first.schema, first.name+" has no description: say what it means, in which form it is written, and give an example")
		case len(names) > 1:
			p.report(first.at, first.schema, list(names)+" have no description: say what each means, in which form it is written, and give an example")
		}
	},
}

// plainNames are names of parameters that many lists have.
var plainNames = []string{"limit", "offset", "page", "per_page", "perpage", "page_size", "pagesize", "cursor", "skip", "count"}

// undescribed returns the parameters without a text. For an object with properties it
// returns those instead of the object.
func (t *declaration) undescribed() []*parameter {
	var all []*parameter
	for _, param := range t.own() {
		if strings.TrimSpace(param.text) != "" {
			continue
		}
		inner := param.schema
		if items := inner.Get("items"); items != nil {
			inner = items
		}
		switch properties := inner.Get("properties"); {
		case properties == nil && (inner.Has("anyOf") || inner.Has("oneOf")): // the branches say it
		case properties == nil:
			all = append(all, param)
		default:
			for _, below := range t.params {
				if below.holder == inner && strings.TrimSpace(below.text) == "" && !below.schema.Has("properties") {
					all = append(all, below)
				}
			}
		}
	}
	return all
}

// has reports whether words appear consecutively among others.
func has(all, some []string) bool {
	for i := 0; len(some) > 0 && i+len(some) <= len(all); i++ {
		if slices.Equal(all[i:i+len(some)], some) {
			return true
		}
	}
	return false
}

// wordy is the number of words from which a title explains a parameter.
const wordy = 2
