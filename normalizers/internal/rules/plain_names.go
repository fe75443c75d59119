package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// PlainNames serves engines that copy the bytes of names into character classes.
var PlainNames = &engine.Rule{
	Name: "plain_names",
	Doc: `additionalProperties is removed if a grammar has no form for a name beside it

llama.cpp makes a grammar of all other names by copying each byte of the known names into a
character class. A bracket, a backslash, a caret or a character beyond ASCII makes the class
unreadable. true means the same as no additionalProperties. Source: _not_strings in
json-schema-to-grammar.cpp of llama.cpp ec98e2002.`,
	Before: `{"type": "object", "properties": {"filter[name]": {"type": "string"}}, "additionalProperties": {"type": "integer"}}`,
	After: `{"type": "object", "properties": {"filter[name]": {"type": "string"}}, ` +
		`"description": "{additionalProperties: {\"type\":\"integer\"}}"}`,
	Loss: rewrite.Widens,
	On:   []string{"additionalProperties"},
	Rewrite: func(p *engine.Pass) {
		rest := p.Schema.Get("additionalProperties")
		if !engine.Has[GrammarLoops](p.Target) || rest.IsFalse() {
			return
		}
		for _, property := range membersOf(p.Schema.Get("properties")) {
			p.Charge(1)
			if isPlainName(property.Key) {
				continue
			}
			if rest.IsTrue() {
				p.Remove("additionalProperties", rewrite.Exact)
			} else {
				p.SpillAway("additionalProperties", lossOfStripping(p, "additionalProperties"))
			}
			return
		}
	},
}

// isPlainName reports whether each byte of a name can stand in a class as it is.
func isPlainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 128 || c == '[' || c == ']' || c == '\\' || c == '^' || c == '-' || c == '"' {
			return false
		}
	}
	return name != ""
}
