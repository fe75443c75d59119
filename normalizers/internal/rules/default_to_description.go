package rules

import (
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DefaultToDescription serves strict targets that refuse a default, as in
// docs/seeds.md#seed-004.
var DefaultToDescription = &engine.Rule{
	Name: "default_to_description",
	Doc: `a default moves to the end of the description

The description gets " (default: X)" unless it contains "(default:" already. A schema
without a description loses its default. Source: docs/seeds.md#seed-004-11.`,
	Before: `{"type": "integer", "description": "how many", "default": 5}`,
	After:  `{"type": "integer", "description": "how many (default: 5)"}`,
	Loss:   rewrite.Exact,
	On:     []string{"default"},
	Rewrite: func(p *engine.Pass) {
		description := p.Schema.GetString("description")
		if description == "" || strings.Contains(description, "(default:") {
			p.Remove("default", rewrite.Exact)
			return
		}
		p.Edit(rewrite.Exact, func() {
			value := p.Schema.Delete("default")
			text := value.Text
			if value.Kind != schema.String {
				text = value.String()
			}
			p.Schema.Set("description", schema.NewString(description+" (default: "+text+")"))
		}, "description", "default")
	},
}
