package emulator_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

// ask sends a request to a handler: a POST if there is a body.
func ask(t *testing.T, handler http.Handler, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	if body != "" {
		return post(t, handler, path, []byte(body))
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	return recorder
}

// TestEngines sends each engine what its clients send, and what it refuses.
func TestEngines(t *testing.T) {
	t.Parallel()
	const (
		say     = `"messages":[{"role":"user","content":"hi"}]`
		dropped = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","const":"only"}},"required":["a"]}}}]`
		wrong   = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{},"required":"a"}}}]`
		notList = `"tools":[1]`
		untyped = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"no type"}}}}}]`
		format  = `{"type":"object","properties":{"n":{"type":"integer","enum":[7]}},"required":["n"]}`
		named   = `"tool_choice":{"type":"function","function":{"name":"f"}}`
	)
	own, vllm := `{"model":"qwen3","stream":false,`+say+`,`, `{"model":"Qwen/Qwen3-8B",`+say+`,`
	for _, test := range []struct {
		name, engine, path, body string
		status                   int
		has                      string
	}{
		{"version", "", "/api/version", "", 200, `{"version":"0.17.4"}`},
		{"tags", "", "/api/tags", "", 200, `"name":"qwen3:latest"`},
		{"nothing", "", "/api/nothing", "", 404, `{"error":"no such path`},
		{"root", "ollama", "/", "", 200, "Ollama is running"},
		{"show", "ollama", "/api/show", `{"model":"qwen3"}`, 200, `"capabilities":["completion","tools"]`},
		{"no model", "ollama", "/api/chat", `{"model":"gpt-4o",` + say + `}`, 404, `{"error":"model 'gpt-4o' not found"}`},
		{"load", "ollama", "/api/chat", `{"model":"qwen3"}`, 200, `"done_reason":"load"`},
		{"text", "ollama", "/api/chat", own + `"format":""}`, 200, `"content":"This is an answer`},
		{"call", "ollama", "/api/chat", own + dropped + `}`, 200, `"name":"f"`},
		{"call in a stream", "ollama", "/api/chat", `{"model":"qwen3",` + say + `,` + dropped + `}`, 200, `"done":false`},
		{"result", "ollama", "/api/chat", `{"model":"qwen3","stream":false,"messages":[{"role":"tool","content":"42"}],` + dropped + `}`, 200, `"content":"This is an answer`},
		{"wrong type", "ollama", "/api/chat", own + wrong + `}`, 400, `{"error":"json: cannot unmarshal string into Go struct field ToolFunctionParameters.tools.function.parameters.required of type []string"}`},
		{"no tool", "ollama", "/api/chat", own + notList + `}`, 400, `Go struct field ChatRequest.tools`},
		{"format", "ollama", "/api/chat", own + `"format":` + format + `}`, 200, `{\"n\":7}`},
		{"JSON", "ollama", "/api/chat", own + `"format":"json"}`, 200, `"content":"{}"`},
		{"format refused", "ollama", "/api/chat", own + `"format":{"type":"no type"}}`, 500, "invalid JSON schema in format"},
		{"no format", "ollama", "/api/chat", own + `"format":"xml"}`, 500, "invalid format:"},

		{"chat completions", "ollama", "/v1/chat/completions", own + dropped + `}`, 200, `"tool_calls":[{"function":{"arguments":"`},
		{"a choice is dropped", "ollama", "/v1/chat/completions", own + dropped + `,"tool_choice":"none"}`, 200, `"tool_calls":`},
		{"wrong type there", "ollama", "/v1/chat/completions", own + wrong + `}`, 400, `{"error":{"code":null,"message":"json: cannot unmarshal string`},
		{"no tool there", "ollama", "/v1/chat/completions", own + notList + `}`, 400, `Go struct field ChatCompletionRequest.tools`},
		{"response format", "ollama", "/v1/chat/completions", own + `"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":` + format + `}}}`, 200, `{\"n\":7}`},
		{"no response format", "ollama", "/v1/chat/completions", own + `"response_format":null}`, 200, `"content":"This is an answer`},
		{"another response format", "ollama", "/v1/chat/completions", own + `"response_format":{"type":"xml","strict":1}}`, 200, `"content":"This is an answer`},
		{"response format of a number", "ollama", "/v1/chat/completions", own + `"response_format":1}`, 400, `json: cannot unmarshal number into Go struct field ChatCompletionRequest.response_format of type openai.ResponseFormat","param":null,"type":"invalid_request_error"`},
		{"response format of no type", "ollama", "/v1/chat/completions", own + `"response_format":{"type":true}}`, 400, `json: cannot unmarshal bool into Go struct field ResponseFormat.response_format.type of type string`},
		{"response format of no schema", "ollama", "/v1/chat/completions", own + `"response_format":{"type":"json_schema","json_schema":[]}}`, 400, `json: cannot unmarshal array into Go struct field ResponseFormat.response_format.json_schema of type openai.JsonSchema`},
		{"models", "ollama", "/v1/models", "", 200, `"owned_by":"library"`},

		{"props", "llamacpp", "/props", "", 200, `"build_info":"as in wllama 3.8.1"`},
		{"any model", "llamacpp", "/v1/chat/completions", `{` + say + `}`, 200, `"content":"This is an answer`},
		{"refused", "llamacpp", "/v1/chat/completions", `{` + say + `,` + untyped + `}`, 400, `Automatic parser generation failed: JSON schema error at #/properties/a: unrecognized type no type`},
		{"no choice", "llamacpp", "/v1/chat/completions", `{` + say + `,` + untyped + `,"tool_choice":"none"}`, 200, `"content":"This is an answer`},

		{"loose format", "llamacpp", "/v1/chat/completions", `{` + say + `,"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":{"type":"no type"}}}}`, 400, "unrecognized type no type"},

		{"vllm version", "vllm", "/version", "", 200, `{"version":"`},
		{"vllm models", "vllm", "/v1/models/Qwen/Qwen3-8B", "", 200, `"owned_by":"vllm"`},
		{"vllm, no model", "vllm", "/v1/chat/completions", own + dropped + `}`, 404, `"type":"NotFoundError"`},
		{"auto is not converted", "vllm", "/v1/chat/completions", vllm + untyped + `}`, 200, `"name":"f"`},
		{"named is converted", "vllm", "/v1/chat/completions", vllm + untyped + `,` + named + `}`, 400, `Grammar error: Invalid type: no type`},
		{"required is converted", "vllm", "/v1/chat/completions", vllm + untyped + `,"tool_choice":"required"}`, 400, `Grammar error: Invalid type: no type`},
		{"a format suppresses calls", "vllm", "/v1/chat/completions", vllm + dropped + `,"response_format":{"type":"json_object"}}`, 200, `"finish_reason":"stop"`},
		{"a call that is demanded is made", "vllm", "/v1/chat/completions", vllm + dropped + `,"response_format":{"type":"json_object"},"tool_choice":"required"}`, 200, `"name":"f"`},
		{"not of OpenAI", "vllm", "/v1/responses", `{}`, 404, `no such path`},
	} {
		t.Run(test.engine+" "+test.name, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, emulator.New(emulator.Options{AsOf: day, Engine: test.engine}), test.path, test.body)
			if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("status %d, want %d with %s:\n%s", answer.Code, test.status, test.has, answer.Body)
			}
			if answer.Header().Get(provider.EmulatorHeader) == "" {
				t.Error("the answer is not marked as the emulator's")
			}
		})
	}
}

