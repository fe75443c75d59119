package advice

import (
	"slices"
	"strings"
)

// missingWay finds tools that explain how to create and overwrite a file, but not how to
// append.
var missingWay = &Rule{
	Name: "missing_way",
	Doc: `a tool that writes a file explains two of three ways

A text explains how to create a file and how to overwrite it, so a model expects a way to
append. If no text names one, it guesses: it invents a parameter, or overwrites the file.`,
	Source: Source{"A model looked for a way to append, and found 54 places instead of one: docs/seeds.md#seed-002-log-009, gap 1.", "", "2026-02-17"},
	Bad: `[{"name": "write", "description": "Write a file. \"\" = create a new file. \"OVERWRITE_FILE\" = replace the entire content.", "parameters": {"type": "object", "required": ["path", "match_text", "new_string"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "match_text": {"type": "string", "description": "The text to replace."}, "new_string": {"type": "string", "description": "What to write."}}}}]`,
	Good: `[{"name": "write", "description": "Write a file. \"\" = create a new file. \"OVERWRITE_FILE\" = replace the entire content. \"APPEND_TO_FILE\" = append to the end.", "parameters": {"type": "object", "required": ["path", "match_text", "new_string"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "match_text": {"type": "string", "description": "The text to replace."}, "new_string": {"type": "string", "description": "What to write."}}}}]`,
	check: func(p *pass, tool *declaration) {
		isOfFiles := func(lower string) bool { return hasAny(lower, "new file", "create file") }
		if !isOfFiles(tool.lower) && !slices.ContainsFunc(tool.params, func(param *parameter) bool { return isOfFiles(param.lower) }) {
			return
		}
		var text strings.Builder
		text.WriteString(tool.lower)
		for _, param := range tool.params {
			text.WriteString("\n" + param.lower + "\n" + strings.ToLower(strings.Join(param.schema.Get("enum").Strings(), " ")))
		}
		all := text.String()
		creates := hasAny(all, "create new file", "create a new file", "create file", "creates a new file", "new file")
		overwrites := hasAny(all, "overwrite_file", "replace entire", "replace the entire", "overwrite entire", "overwrite the entire", "overwrite the whole")
		switches := hasAny(all, "special value", `""`, `''`, "empty string", "overwrite_file")
		if creates && overwrites && switches && !hasAny(all, "append", "end of the file", "end of file", "prepend", "insert") {
			at, node := tool.descriptionOf()
			p.report(at, node, tool.Name+" says how to create and how to overwrite a file, and not how to append to one: say how, or which tool does it")
		}
	},
}
