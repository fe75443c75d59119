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
write a file. One that runs something may wait for its end and answer with what it printed, and one that takes a problem may solve it or
hand out a form.`,
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
		case tool.isRun():
			p.report(at, node, tool.Name+" does not say what its answer is: say whether it waits for the end, and has the output, errors too, or what another tool needs to find it")
		case tool.isTranscript():
			p.report(at, node, tool.Name+" does not say in which form its answer is: say whether it is plain text, or has the times of its parts")
		case tool.thinks():
			p.report(at, node, tool.Name+" does not say what its answer is: say whether it has the work done, a form to fill in, or only what the call had")
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

// isRun reports whether a tool runs what others made, such as a command, starts what takes a while, or sends a request, and no text
// says what the answer has of it.
func (t *declaration) isRun() bool {
	const few = 12 // words
	isRunning := t.does(running) || t.does(launching) && t.isNamed(jobs) || t.does(sending) && t.prose.Has(requested...)
	return isRunning && len(t.prose.Words()) <= few && !t.prose.Has(answered...)
}

// isTranscript reports whether a tool gets what was said, and no text says whether it has times.
func (t *declaration) isTranscript() bool {
	const few = 2 // parameters
	return slices.Contains(t.named[max(0, len(t.named)-1):], "transcript") && len(t.prose.Words()) <= mostWords && len(t.own()) <= few && !t.prose.Has(timed...)
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

// timed are words of texts about the form of a transcript.
var timed = prose.Phrases("timestamp", "timestamps", "timed", "plain", "segments", "formats", "json")

// running are verbs of tools that run something, launching those that start jobs, sending those that make a request, and answered words of
// texts that say what comes back.
var (
	running   = []string{"run", "execute", "invoke"}
	launching = []string{"start", "deploy", "launch", "trigger"}
	jobs      = []string{"deploy", "test", "audit", "scan", "crawl", "job", "build", "workflow", "migration", "analysis", "pipeline", "agent", "deployment", "import", "backup"}
	sending   = []string{"perform", "make", "send"}
	requested = prose.Phrases("request")
	answered  = prose.Phrases("query", "queries", "sql", "aggregation", "database", "transaction", "return", "returns", "stdout", "file")
)

var (
	reading   = []string{"get", "fetch", "fetche", "retrieve", "read", "show", "query", "return", "view", "find", "display", "obtain"}
	examining = []string{"describe", "inspect", "audit", "analyze", "diagnose", "review"}
	vague     = prose.Phrases("details", "detailed", "information", "info", "statistics", "stats", "metadata", "summary", "insights", "overview", "data", "activity", "metrics")
	clearer   = prose.Phrases("including", "with", "such as", "json", "and", "type", "raw", "returns", "as", "schema", "indexes")
)
