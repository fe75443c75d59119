package compatible

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

var (
	togetherErrors = envelope{wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`^Failed to transform json schema into a grammar`)}
	locateTogether = spoken(`Failed to transform json schema into a grammar[^\n]*`)
)

// The gateways, which pass a request on to whoever serves the model and pass a refusal back in
// the provider's words. Of the gateways themselves only acceptances are known.
var (
	togetherChat = gateway(chat("together/chat", "functions of Together's chat completions", "/v1/chat/completions", []string{"*together*"},
		togetherErrors, locateTogether))

	// togetherResponseFormat refuses nothing that is known: a plain schema was accepted on 2026-08-25
	// (https://github.com/BerriAI/litellm/pull/38269).
	togetherResponseFormat = format("together/response_format", "response_format of Together, type json_schema with strict true", "/v1/chat/completions",
		[]string{"*together*"}, togetherErrors, locateTogether)

	openRouterChat = gateway(chat("openrouter/chat", "functions of OpenRouter's chat completions", "/api/v1/chat/completions", []string{"openrouter.*"},
		envelope{wrapped: true, gateway: true, about: lazy.Compile(`(?i)(?:json|function|invalid) schema|tool parameter root|function_declarations|input_schema|\.parameters`)},
		slices.Concat(locateGroqTool, locateMoonshot, locateXAI, locateDeepSeek, locateCerebras)))
)

// gateway returns the row of a gateway. The target portable does not ask it, because it has no
// rule of its own and portable asks the providers behind it.
func gateway(row *provider.Dialect) *provider.Dialect {
	row.Portable = false
	return row
}
