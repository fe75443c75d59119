package advice

import (
	"strings"

	"toolproof/internal/lazy"
)

// example matches an example of a call.
var example = lazy.Compile(`(?s)\b(\w+)\(([^()]*)\)`)

// batchNotFirst finds tools whose first example makes a single change although they
// accept a batch.
var batchNotFirst = &Rule{
	Name: "batch_not_first",
	Doc: `the first example shows one change, where a batch takes many

A weak model copies the first example. If that is a call for a single change, the model makes
three calls instead of one. Show the batch first, or say from how many changes on to use it.`,
	Source: Source{"A model copied the single edit, the first of three examples: docs/seeds.md#seed-002-log-009, gap 4.", "", "2026-02-17"},
	Bad: `[{"name": "edit", "description": "Pick one mode.\nEDIT: edit(path=\"f\", old=\"a\", new=\"b\")\nBATCH: edit(path=\"f\", edits=[...])", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Good: `[{"name": "edit", "description": "Modes, pick one: edits, or old with new.\nBATCH: edit(path=\"f\", edits=[...])\nEDIT: edit(path=\"f\", old=\"a\", new=\"b\")", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	check: func(p *pass, tool *declaration) {
		modes := modesOf(tool)
		if modes.batch == nil {
			return
		}
		if hasAny(tool.lower+"\n"+modes.batch.lower, "2+", "two or more", "2 or more", "more than one", "multiple changes", "always prefer", "prefer batch", "use batch", "any time", "whenever") {
			return
		}
		for _, call := range example.FindAllStringSubmatch(tool.text, -1) {
			arguments := strings.ToLower(call[2])
			isBatch := hasWord(arguments, strings.ToLower(modes.batch.name))
			isSingle := hasWord(arguments, strings.ToLower(modes.single[0].name))
			if isBatch || !isSingle {
				if isBatch {
					return
				}
				continue
			}
			at, node := tool.descriptionOf()
			p.report(at, node, "the first example of "+tool.Name+" changes one thing: show "+modes.batch.name+" first, and say that two changes or more go into one call")
			return
		}
	},
}
