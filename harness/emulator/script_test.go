package emulator_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness/emulator"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// TestScript runs a script through several APIs. Each request gets the next answer of the first
// step that matches it.
func TestScript(t *testing.T) {
	t.Parallel()
	script, err := emulator.ParseScript([]byte(`{"steps": [
		{"match": {"text": "never said"}, "answers": [{"text": "not this"}]},
		{"match": {"tool": "get_*", "model": "gpt-*"}, "answers": [
			{"calls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "undeclared"}], "thinking": "hm"},
			{"error": {"status": 429, "message": "slow down", "code": "rate_limit_exceeded"}},
			{"text": "It rains."}
		]},
		{"match": {"path": "/v1/messages"}, "answers": [{"error": {"status": 529, "message": "overloaded"}}, {"text": "done"}], "repeats": true},
		{"match": {"path": ":generateContent"}, "answers": [{"calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}, {"error": {"status": 503, "message": "busy"}}]},
		{"match": {"path": "/api/*"}, "answers": [{"text": "of Ollama"}]}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	handler := emulator.New(emulator.Options{AsOf: day, Script: script})
	const (
		gemini   = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
		messages = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		google   = "/v1beta/models/gemini-2.5-flash:generateContent"
	)
	weather := declaring("", "get_weather")
	refused := `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"get_weather","parameters":{"type":"array"}}}]}`
	for i, step := range []struct {
		path, body string
		status     int
		has        string
	}{
		{"/v1/chat/completions", refused, 400, "got 'type: \\\"array\\\"'"}, // uses up no answer
		{"/v1/chat/completions", weather, 200, `"arguments":"{\"city\":\"Oslo\"}","name":"get_weather"`},
		{"/v1/chat/completions", weather, 429, `"message":"slow down","type":"invalid_request_error","param":null,"code":"rate_limit_exceeded"`},
		{"/v1/chat/completions", declaring("", "other"), 200, `"name":"other"`},
		{"/v1/chat/completions", weather, 200, `"content":"It rains."`},
		{"/v1/chat/completions", weather, 200, `"name":"get_weather"`}, // the emulator's own answer again
		{"/v1/messages", messages, 529, `"message":"overloaded"`},
		{"/v1/messages", messages, 200, `"text":"done"`},
		{"/v1/messages", messages, 200, `"text":"done"`},
		{google, gemini, 200, `"args":{"city":"Rome"}`},
		{google, gemini, 503, `"message":"busy"`},
		{google, gemini, 200, `This is an answer`},
		{"/api/chat", `{"model":"qwen3","stream":false,"messages":[{"role":"user","content":"hi"}]}`, 200, `of Ollama`},
	} {
		answer := post(t, handler, step.path, []byte(step.body))
		if answer.Code != step.status || !strings.Contains(answer.Body.String(), step.has) {
			t.Errorf("request %d: status %d, want %d with %s:\n%s", i+1, answer.Code, step.status, step.has, answer.Body)
		}
	}
}

// TestScriptFaults parses invalid scripts.
func TestScriptFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{`:                          "unexpected EOF",
		`{}`:                         "it has no steps",
		`{"steps":[{"answer":[]}]}`:  `unknown field "answer"`,
		`{"steps":[{"answers":[]}]}`: "step 1: it has no answers",
		`{"steps":[{"match":{"tool":"[a"},"answers":[{"text":"x"}]}]}`:               `step 1: "[a" is no pattern`,
		`{"steps":[{"answers":[{"error":{"status":200,"message":"x"}}]}]}`:           "answer 1: the status of an error is 200",
		`{"steps":[{"answers":[{"text":"x"},{"text":"x","error":{"status":500}}]}]}`: "answer 2 has an error and something else",
		`{"steps":[{"answers":[{"calls":[{"name":"f","arguments":[]}]}]}]}`:          "arguments that are an object",
		`{"steps":[{"answers":[{"calls":[{"arguments":{}}]}]}]}`:                     "a call has a name",
	} {
		if _, err := emulator.ParseScript([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestPrompt sends the schema of the answer in the prompt only.
func TestPrompt(t *testing.T) {
	t.Parallel()
	const (
		given  = `{\"type\":\"object\",\"properties\":{\"city\":{\"enum\":[\"Graz\"]},\"days\":{\"type\":\"integer\",\"minimum\":3,\"maximum\":4}},\"required\":[\"city\",\"days\"]}`
		prompt = `Answer with a JSON object {like this}, of this schema: ` + given + ` Nothing else.`
	)
	node, err := schema.Parse([]byte(strings.ReplaceAll(given, `\"`, `"`)))
	if err != nil {
		t.Fatal(err)
	}
	declared, err := instance.Compile(node)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ path, body, from, to string }{
		"JSON mode": {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"system","content":"` + prompt + `"},{"role":"user","content":"hi"}],"response_format":{"type":"json_object"}}`, `"content":"`, `","refusal"`},
		"a text":    {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"` + prompt + `"}]}`, `"content":"`, `","refusal"`},
		"Anthropic": {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":9,"system":"` + prompt + `","messages":[{"role":"user","content":"hi"}]}`, `"text":"`, `","type":"text"`},
		"Gemini":    {"/v1beta/models/gemini-2.5-flash:generateContent", `{"contents":[{"role":"user","parts":[{"text":"` + prompt + `"}]}],"generationConfig":{"responseMimeType":"application/json"}}`, `{"text":"`, `"}]`},
		"Responses": {"/v1/responses", `{"model":"gpt-5","instructions":"` + prompt + `","input":"json"}`, `"text":"`, `","type":"output_text"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, emulator.New(emulator.Options{AsOf: day}), test.path, []byte(test.body)).Body.String()
			_, rest, _ := strings.Cut(answer, test.from)
			text, _, _ := strings.Cut(rest, test.to)
			value, err := schema.Parse([]byte(strings.ReplaceAll(text, `\"`, `"`)))
			if err != nil || !declared.Accepts(value) {
				t.Errorf("the answer is not of the schema (%v):\n%s", err, answer)
			}
		})
	}
	plain := post(t, emulator.New(emulator.Options{AsOf: day}), "/v1/chat/completions", []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"What is {\"a\":{\"properties\":1}} and {{{{?"}]}`))
	if !strings.Contains(plain.Body.String(), "This is an answer") {
		t.Errorf("a text without a schema is answered with\n%s", plain.Body)
	}
}

