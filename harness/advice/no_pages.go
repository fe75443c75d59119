package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// noPages finds pages of a list that a model does not know how to ask for.
var noPages = &Rule{
	Name: "no_pages",
	Doc: `no text says where counting begins, or how to get the next page

The first page, line or position may be 0 or 1, and a cursor comes from somewhere in the previous
answer. Say where counting begins, and which member of the answer has the cursor. A list with a largest
limit and neither shows the beginning alone.`,
	Source: Source{
		"Anthropic: tools that return much should have pages, with sensible defaults, and say how to use them.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"cursor": {"type": "string", "description": "Pagination cursor"}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"cursor": {"type": "string", "description": "The value of next in the previous answer."}}}}]`,
	check: func(p *pass, tool *declaration) {
		p.ends(tool)
		if strings.TrimSpace(tool.text) == "" || hasAny(tool.lower, "cursor", "next page", "next_page", "page 1", "page=1", "0-based", "1-based", "0-indexed", "1-indexed", "zero-based") {
			return
		}
		var places, pages, cursors []*parameter
		isCounted := false // by another parameter
		for _, param := range tool.params {
			if isForeign(param.text) || param.text == "" {
				continue // without a text it is found anyway
			}
			switch name := strings.Join(param.words, "_"); {
			case isOrdinal(param):
				switch {
				case param.schema.Has("minimum") || param.schema.Has("exclusiveMinimum") || param.schema.Has("default") || strings.ContainsAny(param.text, "0123456789") || hasAny(param.lower, "zero", "one-based", "begin", "char", "offset", "first", "optional page object"):
					isCounted = true
				case param.hasNameOf("page", "line", "lines"):
					pages = append(pages, param)
				default:
					places = append(places, param)
				}
			case slices.Contains(resumptions, name) && param.isA("string"):
				if !hasAny(param.lower, "previous", "prior", "returned", "response", "next_", "nexttoken", "nextpage", "nextcursor", "last ", "earlier", "from ", "provided", "first page", "meta", "endcursor", "end_cursor", "pageinfo", "page_info") {
					cursors = append(cursors, param)
				}
			}
		}
		if isCounted {
			places, pages = nil, nil
		}
		const one, several = "does not say whether it counts from 0 or from 1: say it, or add minimum", "do not say whether they count from 0 or from 1: say it, or add minimum"
		p.reportAll(places, one, several)
		before := len(p.found)
		p.reportAll(pages, one, several) // most count from 1
		p.reportAll(cursors, "does not say where it comes from: name the member of the previous answer that has it", "do not say where they come from: name the members of the previous answer that have them")
		p.note(before) // a model sees it in the answer
	},
}

// isOrdinal reports whether a parameter is the number of one of several things in a row, such as a page or a column.
func isOrdinal(param *parameter) bool {
	return param.isA("integer", "number") && (slices.Contains([]string{"index", "idx", "row", "column", "col", "line", "page", "position"}, param.last()) && !param.hasNameOf("per", "max", "min", "total") || slices.Contains(counted, strings.Join(param.words, "_")))
}

// ends reports a tool that lists so many things, and no parameter leads to the others.
func (p *pass) ends(tool *declaration) {
	var limit *parameter
	for _, param := range tool.params {
		switch {
		case slices.Contains(sizes, strings.Join(param.words, "_")):
			limit = param
		case param.hasNameOf(onwards...):
			return
		}
	}
	if limit == nil || !limit.isA("integer", "number") || limit.prose.Has(latest...) || isForeign(tool.text) || tool.prose.Has(latest...) {
		return
	}
	if said := tool.prose.Words(); !isOfMany(tool.named) && (len(said) == 0 || said[0] != "list" && said[0] != "lists") {
		return
	}
	isBounded := hasMaximum(limit.schema) || slices.ContainsFunc(limit.prose.Bounds(), func(bound prose.Bound) bool { return bound.IsUpper })
	if !isBounded { // a larger one leads there
		return
	}
	p.reportAll([]*parameter{limit}, "limits what "+tool.Name+" lists, and nothing leads to the rest: add a cursor or an offset, or say how to narrow the list", "")
}

// isOfMany reports whether a tool lists things by the words of its name, such as get_orders.
func isOfMany(named []string) bool {
	if slices.Contains(named, "list") {
		return true
	}
	if slices.ContainsFunc(named, func(word string) bool { return slices.Contains(ranked, word) }) {
		return false
	}
	if !slices.ContainsFunc(named, func(word string) bool { return slices.Contains([]string{"get", "fetch", "retrieve"}, word) }) {
		return false
	}
	const shortest = 4 // letters of a plural
	last := named[len(named)-1]
	return len(last) >= shortest && strings.HasSuffix(last, "s") && !hasAny(last, "ss", "us", "is", "details", "stats", "metrics", "settings", "logs", "suggestions", "insights", "trends", "recommendations", "ytics", "istics")
}

// ranked are words in names of tools that find the first few of many things.
var ranked = []string{"trending", "related", "similar", "top", "popular", "recommended", "nearby", "due", "recent", "latest", "random", "best", "upcoming"}

// sizes are names of how many things to list, onwards words in names of what leads to the
// others, and latest phrases of texts about lists of which the rest does not matter.
var (
	sizes   = []string{"limit", "max_results", "count", "per_page", "page_size", "top", "first", "max", "num", "max_items", "max_records", "max_rows"}
	onwards = []string{"offset", "page", "pages", "cursor", "skip", "start", "after", "before", "from", "starting", "continuation", "token", "next", "index", "position", "marker", "bookmark", "since", "until", "to", "time"}
	latest  = prose.Phrases("recent", "latest", "newest", "last", "top", "most", "all pages", "paginated automatically", "unlimited", "default : all", "default all", "all by default")
)

// counted are further names of numbers that count from 0 or from 1, and resumptions names of cursors.
var (
	counted     = []string{"page_number", "page_num", "page_no", "line_number", "start_line", "end_line", "from_line", "to_line", "column_number", "line_start", "line_end", "row_number"}
	resumptions = []string{"cursor", "page_token", "next_token", "continuation_token", "next_cursor", "start_cursor", "end_cursor", "next", "page_cursor", "next_page_token", "pagination_token", "pagination_cursor", "starting_after", "bookmark"}
)
