package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/schema"
)

// TestReturned sends back what a model thought, with the result of its call: the emulator takes it as it gave it, and
// refuses it in the provider's words when a client drops or changes it.
func TestReturned(t *testing.T) {
	t.Parallel()
	const (
		question  = `{"role":"user","content":"hi"}`
		chatTools = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
		ownTools  = `"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]`
	)
	chat := func(model, messages string) string {
		return `{"model":"` + model + `","messages":[` + messages + `],` + chatTools + `}`
	}
	chatResult := func(said *schema.Node) string {
		return question + `,` + said.String() + `,{"role":"tool","tool_call_id":"` + said.Get("tool_calls").Elements[0].GetString("id") + `","content":"42"}`
	}
	responsesResult := func(said *schema.Node) string {
		items := []string{question}
		for _, item := range said.Elements {
			if items = append(items, item.String()); item.Get("type").Is("function_call") {
				items = append(items, `{"type":"function_call_output","call_id":"`+item.GetString("call_id")+`","output":"42"}`)
			}
		}
		return strings.Join(items, ",")
	}
	for name, test := range map[string]struct {
		engine, path string
		said         schema.Pointer // what the assistant said, in the answer
		body         func(messages string) string
		result       func(said *schema.Node) string
		thought      string // member that has what is sent back
		words        string
	}{
		"DeepSeek": {
			"deepseek", "/v1/chat/completions", "/choices/0/message",
			func(messages string) string { return chat("deepseek-v4-pro", messages) }, chatResult, "reasoning_content",
			"The `reasoning_content` in the thinking mode must be passed back to the API.",
		},
		"Kimi": {
			"moonshot", "/v1/chat/completions", "/choices/0/message",
			func(messages string) string { return chat("kimi-k2.6", messages) }, chatResult, "reasoning_content",
			"thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
		},
		"Gemini, compatible": {
			"", "/v1beta/openai/chat/completions", "/choices/0/message",
			func(messages string) string { return chat("gemini-3.5-flash", messages) }, chatResult, "extra_content",
			"Function call is missing a thought_signature in functionCall parts.",
		},
		"Gemini": {
			"", "/v1beta/models/gemini-3.5-flash:generateContent", "/candidates/0/content",
			func(contents string) string {
				return `{"contents":[{"role":"user","parts":[{"text":"hi"}]}` + strings.TrimPrefix(contents, question) + `],` +
					`"tools":[{"functionDeclarations":[{"name":"f","description":"d"}]}]}`
			},
			func(said *schema.Node) string {
				return question + `,` + said.String() + `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`
			},
			"thoughtSignature", "Function call is missing a thought_signature in functionCall parts.",
		},
		"Responses": {
			"", "/v1/responses", "/output",
			func(input string) string {
				return `{"model":"gpt-5","reasoning":{"summary":"auto"},"input":[` + input + `],` + ownTools + `}`
			},
			responsesResult, "reasoning", "of type 'function_call' was provided without its required 'reasoning' item: 'rs_",
		},
		"Responses, not shown": {
			"", "/v1/responses", "/output",
			func(input string) string { return `{"model":"o3","input":[` + input + `],` + ownTools + `}` },
			responsesResult, "reasoning", "of type 'function_call' was provided without its required 'reasoning' item: 'rs_",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := emulator.New(emulator.Options{AsOf: day, Engine: test.engine})
			ask := func(status int, messages string) *schema.Node {
				t.Helper()
				answer := post(t, handler, test.path, []byte(test.body(messages)))
				if answer.Code != status {
					t.Fatalf("status %d, want %d: %s\nto %s", answer.Code, status, answer.Body, test.body(messages))
				}
				node, err := schema.ParseWire(answer.Body.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				return node
			}
			said := ask(http.StatusOK, question).Find(test.said)
			if said == nil || !strings.Contains(said.String(), `"`+test.thought+`"`) {
				t.Fatalf("the answer has no %s: %s", test.thought, said)
			}
			ask(http.StatusOK, test.result(said))
			forgetful := said.Clone()
			if said.Kind == schema.Array {
				forgetful.Elements = forgetful.Elements[1:]
			}
			drop(forgetful, test.thought)
			if refused := ask(http.StatusBadRequest, test.result(forgetful)).String(); !strings.Contains(strings.ReplaceAll(refused, `\u0027`, "'"), test.words) {
				t.Errorf("without %s the answer is %s", test.thought, refused)
			}
		})
	}
}

// drop removes a member of a node and of all below it.
func drop(node *schema.Node, key string) {
	for i := 0; i < len(node.Members); i++ {
		if node.Members[i].Key == key {
			node.Members = append(node.Members[:i], node.Members[i+1:]...)
			i--
			continue
		}
		drop(node.Members[i].Value, key)
	}
	for _, element := range node.Elements {
		drop(element, key)
	}
}

// TestReasoningStream checks that the thinking of DeepSeek is streamed before its call, in pieces of its own.
func TestReasoningStream(t *testing.T) {
	t.Parallel()
	body := `{"model":"deepseek-v4-flash","stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}`
	for thinking, want := range map[string]bool{`"disabled"`: false, `"enabled"`: true} {
		asked := strings.Replace(body, `"stream"`, fmt.Sprintf(`"thinking":{"type":%s},"stream"`, thinking), 1)
		streamed := post(t, emulator.New(emulator.Options{AsOf: day, Engine: "deepseek"}), "/v1/chat/completions", []byte(asked)).Body.String()
		reasoning, call := strings.Index(streamed, "reasoning_content"), strings.Index(streamed, "tool_calls")
		if call < 0 || (reasoning >= 0) != want || reasoning > call {
			t.Errorf("thinking %s: %s", thinking, streamed)
		}
	}
}

// TestGeminiChat checks that Gemini's compatible endpoint streams all calls in one chunk, without an index and with
// the reason why it ends, as recorded from 2025-12 to 2026-09.
func TestGeminiChat(t *testing.T) {
	t.Parallel()
	const body = `{"model":"gemini-3-flash-preview","stream":true,"messages":[{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}]}`
	answer := post(t, emulator.New(emulator.Options{Parallel: 2}), "/v1beta/openai/chat/completions", []byte(body)).Body.String()
	first, rest, _ := strings.Cut(answer, "\n\n")
	var chunk struct {
		Choices []struct {
			Delta struct {
				ToolCalls []map[string]any `json:"tool_calls"`
			} `json:"delta"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "data: ")), &chunk); err != nil {
		t.Fatal(err)
	}
	calls := chunk.Choices[0].Delta.ToolCalls
	if rest != "data: [DONE]\n\n" || len(calls) != 2 || chunk.Choices[0].FinishReason != "tool_calls" {
		t.Fatalf("got %s", answer)
	}
	for i, call := range calls {
		id, _ := call["id"].(string)
		if _, hasIndex := call["index"]; hasIndex || !strings.HasPrefix(id, "function-call-") || (call["extra_content"] != nil) != (i == 0) {
			t.Errorf("call %d is %v", i, call)
		}
	}
}
