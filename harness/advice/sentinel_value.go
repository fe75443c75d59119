package advice

import (
	"slices"
	"strings"
)

// sentinelValue finds special values that only a sentence mentions.
var sentinelValue = &Rule{
	Name: "sentinel_value",
	Doc: `a special value stands in a sentence alone

A value such as -1 or "OVERWRITE_FILE" changes what a tool does, and is easily missed in a
sentence. A branch with const or enum shows it to models and to programs that check calls.`,
	Source: Source{"Two special values of a free text switched the mode of an edit tool: docs/seeds.md#seed-002-log-009.", "", "2026-02-17"},
	Bad:    `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"type": "integer", "description": "How many lines. Use -1 for the whole file."}}}}]`,
	Good:   `[{"name": "read", "description": "Read a log.", "parameters": {"type": "object", "properties": {"lines": {"description": "How many lines. Use -1 for the whole file.", "anyOf": [{"const": -1}, {"type": "integer", "minimum": 1}]}}}}]`,
	check: func(p *pass, tool *declaration) {
		for _, param := range tool.params {
			if param.isClosed() || !param.isA("string", "integer", "number") || slices.ContainsFunc([]string{"anyOf", "oneOf", "pattern"}, param.schema.Has) {
				continue
			}
			special := param.prose.Special(param.name)
			if special == nil || isNumber(special.Value) && !param.isA("integer", "number") || param.prose.Choice(true) != nil || hasAny(strings.ToLower(special.Meaning), "wildcard", "match") {
				continue
			}
			if minimum := param.schema.Get("minimum"); minimum != nil && minimum.Text == special.Value {
				continue // the bound lets it in on purpose
			}
			if fallback := param.schema.Get("default"); fallback != nil && fallback.Text == special.Value {
				continue // the schema shows it
			}
			p.reportText(param, param.path+" takes "+special.Value+" for "+quoted(special.Meaning)+", and only a sentence says so: add it as a branch with const, such as anyOf of const and the type")
		}
	},
}
