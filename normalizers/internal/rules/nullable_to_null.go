package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// NullableToNull serves targets that read JSON Schema, in which nullable has no meaning.
var NullableToNull = &engine.Rule{
	Name: "nullable_to_null",
	Doc: `nullable becomes null among the types or the branches

In OpenAPI 3.0 and in Google's Schema, nullable means that null is accepted too. A reference
or a combination of schemas may refuse null: it becomes a branch beside a branch of null.
Source: OpenAPI 3.0.3, Schema Object.`,
	Before: `{"type": "string", "enum": ["a"], "nullable": true}`,
	After:  `{"type": ["string", "null"], "enum": ["a", null]}`,
	Loss:   rewrite.Exact,
	On:     []string{"nullable"},
	Rewrite: func(p *engine.Pass) {
		if p.Schema.Get("nullable").IsTrue() && slices.ContainsFunc(mayRefuseNull, p.Schema.Has) {
			besideNull(p)
			return
		}
		if !p.Schema.Get("nullable").IsTrue() || without(p.Schema, "nullable").AllowsNull() && !p.Schema.Has("anyOf") && !p.Schema.Has("enum") {
			p.Remove("nullable", rewrite.Exact)
			return
		}
		p.Edit(rewrite.Exact, func() {
			p.Schema.Delete("nullable")
			if types := p.Schema.Types(); len(types) > 0 && !slices.Contains(types, "null") {
				setTypes(p.Schema, append(types, "null"))
			}
			if values := p.Schema.Get("enum"); values != nil && !slices.ContainsFunc(values.Elements, isNullValue) {
				p.Schema.Set("enum", schema.NewArray(append(slices.Clone(values.Elements), &schema.Node{})...))
			}
			if union := p.Schema.Get("anyOf"); union != nil && !slices.ContainsFunc(union.Elements, acceptsNull) {
				union.Elements = append(union.Elements, p.New(schema.Member{Key: "type", Value: engine.TypeName("null")}))
			}
		})
	},
}

// mayRefuseNull are keywords that may refuse null even if the type allows it.
var mayRefuseNull = []string{"$ref", "$dynamicRef", "const", "oneOf", "allOf", "not", "if"}

// besideNull makes a schema a branch beside null. Names and definitions stay where they are.
func besideNull(p *engine.Pass) {
	content, outside := p.New(), []schema.Member(nil)
	for _, member := range p.Schema.Members {
		switch {
		case member.Key == "nullable":
		case schema.IsMeta(member.Key) || member.Key == "description":
			outside = append(outside, member)
		default:
			content.Members = append(content.Members, member)
		}
	}
	null := p.New(schema.Member{Key: "type", Value: engine.TypeName("null")})
	p.MoveSpills(p.Schema, content)
	p.Become(p.New(append(outside, schema.Member{Key: "anyOf", Value: schema.NewArray(content, null)})...), rewrite.Exact)
}

// without returns a schema without one member.
func without(node *schema.Node, keyword string) *schema.Node {
	clone := *node
	clone.Members = slices.DeleteFunc(slices.Clone(node.Members), func(member schema.Member) bool { return member.Key == keyword })
	return &clone
}
