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
answer, or declare outputSchema. A tool that exports something or ends a recording may answer with it, or
write a file.`,
	Source: Source{
		"Anthropic asks that a description say what a tool does, when to use it, and what it returns and does not return.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "get_server", "description": "Get detailed information about a server", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "get_server", "description": "Get the address, the region and the state of a server", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		p.exports(tool)
		const longest, letters = 14, 200 // words, and letters of so many
		if len(tool.text) > letters {
			return
		}
		said := tool.prose.Words()
		if tool.Further.Has("outputSchema") || len(said) == 0 || len(said) > longest || strings.ContainsAny(tool.text, ":,(") || !slices.Contains(reading, said[0]) || !tool.prose.Has(vague...) && !strings.HasPrefix(said[0], "describe") || tool.prose.Has(clearer...) {
			return
		}
		at, node := tool.descriptionOf()
		p.report(at, node, tool.Name+" promises "+quoted(tool.text)+" and does not say which: name the main members of the answer")
	},
}

// exports reports a tool that exports something, or ends a recording, if no text says where the model finds it.
func (p *pass) exports(tool *declaration) {
	isExport := slices.Contains(tool.named, "export") || slices.Contains(tool.named, "stop") && tool.prose.Has(recordings...)
	if !isExport || len(tool.prose.Sentences) == 0 || len(tool.prose.Words()) > mostWords || isForeign(tool.text) || tool.Further.Has("outputSchema") || tool.prose.Has(delivered...) ||
		slices.ContainsFunc(tool.params, func(param *parameter) bool {
			return param.prose.Has(delivered...) || param.hasNameOf("path", "file", "filename", "dir", "directory", "folder", "output", "destination")
		}) {
		return
	}
	at, node := tool.descriptionOf()
	p.report(at, node, tool.Name+" does not say where its result is: say whether the answer has it, or which file")
}

// mostWords is the number of words of a text that may leave out where a result is.
const mostWords = 25

// recordings are words for what a tool ends with a result, and delivered phrases of texts that say where a result is.
var (
	recordings = prose.Phrases("recording", "screencast", "trace", "tracing", "capture", "profiling", "video")
	delivered  = prose.Phrases("return", "returns", "returned", "returning", "file", "files", "save", "saves", "saved", "url", "urls", "base64", "path", "download", "inline", "disk", "directory", "write", "writes", "link", "stdout", "response")
)

var (
	reading = []string{"get", "gets", "fetch", "fetches", "retrieve", "retrieves", "read", "reads", "show", "shows", "query", "return", "returns", "view", "find", "display", "obtain", "describe", "describes"}
	vague   = prose.Phrases("details", "detailed", "information", "info", "statistics", "stats", "metadata", "summary", "insights", "overview", "data", "activity", "trends", "metrics")
	clearer = prose.Phrases("including", "with", "such as", "json", "and", "type", "raw", "returns", "as", "schema", "indexes")
)
