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
	Doc: `the name of a property is made to fit the provider's grammar and length

The new name is made as tool_name makes names. If it is taken, or if the provider takes it
for a keyword, it gets one more _ or a part of a digest; so do the names of definitions.
required and references follow, and Restore undoes the change. An object that accepts
further members now accepts any value under the old name, and no longer any value under the
new one. Source: rule property_keys of anthropic/tools.`,
	Before: `{"type": "object", "properties": {"filter[name]": {"type": "string"}}, "required": ["filter[name]"]}`,
	After:  `{"type": "object", "properties": {"filter_name_": {"type": "string"}}, "required": ["filter_name_"]}`,
	Loss:   rewrite.Both,
	On:     append([]string{"properties"}, definitionKeywords...),
	Moves:  true,
	Rewrite: func(p *engine.Pass) {
		reserved := engine.LimitsOf[ReservedInValues](p.Target).Names
		for _, keyword := range definitionKeywords {
			nameDefinitions(p, keyword, func(definition schema.Member) bool { return slices.Contains(reserved, definition.Key) })
		}
		limits := engine.LimitsOf[PropertyNames](p.Target)
		properties := p.Schema.Get("properties")
		isBound := limits.Grammar.MaxLength > 0 || limits.Reserved != nil || limits.Without != ""
		if !isBound || properties == nil || properties.Kind != schema.Object {
			return
		}
		var taken map[string]bool
		renamed := map[string]string{}
		for i := range properties.Members {
			property := &properties.Members[i]
			name := property.Key
			if limits.Grammar.MaxLength > 0 {
				name = fittingName(name, limits.Grammar)
			}
			if strings.ContainsAny(name, limits.Without) {
				name = strings.Map(func(r rune) rune {
					if strings.ContainsRune(limits.Without, r) {
						return '_'
					}
					return r
				}, name)
			}
			if slices.Contains(limits.Reserved, name) {
				name += "_"
			}
			if limits.Takes != nil && !limits.Takes(name, property.Value, p.LiesIn("$defs")) {
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
			name = freeName(name, property.Key, limits.Grammar, taken)
			delete(taken, property.Key)
			taken[name] = true
			renamed[property.Key] = name
			p.Below(properties, "properties").Rename(property, name, rewrite.Both)
			p.RestoredBut(lossIf(!namesAreItsOwn(p), rewrite.Both))
		}
		requireRenamed(p.Schema, renamed)
	},
}

// PropertyNames bounds the names of properties. The zero value allows any name.
type PropertyNames struct {
	Grammar engine.NameGrammar
	// Reserved are names that no property may have, and Without are characters that no name
	// may contain.
	Reserved []string
	Without  string
	// Takes reports whether the property may have the name. isDefined is set within a
	// definition. If Takes is nil, it may have any name that the other fields allow.
	Takes func(name string, property *schema.Node, isDefined bool) bool
}

// namesAreItsOwn reports whether an object has no members but its properties, and no keyword but
// properties and required depends on their names.
func namesAreItsOwn(p *engine.Pass) bool {
	others := []string{
		"patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "anyOf", "oneOf", "allOf", "not", "if", "$ref",
	}
	return p.Schema.Get("additionalProperties").IsFalse() && !slices.ContainsFunc(others, p.Schema.Has) && !slices.Contains(others, p.Keyword())
}

// freeName returns a name that is not taken: name with up to two more _, or else with a digest of the
// original name.
func freeName(name, original string, grammar engine.NameGrammar, taken map[string]bool) string {
	const few = 3
	free := name
	for range few {
		if !taken[free] && (grammar.MaxLength == 0 || len(free) <= grammar.MaxLength) {
			return free
		}
		free += "_"
	}
	for text := original; ; text += "/" {
		if free = withDigest(name, text, grammar); !taken[free] {
			return free
		}
	}
}

// requireRenamed replaces the names in required by those that the properties have now.
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
