package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// TestLimits checks that an answer ends at the limit of its request, and says so.
func TestLimits(t *testing.T) {
	t.Parallel()
	const (
		chat      = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]`
		messages  = `{"model":"claude-sonnet-5","messages":[{"role":"user","content":"hi"}]`
		responses = `{"model":"gpt-5","input":"hi"`
		gemini    = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]`
		city      = `{"type":"object","properties":{"city":{"type":"string","const":"Reykjavik"}},"required":["city"]}`
		wrapped   = `,"tools":[{"type":"function","function":{"name":"f","parameters":` + city + `}}]`
		flat      = `,"tools":[{"type":"function","name":"f","strict":false,"parameters":` + city + `}]`
		input     = `,"tools":[{"name":"f","input_schema":` + city + `}]`
		declared  = `,"tools":[{"functionDeclarations":[{"name":"f","description":"d","parametersJsonSchema":` + city + `}]}]`
	)
	for name, test := range map[string]struct{ path, body, has string }{
		"chat":               {"/v1/chat/completions", chat + `,"max_tokens":1}`, `"finish_reason":"length","index":0,"logprobs":null,"message":{"annotations":[],"content":"Thi"`},
		"chat, enough":       {"/v1/chat/completions", chat + `,"max_tokens":9}`, `"finish_reason":"stop"`},
		"chat, streamed":     {"/v1/chat/completions", chat + `,"max_completion_tokens":2,"stream":true}`, `"finish_reason":"length"`},
		"chat, call":         {"/v1/chat/completions", chat + `,"max_completion_tokens":3` + wrapped + `}`, `"arguments":"{\"city\":\"R"`},
		"chat, name":         {"/v1/chat/completions", chat + `,"max_completion_tokens":1,"tools":[{"type":"function","function":{"name":"a_long_name"}}]}`, `"finish_reason":"length","index":0,"logprobs":null,"message":{"annotations":[],"content":""`},
		"messages":           {"/v1/messages", messages + `,"max_tokens":1}`, `"content":[{"text":"Thi","type":"text"}]`},
		"messages, reason":   {"/v1/messages", messages + `,"max_tokens":1}`, `"stop_reason":"max_tokens"`},
		"messages, call":     {"/v1/messages", messages + `,"max_tokens":3` + input + `}`, `"input":{},"name":"f"`},
		"messages, streamed": {"/v1/messages", messages + `,"max_tokens":3,"stream":true` + input + `}`, `"stop_reason":"max_tokens"`},
		"responses":          {"/v1/responses", responses + `,"max_output_tokens":1}`, `"incomplete_details":{"reason":"max_output_tokens"}`},
		"responses, item":    {"/v1/responses", responses + `,"max_output_tokens":3` + flat + `}`, `"arguments":"{\"city\":\"R","call_id"`},
		"responses, stream":  {"/v1/responses", responses + `,"max_output_tokens":1,"stream":true}`, "event: response.incomplete\n"},
		"gemini":             {"/v1beta/models/gemini-2.5-flash:generateContent", gemini + `,"generationConfig":{"maxOutputTokens":1}}`, `"parts":[{"text":"Thi"}],"role":"model"},"finishReason":"MAX_TOKENS"`},
		"gemini, call":       {"/v1beta/models/gemini-2.5-flash:generateContent", gemini + declared + `,"generationConfig":{"max_output_tokens":3}}`, `"parts":[{"text":""}],"role":"model"},"finishReason":"MAX_TOKENS"`},
		"gemini, streamed":   {"/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", gemini + declared + `,"generationConfig":{"maxOutputTokens":3}}`, `"finishReason":"MAX_TOKENS"`},
		"ollama":             {"/api/chat", `{"model":"qwen3","stream":false,"messages":[{"role":"user","content":"hi"}],"options":{"num_predict":1}}`, `"done_reason":"length"`},
		"ollama, no limit":   {"/api/chat", `{"model":"qwen3","stream":false,"messages":[{"role":"user","content":"hi"}],"options":{"num_predict":-1}}`, `"done_reason":"stop"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, emulator.New(emulator.Options{AsOf: day}), test.path, []byte(test.body))
			if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("status %d without %s:\n%s", answer.Code, test.has, answer.Body)
			}
		})
	}
}

// TestDemandEnds lets clients that never drop their demand answer calls until there is none, which is after
// sixteen: a provider would go on for ever.
func TestDemandEnds(t *testing.T) {
	t.Parallel()
	const most = 40
	id := regexp.MustCompile(`"id":"(resp_\w+)"`)
	for name, test := range map[string]struct {
		path, body, round, call string
	}{
		"chat": {
			"/v1/chat/completions", `{"model":"gpt-4o","tool_choice":"required","tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"hi"}%s]}`,
			`,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"42"}`, `"tool_calls"`,
		},
		"messages": {
			"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":99,"tool_choice":{"type":"any"},"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"}%s]}`,
			`,{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}`, `"tool_use"`,
		},
		"responses": {
			"/v1/responses", `{"model":"gpt-5","tool_choice":"required","tools":[{"type":"function","name":"f"}],"input":[{"role":"user","content":"hi"}%s]}`,
			`,{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"42"}`, `"function_call"`,
		},
		"continued": {
			"/v1/responses", `{"model":"gpt-5","tool_choice":"required","tools":[{"type":"function","name":"f"}],"input":[{"type":"function_call_output","call_id":"c","output":"42"}]%s}`,
			"", `"function_call"`,
		},
		"gemini": {
			"/v1beta/models/gemini-2.5-flash:generateContent", `{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"tools":[{"functionDeclarations":[{"name":"f","description":"d"}]}],"contents":[{"role":"user","parts":[{"text":"hi"}]}%s]}`,
			`,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}`, `"functionCall"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := emulator.New(emulator.Options{AsOf: day})
			more, rounds, want := "", 0, 16
			if name == "continued" {
				want = 15 // it begins with a result
				more = `,"previous_response_id":"resp_of_another_service"`
			}
			for ; rounds < most; rounds++ {
				answer := post(t, handler, test.path, fmt.Appendf(nil, test.body, more))
				if answer.Code != http.StatusOK {
					t.Fatalf("status %d: %s", answer.Code, answer.Body)
				}
				if !strings.Contains(answer.Body.String(), test.call) {
					break
				}
				more += test.round
				if name == "continued" {
					more = `,"previous_response_id":"` + id.FindStringSubmatch(answer.Body.String())[1] + `"`
				}
			}
			if rounds != want {
				t.Errorf("%d rounds, want %d", rounds, want)
			}
		})
	}
}

