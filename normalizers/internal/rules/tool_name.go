package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ToolName serves every provider: each has a grammar for names of tools.
var ToolName = &engine.Rule{
	Name: "tool_name",
	Doc: `the name of a tool is made to fit the provider's grammar and length

Other characters become _. A name that is too long is cut and ends in eight digits of its
own digest, so that two long names stay different. Restore undoes the change. Sources:
https://github.com/google-gemini/gemini-cli/issues/7869; docs/providers.md#google-names and
docs/providers.md#openai-names.`,
	Before: `{"name": "my tool/v2"}`,
	After:  `{"name": "my_tool_v2"}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		original := p.ToolName()
		if name := fittingName(original, p.Target.NameGrammar); name != original {
			p.Set("name", schema.NewString(name), rewrite.Exact)
			p.Restored()
		}
	},
}

// fittingName returns a name in the form that the grammar allows.
func fittingName(original string, grammar engine.NameGrammar) string {
	name := strings.Map(func(r rune) rune {
		if isLetter(r) || r >= '0' && r <= '9' || r == '_' || strings.ContainsRune(grammar.Marks, r) {
			return r
		}
		return '_'
	}, original)
	switch {
	case name == "":
		name = cmp.Or(grammar.First, "_")
	case grammar.First != "" && !isLetter(rune(name[0])) && !(grammar.First[0] == '_' && name[0] == '_'):
		name = grammar.First + name
	}
	if grammar.MaxLength > 0 && len(name) > grammar.MaxLength {
		name = withDigest(name, original, grammar)
	}
	return name
}

// withDigest returns a name that fits the grammar and ends in eight digits of the digest of text.
func withDigest(name, text string, grammar engine.NameGrammar) string {
	const digits = 8
	digest := sha256.Sum256([]byte(text))
	if longest := grammar.MaxLength - digits - 1; grammar.MaxLength > 0 && len(name) > longest {
		name = name[:longest]
	}
	return name + "_" + hex.EncodeToString(digest[:digits/2])
}

// OtherName returns another name for a tool whose name another tool of the request has. original is the
// given name of the tool, and each number results in another name.
func OtherName(original string, number int, grammar engine.NameGrammar) string {
	text := original
	if number > 0 {
		text += "/" + strconv.Itoa(number)
	}
	return withDigest(fittingName(original, grammar), text, grammar)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
