package compatible

import "toolproof/internal/lazy"

// Surfaces that pass a request on to what serves the model, and refuse in its words. Only
// acceptances are known of them.
var (
	TogetherChat = chat("together/chat", "functions of Together's chat completions", "/v1/chat/completions", []string{"*together*"},
		envelope{wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`^Failed to transform json schema into a grammar`)},
		spoken(`Failed to transform json schema into a grammar[^\n]*`))

	// OpenRouterChat has what the provider behind it says in error.metadata.raw.
	OpenRouterChat = chat("openrouter/chat", "functions of OpenRouter's chat completions", "/api/v1/chat/completions", []string{"openrouter.*"},
		envelope{wrapped: true, gateway: true, about: lazy.Compile(`(?i)invalid (?:json )?schema|json schema|function_declarations|input_schema|\.parameters|invalid_function_parameters`)},
		spoken(`tools\[(?P<index>\d+)\]\.function\.parameters[^\n]*`))
)
