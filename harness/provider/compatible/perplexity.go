package compatible

import (
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// perplexityResponseFormat is the response_format of Perplexity, which has no functions.
var perplexityResponseFormat = func() *provider.Dialect {
	row := format("perplexity/response_format", "response_format of Perplexity, type json_schema", "/chat/completions", []string{"*perplexity*"},
		envelope{wrapped: true, kind: "invalid_parameter", about: lazy.Compile(`^Invalid JSON schema`)},
		spoken(`Invalid JSON schema\. #(?P<pointer>/\S*)`), rootReference)
	row.Relative, row.AsGiven = "", "its one rule is known of a root with an $id, and a rewrite for a relative would lose more than it cures"
	row.Declare = func(tool schema.Tool) *schema.Node {
		if tool.Parameters == nil {
			return schema.NewObject()
		}
		return provider.Object("schema", tool.Parameters)
	}
	return row
}()

// rootReference reports a root with an $id and a reference into itself.
var rootReference = &provider.Rule{
	Name:   "root_reference",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `a root with an $id is no reference to a definition

Six models refused one on 2025-07-24, and accepted the same schema without $id and reference.
Which of the two they refused is not known. The model accepts a reference at a root without an
$id, and any other reference.`,
	Evidence: []string{
		"perplexity/response_format/c40319b9e270",
		// Near misses.
		"perplexity/response_format/8c492652a1fd",
	},
	Check: func(p *provider.Pass) {
		if reference := p.Node.GetString("$ref"); strings.HasPrefix(reference, "#/") && p.Node.Has("$id") {
			p.Reportf("Invalid JSON schema. %s", reference)
		}
	},
}
