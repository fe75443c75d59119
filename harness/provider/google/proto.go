package google

import (
	"strings"

	"toolproof/harness/provider"
)

// protoRules are the rules of the proto stage.
var protoRules = []*provider.Rule{protoTooManyFunctions, protoNameWithoutColon, protoName}

// proto is the stage in which Vertex AI, which also serves Code Assist, checks the fields beside the
// schemas. It reports all violations. That Vertex AI itself answers in these words is known from
// https://github.com/googleapis/go-genai/issues/299.
var proto = &provider.Stage{
	Name:   "proto",
	Shared: "one check of the lists of functions behind Vertex AI and Code Assist",
	All:    true,
	Compose: func(findings []provider.Finding) string {
		return "The GenerateContentRequest proto is invalid:\n  * " + strings.ReplaceAll(joinLines(findings), "\n", "\n  * ")
	},
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		location := []byte("tools[0].function_declarations")
		visitor.VisitAll(&provider.Pass{Request: request, Declaration: -1, Location: location})
		for i, node := range request.Declarations {
			visitor.VisitAll(&provider.Pass{
				Request: request, Declaration: i, Node: node, At: []byte("/name"), Location: append(appendIndex(location, request.Index(i)), ".name"...),
				Subject: &declaration{name: node.GetString("name")},
			})
		}
	},
}

const maxFunctions = 512

// protoTooManyFunctions reports more declarations than one request may have.
var protoTooManyFunctions = &provider.Rule{
	Name:   "more_than_512_functions",
	Effect: provider.Rejects,
	Stage:  proto,
	Doc:    `a request has at most 512 function declarations`,
	Source: "https://github.com/google-gemini/gemini-cli/issues/19083 (2026-02-14)",
	Check: func(p *provider.Pass) {
		if p.Declaration < 0 && len(p.Request.Declarations) > maxFunctions {
			p.Reportf("%s: [FIELD_INVALID] At most %d function declarations can be specified.", p.Location, maxFunctions)
		}
	},
}

// protoNameWithoutColon is the form of protoName before colons were allowed.
var protoNameWithoutColon = &provider.Rule{
	Name:   "function_name_without_colon",
	Effect: provider.Rejects,
	Stage:  proto,
	Until:  "2025-11-01",
	Doc:    `a function name without colons, of up to 64 characters, that starts with a letter or _`,
	Source: "https://github.com/google-gemini/gemini-cli/issues/7878 (2025-09-06)",
	Check: func(p *provider.Pass) {
		if d, ok := p.Subject.(*declaration); ok && !isName(d.name, withoutColon, longestName) {
			p.Reportf("%s: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain "+
				"underscores, dots and dashes, with a maximum length of 64.", p.Location)
		}
	},
}

// longestProtoName is the number of characters in the longest name that was accepted.
const longestProtoName = 128

// protoName reports a function name outside the grammar.
var protoName = &provider.Rule{
	Name:   "function_name",
	Effect: provider.Rejects,
	Stage:  proto,
	Since:  "2025-11-01",
	Doc: `a function name that does not start with a letter or _, or has more than letters, digits, _ . : -, fails the request

The answer names 64 characters. Antigravity accepted 128 on 2026-09-05, and the
discovery document of Vertex AI, revision 20261028, says 128.`,
	Source: "https://github.com/kaitranntt/ccs/issues/25 (2025-11-30); the length: " + omnigateway,
	Check: func(p *provider.Pass) {
		if d, ok := p.Subject.(*declaration); ok && !isName(d.name, withColon, longestProtoName) {
			p.Reportf("%s: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain "+
				"underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.", p.Location)
		}
	},
}
