package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// unlistedValues finds choices whose values no text and no schema lists.
var unlistedValues = &Rule{
	Name: "unlisted_values",
	Doc: `a choice such as a status does not say which values there are

A status, a priority or an order of sorting has a few values, and a model that does not see them makes
up one. Add enum. If the values are only known at run time, say which tool lists them.`,
	Source: Source{
		"OpenAI asks to use enums and the structure of objects to make invalid states unrepresentable.",
		"https://platform.openai.com/docs/guides/function-calling", "2025-06-01",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"status": {"type": "string", "description": "Only orders with this status."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"status": {"type": "string", "description": "Only orders with this status.", "enum": ["open", "paid"]}}}}]`,
	check: func(p *pass, tool *declaration) {
		var none, some, shown []*parameter
		for _, param := range tool.params {
			isChoice := isChoice(param)
			if !isChoice && !isIllustrated(param) {
				continue
			}
			if values, _ := valuesOf(param); len(values) > 0 || isForeign(param.text) || strings.Contains(strings.ToLower(param.path), "geojson") || hasAny(param.lower, unlimited...) || tool.prose.Defines(param.name) && !(param.depth > 0 && tool.shows(param)) {
				continue
			}
			isOpen := param.prose.Has(more...)
			switch {
			case !isChoice:
				shown = append(shown, param)
			case !strings.ContainsAny(param.text, "\"'`(:/,|=0123456789") && !hasAny(strings.ReplaceAll(param.lower, "one or more", ""), " or ", "e.g", "such as", "example", "like "):
				none = append(none, param)
			case param.prose.Has(standard...) && !isOpen:
			case param.last() == "method" && hasWord(param.lower, "http"): // which models know
				shown = append(shown, param)
			case isOpen && !strings.Contains(param.lower, "any"), slices.Contains(finite, param.last()) && param.prose.Has(partly...) && !isOpen:
				some = append(some, param)
			case param.prose.Has(partly...) && (param.depth == 0 || param.last() != "category"):
				shown = append(shown, param)
			}
		}
		const answer = "add enum, or say which tool lists them"
		p.reportAll(none, "does not say which values it takes: "+answer, "do not say which values they take: "+answer)
		const one, several = "has examples of its values, and no text says which others there are: " + answer, "have examples of their values, and no text says which others there are: " + answer
		p.reportAll(some, one, several)
		last := len(p.found)
		p.reportAll(shown, one, several)
		p.note(last) // an example leads most models to the others
	},
}

// chosen are last words of names of strings with few values, and finite those where the tool sets
// them.
var (
	chosen = []string{
		"status", "state", "priority", "severity", "visibility", "sort", "order", "category", "type", "kind", "mode", "level", "direction", "role", "format", "granularity", "interval", "period", "frequency",
		"method", "operator", "unit", "units", "strategy", "resolution", "permission", "metric", "metrics",
		"statuses", "states", "types", "categories", "roles", "permissions", "fields", "select", "columns", "include", "dimension", "preference", "tif", "style", "size", "protocol",
	}
	finite = []string{"status", "state", "priority", "severity", "visibility", "sort", "order", "direction", "by", "interval", "granularity", "mode", "operator", "unit", "units", "fields", "include"}
	more   = prose.Phrases("etc", "...", "…")
	partly = prose.Phrases("e.g", "such as", "common", "for example", "like")
)

// unlimited are parts of texts about values that are known elsewhere, or free.
var unlimited = []string{"http:", "https:", "use list", "use get", "use search", "use the", "see ", "from ", "list_", "get_", "must match", "schema", "custom", "free", "any ", "syntax", "expression", "mime", "json", "csrf", "oauth", "hint", " name", "slug"}

// isIllustrated reports whether a string that may be anything by its name is one of few values by the examples in its text.
func isIllustrated(param *parameter) bool {
	return slices.Contains(illustrated, param.last()) && (param.isText() || isTexts(param)) && !hasForm(param.schema) && param.prose.Has(partly...) && !param.prose.Has(standard...)
}

// standard are words in texts about values of a standard, which models know, or of any form.
var standard = prose.Phrases("bcp", "iso", "code", "codes")

// illustrated are last words of names of strings that often have few values.
var illustrated = []string{"section", "display", "market", "service", "platform", "groups"}

// isTexts reports whether a parameter is a list of strings of any form.
func isTexts(param *parameter) bool {
	node, _ := param.sole()
	items := node.Get("items")
	return node.Get("type").Is("array") && items != nil && items.Get("type").Is("string") && !isClosed(items) && !hasForm(items)
}

// isChoice reports whether a parameter is a string with few values by its name, and its schema does
// not say which.
func isChoice(param *parameter) bool {
	name := strings.Join(param.words, "_")
	if param.text == "" && param.depth > 0 && param.last() == "category" {
		return false // of a point of a chart
	}
	isSorting := slices.Contains([]string{"sort_by", "order_by", "orderby", "sortby", "group_by"}, name)
	if !isSorting && !slices.Contains(chosen, param.last()) || !param.isText() && !isTexts(param) || hasForm(param.schema) || param.hasDefault() {
		return false
	}
	if param.last() == "type" && param.hasNameOf("product") || param.last() == "size" && param.hasNameOf("page", "batch") {
		return false // which the user names, or a number
	}
	if param.last() == "order" && len(param.words) > 1 && !param.hasNameOf("sort") || param.hasNameOf("relation", "entity", "node", "edge") {
		return false // of a customer, or of a graph
	}
	if param.last() == "state" || param.last() == "type" { // of an address, or of something else
		return !param.hasNameOf("mime", "content", "loc", "media", "region", "oauth") && !slices.ContainsFunc(param.holder.Get("properties").Keys(), func(name string) bool {
			return hasAny(strings.ToLower(name), "city", "zip", "postal", "country")
		})
	}
	return true
}
