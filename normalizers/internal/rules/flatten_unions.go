package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FlattenUnions serves targets without unions.
var FlattenUnions = &engine.Rule{
	Name: "flatten_unions",
	Doc: `a union of objects becomes one object

The object has the properties of all branches and requires what all of them require. The
description lists the branches. merge_root_union does the same for the root of other
targets. Source: docs/seeds.md#seed-004-33.`,
	Before: `{"type": "object", "properties": {"at": {"anyOf": [{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}, ` +
		`{"type": "object", "properties": {"url": {"type": "string"}}}]}}}`,
	After: `{"type": "object", "properties": {"at": {"type": "object", "properties": {"id": {"type": "string"}, "url": {"type": "string"}}, ` +
		`"description": "{anyOf: [{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},\"required\":[\"id\"]},` +
		`{\"type\":\"object\",\"properties\":{\"url\":{\"type\":\"string\"}}}]}"}}}`,
	Loss:    rewrite.Both,
	On:      []string{"anyOf"},
	Rewrite: flatten,
}

// flatten merges a union of objects, and then the unions that its properties may have become.
func flatten(p *engine.Pass) {
	union := p.Schema.Get("anyOf")
	if union == nil || union.Kind != schema.Array || !p.Refuses("anyOf") || !every(union.Elements, isObjectSchema) {
		return
	}
	nullable := slices.ContainsFunc(union.Elements, (*schema.Node).IsNullable)
	mergeUnion(p, "anyOf", union)
	if nullable {
		p.Set("nullable", schema.NewBool(true), rewrite.Exact)
	}
	if !p.Schema.Has("type") {
		giveType(p, []string{"object"}, rewrite.Exact)
	}
	for _, property := range membersOf(p.Schema.Get("properties")) {
		flatten(p.Below(property.Value, "properties"))
	}
}

func isObjectSchema(node *schema.Node) bool { return isOfType(node, "object") }
