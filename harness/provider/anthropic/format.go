package anthropic

import (
	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/claude"
)

// outputFormatShape is the stage that reads an output format as a member of the request. It
// visits the format.
var outputFormatShape = &provider.Stage{
	Name:           "output format",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		declared := request.Declarations[declaration]
		visitor.Visit(&provider.Pass{
			Request: request, Declaration: declaration, Node: claude.FormatOf(declared), Location: []byte(claude.LocationOf(visitor.Dialect, declared, 0, visitor.Day)),
		})
	},
}

// formatSchemaRequired reports an output format without a schema.
var formatSchemaRequired = &provider.Rule{
	Name:   "format_schema_required",
	Effect: provider.Rejects,
	Stage:  outputFormatShape,
	Doc: `an output format has a schema

A schema inside json_schema, as OpenAI has it, does not count.`,
	Evidence: []string{
		"anthropic/output_format/8f6a834aaeb6",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("schema") {
			report(p, "", nil, "/parameters", "Field required")
		}
	},
}
