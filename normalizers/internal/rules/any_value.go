package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// AnyValue serves targets where a schema cannot be empty.
var AnyValue = &engine.Rule{
	Name: "any_value",
	Doc: `a schema of any value becomes the widest that the target can say

{} and true become a union of the types, and their siblings stay. Arrays within arrays
end at the second, because no target has words for "and so on". A property whose schema
is false goes away, since it must be absent. Any other false is {"not": {}} where a
schema is an object. Where no union can be, the schema is one of text, and its description
lists the types. Sources:
https://github.com/spiritledsoftware/caplets/issues/178;
docs/providers.md#google-messages.`,
	Before:  `{"type": "object", "properties": {"a": {"description": "anything"}, "b": true, "c": false}}`,
	After:   `{"type": "object", "properties": {"a": {"description": "anything", ` + anyInGemini + `, "nullable": true}, "b": {` + anyInGemini + `, "nullable": true}}}`,
	Loss:    rewrite.Both,
	On:      []string{"properties"},
	OnTypes: engine.Untyped,
	Rewrite: func(p *engine.Pass) {
		says := engine.LimitsOf[AnyOrNone](p.Target)
		if p.Target.Typeless && !says.Objects && !says.NoFalse {
			return
		}
		removeFalse(p)
		if (says.Objects || says.NoFalse) && (takesBool(p, says) || becomesNot(p)) {
			return
		}
		if p.IsRoot() && p.Schema.IsFalse() {
			p.Become(p.New(), rewrite.Widens) // no answer, which no target asks for
		}
		if says.Anything == nil || p.IsArguments() || !isAnything(p.Schema) || p.Schema.Has("anyOf") {
			return
		}
		anything := says.Anything()
		if p.Schema.Kind == schema.Object && len(anything.Members) == 0 {
			return
		}
		p.Edit(lossIf(len(anything.Members) > 0, rewrite.Narrows), func() {
			if p.Schema.Kind != schema.Object {
				p.Schema.Kind, p.Schema.Text = schema.Object, ""
			}
			for _, member := range anything.Members {
				p.Schema.Set(member.Key, member.Value) // nullable may be there
			}
		}, memberNames(anything)...)
		if anything.Has("type") {
			p.Spill("type", schema.NewStrings(engine.TypeNames...))
		}
		standAlone(p)
	},
}

// anyInGemini is the union that Gemini's target says anything with.
const anyInGemini = `"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}, ` +
	`{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}], "nullable": true}}]`

// AnyOrNone is how a target says a schema that takes any value, or none.
type AnyOrNone struct {
	// Anything returns the schema of any value in the surface's own words; nil if it is {}.
	Anything func() *schema.Node
	// Objects is set if a schema is an object, and neither true nor false.
	Objects bool
	// NoFalse is set if no schema is false but that of further members or elements.
	NoFalse bool
}

// takesBool reports whether engines look for true or false in the schema's place, and
// nowhere else.
func takesBool(p *engine.Pass, says AnyOrNone) bool {
	if p.Schema.IsFalse() && isReferredTo(p, p.Schema) {
		return false
	}
	switch p.Keyword() {
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems":
		return true
	case "items":
		return !says.Objects
	default:
		return false
	}
}

// becomesNot writes a schema that is false as an object, and reports whether it was one.
func becomesNot(p *engine.Pass) bool {
	if p.IsRoot() || !p.Schema.IsFalse() {
		return false
	}
	p.Become(p.New(schema.Member{Key: "not", Value: schema.NewObject()}), rewrite.Exact)
	return true
}

// removeFalse removes the properties that must be absent.
func removeFalse(p *engine.Pass) {
	properties := p.Schema.Get("properties")
	if properties == nil || !slices.ContainsFunc(properties.Members, isFalse) {
		return
	}
	for _, property := range slices.Clone(properties.Members) {
		if property.Value.IsFalse() {
			p.Below(properties, "").Remove(property.Key, rewrite.Widens)
		}
	}
}

func isFalse(member schema.Member) bool { return member.Value.IsFalse() }

func memberNames(node *schema.Node) []string {
	names := make([]string, len(node.Members))
	for i, member := range node.Members {
		names[i] = member.Key
	}
	return names
}
