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
		if upper := upperCase(name); name != upper {
			p.Set("type", typeNamedAs(upper), rewrite.Exact)
		}
	},
}

// upperCase is strings.ToUpper without an allocation for the types of JSON Schema.
func upperCase(name string) string {
	if upper, ok := upperNames[name]; ok {
		return upper
	}
	return strings.ToUpper(name)
}

var upperNames = func() map[string]string {
	names := map[string]string{}
	for _, name := range engine.TypeNames {
		names[name] = strings.ToUpper(name)
	}
	return names
}()
