package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// SlippedRequired serves every provider. It has to come before keyword_value, which would treat the
// list as a schema.
var SlippedRequired = &engine.Rule{
	Name: "slipped_required",
	Doc: `a list under the name required in properties goes to the schema's required

The schema of a property is never a list: the author indented required one level too deep.
The rule applies if each name in the list is that of a property. Source: group live of the
corpus.`,
	Before:     `{"type": "object", "properties": {"a": {"type": "string"}, "required": ["a"]}}`,
	After:      `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
	Loss:       rewrite.Exact,
	Everywhere: true,
	On:         []string{"properties"},
	Rewrite: func(p *engine.Pass) {
		properties, required := p.Schema.Get("properties"), p.Schema.Get("required")
		slipped := slippedRequired(properties)
		if slipped == nil || required != nil && required.Kind != schema.Array {
			return
		}
		p.Below(properties, "").Remove("required", rewrite.Exact)
		if all := merge.Names(required.Strings(), slipped.Strings()); len(all) > 0 {
			p.Set("required", schema.NewStrings(all...), rewrite.Exact)
		}
	},
}

// slippedRequired returns the value under the name required in properties if it is a list of names
// of other properties, and nil otherwise.
func slippedRequired(properties *schema.Node) *schema.Node {
	list := properties.Get("required")
	if list == nil || list.Kind != schema.Array {
		return nil
	}
	for _, name := range list.Elements {
		if name.Kind != schema.String || !properties.Has(name.Text) {
			return nil
		}
	}
	return list
}