// TestNoneCallsNothing checks that a request that forbids tools gets no search of the provider either.
func TestNoneCallsNothing(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{
		"/v1/messages":  `{"model":"claude-sonnet-5","max_tokens":99,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}],"tool_choice":%s}`,
		"/v1/responses": `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search"}],"tool_choice":%s}`,
	} {
		none, auto := `"none"`, `"auto"`
		if path == "/v1/messages" {
			none, auto = `{"type":"none"}`, `{"type":"auto"}`
		}
		handler := emulator.New(emulator.Options{AsOf: day})
		for choice, want := range map[string]bool{none: false, auto: true} {
			answer := post(t, handler, path, fmt.Appendf(nil, body, choice)).Body.String()
			if got := strings.Contains(answer, `"type":"server_tool_use"`) || strings.Contains(answer, `web_search_call`); got != want {
				t.Errorf("%s with %s: searches: %t\n%s", path, choice, got, answer)
			}
		}
	}
}

// TestSignatures gives thinking back with its signature, and with others.
func TestSignatures(t *testing.T) {
	t.Parallel()
	ask := func(options emulator.Options, turns string) *httptest.ResponseRecorder {
		options.AsOf = day
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/messages", strings.NewReader(
			`{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}`+turns+`]}`))
		request.Header.Set("X-Api-Key", "k")
		answer := httptest.NewRecorder()
		emulator.New(options).ServeHTTP(answer, request)
		return answer
	}
	var message struct {
		Content []struct {
			Signature string `json:"signature"`
		} `json:"content"`
	}
	if err := json.Unmarshal(ask(emulator.Options{}, "").Body.Bytes(), &message); err != nil {
		t.Fatal(err)
	}
	own := message.Content[0].Signature
	foreign := strings.Repeat("ErUBCkYIBxgC", 8)
	for name, test := range map[string]struct {
		signature string
		isStrict  bool
		want      int
	}{
		"its own":         {own, false, http.StatusOK},
		"its own, strict": {own, true, http.StatusOK},
		"corrupted":       {own[:20] + "AAAA" + own[24:], false, http.StatusBadRequest},
		"cut":             {own[:28], false, http.StatusBadRequest},
		"none":            {"", false, http.StatusBadRequest},
		"no base64":       {"corrupted", false, http.StatusBadRequest},
		"foreign":         {foreign, false, http.StatusOK},
		"foreign, strict": {foreign, true, http.StatusBadRequest},
	} {
		turns := `,{"role":"assistant","content":[{"type":"thinking","thinking":"so","signature":"` + test.signature + `"},{"type":"text","text":"a"}]},{"role":"user","content":"well?"}`
		answer := ask(emulator.Options{StrictAuth: test.isStrict}, turns)
		if answer.Code != test.want || answer.Code != http.StatusOK && !strings.Contains(answer.Body.String(), "messages.1.content.0: Invalid `signature` in `thinking` block") {
			t.Errorf("%s: status %d, want %d: %s", name, answer.Code, test.want, answer.Body)
		}
	}
}
