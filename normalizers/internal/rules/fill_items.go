package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillItems serves targets that refuse an array without items.
var FillItems = &engine.Rule{
	Name: "fill_items",
	Doc: `an array without items gets items that accept anything

A later rule expresses "anything" in the target's own words. items that is false becomes a
bound that allows no element, or goes into the description if the target has no bound.
Sources: https://github.com/kkrishnan90/gemini-desktop/pull/7 (Gemini),
https://github.com/sigoden/aichat/pull/1049 (OpenAI).`,
	Before: `{"type": "array"}`,
	After:  `{"type": "array", "items": {}}`,
	Loss:   rewrite.Widens,
	On:     []string{"type"},
	Rewrite: func(p *engine.Pass) {
		if !namesType(p.Schema, "array") || p.Target.Typeless && !isLookedAt(p) {
			return
		}
		items := p.Schema.Get("items")
		switch {
		case items == nil:
			// unevaluatedItems applies to the elements to which no other keyword applies.
			p.Set("items", p.New(), lossIf(p.HasAnywhere("unevaluatedItems"), rewrite.Widens))
		case items.IsFalse() && p.Refuses("maxItems"):
			p.Spill("items", items)
			p.Set("items", p.New(), rewrite.Widens)
		case items.IsFalse() && !p.Target.Typeless:
			p.Edit(rewrite.Exact, func() {
				p.Schema.Set("items", p.New())
				p.Schema.Set("maxItems", schema.NewInt(0))
			}, "items", "maxItems")
		}
	},
}

// isLookedAt reports whether a target that takes all of JSON Schema checks the schema for items. Such
// a target follows properties, items and anyOf from the root and from its definitions, up to the
// first reference.
func isLookedAt(p *engine.Pass) bool {
	for outer, keyword := range p.Around() {
		switch keyword {
		case "properties", "items", "anyOf":
			if outer.Has("$ref") {
				return false
			}
		case "$defs", "definitions":
			if outer != p.Root() {
				return false
			}
		default:
			return false
		}
	}
	return true
}
