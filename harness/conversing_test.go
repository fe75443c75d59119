package harness_test

import (
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/provider"
)

// TestConversing checks whose rules judge a request: those of the host, else of the one service that has the
// model, else of the services that made the API.
func TestConversing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		api               provider.API
		host, model, want string
	}{
		{provider.ChatCompletions, "", "", "openai"},
		{provider.ChatCompletions, "", "gpt-4o", "openai"},
		{provider.ChatCompletions, "", "a-deployment", "openai"},
		{provider.ChatCompletions, "", "deepseek-ai/DeepSeek-V3.2", "openai"}, // which several services host
		{provider.ChatCompletions, "", "deepseek-r1-distill-llama-70b", "openai"},
		{provider.ChatCompletions, "", "deepseek-v4-flash", "deepseek"},
		{provider.ChatCompletions, "", "kimi-k2.6", "moonshot"},
		{provider.ChatCompletions, "", "mistral-large-latest", "mistral"},
		{provider.ChatCompletions, "", "mistral-small:24b", "openai"}, // a name of Ollama's
		{provider.ChatCompletions, "", "grok-4", "xai"},
		{provider.ChatCompletions, "", "qwen3.8-max", "dashscope"},
		{provider.ChatCompletions, "", "gemini-3-pro-preview", "gemini-openai"},
		{provider.ChatCompletions, "127.0.0.1", "deepseek-chat", "deepseek"},
		{provider.ChatCompletions, "api.groq.com", "deepseek-chat", "groq"},
		{provider.GenerateContent, "", "gemini-3-pro-preview", "gemini vertex"},
		{provider.Messages, "", "kimi-k2.6", "anthropic"}, // of Moonshot's messages nothing is known
	} {
		var services []string
		for _, target := range harness.Conversing(test.api, test.host, test.model) {
			services = append(services, target.Dialect.Service())
		}
		if got := strings.Join(services, " "); got != test.want {
			t.Errorf("%s of %s at %q: %s, want %s", test.model, test.api, test.host, got, test.want)
		}
	}
}
