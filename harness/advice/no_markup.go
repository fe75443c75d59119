package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// noMarkup finds texts of which it is not said how they are formatted.
var noMarkup = &Rule{
	Name: "no_markup",
	Doc: `nothing says whether a text is Markdown, HTML or plain

A model writes Markdown if nobody says otherwise, and a service that takes plain text or HTML shows
its signs. Say in the description of the body of a comment, a note, a page or a message how it is
formatted.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for specialised query formats in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "add_comment", "description": "Comment on a photo.", "parameters": {"type": "object", "properties": {"body": {"type": "string", "description": "What to say."}}}}]`,
	Good: `[{"name": "add_comment", "description": "Comment on a photo.", "parameters": {"type": "object", "properties": {"body": {"type": "string", "description": "What to say, in Markdown."}}}}]`,
	check: func(p *pass, tool *declaration) {
		verb := slices.IndexFunc(tool.named, func(word string) bool { return slices.Contains(putting, word) })
		if verb < 0 || hasAny(tool.lower, markups...) || slices.ContainsFunc(tool.params, func(param *parameter) bool {
			return param.hasNameOf("html", "markdown", "format", "markup", "mime", "parse", "blocks", "rich") || param.name == "contentType" || param.name == "content_type"
		}) {
			return
		}
		var found []*parameter
		for _, param := range tool.params {
			if isFormatted(slices.Delete(slices.Clone(tool.named), verb, verb+1), param) && param.isText() && !hasForm(param.schema) && !param.hasDefault() && strings.TrimSpace(param.text) != "" && !isForeign(param.text) && !hasAny(param.lower, markups...) && !param.prose.Has(others...) && !param.hasNameOf("quoted", "speaker", "alt", "label") {
				found = append(found, param)
			}
		}
		last := len(p.found)
		p.reportAll(found, "does not say how the text is formatted: say Markdown, HTML or plain text", "do not say how the texts are formatted: say Markdown, HTML or plain text")
		if slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(tracked, singular([]string{word})[0]) }) {
			p.note(last) // Markdown, which a model writes, is what most services take there
		}
	},
}

// markups are parts of texts that say how a text is formatted, and others those about a text of another kind.
var (
	markups = []string{"markdown", "html", "plain", "rich text", "mrkdwn", "wiki", "adf", "formatted", "formatting"}
	others  = prose.Phrases("json", "code", "script", "file", "base64", "request", "commit", "sql", "prompt", "raw", "e.g", "example", "contains", "search", "filter", "encrypted", "sms", "short", "brief", "reason", "explaining")
)

// tracked are things of services for developers, whose texts are Markdown in most of them.
var tracked = []string{"issue", "pull", "merge", "review", "epic", "story", "bug", "task", "subtask", "release", "milestone", "discussion", "initiative"}

// putting are verbs in names of tools that write something.
var putting = []string{"create", "add", "update", "edit", "post", "send", "reply", "append", "write", "draft", "replace", "save", "upsert", "insert", "submit", "publish", "respond", "modify"}

// formatted are things whose texts services format, by the last words of the names of these texts.
var formatted = map[string][]string{
	"body":        {"comment", "note", "issue", "pull", "merge", "review", "discussion", "thread", "message", "email", "mail", "draft", "post", "article", "page", "release", "reply", "topic", "announcement"},
	"content":     {"comment", "note", "thread", "message", "post", "article", "page", "document", "doc", "reply", "topic", "announcement", "email", "wiki"},
	"text":        {"comment", "note", "thread", "message", "post", "reply", "review", "discussion", "status", "update"},
	"message":     {"message", "chat", "post", "comment", "reply", "email"},
	"description": {"issue", "task", "subtask", "story", "epic", "ticket", "card", "bug", "event", "initiative", "milestone", "pull", "merge"},
	"note":        {"note", "comment", "issue", "task", "ticket", "deal"},
	"notes":       {"comment", "issue", "task", "subtask", "ticket", "project"},
	"comment":     {"comment", "issue", "task", "ticket", "review"},
}

// isFormatted reports whether a parameter of a tool about something is a text that services format.
func isFormatted(about []string, param *parameter) bool {
	things := formatted[param.last()]
	isThing := func(word string) bool { return slices.Contains(things, singular([]string{word})[0]) }
	return slices.ContainsFunc(about, isThing) || slices.ContainsFunc(param.words[:max(len(param.words)-1, 0)], isThing)
}