// TestBuiltIn sends tools that the provider runs itself.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path, body string
		has        []string
	}{
		"Responses":  {"/v1/responses", `{"model":"gpt-5","input":"hi","tools":[{"type":"web_search"}]}`, []string{`"type":"web_search_call"`, `"output_text"`}},
		"streamed":   {"/v1/responses", `{"model":"gpt-5","input":"hi","stream":true,"tools":[{"type":"web_search"}]}`, []string{`"type":"web_search_call"`, `"output_index":1`}},
		"Anthropic":  {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, []string{`"server_tool_use"`, `"web_search_tool_result"`, `"end_turn"`}},
		"its stream": {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, []string{`"server_tool_use"`, `"web_search_tool_result"`, `"index":2`}},
		"Gemini":     {"/v1beta/models/gemini-2.5-flash:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"googleSearch":{}}]}`, []string{`"groundingMetadata"`}},
		"code":       {"/v1beta/models/gemini-2.5-flash:generateContent", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"codeExecution":{}}]}`, []string{`"executableCode"`, `"OUTCOME_OK"`}},
		"custom":     {"/v1/chat/completions", `{"model":"gpt-5","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"custom","custom":{"name":"free"}}]}`, []string{`"custom":{"input":"This is an input`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, emulator.New(emulator.Options{AsOf: day}), test.path, []byte(test.body))
			for _, has := range test.has {
				if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), has) {
					t.Errorf("status %d without %s:\n%s", answer.Code, has, answer.Body)
				}
			}
		})
	}
}

// TestStrictAuth checks that requests without a key and with an unknown response are refused.
func TestStrictAuth(t *testing.T) {
	t.Parallel()
	handler := emulator.New(emulator.Options{AsOf: day, StrictAuth: true})
	for name, test := range map[string]struct {
		path, body, key, value string
		status                 int
		has                    string
	}{
		"OpenAI":          {"/v1/chat/completions", declaring("", "f"), "", "", 401, "You didn't provide an API key."},
		"OpenAI, a key":   {"/v1/chat/completions", declaring("", "f"), "Authorization", "Bearer any", 200, `"name":"f"`},
		"OpenAI, no word": {"/v1/chat/completions", declaring("", "f"), "Authorization", "Bearer ", 401, "Bearer auth"},
		"Anthropic":       {"/v1/messages", `{}`, "", "", 401, `"type":"authentication_error"`},
		"Gemini":          {"/v1beta/models/gemini-2.5-flash:generateContent", `{}`, "", "", 403, `"status":"PERMISSION_DENIED"`},
		"Gemini, a key":   {"/v1beta/models/gemini-2.5-flash:generateContent?key=k", `{"contents":[{"parts":[{"text":"hi"}]}]}`, "", "", 200, "an answer"},
		"Ollama":          {"/api/chat", `{"model":"qwen3","messages":[]}`, "", "", 200, "load"},
		"a response":      {"/v1/responses", `{"model":"gpt-5","input":"hi","previous_response_id":"resp_1"}`, "Authorization", "Bearer any", 400, `"code":"previous_response_not_found"`},
		"a model":         {"/v1/responses", `{"model":"llama","input":"hi"}`, "Authorization", "Bearer any", 400, `The requested model 'llama' does not exist.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := keyed(t, handler, test.path, test.body, test.key, test.value)
			if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("status %d, want %d with %s:\n%s", answer.Code, test.status, test.has, answer.Body)
			}
		})
	}
	first := keyed(t, handler, "/v1/responses", `{"model":"gpt-5","input":"hi"}`, "Authorization", "Bearer any").Body.String()
	_, rest, _ := strings.Cut(first, `"id":"resp_`)
	id, _, _ := strings.Cut(rest, `"`)
	next := `{"model":"gpt-5","input":"and?","previous_response_id":"resp_` + id + `"}`
	if answer := keyed(t, handler, "/v1/responses", next, "Authorization", "Bearer any"); answer.Code != http.StatusOK {
		t.Errorf("its own response is not known: %s", answer.Body)
	}
}

