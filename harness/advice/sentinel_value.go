package advice

import "toolproof/internal/lazy"

// special matches a value to which a text gives a special meaning.
var special = lazy.Compile(`(?i)(?:\b(?:use|set to|pass|specify|leave|provide|enter|send)\s+)(-1|"\*"|'\*'|["'` + "`" + `](?-i:[A-Z][A-Z_]{2,30})["'` + "`" + `])\s*(?:to|for|means|if|when|as|=)\s+([^.;,)\n]{3,60})`)

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
			if param.isClosed() || !param.isA("string", "integer", "number") {
				continue
			}
			found := match(special, param.lower, param.text, "-1", `"`, "'", "`")
			if found == nil {
				continue
			}
			value := found[1]
			if minimum := param.schema.Get("minimum"); value == "-1" && minimum != nil && minimum.Text == "-1" {
				continue // the bound lets it in on purpose
			}
			at, node := param.descriptionOf()
			p.report(at, node, param.name+" takes "+value+" for "+quoted(found[2])+", and only a sentence says so: add it as a branch with const, such as anyOf of const and the type")
		}
	},
}
