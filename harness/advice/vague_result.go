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
answer, or declare outputSchema. A tool that draws or exports something or ends a recording may answer with it, with a URL, or
write a file. One that runs something may wait for its end and answer with what it printed, one that takes a problem may solve it or
hand out a form, and one that begins a session answers with the id that others take.`,
	Source: Source{
		"Anthropic asks that a description say what a tool does, when to use it, and what it returns and does not return.",
		"https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use", "2025-05-22",
	},
	Bad:  `[{"name": "get_server", "description": "Get detailed information about a server", "parameters": {"type": "object", "properties": {}}}]`,
	Good: `[{"name": "get_server", "description": "Get the address, the region and the state of a server", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		if len(tool.prose.Sentences) == 0 || isForeign(tool.text) || tool.Further.Has("outputSchema") {
			return
		}
		at, node := tool.descriptionOf()
		before := len(p.found)
		switch {
		case tool.isExport() || tool.makesMedia():
			p.report(at, node, tool.Name+" does not say where its result is: say whether the answer has it, or a URL of it, or which file")
			if slices.Contains(tool.named, "screenshot") {
				p.note(before) // which models look for in the answer
			}
		case tool.isJob():
			p.report(at, node, tool.Name+" does not say what its answer is: say whether it waits for the end, and whether the answer has the outcome, or what another tool needs to find it")
		case tool.isRun():
			p.report(at, node, tool.Name+" does not say what its answer is: say whether it has the output, errors too, and whether it waits for the end")
		case tool.named[len(tool.named)-1] == "transcript" && len(tool.prose.Words()) <= mostWords && !tool.prose.Has(timed...) && len(tool.own()) < 3:
			p.report(at, node, tool.Name+" does not say in which form its answer is: say whether it is plain text, or has the times of its parts")
		case tool.thinks():
			p.report(at, node, tool.Name+" does not say what its answer is: say whether it has the work done, a form to fill in, or only what the call had")
		case p.opens(tool):
			p.report(at, node, tool.Name+" does not say what its answer is: say that it has the id that other tools ask for")
		case tool.promises():
			p.report(at, node, tool.Name+" promises "+quoted(tool.text)+" and does not say which: name the main members of the answer")
			p.note(before) // most models call it to find out
		}
	},
}

// promises reports whether a text speaks only of details or of a finding.
func (t *declaration) promises() bool {
	const most, letters = 14, 200 // words, and letters of so many
	if len(t.text) > letters || strings.ContainsAny(t.text, ":,(") {
		return false
	}
	said := t.prose.Words()
	if len(said) == 0 || len(said) > most || t.prose.Has(clearer...) {
		return false
	}
	return t.does(reading) && t.prose.Has(vague...) || t.does(examining)
}

// isExport reports whether a tool exports something, or ends a recording, and no text says where the model finds it.
func (t *declaration) isExport() bool {
	isExport := slices.Contains(t.named, "export") || slices.Contains(t.named, "stop") && t.prose.Has(recordings...)
	return isExport && len(t.prose.Words()) <= mostWords && !t.delivers()
}

// makesMedia reports whether a tool makes a picture or the like, and no text says where the model finds it.
func (t *declaration) makesMedia() bool {
	return t.does(drawing) && t.isNamed(media) && !t.prose.Has(canvases...) && !t.delivers()
}

// isJob reports whether a tool starts what takes a while by its name and text, and no text says what the answer has of it.
func (t *declaration) isJob() bool {
	return t.does(running) && t.isNamed(jobs) && len(t.prose.Words()) <= mostWords && !t.prose.Has(ends...) && !t.delivers()
}

// isRun reports whether a tool runs what others made, such as a command, and no text says what the answer has of it.
func (t *declaration) isRun() bool {
	const few = 12 // words
	isRequest := t.does([]string{"perform", "make", "send"}) && t.prose.Has(requested...)
	return (isRequest || t.does(running[:3])) && len(t.prose.Words()) <= few && !t.prose.Has(answered...)
}

// thinks reports whether a tool takes a thought, or a problem to think about, and no text says what the answer has of it.
func (t *declaration) thinks() bool {
	return !t.prose.Has(delivered...) && slices.ContainsFunc(t.own(), func(param *parameter) bool {
		return param.isRequired && param.isA("string") && (slices.Contains([]string{"thought", "problem"}, param.name) || param.name == "task" && t.isNamed([]string{"plan"}) || param.name == "analysis")
	})
}

