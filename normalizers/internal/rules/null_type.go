package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// NullType serves Vertex AI, of which it is unknown whether it takes the type NULL.
var NullType = &engine.Rule{
	Name: "null_type",
	Doc: `a schema of null alone becomes a string that may be null

The REST discovery document of Vertex AI v1, revision 20261028, has the type NULL, and the
published protos do not (v1.127.1 of the Go module, 2026-10-19). No public answer shows
whether the service takes it. The description names the removed type. Sources:
docs/providers.md#google-fields; Type in
cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb.`,
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
			p.Schema.Set("type", engine.TypeName("string"))
			p.Schema.Set("nullable", schema.NewBool(true))
		}, "type", "nullable")
	},
}
