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
	Doc: `required: true on a property becomes a name in the required of its object

Names that are already there come first, and none is added twice. required: false is
removed, and so is a flag on a schema that is no property. Sources: docs/seeds.md#seed-000;
group live of the corpus.`,
	Before:     `{"type": "object", "properties": {"a": {"type": "string", "required": true}, "b": {"type": "string", "required": false}}}`,
	After:      `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}`,
	Loss:       rewrite.Exact,
	Everywhere: true,
	On:         []string{"required", "properties"},
	Rewrite: func(p *engine.Pass) {
		if isFlag(p.Schema.Get("required")) {
			if p.Keyword() == "properties" {
				return // the parent collects the flag first, because a list may replace it
			}
			p.Remove("required", rewrite.Exact)
		}
		collectRequired(p)
	},
}

// collectRequired moves the flags of the properties into the schema's required.
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

// isFlag reports whether a value is true or false, or a string with one of these words.
func isFlag(value *schema.Node) bool {
	return value.IsTrue() || value.IsFalse() || value.Is("true") || value.Is("false")
}
