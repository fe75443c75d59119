package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// noSyntax finds expressions in a language that no text names.
var noSyntax = &Rule{
	Name:    "no_syntax",
	IsGrave: true,
	Doc: `a filter or a query is an expression, and no text shows its syntax

Each service has a language of its own for filters, with its own fields and operators. A model that
sees neither guesses one, such as status:open or status eq 'open', and the service refuses it or
finds nothing. Show an expression, and name the fields.`,
	Source: Source{
		"Anthropic asks to describe specialised query formats as to a new member of the team.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list_boats", "description": "List the boats of a harbour.", "parameters": {"type": "object", "properties": {"filter": {"type": "string", "description": "Filter expression."}}}}]`,
	Good: `[{"name": "list_boats", "description": "List the boats of a harbour.", "parameters": {"type": "object", "properties": {"filter": {"type": "string", "description": "Filter expression with the fields length and flag, such as length > 9 and flag = 'AT'."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, bare []*parameter
		for _, param := range tool.params {
			if isBare(param) && !slices.ContainsFunc(tool.named, isOfWords) && !hasAny(tool.lower, "syntax", "keyword", "operator", "natural language", "semantic", " web", "full-text", "e.g", "example", "by name", "by title") {
				bare = append(bare, param)
				continue
			}
			if !isExpression(tool, param) || !param.isText() || hasForm(param.schema) || param.hasDefault() || strings.TrimSpace(param.text) == "" || isForeign(param.text) {
				continue
			}
			if !strings.ContainsAny(param.text, "0123456789\"'`:=<>") && !param.prose.Has(languages...) && !param.prose.Has(plainWords...) && !hasAny(tool.lower, "syntax", "query language") && !p.names(tool, param.prose) {
				found = append(found, param)
			}
		}
		p.reportAll(found, "does not say in which syntax it is written, and of which fields: show an expression", "do not say in which syntax they are written, and of which fields: show expressions")
		last := len(p.found)
		p.reportAll(bare, "does not say whether it is words or has a syntax: say which, and show one", "do not say whether they are words or have a syntax: say which, and show one")
		p.note(last)
	},
}

// isBare reports whether a text calls a parameter a query, and says no more.
func isBare(param *parameter) bool {
	isQuery := slices.Contains([]string{"q", "query", "search", "search_query", "query_string"}, strings.Join(param.words, "_"))
	return isQuery && param.depth == 0 && param.isText() && !hasForm(param.schema) && !param.hasDefault() && param.text != "" && !isForeign(param.text) &&
		!slices.ContainsFunc(param.prose.Words(), func(word string) bool { return !slices.Contains(callings, word) })
}

// isOfWords reports whether a word in the name of a tool is of something that people find with words.
func isOfWords(word string) bool {
	return slices.Contains([]string{"web", "places", "place", "news", "images", "image", "videos", "video", "papers", "docs", "documentation", "music", "songs"}, word)
}

// callings are words that call something a query.
var callings = []string{"search", "query", "string", "the", "a", "for", "to", "filter", "optional", "required", "your"}

// isExpression reports whether a parameter is an expression by its name, or a query that filters by its text or because
// its tool does not search.
func isExpression(tool *declaration, param *parameter) bool {
	switch strings.Join(param.words, "_") {
	case "q", "query", "search_query", "query_string", "search_string":
		isSearch := slices.ContainsFunc(tool.named, func(word string) bool { return slices.Contains(searching, word) })
		return param.prose.Has(filtering...) || !isSearch && !param.isRequired && slices.ContainsFunc(tool.named, func(word string) bool { return word == "list" || word == "get" })
	}
	return slices.Contains([]string{"filter", "expression", "where", "criteria"}, param.last())
}

var (
	searching  = []string{"search", "find", "query", "lookup", "execute", "run", "ask"}
	filtering  = prose.Phrases("filter", "filters", "specified query", "by attributes", "query string to")
	languages  = prose.Phrases("sql", "jql", "odata", "regex", "json", "gmail", "graphql", "xpath", "javascript", "code", "syntax", "format", "docs", "like", "such as", "cron")
	plainWords = prose.Phrases("text", "name", "names", "title", "keyword", "keywords", "word", "words", "phrase", "substring", "natural", "id", "email", "role", "only")
)
