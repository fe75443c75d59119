package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RootDescription serves targets whose parameters have no description that is read.
var RootDescription = &engine.Rule{
	Name: "root_description",
	Doc: `the description of the parameters becomes a paragraph of the tool's own

The target drops it, or a client does, and a model reads the tool's. A text that the
tool's description holds already is not repeated. What is too long together stays where it
is. Sources: github.com/ollama/ollama v0.17.4, api/types.go; docs/clients.json.`,
	Before: `{"name": "f", "description": "Finds.", "parameters": {"type": "object", "description": "Give either a or b."}}`,
	After:  `{"name": "f", "description": "Finds.\n\nGive either a or b.", "parameters": {"type": "object"}}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		own, root := p.Schema.Get("description"), p.Root()
		text := root.Get("description")
		isText := text != nil && text.Kind == schema.String && (own == nil || own.Kind == schema.String)
		if !isText || p.Target.Takes("description", true) && !p.Target.RootUnread {
			return
		}
		joined := merge.Descriptions(p.Schema.GetString("description"), text.Text)
		if !fitsTool(p, joined) {
			return
		}
		p.Set("description", schema.NewString(joined), rewrite.Exact)
		p.Below(root, "parameters").Remove("description", rewrite.Exact)
	},
}