// TestOllamaModelSeesTheEcho checks that the model calls the tool as Ollama rewrites it: a call
// follows the keywords that Ollama keeps and not those that it drops.
func TestOllamaModelSeesTheEcho(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object","properties":{"kept":{"type":"string","enum":["here"]},"dropped":{"type":"string","const":"here"}},"required":["kept","dropped"]}`
	for _, path := range []string{"/api/chat", "/v1/chat/completions"} {
		body := `{"model":"qwen3","stream":false,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + parameters + `}}]}`
		answer := ask(t, emulator.New(emulator.Options{AsOf: day, Engine: "ollama"}), path, body)
		text := answer.Body.String()
		if !strings.Contains(text, "kept") || !strings.Contains(strings.ReplaceAll(text, `\`, ""), `"kept":"here"`) {
			t.Errorf("%s: what is kept is not in the call: %s", path, text)
		}
		if strings.Contains(strings.ReplaceAll(text, `\`, ""), `"dropped":"here"`) {
			t.Errorf("%s: the model saw a const: %s", path, text)
		}
	}
}

// TestOllamaStreams checks that a stream is lines of JSON of which only the last is done.
func TestOllamaStreams(t *testing.T) {
	t.Parallel()
	answer := ask(t, emulator.New(emulator.Options{AsOf: day}), "/api/chat", `{"model":"qwen3","messages":[{"role":"user","content":"hi"}]}`)
	if kind := answer.Header().Get("Content-Type"); kind != "application/x-ndjson" {
		t.Errorf("the stream is %s", kind)
	}
	lines := strings.Split(strings.TrimSuffix(answer.Body.String(), "\n"), "\n")
	var said strings.Builder
	for i, line := range lines {
		var chunk struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
			Done bool `json:"done"`
		}
		if err := json.Unmarshal([]byte(line), &chunk); err != nil || chunk.Done != (i == len(lines)-1) {
			t.Errorf("line %d, %v: %s", i, err, line)
		}
		said.WriteString(chunk.Message.Content)
	}
	if said.String() != "This is an answer of the emulator." || len(lines) < 3 {
		t.Errorf("the stream says %q in %d lines", said.String(), len(lines))
	}
}

// TestCrash checks that no answer comes where an engine would crash, and that the emulator goes
// on.
func TestCrash(t *testing.T) {
	t.Parallel()
	for engine, body := range map[string]string{
		"llamacpp": `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","minLength":5,"maxLength":2}}}}}]}`,
	} {
		server := httptest.NewServer(emulator.New(emulator.Options{AsOf: day, Engine: engine}))
		t.Cleanup(server.Close)
		response, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body)) //nolint:noctx // it ends
		if err == nil {
			_ = response.Body.Close()
			t.Errorf("%s answers %d to what ends it", engine, response.StatusCode)
		}
		if response, err = http.Get(server.URL + "/v1/models"); err != nil { //nolint:noctx // it ends
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
}

