package rules

import (
	"slices"
	"unicode/utf8"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Representable is the last rule of strict targets. It rewrites nothing.
var Representable = &engine.Rule{
	Name: "representable",
	Doc: `a schema that strict mode cannot express is not sent as strict

In strict mode a subschema has a type, anyOf or a reference, an array has items, and an enum
has a value. Levels, properties, values of enums, and the text in names and values are
limited. Any other tool is sent with strict false, never half strict. The limits are those
of OpenAI's guide, also where a provider accepted more. Sources: docs/seeds.md#seed-004-14
and docs/seeds.md#seed-004-15; docs/providers.md#openai-limits.`,
	Before: `{"type": "string"}`,
	After:  `{"type": "string"}`,
	Loss:   rewrite.Exact,
	Rewrite: func(p *engine.Pass) {
		switch {
		case p.Keyword() == "additionalProperties":
		case p.Schema.Kind != schema.Object:
			p.Unrepresentablef("a schema that is %s", p.Schema)
		case !p.Schema.Has("type") && !p.Schema.Has("anyOf") && !p.Schema.Has("$ref"):
			p.Unrepresentablef("a schema without a type")
		case engine.Has[OwnKeywords](p.Target) && hasForeignValue(p.Schema):
			p.Unrepresentablef("an enum with a value of another type")
		case hasNoValue(p.Schema):
			p.Unrepresentablef("an enum without a value")
		case isOfType(p.Schema, "array") && !p.Schema.Has("items"):
			p.Unrepresentablef("an array without items")
		case p.IsRoot():
			measure(p)
		}
	},
}

// StrictLimits bound the schema of a strict tool. 0 means no bound.
type StrictLimits struct {
	Nesting    int // levels of objects
	Properties int
	Optional   int // properties that are not required
	Unions     int
	EnumValues int // in all enums
	// EnumText bounds the characters in one enum of more than LongEnum values.
	LongEnum, EnumText int
	// Text bounds the characters in the names of properties and definitions, and in the
	// values of enums, together.
	Text int
}

func measure(p *engine.Pass) {
	limits := engine.LimitsOf[StrictLimits](p.Target)
	if nesting := objectNesting(p.Schema); limits.Nesting > 0 && nesting > limits.Nesting {
		p.Unrepresentablef("%d levels of objects, where %d are allowed", nesting, limits.Nesting)
	}
	count := 0
	p.Schema.Each(func(node *schema.Node) bool {
		count += len(membersOf(node.Get("properties")))
		return true
	})
	if limits.Properties > 0 && count > limits.Properties {
		p.Unrepresentablef("%d properties, where %d are allowed", count, limits.Properties)
	}
	if limits.Optional > 0 || limits.Unions > 0 {
		measureGrammar(p, limits)
	}
	if limits.EnumValues > 0 {
		measureText(p, limits)
	}
}

// measureText checks the number of values in enums, and the characters in names and values.
func measureText(p *engine.Pass, limits StrictLimits) {
	values, text := 0, 0
	p.Schema.Each(func(node *schema.Node) bool {
		for _, named := range []string{"properties", "$defs"} {
			for _, member := range membersOf(node.Get(named)) {
				text += utf8.RuneCountInString(member.Key)
			}
		}
		listed := node.Get("enum")
		if listed == nil {
			return true
		}
		inEnum := 0
		for _, value := range listed.Elements {
			inEnum += utf8.RuneCountInString(value.Text)
		}
		values, text = values+len(listed.Elements), text+inEnum
		if len(listed.Elements) > limits.LongEnum && inEnum > limits.EnumText {
			p.Below(node, "").Unrepresentablef("an enum of %d values with %d characters, where %d are allowed", len(listed.Elements), inEnum, limits.EnumText)
		}
		return true
	})
	if values > limits.EnumValues {
		p.Unrepresentablef("%d values of enums, where %d are allowed", values, limits.EnumValues)
	}
	if text > limits.Text {
		p.Unrepresentablef("%d characters of names and values, where %d are allowed", text, limits.Text)
	}
}

// measureGrammar checks the two counts that make the grammar of a schema large.
func measureGrammar(p *engine.Pass, limits StrictLimits) {
	optional, unions := Grammar(p.Schema)
	if optional > limits.Optional {
		p.Unrepresentablef("%d optional properties, where %d are allowed", optional, limits.Optional)
	}
	if unions > limits.Unions {
		p.Unrepresentablef("%d unions, where %d are allowed", unions, limits.Unions)
	}
}

// Grammar returns the two counts that make the grammar of a schema large: its optional
// properties and its unions, at any depth.
func Grammar(root *schema.Node) (optional, unions int) {
	if root == nil {
		return 0, 0
	}
	root.Each(func(node *schema.Node) bool {
		isRequired := schema.Among(node.Get("required").Strings())
		for _, property := range membersOf(node.Get("properties")) {
			if !isRequired(property.Key) {
				optional++
			}
		}
		if node.Has("anyOf") {
			unions++
		}
		return true
	})
	return optional, unions
}

// hasNoValue reports whether a schema has an empty enum.
func hasNoValue(node *schema.Node) bool {
	listed := node.Get("enum")
	return listed != nil && len(listed.Elements) == 0
}

// hasForeignValue reports whether an enum or const has a value of another type than
// the schema.
func hasForeignValue(node *schema.Node) bool {
	types := node.Types()
	var values []*schema.Node
	if listed := node.Get("enum"); listed != nil {
		values = listed.Elements
	}
	if value := node.Get("const"); value != nil {
		values = append(slices.Clone(values), value)
	}
	return slices.ContainsFunc(values, func(value *schema.Node) bool { return !isOneOfTypes(value, types) })
}

func objectNesting(node *schema.Node) int {
	deepest := 0
	for place := range node.Subschemas() {
		if place.Keyword != "$defs" {
			deepest = max(deepest, objectNesting(place.Node()))
		}
	}
	if isOfType(node, "object") {
		deepest++
	}
	return deepest
}
