package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FillType serves targets that refuse a schema without a type.
var FillType = &engine.Rule{
	Name: "fill_type",
	Doc: `a schema without a type gets the type that its keywords are about

An enum or const gets the types of its values, which is exact. Otherwise keywords such as
properties, items or pattern show what the author meant. The schema no longer accepts values
of other types, which these keywords ignore. The root becomes an object, as the arguments of
a call are, even if it is true or false; that is exact if all its branches are objects. Sources: docs/seeds.md#seed-000,
example 3; https://github.com/danny-avila/LibreChat/issues/6971.`,
	Before: `{"properties": {"unit": {"enum": ["a", "b"]}, "tags": {"items": {"type": "string"}}, "id": {"pattern": "^x"}}}`,
	After: `{"type": "object", "properties": {"unit": {"type": "string", "enum": ["a", "b"]}, ` +
		`"tags": {"type": "array", "items": {"type": "string"}}, "id": {"type": "string", "pattern": "^x"}}}`,
	Loss:    rewrite.Both,
	OnTypes: engine.Untyped,
	Rewrite: func(p *engine.Pass) {
		if p.IsArguments() && p.Schema.Kind == schema.Bool {
			loss := rewrite.Narrows
			if p.Schema.IsFalse() {
				loss = rewrite.Widens
			}
			p.Become(p.New(schema.Member{Key: "type", Value: schema.NewString("object")}), loss)
			return
		}
		if p.Schema.Kind != schema.Object || p.Schema.Has("type") {
			return
		}
		if p.Schema.Reference() != "" {
			if p.IsArguments() && p.Target.RootRequired && !p.Refuses("$ref") {
				giveType(p, []string{"object"}, lossIf(!areObjects(p, p.Schema, map[*schema.Node]bool{}), rewrite.Narrows))
			}
			return
		}
		if p.IsArguments() {
			// A root that was given as {} needs no type if types may be left out.
			if from := p.Schema.From; !p.Target.Typeless || p.Target.RootRequired || from == nil || from.Kind != schema.Object || len(from.Members) > 0 {
				giveType(p, []string{"object"}, lossIf(!areObjects(p, p.Schema, map[*schema.Node]bool{}), rewrite.Narrows))
			}
			return
		}
		if p.Target.Typeless {
			return
		}
		if values := merge.Listed(p.Schema); len(values) > 0 {
			giveType(p, instanceTypes(values), rewrite.Exact)
			return
		}
		if slices.ContainsFunc([]string{"anyOf", "oneOf", "allOf", "not"}, p.Schema.Has) {
			return
		}
		if name := impliedType(p.Schema); name != "" {
			names, loss := typesAround(p, name)
			giveType(p, names, loss)
		}
	},
}

// areObjects reports whether a schema is seen to accept only objects: by its type, its reference, all
// branches of a union, or one of allOf. known holds the answers so far.
func areObjects(p *engine.Pass, node *schema.Node, known map[*schema.Node]bool) bool {
	if areKnown, isKnown := known[node]; isKnown || node == nil {
		return areKnown
	}
	p.Charge(1)
	known[node] = false // a schema that leads only to itself is not seen to
	are := func(part *schema.Node) bool { return areObjects(p, part, known) }
	areAll := func(union *schema.Node) bool {
		return union != nil && len(union.Elements) > 0 && every(union.Elements, are)
	}
	parts := node.Get("allOf")
	known[node] = isOfType(node, "object") || are(p.Resolve(node)) || areAll(node.Get("anyOf")) || areAll(node.Get("oneOf")) ||
		parts != nil && slices.ContainsFunc(parts.Elements, are)
	return known[node]
}

// typesAround returns the type, and null too if the schema is a branch of a schema that has both
// types. Nothing is lost if that schema has no further type, unless a reference may lead to the branch.
func typesAround(p *engine.Pass, name string) ([]string, rewrite.Loss) {
	for outer, keyword := range p.Around() {
		if keyword != "anyOf" && keyword != "oneOf" && keyword != "allOf" {
			break
		}
		types := outer.Types()
		if len(types) == 0 {
			continue
		}
		if !slices.Contains(types, name) {
			break
		}
		losesOther := p.HasAnywhere(schema.ReferenceKeywords...) || slices.ContainsFunc(types, func(other string) bool { return other != name && other != "null" })
		names := []string{name}
		if slices.Contains(types, "null") {
			names = append(names, "null")
		}
		return names, lossIf(losesOther, rewrite.Narrows)
	}
	return []string{name}, rewrite.Narrows
}

// giveType adds type before the other members.
func giveType(p *engine.Pass, names []string, loss rewrite.Loss) {
	p.Edit(loss, func() {
		p.Schema.Members = slices.Insert(p.Schema.Members, 0, schema.Member{Key: "type"})
		setTypes(p.Schema, names)
	}, "type")
}

// impliedType returns the type to which the first keyword with a type applies, or "".
func impliedType(node *schema.Node) string {
	for _, member := range node.Members {
		types := belongsTo[member.Key]
		if len(types) > 0 && member.Key != "propertyOrdering" {
			return types[0]
		}
	}
	format := node.Get("format")
	if format == nil {
		return ""
	}
	switch format.Text {
	case "int32", "int64":
		return "integer"
	case "float", "double":
		return "number"
	default:
		return "string"
	}
}
