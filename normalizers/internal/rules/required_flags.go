package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RequiredFlags serves every provider: required is a list of names.
var RequiredFlags = &engine.Rule{
	Name: "required_flags",
	Doc: `required: true on a property becomes a name in the parent's required

Names that are there already stay first, and none is added twice. required: false goes
away, and so does a flag on a schema that is no property. Sources:
docs/seeds.md#seed-000; group live of the corpus.`,
	Before:     `{"type": "object", "properties": {"a": {"type": "string", "required": true}, "b": {"type": "string", "required": false}}}`,
	After:      `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}`,
	Loss:       rewrite.Exact,
	Everywhere: true,
	On:         []string{"required", "properties"},
	Rewrite: func(p *engine.Pass) {
		if isFlag(p.Schema.Get("required")) {
			if p.Keyword() == "properties" {
				return // The parent takes the flag first: a list may come in its place.
			}
			p.Remove("required", rewrite.Exact)
		}
		collectRequired(p)
	},
}

// collectRequired takes the flags of the properties into the schema's required.
func collectRequired(p *engine.Pass) {
	properties := p.Schema.Get("properties")
	if properties == nil {
		return
	}
	var names []string
	for _, property := range properties.Members {
		flag := property.Value.Get("required")
		if !isFlag(flag) {
			continue
		}
		if flag.Text == "true" {
			names = append(names, property.Key)
		}
		below := p.Below(property.Value, "properties")
		below.Remove("required", rewrite.Exact)
		collectRequired(below)
	}
	if len(names) == 0 {
		return
	}
	required := p.Schema.Get("required").Strings()
	if all := merge.Names(required, names); len(all) > len(required) {
		p.Set("required", schema.NewStrings(all...), rewrite.Exact)
	}
}

// isFlag reports whether a value is true or false, or one of them as a string.
func isFlag(value *schema.Node) bool {
	return value.IsTrue() || value.IsFalse() || value.Is("true") || value.Is("false")
}
