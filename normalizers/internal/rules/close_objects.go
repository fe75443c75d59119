package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// CloseObjects serves strict targets.
var CloseObjects = &engine.Rule{
	Name: "close_objects",
	Doc: `every object is closed

Each object gets additionalProperties: false. Strict mode cannot express a map, whose names
are not known beforehand. A root without properties takes no arguments, and is closed too. The
loss is closes if an object says nothing of properties beside those that it lists, as in most
tools, and narrows otherwise. Source: docs/seeds.md#seed-004-13.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false}`,
	Loss:   rewrite.Narrows,
	Rewrite: func(p *engine.Pass) {
		isObject := namesType(p.Schema, "object") || !namesTypes(p.Schema) && (p.IsRoot() || p.Schema.Has("properties"))
		if !isObject {
			return
		}
		rest := p.Schema.Get("additionalProperties")
		isMap := rest != nil && rest.Kind == schema.Object && !isAnything(rest)
		known := len(membersOf(p.Schema.Get("properties"))) > 0
		switch {
		case rest.IsFalse():
		case isMap:
			p.Unrepresentablef("additionalProperties with a schema: an object of unknown names")
		case !known && !p.IsRoot() && !p.Schema.Has("anyOf"):
			p.Unrepresentablef("an object that may have any members")
		case known || p.IsRoot():
			p.Set("additionalProperties", schema.NewBool(false), lossOfClosing(p.Schema))
		}
	},
}

// lossOfClosing returns the loss of closing an object: Closes if neither it nor the given schema speaks
// of properties that it does not list.
func lossOfClosing(node *schema.Node) rewrite.Loss {
	isListed := schema.Among(node.Get("properties").Keys())
	speaksOfOthers := func(node *schema.Node) bool {
		return slices.ContainsFunc(speakOfOthers, node.Has) ||
			slices.ContainsFunc(node.Get("required").Strings(), func(name string) bool { return !isListed(name) })
	}
	isCombined := slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "$ref"}, node.Has)
	return rewrite.Closes | lossIf(isCombined || speaksOfOthers(node) || node.From != nil && speaksOfOthers(node.From), rewrite.Narrows)
}

// speakOfOthers are the keywords that say something of members that properties does not list.
var speakOfOthers = []string{
	"additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties", "dependentRequired", "dependentSchemas", "dependencies", "if", "not",
}