// TestHostileConversations sends conversations made to keep a server busy. It measures the work
// in bytes allocated. A short test uses a quarter of their length.
func TestHostileConversations(t *testing.T) { //nolint:paralleltest // it measures allocations
	many := 20_000
	if testing.Short() {
		many /= 4
	}
	repeat := func(text string) string {
		items := make([]string, many)
		for i := range items {
			items[i] = strings.ReplaceAll(text, "N", strconv.Itoa(i))
		}
		return strings.Join(items, ",")
	}
	nested := strings.Repeat(`{\"a\":`, many) + "1" + strings.Repeat("}", many)
	for name, test := range map[string]struct{ path, body string }{
		"nested braces":   {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"` + nested + `"},{"role":"user","content":"` + strings.Repeat("{", many) + `"}]}`},
		"calls, answered": {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"assistant","tool_calls":[` + repeat(`{"id":"N"}`) + `]},` + repeat(`{"role":"tool","tool_call_id":"N"}`) + `]}`},
		"blocks":          {"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"assistant","content":[` + repeat(`{"type":"tool_use","id":"N"}`) + `]},{"role":"user","content":[` + repeat(`{"type":"tool_result","tool_use_id":"N"}`) + `]}]}`},
		"items":           {"/v1/responses", `{"model":"gpt-5","input":[` + repeat(`{"type":"function_call","call_id":"N","name":"f"},{"type":"function_call_output","call_id":"N"}`) + `]}`},
		"parts":           {"/v1beta/models/gemini-3-pro-preview:generateContent", `{"contents":[` + repeat(`{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]}`) + `]}`},
		"namespaces":      {"/v1/responses", `{"model":"gpt-5","input":"hi","tools":[` + repeat(`{"type":"namespace","name":"N","tools":[{"type":"custom","name":"c"}]}`) + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			answer, allocated := postCounted(t, emulator.New(emulator.Options{AsOf: day, Keep: 1}), test.path, []byte(test.body))
			if most := uint64(128<<20*many) / 20_000; allocated > most || answer.Code >= http.StatusInternalServerError {
				t.Errorf("status %d, and %d bytes for a body of %d", answer.Code, allocated, len(test.body))
			}
		})
	}
}
