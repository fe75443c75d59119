package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// RootDescription serves targets where no model reads the description of the parameters.
var RootDescription = &engine.Rule{
	Name: "root_description",
	Doc: `the description of the parameters becomes a paragraph of the tool's own

The target or a client drops the description of the parameters, and a model reads that of
the tool. A text that the tool's description contains already is not repeated. If both
together are too long, the text stays where it is. Sources: github.com/ollama/ollama
v0.17.4, api/types.go; docs/clients.json.`,
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
