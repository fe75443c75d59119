package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// BooleanProperties serves MCP, whose types have an object for each property at the root.
var BooleanProperties = &engine.Rule{
	Name: "boolean_properties",
	Doc: `a property at the root whose schema is true or false becomes an object

true becomes the empty schema, and false a schema that accepts nothing. Schemas below stay
as they are. Source: rule input_schema_parts of mcp/inputSchema.`,
	Before: `{"type": "object", "properties": {"any": true, "none": false, "a": {"properties": {"b": true}}}}`,
	After:  `{"type": "object", "properties": {"any": {}, "none": {"not": {}}, "a": {"properties": {"b": true}}}}`,
	Loss:   rewrite.Exact,
	On:     []string{"properties"},
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		properties := p.Schema.Get("properties")
		if properties.Kind != schema.Object {
			return
		}
		p.Charge(len(properties.Members))
		for _, property := range properties.Members {
			if property.Value.Kind == schema.Bool {
				object := p.New()
				if property.Value.IsFalse() {
					object.Set("not", schema.NewObject())
				}
				p.Below(property.Value, "properties").Become(object, rewrite.Exact)
			}
		}
	},
}
