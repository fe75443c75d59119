package advice

import (
	"slices"

	"toolproof/harness/advice/prose"
	"toolproof/schema"
)

// noMaximum finds limits of lists that may be as large as one likes.
var noMaximum = &Rule{
	Name: "no_maximum",
	Doc: `nothing says how large the limit of a list may be

A model that wants all asks for 10,000, and the call fails, or the answer is cut, or it fills the
context. Say the largest value in the schema or the text.`,
	Source: Source{
		"Anthropic asks for pages, ranges, filters and truncation in tools whose answers could use up much context.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "default": 10, "description": "How many orders."}}}}]`,
	Good: `[{"name": "list", "description": "List the latest orders of a customer.", "parameters": {"type": "object", "properties": {"limit": {"type": "integer", "default": 10, "maximum": 100, "description": "How many orders."}}}}]`,
	check: func(p *pass, tool *declaration) {
		if isForeign(tool.text) {
			return
		}
		var found, noted []*parameter
		for _, param := range tool.params {
			switch {
			case !isSize(tool, param), param.isClosed(), hasMaximum(param.schema), isForeign(param.text), param.prose.Has(boundless...), tool.prose.Has(boundless...),
				slices.ContainsFunc(param.prose.Bounds(), func(bound prose.Bound) bool { return bound.IsUpper }):
			case param.text == "" && param.schema.Has("default"):
				found = append(found, param)
			default:
				noted = append(noted, param) // models ask for moderate numbers, unless they think the default too small
			}
		}
		const one, several = "has no largest value: add maximum, or say what happens to more", "have no largest value: add maximum, or say what happens to more"
		p.reportAll(found, one, several)
		before := len(p.found)
		p.reportAll(noted, one, several)
		p.note(before)
	},
}

// hasMaximum reports whether a schema, or a branch of it, bounds its numbers.
func hasMaximum(node *schema.Node) bool {
	if node.Has("maximum") || node.Has("exclusiveMaximum") {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches := node.Get(keyword); branches != nil && slices.ContainsFunc(branches.Elements, hasMaximum) {
			return true
		}
	}
	return false
}

// boundless are phrases of texts about limits that may be large, or are cut.
var boundless = prose.Phrases("unlimited", "no limit", "clamped", "capped", "cap", "up to", "any number", "all of them", "no maximum", "no upper limit", "hard limit", "at most", "range", "default : all", "default all", "all by default", "greater than", "exceeds", "exceeding", "more than")
