package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PropertyOrdering serves Google's surfaces if the options ask for it.
var PropertyOrdering = &engine.Rule{
	Name: "property_ordering",
	Doc: `an object says the order of its properties

Google's surfaces read the members of an object as a map, and its clients sort them by name,
so that a model writes the arguments in another order than the author's. The option
PropertyOrdering asks for this rule. An order that is there already stays. Sources: field
property_ordering of Schema in the discovery document of the Gemini API; the types of
google.golang.org/genai, for parametersJsonSchema.`,
	Before: `{"type": "object", "properties": {"to": {"type": "string"}, "from": {"type": "string"}}}`,
	After:  `{"type": "object", "properties": {"to": {"type": "string"}, "from": {"type": "string"}}, "propertyOrdering": ["to", "from"]}`,
	Loss:   rewrite.Exact,
	On:     []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		if names := p.Schema.Get("properties").Keys(); len(names) > 1 && !p.Schema.Has("propertyOrdering") {
			p.Set("propertyOrdering", schema.NewStrings(names...), rewrite.Exact)
		}
	},
}
