package rules

import (
	"strings"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// draft2020 is the dialect whose forms the rules write.
const draft2020 = "https://json-schema.org/draft/2020-12/schema"

// SchemaDialect serves targets that take $schema.
var SchemaDialect = &rewrite.Rule{
	Name: "schema_dialect",
	Doc: `a $schema of an older draft becomes that of 2020-12 where the schema has its forms

A reader of draft 7 would pass over prefixItems, and so over what upgrade_draft has made
of a list of items. Where the author wrote prefixItems, it begins to count. Source: https://json-schema.org/draft/2020-12/release-notes.`,
	Before: `{"$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "prefixItems": [{"type": "string"}]}`,
	After:  `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array", "prefixItems": [{"type": "string"}]}`,
	Loss:   rewrite.Narrows,
	On:     []string{"$schema"},
	Rewrite: func(p *rewrite.Pass) {
		if dialect := p.Schema.GetString("$schema"); strings.Contains(dialect, "json-schema.org") && dialect != draft2020 && p.HasAnywhere("prefixItems") {
			p.Set("$schema", schema.NewString(draft2020), lossIf(isAuthors(p.Schema, "prefixItems"), rewrite.Narrows))
		}
	},
}

// isAuthors reports whether a schema, or one below it, was given with a keyword that it
// still has.
func isAuthors(root *schema.Node, keyword string) bool {
	found := false
	root.Each(func(node *schema.Node) bool {
		found = found || node.Has(keyword) && node.From.Has(keyword)
		return !found
	})
	return found
}
