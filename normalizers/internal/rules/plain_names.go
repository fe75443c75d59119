package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// PlainNames serves engines that write the letters of names into classes.
var PlainNames = &engine.Rule{
	Name: "plain_names",
	Doc: `additionalProperties goes where a name beside it has no place in a grammar

llama.cpp makes a grammar of all other names, and copies each byte of the known ones into
a class. A bracket, a backslash, a caret or a letter beyond ASCII makes it unreadable. A
value of true means what its absence means. Source: _not_strings in
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

// isPlainName reports whether each byte of a name can be in a class.
func isPlainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 128 || c == '[' || c == ']' || c == '\\' || c == '^' || c == '-' || c == '"' {
			return false
		}
	}
	return name != ""
}
