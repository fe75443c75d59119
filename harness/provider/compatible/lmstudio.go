package compatible

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// lmStudioChat is the functions of LM Studio's server, which users run themselves. Of its releases
// nothing is known.
var lmStudioChat = func() *provider.Dialect {
	row := chat("lmstudio/chat", "functions of LM Studio's chat completions", "/v1/chat/completions", []string{"localhost:1234", "127.0.0.1:1234"},
		envelope{text: true, about: lazy.Compile(`"invalid_union_discriminator"`)},
		spoken(`"path":\s*\[\s*(?P<index>\d+),\s*"function",\s*"parameters",\s*"(?P<keyword>type)"\s*\],\s*"message":\s*"Invalid discriminator value[^\n]*`,
			`Invalid discriminator value\. Expected 'object'[^\n]*`), parametersTyped)
	row.Relative = "anthropic" // which gives the root a type
	return row
}()

// requestShape is the stage that reads the tools. Its words are those of a JavaScript library, which
// lists all faults.
var requestShape = &provider.Stage{
	Name: "request shape",
	All:  true,
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		for i, declaration := range request.Declarations {
			if root := visitor.Dialect.SchemaOf(declaration); root != nil {
				visitor.VisitAll(&provider.Pass{Request: request, Declaration: i, Node: root, At: []byte("/parameters")})
			}
		}
	},
	Compose: func(findings []provider.Finding) string {
		faults := make([]string, len(findings))
		for i, finding := range findings {
			faults[i] = finding.Message
		}
		return "[\n" + strings.Join(faults, ",\n") + "\n]"
	},
}

// parametersTyped reports a root whose type is not object.
var parametersTyped = &provider.Rule{
	Name:   "parameters_type",
	Effect: provider.Rejects,
	Stage:  requestShape,
	Since:  "2025-08-01",
	Doc: `the root has type object

Reports of 2025-08 to 2026-09 show it, of which one has the declaration, with an empty schema. How
a function without parameters, and a root without properties, are judged is not known.`,
	Evidence: []string{
		"lmstudio/chat/578f7e6b39d8",
		// Near misses.
		"lmstudio/chat/0fc93504c591",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object && !p.Node.Get("type").Is("object") {
			p.Report(provider.Finding{Message: `  {
    "code": "invalid_union_discriminator",
    "options": [
      "object"
    ],
    "path": [
      ` + strconv.Itoa(p.Request.Index(p.Declaration)) + `,
      "function",
      "parameters",
      "type"
    ],
    "message": "Invalid discriminator value. Expected 'object'"
  }`})
		}
	},
}
