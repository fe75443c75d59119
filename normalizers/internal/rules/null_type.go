package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// NullType serves Vertex AI. Whether it has the type NULL is unknown.
var NullType = &engine.Rule{
	Name: "null_type",
	Doc: `a schema of null alone becomes a string that may be null

The REST discovery of Vertex AI v1, revision 20261028, has the type NULL. Its published
protos do not have it (v1.127.1 of the Go module, 2026-10-19). No public answer is about
it. The description names the removed type. Sources: docs/providers.md#google-fields;
Type in cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb.`,
	Before: `{"type": "null", "description": "never set"}`,
	After:  `{"type": "string", "description": "never set\n\n{type: \"null\"}", "nullable": true}`,
	Loss:   rewrite.Widens,
	On:     []string{"type"},
	Rewrite: func(p *engine.Pass) {
		if !isOfType(p.Schema, "null") {
			return
		}
		p.Spill("type", p.Schema.Get("type"))
		p.Edit(rewrite.Widens, func() {
			p.Schema.Set("type", typeNamedAs("string"))
			p.Schema.Set("nullable", schema.NewBool(true))
		}, "type", "nullable")
	},
}
