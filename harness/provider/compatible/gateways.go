package compatible

import (
	"slices"

	"toolproof/internal/lazy"
)

// Surfaces that pass a request on to whoever serves the model, and a refusal back in its
// words. Only acceptances are known.
var (
	togetherChat = chat("together/chat", "functions of Together's chat completions", "/v1/chat/completions", []string{"*together*"},
		envelope{wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`^Failed to transform json schema into a grammar`)},
		spoken(`Failed to transform json schema into a grammar[^\n]*`))

	// openRouterChat puts what the provider behind it says into error.metadata.raw.
	openRouterChat = chat("openrouter/chat", "functions of OpenRouter's chat completions", "/api/v1/chat/completions", []string{"openrouter.*"},
		envelope{wrapped: true, gateway: true, about: lazy.Compile(`(?i)(?:json|function|invalid) schema|tool parameter root|function_declarations|input_schema|\.parameters`)},
		slices.Concat(locateGroqTool, locateMoonshot, locateXAI, locateDeepSeek, locateCerebras))
)
