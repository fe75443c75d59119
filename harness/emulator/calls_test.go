package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
)

const (
	codexTools = `"tools":[{"type":"custom","name":"apply_patch","format":{"type":"grammar","syntax":"lark","definition":"start: /.+/"}},` +
		`{"type":"function","name":"exec_command","strict":false,"parameters":{"type":"object","properties":{"cmd":{"type":"string"}}}},` +
		`{"type":"web_search"},` +
		`{"type":"namespace","name":"mcp__emu__","description":"Tools of emu.","tools":[{"type":"function","name":"echo","strict":false,"parameters":{"type":"object","properties":{}}},{"type":"function","name":"add","strict":false,"parameters":PARAMETERS}]}]`
	anyParameters = `{"type":"object","properties":{}}`
)

func codexRequest(parameters, more string) []byte {
	return []byte(`{"model":"gpt-5","input":"hi",` + strings.Replace(codexTools, "PARAMETERS", parameters, 1) + more + `}`)
}

// TestNamespaces sends tools as codex does, which puts those of a server in a namespace.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path, body string
		status     int
		has        string
	}{
		"is called":          {"/v1/responses", string(codexRequest(anyParameters, "")), 200, `"name":"echo","namespace":"mcp__emu__"`},
		"is streamed":        {"/v1/responses", string(codexRequest(anyParameters, `,"stream":true`)), 200, `"name":"echo","namespace":"mcp__emu__"`},
		"by its name":        {"/v1/responses", string(codexRequest(anyParameters, `,"tool_choice":{"type":"function","name":"add"}`)), 200, `"name":"add","namespace":"mcp__emu__"`},
		"its place":          {"/v1/responses", strings.Replace(string(codexRequest(`{"type":"object","properties":{},"oneOf":[{"type":"object"}]}`, "")), "gpt-5", "gpt-4.1", 1), 400, `"param":"tools[3].tools[1].parameters"`},
		"its words":          {"/v1/responses", string(codexRequest(`{"type":"object","properties":{"a":{"type":"array"}}}`, "")), 400, `Invalid schema for function 'add': In context=('properties', 'a'), array schema missing items.`},
		"is understood":      {"/v1/responses", `{"model":"gpt-5","input":"hi","tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]}]}`, 200, `"tools":[{"type":"namespace","name":"n","tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false,"required":["x"]},"strict":true}]}]`},
		"behind one":         {"/v1/responses", `{"model":"gpt-5","input":"hi","tools":[{"type":"namespace","name":"n","tools":[]},{"type":"function","name":"f","strict":false,"parameters":{"type":"array"}}]}`, 400, `"param":"tools[1].parameters"`},
		"added by the input": {"/v1/responses", `{"model":"gpt-5","input":[{"type":"additional_tools","tools":[{"type":"function","name":"f","strict":false,"parameters":{"type":"object","properties":{"a":{"type":"array"}}}}]},{"role":"user","content":"hi"}]}`, 400, `"param":"input[0].tools[0].parameters"`},
		"old functions":      {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}]}`, 200, `"finish_reason":"function_call","index":0,"logprobs":null,"message":{"annotations":[],"content":null,"function_call":{"arguments":"{}","name":"f"}`},
		"old, streamed":      {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}]}`, 200, `"delta":{"content":null,"function_call":{"arguments":"","name":"f"}`},
		"old, by name":       {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f"},{"name":"g"}],"function_call":{"name":"g"}}`, 200, `"name":"g"`},
		"old, none":          {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f"}],"function_call":"none"}`, 200, `"finish_reason":"stop"`},
		"old, refused":       {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"functions":[{"name":"f"},{"name":"g","parameters":{"type":"array"}}]}`, 400, `"param":"functions[1].parameters"`},
		"Azure, deployment":  {"/openai/deployments/mine/chat/completions?api-version=2025-04-01-preview", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"` + strings.Repeat("x", 65) + `"}}]}`, 400, `maximum length 64`},
		"Azure, v1":          {"/openai/v1/chat/completions", `{"model":"mine","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}`, 200, `"name":"f"`},
		"Azure, responses":   {"/openai/v1/responses", `{"model":"mine","input":"hi","tools":[{"type":"function","name":"f"}]}`, 200, `"name":"f"`},
		"Azure, before v1":   {"/openai/responses?api-version=2025-03-01-preview", `{"model":"mine","input":"hi","tools":[{"type":"function","name":"f"}]}`, 200, `"name":"f"`},
		"Azure, no path":     {"/openai/nothing", `{}`, 404, `"Resource not found"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, emulator.New(emulator.Options{AsOf: day}), test.path, []byte(test.body))
			if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("status %d, want %d with %s:\n%s", answer.Code, test.status, test.has, answer.Body)
			}
		})
	}
}

// called returns the names of the functions that an answer of Chat Completions calls.
func called(t *testing.T, handler http.Handler, body string) []string {
	t.Helper()
	var answer struct {
		Choices []struct {
			Message struct {
				ToolCalls []struct {
					Function struct {
						Name string `json:"name"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(post(t, handler, "/v1/chat/completions", []byte(body)).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, choice := range answer.Choices {
		for _, call := range choice.Message.ToolCalls {
			names = append(names, call.Function.Name)
		}
	}
	return names
}

// declaring returns a request to Chat Completions that declares functions.
func declaring(more string, names ...string) string {
	tools := make([]string, len(names))
	for i, name := range names {
		tools[i] = `{"type":"function","function":{"name":"` + name + `"}}`
	}
	return `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[` + strings.Join(tools, ",") + `]` + more + `}`
}

// TestCallable checks that the emulator calls no tool that a user does not expect, since an
// agent would run it.
func TestCallable(t *testing.T) {
	t.Parallel()
	agent := []string{"Bash", "Edit", "mcp__mine__create_issue", "mcp__other__list", "surprise"}
	for name, test := range map[string]struct {
		options emulator.Options
		body    string
		want    []string
	}{
		"an application":            {emulator.Options{}, declaring("", "read_file", "write_file"), []string{"read_file"}},
		"an agent, of a server":     {emulator.Options{}, declaring("", agent...), []string{"mcp__mine__create_issue"}},
		"an agent, none":            {emulator.Options{}, declaring("", "bash", "edit"), nil},
		"an agent, unknown":         {emulator.Options{}, declaring("", "bash", "edit", "emu_echo"), []string{"emu_echo"}},
		"an agent, demanded":        {emulator.Options{}, declaring(`,"tool_choice":"required"`, "bash", "edit"), nil},
		"an agent, by name":         {emulator.Options{}, declaring(`,"tool_choice":{"type":"function","function":{"name":"bash"}}`, "edit", "bash"), []string{"bash"}},
		"a pattern":                 {emulator.Options{Call: []string{"mcp__other__*"}}, declaring("", agent...), []string{"mcp__other__list"}},
		"every tool":                {emulator.Options{Call: []string{"*"}}, declaring("", agent...), []string{"Bash"}},
		"no match":                  {emulator.Options{Call: []string{"x*"}}, declaring("", agent...), nil},
		"the user's list":           {emulator.Options{Own: []string{"list"}}, declaring("", agent...), []string{"mcp__other__list"}},
		"the user's, other letters": {emulator.Options{Own: []string{"get.weather/now"}}, declaring("", "get_weather", "s_get_weather_now"), []string{"s_get_weather_now"}},
		"the user's, cut":           {emulator.Options{Own: []string{strings.Repeat("a_long_name_", 6)}}, declaring("", "bash", "mcp_s_"+strings.Repeat("a_long_name_", 3)+"___d41d8c"), []string{"mcp_s_" + strings.Repeat("a_long_name_", 3) + "___d41d8c"}},
		"not the user's":            {emulator.Options{Own: []string{"list"}}, declaring("", "todolist", "shortlist_a"), nil},
		"text":                      {emulator.Options{Reply: emulator.ReplyText}, declaring("", "a"), nil},
		"text, demanded":            {emulator.Options{Reply: emulator.ReplyText}, declaring(`,"tool_choice":"required"`, "a"), nil},
		"several":                   {emulator.Options{Parallel: 2}, declaring("", "a", "b", "c"), []string{"a", "b"}},
		"several, one wanted":       {emulator.Options{Parallel: 2}, declaring(`,"parallel_tool_calls":false`, "a", "b", "c"), []string{"a"}},
		"two answers":               {emulator.Options{}, declaring(`,"n":2`, "a", "b"), []string{"a", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.AsOf = day
			if got := called(t, emulator.New(test.options), test.body); !slices.Equal(got, test.want) {
				t.Errorf("calls %q, want %q", got, test.want)
			}
		})
	}
}

// TestBuiltInToolsAreNotCalled checks for each client that a request with its own tools is
// taken for an agent's: the emulator calls the one tool that is not the client's.
func TestBuiltInToolsAreNotCalled(t *testing.T) {
	t.Parallel()
	handler := emulator.New(emulator.Options{AsOf: day})
	for _, row := range client.Rows {
		if row.BuiltIn == nil {
			continue
		}
		for _, command := range row.BuiltIn.Commands {
			if strings.Contains(command, ".") {
				continue // Chat Completions refuses the name
			}
			names := append([]string{command}, row.BuiltIn.Others...)
			if got := called(t, handler, declaring("", names...)); got != nil {
				t.Errorf("%s with %s: the emulator calls %q", row.Name, command, got)
			}
			if got := called(t, handler, declaring("", append(names, "of_the_user")...)); !slices.Equal(got, []string{"of_the_user"}) {
				t.Errorf("%s with %s: the emulator calls %q, not the user's tool", row.Name, command, got)
			}
		}
	}
}

// TestThinking checks that the answer shows the model's thinking if the request asks for it.
func TestThinking(t *testing.T) {
	t.Parallel()
	const (
		gemini   = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"candidateCount":2,"thinkingConfig":{"includeThoughts":true}},"tools":[{"functionDeclarations":[{"name":"a","description":"d"},{"name":"b","description":"d"}]}]}`
		messages = `{"model":"claude-sonnet-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"b","input_schema":{"type":"object"}}]`
		answers  = `{"model":"gpt-5","input":"hi","reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"],"tools":[{"type":"function","name":"a"},{"type":"function","name":"b"},{"type":"custom","name":"c"}]`
	)
	for name, test := range map[string]struct {
		path, body string
		has        []string
	}{
		"gemini":           {"/v1beta/models/gemini-2.5-pro:generateContent", gemini, []string{`"thought":true`, `"name":"b"`, `"index":1`}},
		"gemini 3 signs":   {"/v1beta/models/gemini-3-pro-preview:generateContent", gemini, []string{`"thoughtSignature":`}},
		"gemini, streamed": {"/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse", gemini, []string{`"thought":true`, `"thoughtSignature":`, `"name":"b"`}},
		"messages":         {"/v1/messages", messages + `}`, []string{`"type":"thinking"`, `"signature":"EqQB`, `"name":"a"`, `"name":"b"`}},
		"messages, stream": {"/v1/messages", messages + `,"stream":true}`, []string{`"signature_delta"`, `"thinking_delta"`, `"index":2`, `"name":"b"`}},
		"messages, one":    {"/v1/messages", messages + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`, []string{`"name":"a"`}},
		"responses":        {"/v1/responses", answers + `}`, []string{`"encrypted_content":"gAAAAA`, `"summary_text"`, `"name":"a"`, `"name":"b"`, `"type":"custom_tool_call"`}},
		"responses stream": {"/v1/responses", answers + `,"stream":true}`, []string{`response.reasoning_summary_text.delta`, `response.custom_tool_call_input.delta`, `"output_index":3`}},
		"ollama":           {"/api/chat", `{"model":"qwen3","think":true,"messages":[{"role":"user","content":"hi"}]}`, []string{`"thinking":"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := post(t, emulator.New(emulator.Options{AsOf: day, Parallel: 5}), test.path, []byte(test.body))
			for _, has := range test.has {
				if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), has) {
					t.Errorf("status %d without %s:\n%s", answer.Code, has, answer.Body)
				}
			}
			if strings.HasSuffix(name, ", one") && strings.Contains(answer.Body.String(), `"name":"b"`) {
				t.Errorf("two calls:\n%s", answer.Body)
			}
		})
	}
}

// TestLog reads the log, which is in the order of the requests and has no credentials.
func TestLog(t *testing.T) {
	t.Parallel()
	var logged []*emulator.Entry
	handler := emulator.New(emulator.Options{AsOf: day, Keep: 2, Log: func(entry *emulator.Entry) { logged = append(logged, entry) }})
	ask := func(method, path, body string) *httptest.ResponseRecorder {
		request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer sk-secret")
		request.Header.Set("X-Goog-Api-Key", "sk-secret")
		for _, name := range []string{"Helicone-Auth", "X-Auth", "Cf-Access-Jwt-Assertion"} {
			request.Header.Set(name, "sk-secret")
		}
		request.Header.Set("X-Of-No-Known-Name", "a AIzaCANARYcanary0123secret")
		request.Header.Set("User-Agent", "agent/1")
		request.Header.Set("Anthropic-Beta", "fine-grained-tool-streaming-2025-05-14")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		return answer
	}
	ask(http.MethodPost, "/v1/chat/completions", declaring("", "forgotten"))
	ask(http.MethodPost, "/v1/chat/completions", declaring("", "a"))
	ask(http.MethodPost, "/v1beta/models/gemini-2.5-flash:generateContent?key=sk-secret&sig=secret&x=Ab0123456789secret012345&alt=sse", `{"contents":`)
	ask(http.MethodPost, "/nowhere", `{}`)
	if len(logged) != 4 || logged[0].Number != 1 {
		t.Errorf("%d requests were logged", len(logged))
	}
	text := ask(http.MethodGet, "http://localhost"+emulator.LogPath, "").Body.String()
	var entries []emulator.Entry
	if err := json.Unmarshal([]byte(text), &entries); err != nil || len(entries) != 2 {
		t.Fatalf("%v\n%s", err, text)
	}
	if strings.Contains(text, "secret") || strings.Contains(text, "forgotten") || !strings.Contains(text, "agent/1") || !strings.Contains(text, "streaming-2025") || !strings.Contains(text, "alt=sse") {
		t.Errorf("a credential is kept, or too much, or too little:\n%s", text)
	}
	if entry := entries[0]; entry.Status != 400 || string(entry.Body) != `"{\"contents\":"` || !strings.Contains(string(entry.Answer), "INVALID_ARGUMENT") {
		t.Errorf("%+v", entry)
	}
	if entry := entries[1]; entry.Number != 4 || entry.Path != "/nowhere" || entry.Status != 404 {
		t.Errorf("%+v", entry)
	}
	if entry := logged[1]; string(entry.Body) != declaring("", "a") || !strings.Contains(string(entry.Answer), `"tool_calls"`) {
		t.Errorf("%+v", entry)
	}
	if answer := ask(http.MethodDelete, "http://localhost"+emulator.LogPath, ""); answer.Code != http.StatusNoContent || len(handler.Requests()) != 0 {
		t.Errorf("status %d, and %d requests are left", answer.Code, len(handler.Requests()))
	}
}

// keyed posts a request with one more header.
func keyed(t *testing.T, handler http.Handler, path, body, key, value string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	if key != "" {
		request.Header.Set(key, value)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// TestCustomGrammar judges the grammar of a custom tool that stands alone, beside an answer's format, or
// beside functions.
func TestCustomGrammar(t *testing.T) {
	t.Parallel()
	const (
		grammar  = `{"type":"custom","name":"c","format":{"type":"grammar","syntax":"regex","definition":"(?=a)a"}}`
		function = `{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false}}`
		format   = `"text":{"format":{"type":"json_schema","name":"r","strict":true,"schema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}`
	)
	for _, body := range []string{
		`{"model":"gpt-5","input":"hi","tools":[` + grammar + `]}`,
		`{"model":"gpt-5","input":"hi",` + format + `,"tools":[` + grammar + `]}`,
		`{"model":"gpt-5","input":"hi","tools":[` + function + `,` + grammar + `]}`,
	} {
		answer := ask(t, emulator.New(emulator.Options{}), "/v1/responses", body)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "lookarounds are not supported") {
			t.Errorf("%s: %d %s", body, answer.Code, answer.Body)
		}
		usual := strings.Replace(body, "(?=a)a", "a+", 1)
		if answer := ask(t, emulator.New(emulator.Options{}), "/v1/responses", usual); answer.Code != http.StatusOK {
			t.Errorf("%s: %d %s", usual, answer.Code, answer.Body)
		}
	}
}

// TestInteractions: the emulator says that it does not know the Interactions API.
func TestInteractions(t *testing.T) {
	t.Parallel()
	answer := ask(t, emulator.New(emulator.Options{}), "/v1beta/interactions", `{"model":"gemini-3-flash-preview","input":"hi","tools":[{"type":"function","name":"f","parameters":{}}]}`)
	if answer.Code != http.StatusNotImplemented || !strings.Contains(answer.Body.String(), "nothing is known of what it refuses") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}
