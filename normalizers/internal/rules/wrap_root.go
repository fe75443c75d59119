package rules

import (
	"slices"
	"strings"

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
	Root:   true,
	Rewrite: func(p *rewrite.Pass) {
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

// wrapRoot makes the root a property; what names things for the whole stays.
func wrapRoot(p *rewrite.Pass) {
	value := *p.Schema
	value.Members = nil
	root := []schema.Member{
		{Key: "type", Value: schema.NewString("object")},
		{Key: "properties", Value: schema.NewObject(schema.Member{Key: "value", Value: &value})},
		{Key: "required", Value: schema.NewStrings("value")},
	}
	for _, member := range p.Schema.Members {
		if slices.Contains([]string{"$schema", "$id", "$defs", "definitions"}, member.Key) {
			root = append(root, member)
		} else {
			value.Members = append(value.Members, member)
		}
	}
	// The references within follow by themselves; the root's own is now another schema's.
	for i := range value.Members {
		if member := &value.Members[i]; slices.Contains(rewrite.ReferenceKeywords, member.Key) && member.Value.Kind == schema.String {
			member.Value = schema.NewString(wrapped(member.Value.Text))
		}
	}
	p.MoveSpills(p.Schema, &value)
	p.Become(p.New(root...), rewrite.Both)
	p.Restored()
}

// wrapped returns a reference to a place of the root as it is when the root is the
// property value: what names things for the whole has stayed.
func wrapped(reference string) string {
	pointer, isLocal := strings.CutPrefix(reference, "#")
	if !isLocal || pointer != "" && pointer[0] != '/' || strings.HasPrefix(pointer, "/$defs") || strings.HasPrefix(pointer, "/definitions") {
		return reference
	}
	return "#/properties/value" + pointer
}
