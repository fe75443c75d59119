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
was. additionalProperties, if the target takes it, then judges the member. Source: rule key_empty of gemini/parameters.`,
	Before: `{"type": "object", "properties": {"": {"type": "string"}, "a": {"type": "string"}}}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "description": "{properties: {\"\":{\"type\":\"string\"}}}"}`,
	Loss:   rewrite.Both,
	On:     []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		properties := p.Schema.Get("properties")
		if unnamed := properties.Get(""); unnamed != nil {
			p.Spill("properties", schema.NewObject(schema.Member{Value: unnamed}))
			loss := rewrite.Widens
			if rest := p.Schema.Get("additionalProperties"); rest.IsFalse() {
				loss = rewrite.Narrows
			} else if rest != nil && !rest.IsTrue() {
				loss = rewrite.Both
			}
			p.Below(properties, "properties").Remove("", loss)
		}
	},
}
