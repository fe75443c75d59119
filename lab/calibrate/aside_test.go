package calibrate

import (
	"encoding/json"
	"testing"
)

func TestClassOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status         int
		message, class string
	}{
		{401, "Incorrect API key provided: test.", Auth},
		{403, "", Auth},
		{400, "API key not valid. Please pass a valid API key.", Auth},
		{404, "models/gemini-1.5-flash is not found for API version v1beta", NoSuchModel},
		{400, "The requested model 'o1-mini' is not supported with the Responses API.", NoSuchModel},
		{429, "Rate limit exceeded", Quota},
		{402, "Insufficient Balance", Billing},
		{400, "Your credit balance is too low to access the Anthropic API.", Billing},
		{400, "JSON mode is not enabled for models/gemini-2.5-flash-image", Features},
		{400, "Function calling with a response mime type: 'application/json' is unsupported", Features},
		{400, "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", Features},
		{400, "messages.2.content.1.image.source: Input tag 'file' found using 'type' does not match", Media},
		{400, "An assistant message with 'tool_calls' must be followed by tool messages", Conversation},
		{400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", Features},
		{400, "Tool use with function calling is unsupported", Features},
		{400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", Features},
		{400, "tools.0: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags", Features},
		{400, "No tool output found for function call call_1.", Conversation},
		{500, "", Server},
		{422, "invalid input error", OtherFailure},
		{400, "Invalid schema for function 'model': In context=(), 'additionalProperties' is required to be supplied and to be false.", ""},
		{400, "tools.0.custom.input_schema.type: Field required", ""},
		{400, "Invalid JSON payload received. Unknown name \"tool_choice\" at 'tools[0].function_declarations[0].parameters': Cannot find field.", ""},
		{400, "Too many strict tools (21). The maximum number of strict tools supported is 20.", ""},
		{400, "* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.", ""},
	} {
		if got := ClassOf(test.status, test.message); got != test.class {
			t.Errorf("ClassOf(%d, %q) = %q, want %q", test.status, test.message, got, test.class)
		}
	}
}

func TestMessageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"no"`: "no", `{"message":"no"}`: "no", `{"error":{"message":"no"}}`: "no", `{"type":"error","error":{"type":"x","message":"no"}}`: "no", `null`: "", ``: "", `[]`: "",
	} {
		if got := (&Row{ResponseError: json.RawMessage(text)}).messageOf(); got != want {
			t.Errorf("the message of %s is %q, want %q", text, got, want)
		}
	}
}

func TestFalls(t *testing.T) {
	t.Parallel()
	before := Summary{Dialects: []Agreement{
		{Dialect: "a/b", Accepted: Agreed{10, 9}, Refused: Agreed{4, 4}, Messages: Exact{2, 2}, Disagreements: []Disagreement{{ID: "old"}}},
		{Dialect: "a/c", Accepted: Agreed{1, 1}},
	}}
	if falls := before.Falls(before); falls != nil {
		t.Errorf("the same is worse: %q", falls)
	}
	more := Summary{Dialects: []Agreement{
		{Dialect: "a/b", Accepted: Agreed{20, 19}, Refused: Agreed{4, 4}, Messages: Exact{3, 3}, Disagreements: []Disagreement{{ID: "new"}}},
		{Dialect: "a/c", Accepted: Agreed{1, 1}},
	}}
	if falls := more.Falls(before); falls != nil {
		t.Errorf("more of the same is worse: %q", falls)
	}
	fewer := Summary{Dialects: []Agreement{{Dialect: "a/b", Accepted: Agreed{10, 9}, Refused: Agreed{4, 3}, Messages: Exact{3, 2}, Disagreements: []Disagreement{{ID: "old"}, {ID: "new"}}}}}
	want := []string{
		"a/b: refused 3 of 4, was 4 of 4", "a/b: messages 2 of 3, was 2 of 2", "a/b: new disagreement: new", "a/c: was asked before and is not any longer",
	}
	falls := fewer.Falls(before)
	if len(falls) != len(want) {
		t.Fatalf("falls are %q, want %q", falls, want)
	}
	for i := range want {
		if falls[i] != want[i] {
			t.Errorf("fall %d is %q, want %q", i, falls[i], want[i])
		}
	}
}
