package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// TestHeaders reads the identifier of a request and what is left of the limits, of answers, errors and faults.
func TestHeaders(t *testing.T) {
	t.Parallel()
	const (
		openAI    = "X-Request-ID"
		claude    = "Request-Id"
		chat      = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
		messages  = `{"model":"claude-sonnet-5","max_tokens":99,"messages":[{"role":"user","content":"hi"}]}`
		remaining = "X-Ratelimit-Remaining-Requests"
		left      = "Anthropic-Ratelimit-Requests-Remaining"
	)
	for name, test := range map[string]struct {
		path, body, id, limit, want string
		fault                       emulator.Fault
		status                      int
	}{
		"chat":             {"/v1/chat/completions", chat, openAI, remaining, "9999", "", 200},
		"chat, error":      {"/v1/chat/completions", `{}`, openAI, remaining, "9999", "", 400},
		"chat, exhausted":  {"/v1/chat/completions", chat, openAI, remaining, "0", emulator.TooManyRequests, 429},
		"chat, tokens":     {"/v1/chat/completions", chat, openAI, "X-Ratelimit-Remaining-Tokens", "1999984", "", 200},
		"no path":          {"/v1/files", `{}`, openAI, remaining, "9999", "", 404},
		"messages":         {"/v1/messages", messages, claude, left, "9999", "", 200},
		"messages, error":  {"/v1/messages", `{}`, claude, left, "9999", "", 400},
		"messages, fault":  {"/v1/messages", messages, claude, left, "0", emulator.TooManyRequests, 429},
		"messages, reset":  {"/v1/messages", messages, claude, "Anthropic-Ratelimit-Output-Tokens-Reset", string(day) + "T00:00:00Z", "", 200},
		"messages, batch":  {"/v1/messages/batches", `{}`, claude, left, "9999", "", 404},
		"gemini has none":  {"/v1beta/models/gemini-2.5-flash:generateContent", `{}`, "", remaining, "", "", 400},
		"Anthropic's file": {"/v1/files?anthropic", `{}`, claude, left, "9999", "", 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := emulator.Options{AsOf: day}
			if test.fault != "" {
				options.Faults = emulator.Faults{test.fault: 1}
			}
			handler := emulator.New(options)
			ask := func(more string) *httptest.ResponseRecorder {
				path, version, _ := strings.Cut(test.path, "?")
				request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(test.body+more))
				if version != "" {
					request.Header.Set("Anthropic-Version", "2023-06-01")
				}
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, request)
				return answer
			}
			first, second := ask(""), ask(" ")
			if first.Code != test.status || first.Header().Get(test.limit) != test.want {
				t.Errorf("status %d, %s %q", first.Code, test.limit, first.Header().Get(test.limit))
			}
			if test.id == "" {
				return
			}
			id := first.Header().Get(test.id)
			if isSame := id == second.Header().Get(test.id); !strings.HasPrefix(id, "req_") || isSame && test.status != http.StatusNotFound {
				t.Errorf("the identifiers are %q and %q", id, second.Header().Get(test.id))
			}
			if has := strings.Contains(first.Body.String(), `"request_id":"`+id+`"`); has != (test.id == claude && test.status != http.StatusOK) {
				t.Errorf("the body names the identifier %s: %t\n%s", id, has, first.Body)
			}
		})
	}
}
