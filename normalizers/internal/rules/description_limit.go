package rules

import (
	"strings"
	"unicode/utf8"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DescriptionLimit serves providers that bound the description of a tool.
var DescriptionLimit = &engine.Rule{
	Name: "description_limit",
	Doc: `the part of a description beyond the limit moves to the description of the parameters

The description is divided after the last sentence, line or word that fits. Constraints at
its end stay there. Source: rule description_too_long of azure/chat;
https://github.com/OpenHands/OpenHands/issues/4838.`,
	Before: `{"name": "f", "description": "Finds.", "parameters": {"type": "object"}}`,
	After:  `{"name": "f", "description": "Finds.", "parameters": {"type": "object"}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		if p.Target.RootUnread {
			p.WriteSpills() // spills of the parameters go into this description
		}
		limitDescription(p)
	},
}

// MaxDescription bounds the characters in the description of a tool; 0 means no bound.
type MaxDescription int

// limitDescription moves the part of a tool's description beyond the limit to the description
// of its parameters.
func limitDescription(p *engine.Pass) {
	text := p.Schema.GetString("description")
	parameters := p.Schema.Get("parameters")
	if fitsTool(p, text) || parameters == nil || parameters.Kind != schema.Object {
		return
	}
	most := int(engine.LimitsOf[MaxDescription](p.Target))
	text, block := withoutBlock(text, most)
	head, rest := divide(text, most-utf8.RuneCountInString(block))
	if joined := merge.Descriptions(head+block, rest); fitsTool(p, joined) { // rest is blank, or head contains it
		p.Set("description", schema.NewString(joined), rewrite.Exact)
		return
	}
	p.Set("description", schema.NewString(head+block), rewrite.Exact)
	p.Below(parameters, "parameters").Set("description", schema.NewString(merge.Descriptions(rest, parameters.GetString("description"))), rewrite.Exact)
}

// fitsTool reports whether a text is short enough for the description of a tool.
func fitsTool(p *engine.Pass, text string) bool {
	most := int(engine.LimitsOf[MaxDescription](p.Target))
	return most == 0 || utf8.RuneCountInString(text) <= most
}

// withoutBlock splits a text before the blank line in front of a block of constraints at its end. It
// does not split off a block that is longer than half of the limit.
func withoutBlock(text string, limit int) (rest, block string) {
	const half = 2
	at := strings.LastIndex(text, "\n\n{")
	if at < 0 || !strings.HasSuffix(text, "}") || utf8.RuneCountInString(text[at:]) > limit/half {
		return text, ""
	}
	return text[:at], text[at:]
}

// divide splits a text so that its first part has at most limit characters.
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
