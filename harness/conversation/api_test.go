package conversation

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestAPIOf checks which API a request is taken to go to, by its path or else by its form.
func TestAPIOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, body string
		want       provider.API
	}{
		{"/v1/messages", `{"messages":[]}`, provider.Messages},
		{"/api/v1/chat/completions/", `{"messages":[]}`, provider.ChatCompletions},
		{"/v1beta/models/m:streamGenerateContent", `{}`, provider.GenerateContent},
		{"/v1internal:generateContent", `{}`, provider.CodeAssist},
		{"/v1/embeddings", `{"model":"m","input":"hi"}`, ""},
		{"/v1/messages/count_tokens", `{"messages":[]}`, ""},
		{"", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, provider.ChatCompletions},
		{"", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":"{}"}}]}],"stop_sequences":[]}`, provider.ChatCompletions},
		{"", `{"model":"claude-x","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, provider.Messages},
		{"", `{"model":"claude-x","max_tokens":9,"messages":[{"role":"tool","tool_call_id":"c","content":"hi"}]}`, provider.ChatCompletions},
		{"", `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]}`, provider.Messages},
		{"", `{"messages":[],"tools":[{"name":"f","input_schema":{}}]}`, provider.Messages},
		{"", `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`, provider.Converse},
		{"", `{"messages":[],"options":{"num_ctx":1}}`, provider.OllamaChat},
		{"", `{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]}]}`, provider.OllamaChat},
		{"", `{"model":"m","input":"hi"}`, provider.Responses},
		{"", `{"contents":[]}`, provider.GenerateContent},
		{"", `{"model":"m","request":{"contents":[]}}`, provider.CodeAssist},
		{"", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m"}}`, provider.ElicitationCreate},
		{"", `{"message":"m","requestedSchema":{}}`, provider.ElicitationCreate},
		{"", `{"method":"sampling/createMessage","params":{"messages":[]}}`, provider.SamplingCreateMessage},
		{"", `{"method":"tools/call","params":{"name":"f"}}`, ""},
		{"", `{"method":"elicitation/create"}`, ""},
		{"", `{"$schema":"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json","name":"a"}`, provider.Publish},
		{"", `{"name":"io.x/y","description":"d","packages":[{"registry_type":"npm"}]}`, provider.Publish},
		{"", `{"name":"a","description":"d","packages":["packages/*"]}`, ""},
		{"/v0/publish", `{}`, provider.Publish},
		{"", `{"name":"f"}`, ""},
		{"", `3`, ""},
	} {
		body, err := schema.Parse([]byte(test.body))
		if err != nil {
			t.Fatal(err)
		}
		if got := APIOf(test.path, body); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.path, test.body, got, test.want)
		}
	}
}
