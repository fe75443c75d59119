package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// WrapRoot serves targets that take only an object at the root.
var WrapRoot = &engine.Rule{
	Name: "wrap_root",
	Doc: `a root of another type becomes the property value of an object

The arguments of a call are an object everywhere, from which Restore takes the value. A root
that refers to itself becomes a definition, unless the target takes no reference in a
property. If object is one of several types, the others are removed. Source:
https://github.com/alibaba/spring-ai-alibaba/issues/4576.`,
	Before: `{"type": "string", "description": "the query"}`,
	After:  `{"type": "object", "properties": {"value": {"type": "string", "description": "the query"}}, "required": ["value"]}`,
	Loss:   rewrite.Both,
	On:     []string{"type"},
	Moves:  true,
	Root:   true,
	Rewrite: func(p *engine.Pass) {
		types := p.Schema.Types()
		switch {
		case len(types) == 0 || isOfType(p.Schema, "object"):
		case slices.Contains(types, "object"):
			p.Set("type", schema.NewString("object"), lossIf(len(types) > 1, rewrite.Narrows))
		default:
			wrapRoot(p)
		}
	},
}

// wrapRoot makes the root a property. Names and definitions stay at the root. A root that refers to
// itself becomes a definition if the target takes a reference in a property, because few targets
// follow a reference to a property.
func wrapRoot(p *engine.Pass) {
	names := []string{"$schema", "$id", "$defs", "definitions"}
	isName := func(member schema.Member) bool { return slices.Contains(names, member.Key) }
	content := *p.Schema
	content.Members = slices.DeleteFunc(slices.Clone(p.Schema.Members), isName)
	value := &content
	if p.Target.Takes("$ref", false) && isReferredTo(p, p.Schema) {
		pointer := define(p, "value", &content)
		value = p.New(schema.Member{Key: "$ref", Value: schema.NewString(pointer.Fragment())})
	}
	root := []schema.Member{
		{Key: "type", Value: schema.NewString("object")},
		{Key: "properties", Value: schema.NewObject(schema.Member{Key: "value", Value: value})},
		{Key: "required", Value: schema.NewStrings("value")},
	}
	for member := range p.Members() {
		if isName(member) {
			root = append(root, member)
		}
	}
	p.MoveContent(&content)
	p.Become(p.New(root...), rewrite.Both)
	p.Restored()
}
