package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// vagueResult finds tools of whose answer a text says nothing.
var vagueResult = &Rule{
	Name: "vague_result",
	Doc: `a text promises details and does not say which

A model calls a tool for something that is in its answer. If the text only speaks of details or
information, it calls the wrong tool, or this one to find out. Name the main members of the
answer, or declare outputSchema.`,
	Source: Source{
		"Anthropic asks that a description say what a tool does, when to use it, and what it returns and does not return.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "get_server", "description": "Get detailed information about a server", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "get_server", "description": "Get the address, the region and the state of a server", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		const longest, letters = 12, 200 // words, and letters of so many
		if len(tool.text) > letters {
			return
		}
		said := tool.prose.Words()
		if tool.Further.Has("outputSchema") || len(said) == 0 || len(said) > longest || strings.ContainsAny(tool.text, ":,(") || !slices.Contains(reading, said[0]) || !tool.prose.Has(vague...) || tool.prose.Has(clearer...) {
			return
		}
		at, node := tool.descriptionOf()
		p.report(at, node, tool.Name+" promises "+quoted(tool.text)+" and does not say which: name the main members of the answer")
	},
}

var (
	reading = []string{"get", "gets", "fetch", "fetches", "retrieve", "retrieves", "read", "reads", "show", "shows", "query", "return", "returns", "view", "find", "display", "obtain", "describe"}
	vague   = prose.Phrases("details", "detailed", "information", "info", "statistics", "stats", "metadata", "summary", "insights", "overview")
	clearer = prose.Phrases("including", "with", "such as", "json", "and", "type", "raw", "returns", "as")
)
