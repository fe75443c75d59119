package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// claudeDirectory and chatGPTDirectory are what two directories demand of the tools of a server that wants to be
// listed. Nobody but the author knows what a tool does, so no normalizer writes it.
var (
	claudeDirectory = directory("directory/claude", "tools of servers that are submitted to the Connectors Directory of Claude",
		claudeTitle, claudeHint, claudeName, claudeMethods, untrue)
	chatGPTDirectory = directory("directory/chatgpt", "tools of servers that are submitted to the app directory of ChatGPT", chatGPTHints, untrue)
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
	nameWords    = "Tool names must be 64 characters or fewer."
	methodWords  = "A single tool that accepts both safe HTTP methods (GET, HEAD, OPTIONS) and unsafe methods (POST, PUT, PATCH, DELETE) is rejected."
)

// criteria is where the review criteria of Claude's directory are, and who quotes them when.
const criteria = "https://claude.com/docs/connectors/building/review-criteria, quoted on 2026-07-23: https://github.com/metrifi/plugins/blob/main/docs/submission-checklist.md"

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

var claudeName = &provider.Rule{
	Name: "claude_name", Effect: provider.Rejects, Stage: review, Since: "2026-07-23",
	Doc:    "the name of a tool has at most 64 characters\n\nThe protocol takes 128.",
	Source: criteria,
	Check: func(p *provider.Pass) {
		const longest = 64
		if utf8.RuneCountInString(p.Node.GetString("name")) > longest {
			p.At = append(p.At, "/name"...)
			p.Reportf("%s", nameWords)
		}
	},
}

var claudeMethods = &provider.Rule{
	Name: "claude_methods", Effect: provider.Rejects, Stage: review, Since: "2026-07-23",
	Doc: `no parameter of a tool chooses among HTTP methods that read and such that write

"Do not ship a catch-all api_request tool with a method parameter." The model finds it where an enum has methods of both kinds;
a reviewer reads more.`,
	Source: criteria,
	Check: func(p *provider.Pass) {
		properties := p.Node.Get("inputSchema").Get("properties")
		if properties == nil {
			return
		}
		for _, property := range properties.Members {
			methods := property.Value.Get("enum").Strings()
			isOf := func(kind []string) bool {
				return slices.ContainsFunc(methods, func(method string) bool { return slices.Contains(kind, strings.ToUpper(method)) })
			}
			if isOf(safeMethods) && isOf(unsafeMethods) {
				place := *p
				place.At = []byte(schema.Pointer("/parameters/properties").Child(property.Key).Child("enum"))
				place.Reportf("%s", methodWords)
			}
		}
	},
}

var (
	safeMethods   = []string{"GET", "HEAD", "OPTIONS"}
	unsafeMethods = []string{"POST", "PUT", "PATCH", "DELETE"}
)

var untrue = &provider.Rule{
	Name: "untrue", Effect: provider.Rejects, Stage: review, Since: "2026-07-15",
	Doc: `hints are true to the name and the description of a tool

A tool whose name says that it deletes, or whose description begins with it, is not read-only, and one of which the description says that it is read-only does
not destroy. Wrong hints are a reason to refuse a server. The words are this model's own; a reviewer calls the tool.

Of the tools in the corpus whose descriptions begin so, 62 were read: all of them delete. Of 12 of these the name says nothing. Three descriptions
say read-only in these words, and all are of tools that read.`,
	Source: "missing or incorrect labels are a stated rejection cause of both directories, on 2026-07-15: https://github.com/open-metadata/OpenMetadata/pull/30105; " +
		"\"Tool hint annotations do not appear to match the tool's behavior\": https://developers.openai.com/plugins/deploy/app-review, quoted on 2026-07-23: " +
		"https://github.com/metrifi/plugins/blob/main/docs/submission-checklist.md",
	Check: func(p *provider.Pass) {
		name, text := p.Node.GetString("name"), p.Node.GetString("description")
		said, destroys := hint(p, "readOnlyHint"), hint(p, "destructiveHint")
		switch {
		case said != nil && *said && isDeleting(name):
			p.At = append(p.At, "/annotations/readOnlyHint"...)
			p.Reportf("readOnlyHint is true, and the name %s says that the tool deletes", name)
		case said != nil && *said && !isReading(name) && textDeletes.MatchString(text):
			p.At = append(p.At, "/annotations/readOnlyHint"...)
			p.Reportf("readOnlyHint is true, and the description says that the tool deletes: %q", strings.TrimSpace(textDeletes.FindString(text)))
		case destroys != nil && *destroys && textReads.MatchString(text):
			p.At = append(p.At, "/annotations/destructiveHint"...)
			p.Reportf("destructiveHint is true, and the description says that the tool only reads: %q", strings.TrimSpace(textReads.FindString(text)))
		}
	},
}

// textDeletes matches a description that begins with what the tool deletes, and textReads one that says that the tool only
// reads.
var (
	textDeletes = lazy.Compile(`^\W*(?i:(?:(?:this|the) (?:tool|function|endpoint|operation|command|method|action) (?:will )?)?` +
		`(?:permanently |irreversibly )?(?:deletes?|destroys?|purges?|uninstalls?|erases?|wipes?|(?:permanently|irreversibly) removes?))\b`)
	textReads = lazy.Compile(`(?i:^\W*read-only\b|` +
		`\bthis (?:tool |operation |call |action )?is (?:an? |strictly |purely |completely |fully )*read-only\b|\bread-only (?:tool|operation)\b)`)
)

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

// isReading reports whether a name has a verb that reads, such as one that only plans.
func isReading(name string) bool {
	return slices.ContainsFunc(wordsIn(name), func(word string) bool { return slices.Contains(reading, word) })
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
		isKnown = slices.ContainsFunc([]string{claudeWords, chatGPTWords, nameWords, methodWords, "Hint is true, and the "}, func(words string) bool {
			return strings.Contains(body.Message, words)
		})
	}
	if !isKnown {
		return provider.Response{}, provider.ErrNothingLearnt
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}, nil
}
