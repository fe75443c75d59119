package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Nullable serves targets that express with nullable that null is accepted too.
var Nullable = &engine.Rule{
	Name: "nullable",
	Doc: `null among the types or branches becomes nullable

A union loses its branch of null; a single branch that remains takes the place of the union.
The outer description wins, followed by the inner one if that says more. An enum loses null.
A schema of null alone keeps its type. Sources: docs/seeds.md#seed-002-log-002, pattern 5;
docs/seeds.md#seed-004-22.`,
	Before:  `{"description": "first line", "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": null}`,
	After:   `{"description": "first line", "type": "integer", "minimum": 1, "default": null, "nullable": true}`,
	Loss:    rewrite.Widens,
	On:      []string{"anyOf", "oneOf", "enum"},
	OnTypes: engine.Listed,
	Rewrite: func(p *engine.Pass) {
		nullFromEnum(p)
		nullFromTypes(p)
		nullFromUnion(p, "anyOf")
		nullFromUnion(p, "oneOf")
	},
}

// nullFromTypes removes null from a list of types.
func nullFromTypes(p *engine.Pass) {
	value := p.Schema.Get("type")
	if value == nil || value.Kind != schema.Array || !slices.Contains(value.Strings(), "null") {
		return
	}
	rest := slices.DeleteFunc(value.Strings(), func(name string) bool { return name == "null" })
	// These keywords may refuse null, but nullable accepts it all the same.
	mayRefuse := slices.ContainsFunc([]string{"not", "allOf", "if", "$ref", "$dynamicRef", "anyOf", "oneOf"}, p.Schema.Has)
	p.Edit(lossIf(len(rest) > 0 && mayRefuse, rewrite.Widens), func() {
		if len(rest) == 0 {
			p.Schema.Set("type", engine.TypeName("null"))
			return
		}
		setTypes(p.Schema, rest)
		// An enum or a union beside the types may refuse null.
		if acceptsNullBeside(p.Schema) {
			p.Schema.Set("nullable", schema.NewBool(true))
		}
	}, "type", "nullable")
}

// acceptsNullBeside reports whether the siblings of type accept null.
func acceptsNullBeside(node *schema.Node) bool {
	if only := node.Get("const"); only != nil && !isNullValue(only) {
		return false
	}
	if enum := node.Get("enum"); enum != nil && enum.Kind == schema.Array && !slices.ContainsFunc(enum.Elements, isNullValue) {
		return false
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if union := node.Get(keyword); union != nil && union.Kind == schema.Array && !slices.ContainsFunc(union.Elements, acceptsNull) {
			return false
		}
	}
	return true
}

func isNullValue(value *schema.Node) bool { return value.Kind == schema.Null }

// acceptsNull reports whether a schema may accept null.
func acceptsNull(node *schema.Node) bool {
	return node.IsTrue() || node.Kind == schema.Object && node.AllowsNull() && acceptsNullBeside(node)
}

// nullFromEnum removes null from a list of values.
func nullFromEnum(p *engine.Pass) {
	values := p.Schema.Get("enum")
	if values == nil || values.Kind != schema.Array || !slices.ContainsFunc(values.Elements, isNullValue) {
		return
	}
	rest := schema.NewArray(slices.DeleteFunc(slices.Clone(values.Elements), isNullValue)...)
	p.Edit(rewrite.Exact, func() {
		switch {
		case !p.Schema.AllowsNull():
			p.Schema.Set("enum", rest)
		case len(rest.Elements) == 0:
			p.Schema.Delete("enum")
			p.Schema.Delete("nullable")
			p.Schema.Set("type", engine.TypeName("null"))
		default:
			p.Schema.Set("enum", rest)
			p.Schema.Set("nullable", schema.NewBool(true))
		}
	}, "enum", "nullable", "type")
}

// nullFromUnion removes the branches of null from a union.
func nullFromUnion(p *engine.Pass, keyword string) {
	union := p.Schema.Get(keyword)
	if union == nil || union.Kind != schema.Array || !slices.ContainsFunc(union.Elements, isNull) {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(union.Elements), isNull)
	room := p.Schema.AllowsNull()
	if len(rest) == 0 && !room {
		// The schema accepts nothing, which no target can express.
		p.SpillAway(keyword, rewrite.Widens)
		return
	}
	if len(rest) == 0 {
		p.Edit(rewrite.Exact, func() {
			p.Schema.Delete(keyword)
			p.Schema.Delete("nullable")
			p.Schema.Set("type", engine.TypeName("null"))
			describeNulls(p.Schema, union)
		}, keyword, "nullable", "type", "description")
		return
	}
	if len(rest) == 1 && rest[0].Kind == schema.Object && standsAlone(p.Schema, keyword) {
		splice(p, keyword, union, rest[0], room)
		return
	}
	p.Edit(rewrite.Exact, func() {
		p.Schema.Set(keyword, schema.NewArray(rest...))
		if room {
			p.Schema.Set("nullable", schema.NewBool(true))
		}
		describeNulls(p.Schema, union)
	}, keyword, "nullable", "description")
}

// describeNulls keeps the descriptions of the branches of null that are removed from a union.
func describeNulls(node, union *schema.Node) {
	for _, branch := range union.Elements {
		if text := branch.GetString("description"); text != "" && isNull(branch) {
			node.Set("description", schema.NewString(merge.Descriptions(node.GetString("description"), text)))
		}
	}
}

// standsAlone reports whether a union has nothing beside it but annotations and
// nullable.
func standsAlone(node *schema.Node, keyword string) bool {
	return !slices.ContainsFunc(node.Members, func(member schema.Member) bool {
		return member.Key != keyword && member.Key != "nullable" && !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key)
	})
}

// splice replaces a union by the members of its only branch.
func splice(p *engine.Pass, keyword string, union, branch *schema.Node, nullable bool) {
	p.MoveSpills(branch, p.Schema)
	p.Edit(rewrite.Exact, func() {
		i := p.Schema.Index(keyword)
		outer := p.Schema.Members
		members := slices.Clone(outer[:i])
		rest := outer[i+1:]
		for _, member := range branch.Members {
			if !slices.ContainsFunc(outer, func(own schema.Member) bool { return own.Key == member.Key && own.Key != keyword }) {
				members = append(members, member)
			}
		}
		p.Schema.Members = slices.Concat(members, rest)
		if description := merge.Descriptions(p.Schema.GetString("description"), branch.GetString("description")); description != "" {
			p.Schema.Set("description", schema.NewString(description))
		}
		describeNulls(p.Schema, union)
		if nullable {
			p.Schema.Set("nullable", schema.NewBool(true))
		}
	})
}
