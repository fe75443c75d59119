package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ToolName serves every provider: each has a grammar for names.
var ToolName = &rewrite.Rule{
	Name: "tool_name",
	Doc: `a tool's name is made to fit the provider's grammar and length

Other characters become _, and a name that is too long is cut and ends in eight digits
of its own digest, so that two long names stay two. The change is undone when the call
comes back. Sources: https://github.com/google-gemini/gemini-cli/issues/7869;
PROVIDERS.md 3 and 4.`,
	Before: `{"name": "my tool/v2"}`,
	After:  `{"name": "my_tool_v2"}`,
	Loss:   rewrite.Exact,
	Tool: func(p *rewrite.Pass) {
		given := p.Schema.GetString("name")
		if name := fittingName(given, p.Target.NameGrammar); name != given {
			p.Set("name", schema.NewString(name), rewrite.Exact)
			p.Restored()
		}
	},
}

func fittingName(given string, grammar rewrite.NameGrammar) string {
	name := strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' || r == '_' || strings.ContainsRune(grammar.Marks, r) {
			return r
		}
		return '_'
	}, given)
	if name == "" || grammar.LetterFirst && !isLetter(rune(name[0])) && name[0] != '_' {
		name = "_" + name
	}
	if len(name) > grammar.MaxLength {
		digest := sha256.Sum256([]byte(given))
		name = name[:grammar.MaxLength-9] + "_" + hex.EncodeToString(digest[:4])
	}
	return name
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
