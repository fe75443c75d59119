package rules

import (
	"cmp"
	"strings"
	"unicode"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillDescription serves targets whose tools need a description.
var FillDescription = &engine.Rule{
	Name: "fill_description",
	Doc: `a tool without a description is described by its title, or by the words of its name

Some clients silently leave out a tool that has no description. Source: docs/clients.json.`,
	Before: `{"name": "list_openIssues", "parameters": {"type": "object"}}`,
	After:  `{"name": "list_openIssues", "description": "List open issues.", "parameters": {"type": "object"}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		own := p.Schema.Get("description")
		isEmpty := own == nil || own.Kind == schema.Null || own.Kind == schema.String && strings.TrimSpace(own.Text) == ""
		if !engine.Has[Described](p.Target) || !isEmpty {
			return
		}
		title := cmp.Or(p.Schema.GetString("title"), p.Schema.Get("annotations").GetString("title"), wordsOf(p.ToolName()))
		if title = strings.TrimRight(strings.TrimSpace(title), "."); title != "" {
			p.Set("description", schema.NewString(title+"."), rewrite.Exact)
		}
	},
}

// Described marks a target whose tools need a description.
type Described struct{}

// wordsOf returns the words of a name as the beginning of a sentence: "List open issues" for
// list_openIssues.
func wordsOf(name string) string {
	var words strings.Builder
	wasLower := false
	for _, letter := range name {
		switch {
		case !unicode.IsLetter(letter) && !unicode.IsDigit(letter):
			letter = ' '
		case wasLower && unicode.IsUpper(letter):
			words.WriteByte(' ')
			fallthrough
		default:
			wasLower = unicode.IsLower(letter)
			if words.Len() > 0 {
				letter = unicode.ToLower(letter)
			} else {
				letter = unicode.ToUpper(letter)
			}
		}
		words.WriteRune(letter)
	}
	return strings.Join(strings.Fields(words.String()), " ")
}
