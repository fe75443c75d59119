package refusal_test

import (
	"testing"

	"toolproof/harness/refusal"
)

func TestAsideOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status  int
		message string
		class   refusal.Aside
	}{
		{401, "Incorrect API key provided: test.", refusal.Auth},
		{403, "", refusal.Auth},
		{400, "API key not valid. Please pass a valid API key.", refusal.Auth},
		{404, "models/gemini-1.5-flash is not found for API version v1beta", refusal.NoSuchModel},
		{400, "The requested model 'o1-mini' is not supported with the Responses API.", refusal.NoSuchModel},
		{429, "Rate limit exceeded", refusal.Quota},
		{402, "Insufficient Balance", refusal.Billing},
		{400, "Your credit balance is too low to access the Anthropic API.", refusal.Billing},
		{400, "JSON mode is not enabled for models/gemini-2.5-flash-image", refusal.Features},
		{400, "Function calling with a response mime type: 'application/json' is unsupported", refusal.Features},
		{400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", refusal.Features},
		{400, "messages.2.content.1.image.source: Input tag 'file' found using 'type' does not match", refusal.Media},
		{400, "An assistant message with 'tool_calls' must be followed by tool messages", refusal.Conversation},
		{400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", refusal.Features},
		{400, "Tool use with function calling is unsupported", refusal.Features},
		{400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", refusal.Features},
		{400, "tools.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags", refusal.Features},
		{400, "No tool output found for function call call_1.", refusal.Conversation},
		{400, "invalid x-api-key", refusal.Auth},
		{400, "You exceeded your current quota, please check your plan.", refusal.Quota},
		{400, "rate_limit_exceeded", refusal.Quota},
		{400, "context_length_exceeded", refusal.Conversation},
		{400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", refusal.Conversation},
		{400, "Overloaded", refusal.Server},
		{500, "", refusal.Server},
		{422, "invalid input error", refusal.OtherFailure},
		{400, "Invalid schema for function 'model': In context=(), 'additionalProperties' is required to be supplied and to be false.", ""},
		{400, "tools.0.custom.input_schema.type: Field required", ""},
		{400, "Invalid JSON payload received. Unknown name \"tool_choice\" at 'tools[0].function_declarations[0].parameters': Cannot find field.", ""},
		{400, "Too many strict tools (21). The maximum number of strict tools supported is 20.", ""},
		{400, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.", ""},
	} {
		if got := refusal.AsideOf(test.status, test.message); got != test.class {
			t.Errorf("refusal.AsideOf(%d, %q) = %q, want %q", test.status, test.message, got, test.class)
		}
	}
}
