package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PropertyKeys serves providers with a grammar for the names of properties.
var PropertyKeys = &rewrite.Rule{
	Name: "property_keys",
	Doc: `a property's name is made to fit the provider's grammar and length

As tool_name does it; a name that is taken already gets a _ more. required follows, and
the change is undone when the call comes back. An object that takes other members too
takes the old name with any value, and no longer any value under the new one. Source: rule property_keys of
anthropic/tools.`,
	Before: `{"type": "object", "properties": {"filter[name]": {"type": "string"}}, "required": ["filter[name]"]}`,
	After:  `{"type": "object", "properties": {"filter_name_": {"type": "string"}}, "required": ["filter_name_"]}`,
	Loss:   rewrite.Both,
	On:     []string{"properties"},
	Moves:  true,
	Rewrite: func(p *rewrite.Pass) {
		properties := p.Schema.Get("properties")
		if p.Target.PropertyNames.MaxLength == 0 || properties.Kind != schema.Object {
			return
		}
		var taken map[string]bool
		for i := range properties.Members {
			property := &properties.Members[i]
			name := fittingName(property.Key, p.Target.PropertyNames)
			if name == property.Key {
				continue
			}
			if taken == nil {
				taken = make(map[string]bool, len(properties.Members))
				for _, other := range properties.Members {
					taken[other.Key] = true
				}
				for _, name := range p.Schema.Get("required").Strings() {
					taken[name] = true
				}
			}
			for taken[name] {
				p.ChargeText(len(name))
				name += "_"
			}
			delete(taken, property.Key)
			taken[name] = true
			below := p.Below(properties, "properties")
			below.Edit(rewrite.Both, func() { rename(p, property, name) }, property.Key, name)
			p.RestoredBut(lossIf(!namesAreItsOwn(p), rewrite.Both))
		}
	},
}

// namesAreItsOwn reports whether the members of an object are its properties alone, and
// no other keyword speaks of their names.
func namesAreItsOwn(p *rewrite.Pass) bool {
	others := []string{
		"patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "anyOf", "oneOf", "allOf", "not", "if", "$ref",
	}
	return p.Schema.Get("additionalProperties").IsFalse() && !slices.ContainsFunc(others, p.Schema.Has) && !slices.Contains(others, p.Keyword())
}

// rename gives a property another name, and required with it.
func rename(p *rewrite.Pass, property *schema.Member, name string) {
	node := p.Schema
	if required := node.Get("required"); required != nil {
		p.Charge(len(required.Elements))
		names := required.Strings()
		for i := range names {
			if names[i] == property.Key {
				names[i] = name
			}
		}
		node.Set("required", schema.NewStrings(names...))
	}
	property.Key = name
}
