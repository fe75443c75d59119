package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UnnamedProperty serves targets that refuse a property with an empty name.
var UnnamedProperty = &engine.Rule{
	Name: "unnamed_property",
	Doc: `a property with an empty name is removed

Any other name could be that of another property. The description says what the property
was. Source: rule key_empty of gemini/parameters.`,
	Before: `{"type": "object", "properties": {"": {"type": "string"}, "a": {"type": "string"}}}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "description": "{properties: {\"\":{\"type\":\"string\"}}}"}`,
	Loss:   rewrite.Widens,
	On:     []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		properties := p.Schema.Get("properties")
		if unnamed := properties.Get(""); unnamed != nil {
			p.Spill("properties", schema.NewObject(schema.Member{Value: unnamed}))
			p.Below(properties, "properties").Remove("", rewrite.Widens)
		}
	},
}
