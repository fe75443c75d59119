package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UnlistedMembers serves strict targets. It rewrites nothing.
var UnlistedMembers = &engine.Rule{
	Name: "unlisted_members",
	Doc: `strict mode cannot express an object that declares no property and has members

Strict mode closes the object, which then has no member. A root takes arguments if it limits
their number, names or values, requires some, says what they depend on, lists whole objects,
or says that it is open. Any other root takes none. Source: docs/seeds.md#seed-004-13.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1}`,
	Loss:   rewrite.Exact,
	On:     speakOfMembers,
	Rewrite: func(p *engine.Pass) {
		if len(membersOf(p.Schema.Get("properties"))) > 0 || !isLookedAt(p) {
			return
		}
		keywords := speakOfMembers
		if p.Schema.Get("additionalProperties").IsFalse() {
			keywords = []string{"patternProperties"} // only these can be members of a closed object
		} else if !p.IsRoot() {
			return // close_objects treats an open object below the root
		}
		for _, keyword := range keywords {
			if value := p.Schema.Get(keyword); value != nil && !saysNothing(keyword, value) {
				p.Unrepresentablef("%s without properties: an object of unknown names", keyword)
				return
			}
		}
	},
}

// speakOfMembers are the keywords from which it is clear that an object without properties has members.
var speakOfMembers = []string{
	"required", "minProperties", "additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties", "dependentRequired",
	"dependentSchemas", "enum", "const", "if", "not",
}

// saysNothing reports whether a keyword has no effect with the given value.
func saysNothing(keyword string, value *schema.Node) bool {
	switch keyword {
	case "additionalProperties", "unevaluatedProperties":
		return value.IsFalse() // an author who writes true means it
	case "minProperties":
		return value.Text == "0"
	case "enum":
		return !slices.ContainsFunc(value.Elements, func(listed *schema.Node) bool { return len(listed.Members) > 0 })
	default:
		return len(value.Members)+len(value.Elements) == 0
	}
}
