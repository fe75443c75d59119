package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// nothingRequired finds tools that need the name of a thing, and do not require it.
var nothingRequired = &Rule{
	Name:    "nothing_required",
	IsGrave: true,
	Doc: `a tool is about one thing, and requires no name of it

A tool that reads or deletes one thing cannot work without its identifier. If the schema does not
require that, a model may call the tool without arguments, and strict modes let it.`,
	Source: Source{
		"OpenAI: make functions obvious, and use the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "delete_file", "description": "Delete a file, which cannot be undone.", "parameters": {"type": "object", "properties": {"file_id": {"type": "string", "description": "A number, from list_files."}}}}]`,
	Good: `[{"name": "delete_file", "description": "Delete a file, which cannot be undone.", "parameters": {"type": "object", "required": ["file_id"], "properties": {"file_id": {"type": "string", "description": "A number, from list_files."}}}}]`,
	check: func(p *pass, tool *declaration) {
		name := words(tool.Name)
		isOfOne := slices.ContainsFunc(name[:min(len(name), 3)], func(word string) bool {
			return slices.Contains([]string{"delete", "update", "remove", "cancel", "archive", "restart", "stop", "rename", "approve", "edit", "patch", "get", "retrieve", "read"}, word)
		})
		own := tool.own()
		if !isOfOne || len(own) == 0 || slices.ContainsFunc(own, func(param *parameter) bool { return param.isRequired }) || schemaSays(tool.Parameters) {
			return
		}
		var handles []*parameter
		for _, param := range own {
			noun := param.words[:max(0, len(param.words)-1)]
			if slices.Contains([]string{"id", "uuid", "key", "slug", "name"}, param.last()) && !param.schema.Has("default") && (len(noun) == 0 || has(singular(name), singular(noun))) {
				handles = append(handles, param)
			}
		}
		if len(handles) != 1 || handles[0].prose.Has(spared...) || tool.prose.Has(spared...) || handles[0].isA("null") {
			return
		}
		isReading := slices.Contains(name, "get") || slices.Contains(name, "retrieve") || slices.Contains(name, "read")
		if len(handles[0].words) == 1 && handles[0].last() == "name" || isReading && (len(own) > 1 || len(name) > 0 && strings.HasSuffix(name[len(name)-1], "s") && !strings.HasSuffix(name[len(name)-1], "details")) {
			return
		}
		p.reportAll(handles, "is not required, and "+tool.Name+" cannot work without it: add it to required", "")
	},
}

// spared are phrases of texts by which an identifier may be left out.
var spared = prose.Phrases("optional", "optionally", "omit", "omitted", "if not", "default", "defaults", "filter", "all", "leave", "current", "without", "list", "search", "or", "either", "if", "any", "each")

// singular returns words without the s of a plural.
func singular(all []string) []string {
	one := make([]string, len(all))
	for i, word := range all {
		one[i] = strings.TrimSuffix(word, "s")
	}
	return one
}
