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
		name := p.Schema.GetString("type")
		upper := upperCase[name]
		if upper == nil {
			upper = schema.NewString(strings.ToUpper(name))
		}
		if name != upper.Text {
			p.Set("type", upper, rewrite.Exact)
		}
	},
}

// upperCase are the names of the types, which all results share: nearly every schema
// has one.
var upperCase = func() map[string]*schema.Node {
	names := map[string]*schema.Node{}
	for _, name := range typeNames {
		names[name] = schema.NewString(strings.ToUpper(name))
	}
	return names
}()
