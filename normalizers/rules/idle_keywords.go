package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
)

// IdleKeywords serves targets that refuse a keyword beside a type it does not
// speak of.
var IdleKeywords = &rewrite.Rule{
	Name: "idle_keywords",
	Doc: `properties, required and items go where the type is another

They pass over values of other types, so that they say nothing there. Sources:
https://github.com/anomalyco/opencode/pull/11888; Cloudflare's worker_put in PROVIDERS.md 3.`,
	Before: `{"type": "string", "properties": {"a": {"type": "string"}}, "required": ["a"], "items": {}}`,
	After:  `{"type": "string"}`,
	Loss:   rewrite.Exact,
	On:     []string{"properties", "required", "items", "propertyOrdering"},
	Rewrite: func(p *rewrite.Pass) {
		for _, keyword := range []string{"properties", "required", "propertyOrdering", "items"} {
			if p.Schema.Has(keyword) && belongsElsewhere(p.Schema, keyword) && !slices.Contains(typesOf(p.Schema), anyType) {
				p.Remove(keyword, rewrite.Exact)
			}
		}
	},
}
