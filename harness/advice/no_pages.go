package advice

import (
	"slices"
	"strings"
)

// noPages finds pages of a list that a model does not know how to ask for.
var noPages = &Rule{
	Name: "no_pages",
	Doc: `no text says how to get the next page

The first page may be 0 or 1, and a cursor comes from somewhere in the previous answer. Say where
pages begin, and which member of the answer has the cursor.`,
	Source: Source{
		"Anthropic: tools that return much should have pages, with sensible defaults, and say how to use them.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"cursor": {"type": "string", "description": "Pagination cursor"}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"cursor": {"type": "string", "description": "The value of next in the previous answer."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var pages, cursors []*parameter
		if strings.TrimSpace(tool.text) == "" || hasAny(tool.lower, "cursor", "next page", "next_page", "page 1", "page=1") {
			return
		}
		for _, param := range tool.own() {
			if isForeign(param.text) || param.text == "" {
				continue // without a text it is found anyway
			}
			switch name := strings.Join(param.words, "_"); {
			case slices.Contains([]string{"page", "page_number", "page_num", "page_no", "page_index"}, name) && param.isA("integer", "number") && param.text != "":
				if !param.schema.Has("minimum") && !param.schema.Has("exclusiveMinimum") && !param.schema.Has("default") && !strings.ContainsAny(param.text, "0123456789") && !hasAny(param.lower, "zero", "one-based", "begin", "start", "first", "optional page object") {
					pages = append(pages, param)
				}
			case slices.Contains([]string{"cursor", "page_token", "next_token", "continuation_token", "next_cursor", "page_cursor", "next_page_token", "pagination_token", "pagination_cursor", "starting_after", "bookmark"}, name):
				if !hasAny(param.lower, "previous", "prior", "return", "response", "next", "last ", "earlier", "result", "from ", "provided", "first page", "meta") {
					cursors = append(cursors, param)
				}
			}
		}
		p.reportAll(pages, "does not say whether the first page is 0 or 1: say it, or add minimum", "do not say whether the first page is 0 or 1: say it, or add minimum")
		p.reportAll(cursors, "does not say where it comes from: name the member of the previous answer that has it", "do not say where they come from: name the members of the previous answer that have them")
	},
}
