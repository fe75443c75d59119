package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// TestThreads continues a conversation of Messages by the identifier of its last message, as
// client.beta.messages.toolRunner of @anthropic-ai/sdk 1.12.0 does.
func TestThreads(t *testing.T) {
	t.Parallel()
	handler := emulator.New(emulator.Options{AsOf: day})
	ask := func(status int, more, messages string) (id, content string) {
		t.Helper()
		body := fmt.Sprintf(`{"model":"claude-sonnet-5","max_tokens":99,"messages":[%s]%s}`, messages, more)
		answer := post(t, handler, "/v1/messages", []byte(body))
		if answer.Code != status || answer.Header().Get(emulator.WarningHeader) != "" {
			t.Fatalf("status %d, want %d, with warnings %q: %s\nto %s", answer.Code, status, answer.Header()[emulator.WarningHeader], answer.Body, body)
		}
		var message struct {
			ID      string          `json:"id"`
			Content json.RawMessage `json:"content"`
			Error   json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &message); err != nil {
			t.Fatal(err)
		}
		return message.ID, string(message.Content) + string(message.Error)
	}
	after := func(id string) string { return `,"thread":{"type":"continue","previous_message_id":"` + id + `"}` }
	const user, tools = `{"role":"user","content":"hi"}`, `,"tools":[{"name":"f","input_schema":{"type":"object"}}]`
	result := func(content string) string {
		_, rest, _ := strings.Cut(content, `"id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `"}]}`
	}
	created, call := ask(http.StatusOK, `,"thread":{"type":"create"}`+tools, user)
	second, text := ask(http.StatusOK, after(created), result(call))
	if !strings.Contains(text, `"text"`) {
		t.Errorf("a result is answered by %s", text)
	}
	// The tools are those that the thread was created with.
	_, again := ask(http.StatusOK, after(second), user)
	if !strings.Contains(again, `"name":"f"`) {
		t.Errorf("the next question is answered by %s", again)
	}
	for name, test := range map[string]struct {
		status               int
		more, messages, want string
	}{
		"unknown":           {http.StatusNotFound, after("msg_x"), user, `"details":{"error_code":"thread_not_found"}`},
		"repeats the tools": {http.StatusBadRequest, after(created) + tools, user, "tools: a request that continues a thread does not repeat it"},
		"another call":      {http.StatusBadRequest, after(created), result(`"id":"toolu_x"`), "messages.2.content.0: unexpected `tool_use_id`"},
		"no result":         {http.StatusBadRequest, after(created), user, "messages.1: `tool_use` ids were found without"},
		"no thread":         {http.StatusBadRequest, "", result(call), "unexpected `tool_use_id`"},
	} {
		if _, words := ask(test.status, test.more, test.messages); !strings.Contains(words, test.want) {
			t.Errorf("%s: %s", name, words)
		}
	}
	// The oldest thread is forgotten once the requests are too long together.
	const most, length = 8, 1 << 20
	for i := range most {
		ask(http.StatusOK, `,"thread":{"type":"create"}`, fmt.Sprintf(`{"role":"user","content":"%d %s"}`, i, strings.Repeat("x", length)))
	}
	ask(http.StatusNotFound, after(created), result(call))
}
