package rules

import (
	"strings"
	"unicode/utf8"

	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DescriptionLimit serves providers that bound the description of a tool.
var DescriptionLimit = &rewrite.Rule{
	Name: "description_limit",
	Doc: `the part of a description beyond the limit moves to that of the parameters

The description is divided after the last sentence, line or word that fits. Source: rule
description_too_long of azure/chat; https://github.com/OpenHands/OpenHands/issues/4838.`,
	Before: `{"name": "f", "description": "Finds.", "parameters": {"type": "object"}}`,
	After:  `{"name": "f", "description": "Finds.", "parameters": {"type": "object"}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *rewrite.Pass) {
		text := p.Schema.GetString("description")
		parameters := p.Schema.Get("parameters")
		if limit := p.Target.MaxDescription; limit == 0 || utf8.RuneCountInString(text) <= limit || parameters == nil || parameters.Kind != schema.Object {
			return
		}
		head, rest := divide(text, p.Target.MaxDescription)
		p.Set("description", schema.NewString(head), rewrite.Exact)
		p.Below(parameters, "parameters").Set("description", schema.NewString(merge.Descriptions(rest, parameters.GetString("description"))), rewrite.Exact)
	},
}

// divide splits a text so that its first part has no more than a number of characters.
func divide(text string, limit int) (head, rest string) {
	end := len(string([]rune(text)[:limit]))
	for _, mark := range []string{"\n\n", ". ", "\n", " "} {
		if i := strings.LastIndex(text[:end], mark); i > end/2 {
			end = i + len(mark)
			break
		}
	}
	return strings.TrimSpace(text[:end]), strings.TrimSpace(text[end:])
}
