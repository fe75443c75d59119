package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ConstToEnum serves targets that take enum and not const.
var ConstToEnum = &engine.Rule{
	Name: "const_to_enum",
	Doc: `const becomes an enum of one value

Both accept the same instances. If a schema has both keywords, the enum keeps the values
that they share. Sources: docs/seeds.md#seed-001; docs/seeds.md#seed-002-log-002, pattern
11; docs/seeds.md#seed-004-12 and docs/seeds.md#seed-004-23.`,
	Before: `{"const": "celsius"}`,
	After:  `{"enum": ["celsius"]}`,
	Loss:   rewrite.Exact,
	On:     []string{"const"},
	Rewrite: func(p *engine.Pass) {
		if !p.Refuses("const") {
			return
		}
		value := p.Schema.Get("const")
		values := schema.NewArray(value)
		if listed := p.Schema.Get("enum"); listed != nil && !slices.ContainsFunc(listed.Elements, func(other *schema.Node) bool { return schema.Equal(value, other) }) {
			values.Elements = nil
		}
		p.Replace("const", "enum", values, rewrite.Exact)
	},
}
