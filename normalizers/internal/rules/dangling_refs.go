package rules

import (
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// DanglingRefs serves targets that follow references.
var DanglingRefs = &engine.Rule{
	Name: "dangling_refs",
	Doc: `a reference that leads nowhere is removed

The members beside the reference hold alone; without any, every value is accepted. A
reference to another document is removed too, because such a document is never fetched.
Sources: rule reference_undefined of gemini/parametersJsonSchema;
https://github.com/google-gemini/gemini-cli/issues/13326.`,
	Before: `{"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"$ref": "https://example.com/b.json", "description": "B"}}}`,
	After:  `{"type": "object", "properties": {"a": {}, "b": {"description": "B"}}}`,
	Loss:   rewrite.Widens,
	On:     []string{"$ref"},
	Rewrite: func(p *engine.Pass) {
		reference := p.Schema.Get("$ref")
		if takes := engine.LimitsOf[References](p.Target); takes != nil && !strings.HasPrefix(reference.Text, "#/") && takes(p.Step, p.Root(), reference.Text) {
			return // the engine ignores the reference
		}
		if reference.Kind == schema.String && p.Resolve(p.Schema) == nil {
			p.Remove("$ref", rewrite.Widens)
		}
	},
}
