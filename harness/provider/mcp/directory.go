package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// claudeDirectory and chatGPTDirectory are what two directories demand of the tools of a server that wants to be
// listed. Nobody but the author knows what a tool does, so no normalizer writes it.
var (
	claudeDirectory  = directory("directory/claude", "tools of servers that are submitted to the Connectors Directory of Claude", claudeTitle, claudeHint, claudeUntrue)
	chatGPTDirectory = directory("directory/chatgpt", "tools of servers that are submitted to the app directory of ChatGPT", chatGPTHints, chatGPTUntrue)
)

// directory returns the row of a directory.
func directory(name, doc string, rules ...*provider.Rule) *provider.Dialect {
	return &provider.Dialect{
		Name: name, Doc: doc, Rules: rules,
		Path: "tools/list", API: provider.ToolsList, Subject: provider.Annotations, Schema: "/inputSchema",
		AsGiven: "only the author knows what a tool does",
		Declare: declare, Envelope: envelope, Render: renderReview, Classify: classifyReview,
	}
}

// review is the stage in which a directory reads the annotations of each tool.
var review = &provider.Stage{
	Name: "review", All: true,
	Shared: "both directories read the annotations that the Model Context Protocol defines",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, declaration := range request.Declarations {
			visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: declaration})
		}
	},
}

// The words of the directories, as they were quoted.
const (
	claudeWords  = "All tools must include a `title` and the applicable `readOnlyHint` or `destructiveHint`"
	chatGPTWords = "Every MCP tool must set readOnlyHint, openWorldHint, destructiveHint to true or false."
)

var claudeTitle = &provider.Rule{
	Name: "claude_title", Effect: provider.Rejects, Stage: review, Since: "2026-07-02",
	Doc: `a tool has a title

It stands in the tool or in its annotations. In July 2026 the validator read only the one in annotations
(https://github.com/basicmachines-co/basic-memory/pull/1031); whether it still does is not known.`,
	Source: "pre-submission checklist of https://claude.com/docs/connectors/building/review-criteria, quoted on 2026-07-10: https://github.com/Dahliyaal/justicelibre/pull/2",
	Check: func(p *provider.Pass) {
		if p.Node.GetString("title") == "" && p.Node.Get("annotations").GetString("title") == "" {
			p.Reportf("%s", claudeWords)
		}
	},
}

var claudeHint = &provider.Rule{
	Name: "claude_hint", Effect: provider.Rejects, Stage: review, Since: "2026-04-16",
	Doc: `a tool says with readOnlyHint or destructiveHint whether it changes something

One of the two is enough, and both may be false: a tool that only adds.`,
	Source: "pre-submission checklist of https://claude.com/docs/connectors/building/review-criteria, quoted on 2026-07-10: https://github.com/Dahliyaal/justicelibre/pull/2; " +
		"since 2026-04-16: https://github.com/axiomhq/mcp/pull/79",
	Check: func(p *provider.Pass) {
		if hint(p, "readOnlyHint") == nil && hint(p, "destructiveHint") == nil {
			p.Reportf("%s", claudeWords)
		}
	},
}

var chatGPTHints = &provider.Rule{
	Name: "chatgpt_hints", Effect: provider.Rejects, Stage: review, Since: "2026-06-12",
	Doc: `a tool sets readOnlyHint, openWorldHint and destructiveHint

The defaults of the protocol do not count: each of the three is true or false.`,
	Source: "the words on 2026-08-10: https://github.com/whisper-money/whisper-money/pull/751; since 2026-06-12: https://github.com/longbridge/longbridge-mcp/pull/81",
	Check: func(p *provider.Pass) {
		for _, name := range []string{"readOnlyHint", "openWorldHint", "destructiveHint"} {
			if hint(p, name) == nil {
				p.Reportf("%s", chatGPTWords)
				return
			}
		}
	},
}

var (
	claudeUntrue  = untrue("claude_untrue")
	chatGPTUntrue = untrue("chatgpt_untrue")
)

// untrue returns the rule that hints are true to the name of the tool.
func untrue(name string) *provider.Rule {
	return &provider.Rule{
		Name: name, Effect: provider.Rejects, Stage: review, Since: "2026-07-15",
		Doc: `a tool whose name says that it deletes is not read-only

Wrong hints are a reason to refuse a server. The words are this model's own; a reviewer reads more than the
name of a tool.`,
		Source: "missing or incorrect labels are a stated rejection cause of both directories, on 2026-07-15: https://github.com/open-metadata/OpenMetadata/pull/30105",
		Check: func(p *provider.Pass) {
			if said := hint(p, "readOnlyHint"); said != nil && *said && isDeleting(p.Node.GetString("name")) {
				p.At = append(p.At, "/annotations/readOnlyHint"...)
				p.Reportf("readOnlyHint is true, and the name %s says that the tool deletes", p.Node.GetString("name"))
			}
		},
	}
}

// hint returns a hint of a tool; nil if it is not set, or not to true or false.
func hint(p *provider.Pass, name string) *bool {
	value := p.Node.Get("annotations").Get(name)
	if value == nil || value.Kind != schema.Bool {
		return nil
	}
	said := value.IsTrue()
	return &said
}

// deleting and reading are verbs in the names of tools. A reading verb is about the words behind it. Verbs that a
// tool may mean of its own answer, as remove_background and truncate_text do, are not among them.
var (
	deleting = []string{"delete", "destroy", "purge", "uninstall"}
	reading  = []string{
		"get", "list", "search", "find", "read", "show", "describe", "check", "view", "count", "fetch", "preview", "plan", "validate", "query",
		"is", "can", "has", "dry", "explain", "analyze", "inspect", "lookup", "simulate", "suggest", "estimate", "audit", "test", "verify",
	}
)

// isDeleting reports whether a name says that a tool deletes.
func isDeleting(name string) bool {
	for _, word := range wordsIn(name) {
		switch {
		case slices.Contains(reading, word):
			return false
		case slices.Contains(deleting, word):
			return true
		}
	}
	return false
}

// wordsIn returns the words of a name in lower case.
func wordsIn(name string) []string {
	var spaced strings.Builder
	wasLower := false
	for _, letter := range name {
		if unicode.IsUpper(letter) && wasLower {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(letter)
		wasLower = unicode.IsLower(letter)
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(letter rune) bool { return !unicode.IsLetter(letter) })
}

// renderReview makes the answer of a directory.
func renderReview(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	return provider.AnswerBody(map[string]string{"name": "Review", "message": response.Message})
}

// classifyReview reads the answer of a directory. A status of 200 stands for a server that is listed.
func classifyReview(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Message string `json:"message"`
	}
	isKnown := false
	if json.Unmarshal(data, &body) == nil {
		isKnown = strings.Contains(body.Message, claudeWords) || strings.Contains(body.Message, chatGPTWords) || strings.HasPrefix(body.Message, "readOnlyHint is true, and the name ")
	}
	if !isKnown {
		return provider.Response{}, provider.ErrNothingLearnt
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}, nil
}
