package rules

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// WrapRoot serves targets whose root is an object.
var WrapRoot = &rewrite.Rule{
	Name: "wrap_root",
	Doc: `a root of another type becomes the property value of an object

The arguments of a call are an object everywhere. The way back takes the value out
again. Where object is one of several types, the others go. Source:
https://github.com/alibaba/spring-ai-alibaba/issues/4576.`,
	Before: `{"type": "string", "description": "the query"}`,
	After:  `{"type": "object", "properties": {"value": {"type": "string", "description": "the query"}}, "required": ["value"]}`,
	Loss:   rewrite.Both,
	On:     []string{"type"},
	Moves:  true,
	Rewrite: func(p *rewrite.Pass) {
		types := typesOf(p.Schema)
		switch {
		case !p.IsRoot() || len(types) == 0 || isOfType(p.Schema, "object"):
		case slices.Contains(types, "object"):
			p.Set("type", schema.NewString("object"), lossIf(len(types) > 1, rewrite.Narrows))
		default:
			value := *p.Schema
			p.MoveSpills(p.Schema, &value)
			p.Become(p.New(
				schema.Member{Key: "type", Value: schema.NewString("object")},
				schema.Member{Key: "properties", Value: schema.NewObject(schema.Member{Key: "value", Value: &value})},
				schema.Member{Key: "required", Value: schema.NewStrings("value")},
			), rewrite.Both)
			p.Restored()
		}
	},
}
