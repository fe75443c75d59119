package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// AnyValue serves targets that do not take an empty schema.
var AnyValue = &engine.Rule{
	Name: "any_value",
	Doc: `a schema of any value becomes the widest one that the target can express

{} and true become a union of all types, and the members beside them stay. The arrays of the
union nest two levels deep, because no target can express "and so on". A property whose
schema is false is removed, since it must be absent; elsewhere false becomes {"not": {}} if
the target takes only objects as schemas. If the target takes no union, the schema becomes
one of strings, and its description lists the types. The body of a request, by the name of
the property or an object as its example, becomes an object instead. Sources:
https://github.com/spiritledsoftware/caplets/issues/178; docs/providers.md#google-messages.`,
	Before:  `{"type": "object", "properties": {"a": {"description": "anything"}, "b": true, "c": false}}`,
	After:   `{"type": "object", "properties": {"a": {"description": "anything", ` + anyInGemini + `, "nullable": true}, "b": {` + anyInGemini + `, "nullable": true}}}`,
	Loss:    rewrite.Both,
	On:      []string{"properties"},
	OnTypes: engine.Untyped,
	Rewrite: func(p *engine.Pass) {
		forms := engine.LimitsOf[AnyOrNone](p.Target)
		if p.Target.Typeless && !forms.Objects && !forms.NoFalse {
			return
		}
		removeFalse(p)
		if (forms.Objects || forms.NoFalse) && (takesBool(p, forms) || becomesNot(p)) {
			return
		}
		if p.IsRoot() && p.Schema.IsFalse() {
			p.Become(p.New(), rewrite.Widens) // the tool accepts nothing, which no target can express
		}
		if p.Keyword() == "additionalProperties" && forms.Anything != nil && !forms.Objects && isAnything(p.Schema) && len(p.Schema.Members) == 0 {
			return // true and {} mean the same there, and a surface that takes the keyword takes either
		}
		if forms.Anything == nil || p.IsArguments() || !isAnything(p.Schema) || p.Schema.Has("anyOf") {
			return
		}
		anything := forms.Anything()
		if isOfType(anything, "string") && isBody(p) {
			anything = p.New(schema.Member{Key: "type", Value: engine.TypeName("object")})
		}
		if p.Schema.Kind == schema.Object && len(anything.Members) == 0 {
			return
		}
		p.Edit(lossIf(len(anything.Members) > 0, rewrite.Narrows), func() {
			if p.Schema.Kind != schema.Object {
				p.Schema.Kind, p.Schema.Text = schema.Object, ""
			}
			for _, member := range anything.Members {
				p.Schema.Set(member.Key, member.Value) // nullable may be there already
			}
		}, anything.Keys()...)
		if anything.Has("type") {
			p.Spill("type", schema.NewStrings(engine.TypeNames...))
		}
		standAlone(p)
	},
}

// anyInGemini is the union by which the Gemini target accepts any value.
const anyInGemini = `"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}, ` +
	`{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "object"}], "nullable": true}}]`

// AnyOrNone says how a target expresses a schema that accepts any value or none.
type AnyOrNone struct {
	// Anything returns the schema with which the target accepts any value; nil if that is {}.
	Anything func() *schema.Node
	// Objects is set if a schema must be an object, and neither true nor false.
	Objects bool
	// NoFalse is set if only the schema of further members or elements may be false.
	NoFalse bool
}

// takesBool reports whether the engine accepts true and false in the place of the schema.
func takesBool(p *engine.Pass, forms AnyOrNone) bool {
	if p.Schema.IsFalse() && isReferredTo(p, p.Schema) {
		return false
	}
	switch p.Keyword() {
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems":
		return true
	case "items":
		return !forms.Objects
	default:
		return false
	}
}

// becomesNot replaces a schema that is false, and not the root, by {"not": {}}. It reports whether it
// did.
func becomesNot(p *engine.Pass) bool {
	if p.IsRoot() || !p.Schema.IsFalse() {
		return false
	}
	p.Become(p.New(schema.Member{Key: "not", Value: schema.NewObject()}), rewrite.Exact)
	return true
}

// isBody reports whether a schema of any value is that of the body of a request: of a property whose name
// ends in body or payload, or that has an object as its default or example.
func isBody(p *engine.Pass) bool {
	original := p.Schema.From
	if original == nil {
		original = p.Schema
	}
	for _, keyword := range []string{"default", "example"} {
		if value := original.Get(keyword); value != nil && value.Kind != schema.Null {
			return value.Kind == schema.Object
		}
	}
	if examples := original.Get("examples"); examples != nil && len(examples.Elements) > 0 {
		return examples.Elements[0].Kind == schema.Object
	}
	name, _ := propertyName(p)
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "body") || strings.HasSuffix(name, "payload")
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
