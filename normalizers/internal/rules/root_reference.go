package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
)

// RootReference serves targets whose root needs a type and takes none beside a reference.
var RootReference = &engine.Rule{
	Name: "root_reference",
	Doc: `a reference at the root becomes what it refers to

The members beside it hold too. Other references to the definition stay. A reference that
only leads back to itself is removed. Source: rules reference_beside_type and
parameters_type of moonshot/chat.`,
	Before: `{"$ref": "#/$defs/A", "required": ["a"], "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}}`,
	After: `{"type": "object", "required": ["a"], "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}, ` +
		`"properties": {"a": {"$ref": "#/$defs/A"}}}`,
	Loss: rewrite.Both,
	On:   []string{"$ref"},
	Root: true,
	Rewrite: func(p *engine.Pass) {
		if !p.IsArguments() || !p.Target.Disjoint {
			return
		}
		for range maxChain {
			target := p.Resolve(p.Schema)
			if target == nil || target == p.Schema {
				break
			}
			intersect(p, func(in *merge.Intersection) {
				p.Schema.Delete("$ref")
				content := asObject(p, target)
				content.Delete("$defs")
				reference := content.Delete("$ref")
				in.Into(p.Schema, content)
				if reference != nil {
					p.Schema.Set("$ref", reference)
				}
			})
		}
		if p.Schema.Has("$ref") {
			p.Remove("$ref", rewrite.Widens) // a circle, or a longer chain than anyone writes
		}
	},
}
