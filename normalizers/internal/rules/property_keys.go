package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PropertyKeys serves providers with a grammar for the names of properties.
var PropertyKeys = &engine.Rule{
	Name: "property_keys",
	Doc: `a property's name is made to fit the provider's grammar and length

It is made as tool_name makes names. A name that is taken already gets one more _, or a
part of a digest. So does a name that the provider keeps for keywords, also of a
definition. required follows, and so do references. The way back undoes the change. An
object that takes other members takes the old name with any value. It no longer takes any
value under the new name. Source: rule property_keys of anthropic/tools.`,
	Before: `{"type": "object", "properties": {"filter[name]": {"type": "string"}}, "required": ["filter[name]"]}`,
	After:  `{"type": "object", "properties": {"filter_name_": {"type": "string"}}, "required": ["filter_name_"]}`,
	Loss:   rewrite.Both,
	On:     append([]string{"properties"}, definitionKeywords...),
	Moves:  true,
	Rewrite: func(p *engine.Pass) {
		for _, keyword := range definitionKeywords {
			nameDefinitions(p, keyword, func(definition schema.Member) bool { return slices.Contains(p.Target.NotInValues, definition.Key) })
		}
		properties := p.Schema.Get("properties")
		isBound := p.Target.PropertyNames.MaxLength > 0 || p.Target.ReservedNames != nil || p.Target.NotInNames != ""
		if !isBound || properties == nil || properties.Kind != schema.Object {
			return
		}
		var taken map[string]bool
		renamed := map[string]string{}
		for i := range properties.Members {
			property := &properties.Members[i]
			name := property.Key
			if p.Target.PropertyNames.MaxLength > 0 {
				name = fittingName(name, p.Target.PropertyNames)
			}
			if strings.ContainsAny(name, p.Target.NotInNames) {
				name = strings.Map(func(r rune) rune {
					if strings.ContainsRune(p.Target.NotInNames, r) {
						return '_'
					}
					return r
				}, name)
			}
			if slices.Contains(p.Target.ReservedNames, name) {
				name += "_"
			}
			if p.Target.TakesName != nil && !p.Target.TakesName(name, property.Value, p.LiesIn("$defs")) {
				name = plainName(name)
			}
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
			name = freeName(name, property.Key, p.Target.PropertyNames, taken)
			delete(taken, property.Key)
			taken[name] = true
			renamed[property.Key] = name
			p.Below(properties, "properties").Rename(property, name, rewrite.Both)
			p.RestoredBut(lossIf(!namesAreItsOwn(p), rewrite.Both))
		}
		requireRenamed(p.Schema, renamed)
	},
}

// namesAreItsOwn reports whether the members of an object are its properties alone, and
// no other keyword speaks of their names.
func namesAreItsOwn(p *engine.Pass) bool {
	others := []string{
		"patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "anyOf", "oneOf", "allOf", "not", "if", "$ref",
	}
	return p.Schema.Get("additionalProperties").IsFalse() && !slices.ContainsFunc(others, p.Schema.Has) && !slices.Contains(others, p.Keyword())
}

// freeName returns a name that is not taken: with a _ more or two, or else with a digest.
func freeName(name, given string, grammar engine.NameGrammar, taken map[string]bool) string {
	const few = 3
	free := name
	for range few {
		if !taken[free] && (grammar.MaxLength == 0 || len(free) <= grammar.MaxLength) {
			return free
		}
		free += "_"
	}
	for text := given; ; text += "/" {
		if free = withDigest(name, text, grammar); !taken[free] {
			return free
		}
	}
}

// requireRenamed gives the names in required those that the properties have now.
func requireRenamed(node *schema.Node, renamed map[string]string) {
	required := node.Get("required")
	if required == nil || len(renamed) == 0 {
		return
	}
	names := required.Strings()
	for i := range names {
		if name, ok := renamed[names[i]]; ok {
			names[i] = name
		}
	}
	node.Set("required", schema.NewStrings(names...))
}
