package rules

import (
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// TypeCase serves Google's proto surfaces.
var TypeCase = &engine.Rule{
	Name: "type_case",
	Doc: `types are written as the names of Google's enum

The service takes upper and lower case, and writes upper case itself. Source:
docs/seeds.md#seed-002-log-002, pattern 12.`,
	Before: `{"type": "string"}`,
	After:  `{"type": "STRING"}`,
	Loss:   rewrite.Exact,
	On:     []string{"type"},
	Rewrite: func(p *engine.Pass) {
		name := p.Schema.GetString("type")
		if upper := strings.ToUpper(name); name != upper {
			p.Set("type", engine.TypeName(upper), rewrite.Exact)
		}
	},
}
