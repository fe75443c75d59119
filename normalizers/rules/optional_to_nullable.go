package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// OptionalToNullable serves strict targets, together with RequireAll.
var OptionalToNullable = &rewrite.Rule{
	Name: "optional_to_nullable",
	Doc: `an optional property accepts null, which stands for absent

A pure union, which has only anyOf and perhaps a description, gets a branch of null; any
other schema becomes a branch beside null, because what stands beside an anyOf holds as
well as it. One that accepts null already stays. Restore removes the nulls again. Source:
seed 004 §1.3.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "description": "d"}, "b": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}}`,
	After: `{"type": "object", "properties": {"a": {"anyOf": [{"type": "string", "description": "d"}, {"type": "null"}]}, ` +
		`"b": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}}}`,
	Loss: rewrite.Widens,
	On:   []string{"properties"},
	Rewrite: func(p *rewrite.Pass) {
		isRequired := schema.Among(p.Schema.Get("required").Strings())
		for _, property := range membersOf(p.Schema.Get("properties")) {
			if !isRequired(property.Key) && property.Value.Kind == schema.Object && !surelyAcceptsNull(property.Value) {
				acceptNull(p.Below(property.Value, "properties"))
			}
		}
	},
}

func acceptNull(p *rewrite.Pass) {
	null := p.New(schema.Member{Key: "type", Value: typeNamedAs("null")})
	p.Edit(rewrite.Widens, func() {
		if isPureUnion(p.Schema) {
			union := p.Schema.Get("anyOf")
			union.Elements = append(union.Elements, null)
			return
		}
		made := &nullableUnion{content: *p.Schema}
		made.branches = [...]*schema.Node{&made.content, null}
		made.union = schema.Node{Kind: schema.Array, Elements: made.branches[:]}
		made.members = [...]schema.Member{{Key: "anyOf", Value: &made.union}}
		p.Schema.Members = made.members[:]
		p.MoveSpills(p.Schema, &made.content)
	})
	p.Restored()
}

// nullableUnion is what takes the place of an optional property, in one allocation: most
// tools have several.
type nullableUnion struct {
	content, union schema.Node
	branches       [2]*schema.Node
	members        [1]schema.Member
}

// isPureUnion reports whether a schema has anyOf and nothing else but perhaps a
// description.
func isPureUnion(node *schema.Node) bool {
	return node.Has("anyOf") && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "anyOf" && member.Key != "description"
	})
}

// surelyAcceptsNull reports whether null is among the types or the branches.
func surelyAcceptsNull(node *schema.Node) bool {
	if namesTypes(node) {
		return namesType(node, "null") && acceptsNullBeside(node)
	}
	union := node.Get("anyOf")
	return union != nil && slices.ContainsFunc(union.Elements, surelyAcceptsNull)
}
