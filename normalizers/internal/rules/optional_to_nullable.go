package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// OptionalToNullable serves strict targets, which require every property.
var OptionalToNullable = &engine.Rule{
	Name: "optional_to_nullable",
	Doc: `an optional property is required and accepts null, which stands for absent

All properties are required, in their order. A schema with only anyOf, and perhaps a
description, gets a branch of null; any other schema becomes a branch beside null, because
the siblings of an anyOf hold too. If a property accepts null already, as with .nullish() in
zod, null still means that the property is absent, and a further branch stands for null: an
object whose only member, value, is null. Restore undoes both, so that nothing is lost, and
a model that answers null everywhere clears nothing. If null is the default, leaving the
property out means the same: null stays null, and the report says that the property cannot
be left out. Source: docs/seeds.md#seed-004-13; that a model sends null for what it would
leave out: https://github.com/coder/xum/pull/2250.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "description": "d"}, "b": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}}}`,
	After: `{"type": "object", "properties": {"a": {"anyOf": [{"type": "string", "description": "d"}, {"type": "null"}]}, ` +
		`"b": {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}}, "required": ["a", "b"]}`,
	Loss: rewrite.Both,
	On:   []string{"properties", "anyOf"},
	Rewrite: func(p *engine.Pass) {
		if union := p.Schema.Get("anyOf"); union != nil && union.Kind == schema.Array && isAmbiguous(p, union) {
			p.Report(rewrite.Narrows, p.Schema, p.Schema)
		}
		if !p.Schema.Has("properties") {
			return
		}
		isRequired := schema.Among(p.Schema.Get("required").Strings())
		for _, property := range membersOf(p.Schema.Get("properties")) {
			if isRequired(property.Key) || property.Value.Kind != schema.Object {
				continue
			}
			below := p.Below(property.Value, "properties")
			null := below.New(schema.Member{Key: "type", Value: engine.TypeName("null")})
			byDefault := property.Value.Get("default")
			switch {
			case !takesNull(p, property.Value, map[*schema.Node]bool{}):
				addBranch(below, null)
			case byDefault != nil && byDefault.Kind == schema.Null:
				below.Report(rewrite.Narrows, property.Value, property.Value)
			default:
				addBranch(below, nullItself(below, null))
			}
		}
		listed, keys := p.Schema.Get("required"), p.Schema.Get("properties").Keys()
		isOptional := func(key string) bool { return !isRequired(key) }
		if names := merge.Names(keys, listed.Strings()); listed == nil || len(listed.Elements) != len(names) || slices.ContainsFunc(keys, isOptional) {
			p.Set("required", schema.NewStrings(names...), rewrite.Narrows)
			p.Restored()
		}
	},
}

// isAmbiguous reports whether null as the value of a property may mean that it is absent, by one branch
// of a union, or be required by another, and no other property tells the branches apart.
func isAmbiguous(p *engine.Pass, union *schema.Node) bool {
	requires := func(branch *schema.Node) []string {
		if branch.From != nil {
			branch = branch.From // the rule requires more
		}
		return branch.Get("required").Strings()
	}
	var branches []*schema.Node
	nulls := map[string][]*schema.Node{} // by name, the branches that require a property that accepts null
	for _, branch := range union.Elements {
		if target := p.Resolve(branch); target != nil {
			branch = target
		}
		branches = append(branches, branch)
		properties, names := branch.Get("properties"), requires(branch)
		p.Charge(1 + len(names) + len(membersOf(properties)))
		for _, name := range names {
			if property := properties.Get(name); property != nil && takesNull(p, property, map[*schema.Node]bool{}) {
				nulls[name] = append(nulls[name], branch)
			}
		}
	}
	return len(nulls) > 0 && slices.ContainsFunc(branches, func(branch *schema.Node) bool {
		isRequired := schema.Among(requires(branch))
		return slices.ContainsFunc(membersOf(branch.Get("properties")), func(property schema.Member) bool {
			return !isRequired(property.Key) && slices.ContainsFunc(nulls[property.Key], func(other *schema.Node) bool { return !discriminates(p, branch, other) })
		})
	})
}

// nullItself returns the schema of an object that stands for null. The name of its member differs from
// those of all other objects that the property accepts.
func nullItself(p *engine.Pass, null *schema.Node) *schema.Node {
	name := "value"
	for declares(p, p.Schema, name, map[*schema.Node]bool{}) {
		name += "_"
	}
	return p.New(
		schema.Member{Key: "type", Value: engine.TypeName("object")},
		schema.Member{Key: "description", Value: schema.NewString("Null as a value. A plain null leaves the property out.")},
		schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: name, Value: null})},
		schema.Member{Key: "required", Value: schema.NewStrings(name)},
		schema.Member{Key: "additionalProperties", Value: schema.NewBool(false)},
	)
}

// addBranch adds a branch to the schema of a property.
func addBranch(p *engine.Pass, null *schema.Node) {
	p.Edit(rewrite.Widens, func() {
		if isPureUnion(p.Schema) {
			union := p.Schema.Get("anyOf")
			union.Elements = append(union.Elements, null)
			return
		}
		content := *p.Schema
		p.Schema.Members = []schema.Member{{Key: "anyOf", Value: schema.NewArray(&content, null)}}
		p.MoveSpills(p.Schema, &content)
	})
	p.Restored()
}

// isPureUnion reports whether a schema has only anyOf, and perhaps a description.
func isPureUnion(node *schema.Node) bool {
	union := node.Get("anyOf")
	return union != nil && union.Kind == schema.Array && !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != "anyOf" && member.Key != "description"
	})
}

// takesNull reports whether a schema accepts null, following references.
func takesNull(p *engine.Pass, node *schema.Node, seen map[*schema.Node]bool) bool {
	if node == nil || seen[node] {
		return false
	}
	seen[node] = true
	if node.Reference() != "" {
		return takesNull(p, p.Resolve(node), seen)
	}
	if union := node.Get("anyOf"); union != nil && !slices.ContainsFunc(union.Elements, func(branch *schema.Node) bool {
		return takesNull(p, branch, seen)
	}) {
		return false
	}
	return node.AllowsNull() && acceptsNullBeside(without(node, "anyOf"))
}

// declares reports whether a schema, one of its branches, or a schema that these refer to
// declares a property.
func declares(p *engine.Pass, node *schema.Node, name string, seen map[*schema.Node]bool) bool {
	if node == nil || seen[node] {
		return false
	}
	seen[node] = true
	if node.Reference() != "" {
		return declares(p, p.Resolve(node), name, seen)
	}
	if node.Get("properties").Has(name) {
		return true
	}
	union := node.Get("anyOf")
	return union != nil && slices.ContainsFunc(union.Elements, func(branch *schema.Node) bool { return declares(p, branch, name, seen) })
}
