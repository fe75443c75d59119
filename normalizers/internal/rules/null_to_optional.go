package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// NullToOptional serves targets that cannot express null.
var NullToOptional = &engine.Rule{
	Name: "null_to_optional",
	Doc: `a property that may be null becomes optional

The property is no longer required, and its schema no longer accepts null. A call leaves the
property out; if it was required, Restore adds null. A property that can only be null is
removed. A schema in any other place no longer accepts null, and its description says that
it did. Source: docs/seeds.md#seed-004-32 and docs/seeds.md#seed-004-34.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "nullable": true}, "b": {"type": "null"}}, "required": ["a", "b"]}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string"}}}`,
	Loss:   rewrite.Both,
	Rewrite: func(p *engine.Pass) {
		if p.IsRoot() {
			refuseNull(p)
		}
		isRequired := schema.Among(p.Schema.Get("required").Strings())
		for _, property := range slices.Clone(membersOf(p.Schema.Get("properties"))) {
			if mayNameNull(property.Value) {
				leaveOut(p, p.Below(property.Value, "properties"), property.Key, isRequired(property.Key))
			}
		}
		for place := range p.Schema.Subschemas() {
			// A branch of a union may be null if the schema around it may.
			if place.Keyword != "properties" && place.Keyword != "anyOf" && mayNameNull(place.Node()) {
				refuseNull(p.Below(place.Node(), place.Keyword))
			}
		}
	},
}

// mayNameNull reports whether a schema may accept null, in the forms that earlier rules leave.
func mayNameNull(node *schema.Node) bool {
	return node.Has("nullable") || node.Has("anyOf") || isOfType(node, "null")
}

// refuseNull removes null from a schema other than that of a property.
func refuseNull(p *engine.Pass) {
	if withoutNull(p, nil) {
		p.Spill("nullable", schema.NewBool(true))
	}
	if isOfType(p.Schema, "null") {
		dropIdle(p, p.Schema.Keys()...)
		p.SpillAway("type", rewrite.Widens)
	}
}

// withoutNull removes nullable from a schema and from the branches of its union, and reports whether
// null was accepted. If the schema is that of a required property, object is the schema that requires
// it, in whose instances Restore undoes the change; otherwise object is nil.
func withoutNull(p *engine.Pass, object *schema.Node) bool {
	accepted := false
	if nullable := p.Schema.Get("nullable"); nullable != nil {
		accepted = nullable.IsTrue()
		p.Remove("nullable", lossIf(accepted, rewrite.Narrows))
		if object != nil {
			p.RestoredIn(object)
		}
	}
	if union := p.Schema.Get("anyOf"); union != nil {
		for _, branch := range union.Elements {
			accepted = withoutNull(p.Below(branch, "anyOf"), object) || accepted
		}
	}
	return accepted
}

// leaveOut makes a property optional that may be null.
func leaveOut(p, property *engine.Pass, name string, isRequired bool) {
	isNull := isOfType(property.Schema, "null")
	var object *schema.Node
	if isRequired {
		object = p.Schema
	}
	if !withoutNull(property, object) && !isNull {
		return
	}
	if isRequired {
		withoutRequired(p, name)
		p.RestoredAsNull(name)
	}
	if isNull {
		if property.Schema.GetString("description") != "" {
			p.Spill("properties", schema.NewObject(schema.Member{Key: name, Value: property.Schema}))
		}
		p.Below(p.Schema.Get("properties"), "").Remove(name, rewrite.Widens)
	}
}
