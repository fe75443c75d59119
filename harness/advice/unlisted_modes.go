package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// unlistedModes finds tools with several modes but no list of them.
var unlistedModes = &Rule{
	Name: "unlisted_modes",
	Doc: `a tool has several modes and does not list them

Parameters that exclude one another look like parameters to pass together, and a weak model
passes both: a batch and the parameters of its items, several parameters that select the same
part, or several that identify the same thing. A list of the modes in the description, or oneOf, distinguishes them.`,
	Source: Source{"An edit tool had five modes and no list of them: docs/seeds.md#seed-002-log-009, gap 2.", "", "2026-02-17"},
	Bad: `[{"name": "edit", "description": "Edit a file.", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	Good: `[{"name": "edit", "description": "Edit a file. Modes (pick one): batch: path + edits (always for 2 or more changes); one edit: path + old + new.", "parameters": {"type": "object", "required": ["path"], "properties": {
  "path": {"type": "string", "description": "An absolute path."}, "old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."},
  "edits": {"type": "array", "description": "Several edits.", "items": {"type": "object", "properties": {"old": {"type": "string", "description": "The text to replace."}, "new": {"type": "string", "description": "What to write."}}, "required": ["old", "new"]}}}}}]`,
	check: func(p *pass, tool *declaration) {
		modes := modesOf(tool)
		if modes.batch != nil && switchOf(tool) == nil && !speaksOf(tool, modes.batch) && !tool.isExplained(append(modes.single, modes.batch)) {
			p.report(modes.batch.at, modes.batch.schema, modes.batch.name+" and "+list(namesOf(modes.single))+
				" exclude one another, and no text says so: list the modes in the description of "+tool.Name+", each with its parameters")
		}
		if modes.flags != nil && !hasAny(tool.lower, exclusive...) && !slices.ContainsFunc(modes.flags, func(flag *parameter) bool { return flag.text != "" }) {
			p.reportAll(modes.flags, "", "each order something else, and no text says which go together: make them one parameter with enum")
		}
		if modes.ways != nil && !tool.isExplained(modes.ways) && !speakOfEachOther(tool, modes.ways) {
			p.reportAll(modes.ways, "", "choose the same thing in several ways, and no text says which go together: list the ways in the description of "+tool.Name)
		}
	},
}

// speakOfEachOther reports whether the text of a parameter names another one, or that of the tool one of them.
func speakOfEachOther(tool *declaration, params []*parameter) bool {
	return slices.ContainsFunc(params, func(param *parameter) bool {
		return tool.prose.Mentions(param.name) || param.prose.Has(otherwise...) || slices.ContainsFunc(params, func(other *parameter) bool {
			return other != param && (param.prose.Mentions(other.name) || tool.prose.Has(prose.Phrases(param.last()+" or "+other.last())...))
		})
	})
}

// otherwise are phrases of texts about one of several ways.
var otherwise = prose.Phrases("instead", "preferred", "not provided", "fallback")

// speaksOf reports whether the description of a tool mentions a parameter outside of
// examples.
func speaksOf(tool *declaration, param *parameter) bool {
	name := strings.ToLower(param.name)
	return slices.ContainsFunc(sentences(tool.lower), func(line string) bool { return hasWord(line, name) && !isCall(line) })
}

// isCall reports whether a line is an example of a call.
func isCall(line string) bool { return strings.Contains(line, "(") && strings.Contains(line, "=") }

func namesOf(params []*parameter) []string {
	names := make([]string, len(params))
	for i, param := range params {
		names[i] = param.name
	}
	return names
}