// isNamed reports whether one of the words of the name of a tool is among some, but for a plural.
func (t *declaration) isNamed(some []string) bool {
	return slices.ContainsFunc(t.named, func(word string) bool { return slices.Contains(some, word) || slices.Contains(some, one(word)) })
}

// does reports whether the text of a tool begins with one of some verbs.
func (t *declaration) does(verbs []string) bool {
	said := t.prose.Words()
	return len(said) > 0 && slices.Contains(verbs, strings.TrimPrefix(strings.TrimSuffix(said[0], "s"), "re-"))
}

// opens reports whether a tool begins a session for which others ask by its id, and no text says where that is found.
func (p *pass) opens(tool *declaration) bool {
	isSession := func(param *parameter) bool {
		return param.isRequired && len(param.words) == 2 && param.words[0] == "session" && slices.Contains(ids, param.words[1])
	}
	return tool.isNamed([]string{"session"}) && tool.does(beginning) && len(tool.prose.Words()) <= mostWords && !tool.prose.Has(delivered...) && !tool.prose.Has(numbered...) &&
		!slices.ContainsFunc(tool.own(), func(param *parameter) bool { return slices.Contains(ids, param.last()) }) &&
		slices.ContainsFunc(p.tools, func(other *declaration) bool { return slices.ContainsFunc(other.own(), isSession) })
}

// delivers reports whether a text says where the result of a tool is.
func (t *declaration) delivers() bool {
	return t.prose.Has(delivered...) || slices.ContainsFunc(t.params, func(param *parameter) bool {
		return param.isA("string", "boolean") && param.prose.Has(delivered...) || param.hasNameOf("path", "file", "filename", "dir", "directory", "folder", "output", "destination")
	})
}

// mostWords is the number of words of a text that may leave out where a result is.
const mostWords = 25

// recordings are words for what a tool ends with a result, and delivered phrases of texts that say where a result is.
var (
	recordings = prose.Phrases("recording", "screencast", "trace", "tracing", "capture", "profiling", "video")
	delivered  = prose.Phrases("return", "returns", "returned", "returning", "file", "files", "save", "saves", "saved", "base64", "path", "download", "inline", "url", "urls", "to disk", "directory", "write", "writes", "link", "stdout", "response")
)

// drawing are verbs of tools that make media, and canvases words of texts about those that put them into something.
var (
	drawing  = []string{"generate", "render", "draw", "plot", "capture", "take", "create", "make"}
	media    = []string{"chart", "diagram", "image", "picture", "screenshot", "video", "audio", "speech", "voice", "pdf", "logo", "icon", "map", "music", "plot", "qr"}
	canvases = prose.Phrases("worksheet", "sheet", "slide", "presentation", "result")
)

// beginning are verbs of tools that begin a session, and numbered phrases of texts about its id.
var (
	beginning = []string{"start", "create", "open", "begin", "new", "launch"}
	numbered  = prose.Phrases("id")
)

// timed are words of texts about the form of a transcript.
var timed = prose.Phrases("timestamp", "timestamps", "timed", "plain", "segments", "formats", "json")

// running are verbs of tools that start a job, which jobs name.
var (
	running   = []string{"run", "execute", "invoke", "start", "deploy", "launch", "trigger"}
	requested = prose.Phrases("request")
	answered  = prose.Phrases("query", "queries", "sql", "aggregation", "database", "transaction", "return", "returns", "stdout", "file")
	jobs      = []string{"deploy", "test", "audit", "scan", "crawl", "job", "build", "workflow", "migration", "analysis", "pipeline", "agent", "deployment", "import", "backup"}
)

var (
	reading   = []string{"get", "fetch", "fetche", "retrieve", "read", "show", "query", "return", "view", "find", "display", "obtain"}
	examining = []string{"describe", "inspect", "audit", "analyze", "diagnose", "review"}
	vague     = prose.Phrases("details", "detailed", "information", "info", "statistics", "stats", "metadata", "summary", "insights", "overview", "data", "activity", "metrics")
	clearer   = prose.Phrases("including", "with", "such as", "json", "and", "type", "raw", "returns", "as", "schema", "indexes")
)