// TestFixturesOfEngines compares the answers of the engines to all fixtures with the models:
// refusals have the same words, and the other fixtures are answered.
func TestFixturesOfEngines(t *testing.T) {
	t.Parallel()
	all, err := allFixtures()
	if err != nil {
		t.Fatal(err)
	}
	for number, surface := range []struct{ engine, dialect, model string }{
		{"", "ollama/chat", "qwen3"},
		{"ollama", "ollama/format", "qwen3"},
		{"llamacpp", "llamacpp/chat", "m"},
		{"llamacpp", "llamacpp/response_format", "m"},
		{"vllm", "vllm/chat", "Qwen/Qwen3-8B"},
		{"vllm", "vllm/response_format", "Qwen/Qwen3-8B"},
	} {
		t.Run(surface.dialect, func(t *testing.T) {
			t.Parallel()
			dialect, err := harness.DialectNamed(surface.dialect)
			if err != nil {
				t.Fatal(err)
			}
			handler, refused := emulator.New(emulator.Options{AsOf: day, Engine: surface.engine}), 0
			for i, fixture := range all {
				if !inShare(i + number) {
					continue
				}
				tools := fixture.Tools[:1]
				if len(tools) == 0 || tools[0].Parameters == nil {
					continue
				}
				request := dialect.Encode(tools)
				request.Body.Set("model", schema.NewString(surface.model))
				predicted, err := (&provider.Model{Dialect: dialect, AsOf: day, ModelName: surface.model}).Send(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				if engines.Ends(predicted) {
					continue // no recording can show that
				}
				answer := post(t, handler, dialect.Path, request.Body.JSON())
				if predicted.Verdict == provider.Accepted {
					if answer.Code != http.StatusOK {
						t.Errorf("%s: status %d, and the model accepts: %s", fixture.ID, answer.Code, answer.Body)
					}
					continue
				}
				refused++
				if want := dialect.Render(predicted); answer.Code != predicted.Status || answer.Body.String() != string(want) {
					t.Errorf("%s: %d %s\nand the model says %d %s", fixture.ID, answer.Code, answer.Body, predicted.Status, want)
				}
			}
			if refused == 0 {
				t.Error("no fixture is refused: nothing was shown")
			}
		})
	}
}
