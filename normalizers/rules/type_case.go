package rules

import (
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TypeCase serves Google's proto surfaces.
var TypeCase = &rewrite.Rule{
	Name: "type_case",
	Doc: `types are written as the names of Google's enum

The service takes either case; upper case is what it writes itself. Source: seed 002
pattern 12.`,
	Before: `{"type": "string"}`,
	After:  `{"type": "STRING"}`,
	Loss:   rewrite.Exact,
	On:     []string{"type"},
	Rewrite: func(p *rewrite.Pass) {
		if name := p.Schema.GetString("type"); name != "" && name != strings.ToUpper(name) {
			p.Set("type", schema.NewString(strings.ToUpper(name)), rewrite.Exact)
		}
	},
}
