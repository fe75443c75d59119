package advice

import "toolproof/internal/lazy"

// value matches one of the values that a text lists.
var value = lazy.Compile("[\"'`]([\\w.+/-]{1,30})[\"'`]")

// standard matches a default in a text.
var standard = lazy.Compile(`(?i)\bdefaults?(?:\s+(?:is|to|value is|value|=|:))*\s*[:=]?\s*["'` + "`" + `]?(-?\d[\d_,.]*\d|-?\d|true|false|[\w./-]{1,30}["'` + "`" + `])`)

// defaultInProse finds defaults that the schema does not have.
var defaultInProse = &Rule{
	Name: "default_in_prose",
	Doc: `a text has a default, and the schema has none

Programs that fill in forms and check calls read the default in the schema, while a model
reads either. The seed calls the text sufficient, so the rule runs only if it is named.`,
	Source: Source{"A default that stands in the description alone needs no repair: docs/seeds.md#seed-002-log-009, gap 6.", "", "2026-02-17"},
	IsOff:  true,
	Bad:    `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, default 10."}}}}]`,
	Good:   `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "description": "How many, default 10.", "default": 10}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			if param.schema.Has("default") || param.isRequired {
				continue
			}
			if stated := defaultOf(param); stated != "" {
				at, node := param.descriptionOf()
				p.report(at, node, param.name+" has the default "+stated+" in its text alone: add default to the schema")
			}
		}
	},
}
