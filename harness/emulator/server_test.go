package emulator_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// TestTurns checks whether the model calls a function or says a text.
func TestTurns(t *testing.T) { //nolint:paralleltest // it measures allocations
	const (
		gemini     = "/v1beta/models/gemini-2.5-flash:generateContent"
		vertex     = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"
		chat       = "/v1/chat/completions"
		answers    = "/v1/responses"
		messages   = "/v1/messages"
		compatible = "/v1beta/openai/chat/completions"

		user       = `"contents":[{"role":"user","parts":[{"text":"hi"}]}]`
		result     = `"contents":[{"parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{}}}]}]`
		functions  = `"tools":[{"functionDeclarations":[{"name":"a","description":"d"},{"name":"b","description":"d"}]}]`
		chatUser   = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]`
		chatResult = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"42"}]`
		chatTools  = `"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]`
		input      = `{"model":"gpt-4o","input":"hi"`
		output     = `{"model":"gpt-4o","input":[{"role":"user","content":"hi"},{"type":"function_call","call_id":"c","name":"a","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"42"}]`
		flat       = `"tools":[{"type":"web_search"},{"type":"function","name":"a","strict":false,"parameters":{}},{"type":"function","name":"b","strict":false,"parameters":{}}]`
		hi         = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}]`
		toolResult = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]`
		tools      = `"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"b","input_schema":{"type":"object"}}]`

		format = `{"type":"object","properties":{"n":{"type":"integer","enum":[7]}},"required":["n"],"additionalProperties":false}`
	)
	for _, test := range []struct {
		name, path, body string
		status           int
		has              string
	}{
		{"gemini, no tools", gemini, `{` + user + `}`, 200, `"text":"This is an answer`},
		{"gemini, the first", gemini, `{` + user + `,` + functions + `}`, 200, `"name":"a"`},
		{"gemini, result", gemini, `{` + result + `,` + functions + `}`, 200, `"text":"This is an answer`},
		{"gemini, NONE", gemini, `{` + user + `,` + functions + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`, 200, `"text":"This is an answer`},
		{"gemini, ANY", gemini, `{` + result + `,` + functions + `,"tool_config":{"function_calling_config":{"mode":"any","allowed_function_names":["b"]}}}`, 200, `"name":"b"`},
		{"gemini, undeclared", gemini, `{` + user + `,` + functions + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["c"]}}}`, 200, `what the service says to that is not known`},
		{"gemini, the first of two surfaces that refuse", gemini, `{` + user + `,"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"a":{"const":1}}},"responseJsonSchema":{"type":"object","properties":{"a":{"$ref":"#/nope"}}}}}`, 400, `generation_config.response_schema.properties`},
		{"gemini, format", gemini, `{` + user + `,"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + format + `}}`, 200, `{\"n\":7}`},
		{"gemini, JSON", gemini, `{` + user + `,"generationConfig":{"responseMimeType":"application/json"}}`, 200, `"text":"{}"`},
		{"gemini, unknown field", gemini, `{` + user + `,"extra":1}`, 200, `"text":"This is an answer`},
		{"gemini, unknown tool", gemini, `{` + user + `,"tools":[{"extra":1}]}`, 400, `Unknown name \"extra\" at 'tools[0]': Cannot find field.`},
		{"gemini, no contents", gemini, `{}`, 400, "contents is not specified"},
		{"gemini, model", "/v1beta/models/gpt-4o:generateContent", `{` + user + `}`, 404, "models/gpt-4o is not found"},
		{"gemini, method", "/v1beta/models/gemini-2.5-flash:think", `{` + user + `}`, 404, "NOT_FOUND"},
		{"gemini v1", strings.Replace(gemini, "v1beta", "v1", 1), `{` + user + `,` + functions + `}`, 200, `"name":"a"`},
		{"gemini v1, model", "/v1/models/gpt-4o:generateContent", `{` + user + `}`, 404, "models/gpt-4o is not found for API version v1,"},
		{"gemini, count", "/v1beta/models/gemini-2.5-flash:countTokens", `{` + user + `}`, 200, `"totalTokens":`},
		{"gemini, not JSON", gemini, `{"contents":`, 400, `"INVALID_ARGUMENT"`},
		{"gemini, snake case", gemini, `{` + user + `,"tools":[{"function_declarations":[{"name":"a","description":"d","parameters":{"type":"OBJECT","properties":{"n":{"type":"ARRAY","items":{"type":3},"min_items":"2","max_items":2}},"required":["n"]}}]}]}`, 200, `"n":[`},
		{"vertex", vertex, `{` + user + `,` + functions + `}`, 200, `"name":"a"`},
		{"vertex, model", strings.Replace(vertex, "gemini", "llama", 1), `{` + user + `}`, 404, "Publisher Model"},
		{"chat, no tools", chat, chatUser + `}`, 200, `"content":"This is an answer`},
		{"chat, the first", chat, chatUser + `,` + chatTools + `}`, 200, `"name":"a"`},
		{"chat, result", chat, chatResult + `,` + chatTools + `}`, 200, `"finish_reason":"stop"`},
		{"chat, none", chat, chatUser + `,` + chatTools + `,"tool_choice":"none"}`, 200, `"finish_reason":"stop"`},
		{"chat, required", chat, chatResult + `,` + chatTools + `,"tool_choice":"required"}`, 200, `"name":"a"`},
		{"chat, named", chat, chatUser + `,` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"b"}}}`, 200, `"name":"b"`},
		{"chat, allowed", chat, chatUser + `,` + chatTools + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"b"}}]}}}`, 200, `"name":"b"`},
		{"chat, undeclared", chat, chatUser + `,` + chatTools + `,"tool_choice":{"type":"function","function":{"name":"c"}}}`, 400, "invalid_request_error"},
		{"chat, format", chat, chatUser + `,"response_format":{"type":"json_schema","json_schema":{"name":"f","strict":true,"schema":` + format + `}}}`, 200, `{\"n\":7}`},
		{"chat, loose format", chat, chatUser + `,"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":{"type":"object","properties":{"n":{"const":7}},"required":["n"]}}}}`, 200, `{\"n\":7}`},
		{"chat, model", chat, `{"model":"llama","messages":[{"role":"user","content":"hi"}]}`, 404, `"model_not_found"`},
		{"chat, no model", chat, `{"messages":[]}`, 400, "model"},
		{"chat, no messages", chat, `{"model":"gpt-4o"}`, 400, "'messages'"},
		{"chat, no object", chat, `[]`, 400, "invalid_request_error"},
		{"chat, second of two surfaces", chat, chatUser + `,"tools":[{"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object","properties":{},"additionalProperties":false,"required":[]}}},{"type":"function","function":{"name":"b","parameters":{"type":"array"}}},{"type":"function","function":{"name":"c","strict":true,"parameters":{"type":"array"}}}]}`, 400, `tools[1].function.parameters`},
		{"responses, the first", answers, input + `,` + flat + `}`, 200, `"name":"a"`},
		{"responses, result", answers, output + `,` + flat + `}`, 200, `"output_text"`},
		{"responses, named", answers, input + `,` + flat + `,"tool_choice":{"type":"function","name":"b"}}`, 200, `"name":"b"`},
		{"responses, understood", answers, input + `,"tools":[{"type":"function","name":"a","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]}`, 200, `"required":["x"]},"strict":true`},
		{"responses, behind a built-in tool", answers, input + `,"tools":[{"type":"web_search"},{"type":"function","name":"a","strict":true,"parameters":{"type":"array"}}]}`, 400, `tools[1].parameters`},
		{"responses, format", answers, input + `,"text":{"format":{"type":"json_schema","name":"f","strict":true,"schema":` + format + `}}}`, 200, `{\"n\":7}`},
		{"messages, the first", messages, hi + `,` + tools + `}`, 200, `"name":"a"`},
		{"messages, result", messages, toolResult + `,` + tools + `}`, 200, `"end_turn"`},
		{"messages, any", messages, toolResult + `,` + tools + `,"tool_choice":{"type":"any"}}`, 200, `"tool_use"`},
		{"messages, none", messages, hi + `,` + tools + `,"tool_choice":{"type":"none"}}`, 200, `"end_turn"`},
		{"messages, named", messages, hi + `,` + tools + `,"tool_choice":{"type":"tool","name":"b"}}`, 200, `"name":"b"`},
		{"messages, format", messages, hi + `,"output_config":{"format":{"type":"json_schema","schema":` + format + `}}}`, 200, `{\"n\":7}`},
		{"messages, no limit", messages, `{"model":"claude-sonnet-5","messages":[]}`, 400, "max_tokens: Field required"},
		{"messages, model", messages, `{"model":"gpt-4o","max_tokens":1,"messages":[]}`, 404, "not_found_error"},
		{"messages, count", messages + "/count_tokens", hi + `}`, 200, `"input_tokens":`},
		{"compatible", compatible, strings.Replace(chatUser, "gpt-4o", "gemini-2.5-flash", 1) + `,` + chatTools + `}`, 200, `"name":"a"`},
		{"compatible, model", compatible, chatUser + `}`, 404, `[{"error":`},
		{"compatible, format", compatible, `{"model":"models/gemini-2.5-flash","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"f","strict":true,"schema":` + format + `}}}`, 200, `{\"n\":7}`},
		{"gemini, tools in two", gemini, `{` + user + `,"tools":[{"functionDeclarations":[{"name":"b","description":"d"},{"name":"c","description":"d"}]},{"functionDeclarations":{"name":"a","description":"d","parametersJsonSchema":{}}}]}`, 200, `"name":"b"`},
		{"elsewhere", "/v2/nothing", `{}`, 404, "no such path"},
		{"deep", chat, chatUser + `,"tools":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, 400, "nested too deep"},
		{"large", chat, `{"model":"` + strings.Repeat("x", emulator.MaxBody) + `"}`, 413, "larger than"},
		{"in circles", chat, chatUser + `,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"x":{"$ref":"#/properties/x"}},"required":["x"]}}}]}`, 200, "finds no arguments"},
		{"endless", chat, chatUser + `,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"x":{"$ref":"#"}},"required":["x"]}}}]}`, 200, "finds no arguments"},
	} {
		t.Run(test.name, func(t *testing.T) {
			handler := emulator.New(emulator.Options{AsOf: day})
			answer, allocated := postCounted(t, handler, test.path, []byte(test.body))
			if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.has) {
				t.Errorf("status %d, want %d with %s:\n%s", answer.Code, test.status, test.has, answer.Body)
			}
			if answer.Header().Get(provider.EmulatorHeader) == "" {
				t.Error("the answer is not marked as the emulator's")
			}
			const most = 64 << 20 // the largest body is 4 MB
			if allocated > most {
				t.Errorf("the answer took %d bytes", allocated)
			}
			if again := post(t, handler, test.path, []byte(test.body)); !bytes.Equal(again.Body.Bytes(), answer.Body.Bytes()) {
				t.Errorf("the same request has another answer:\n%s\n%s", answer.Body, again.Body)
			}
		})
	}
}

// postCounted posts a request and also returns the bytes allocated meanwhile. No other test may
// run at the same time.
func postCounted(t *testing.T, handler http.Handler, path string, body []byte) (*httptest.ResponseRecorder, uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answer := post(t, handler, path, body)
	runtime.ReadMemStats(&after)
	return answer, after.TotalAlloc - before.TotalAlloc
}

// TestHostile sends declarations made to keep a server busy or to crash it. It measures the
// work in bytes allocated, which do not depend on the machine; the timeout of go test stops
// endless work. A short test sends each to one of the four surfaces, with a quarter of its
// repetitions.
func TestHostile(t *testing.T) { //nolint:paralleltest // it measures allocations
	many := func(count int, format string) string {
		if testing.Short() {
			count /= 4
		}
		items := make([]string, count)
		for i := range items {
			items[i] = strings.ReplaceAll(format, "N", strconv.Itoa(i))
		}
		return strings.Join(items, ",")
	}
	// Each level refers to the next one twice, 2^60 times in all.
	fan := func(format string) string {
		var levels []string
		for i := range 60 {
			levels = append(levels, strings.NewReplacer("NEXT", "#/$defs/l"+strconv.Itoa(i+1), "N", strconv.Itoa(i)).Replace(format))
		}
		return strings.Join(append(levels, `"l60":{}`), ",")
	}
	cases := map[string]string{
		"properties":         `{"type":"object","properties":{` + many(50_000, `"pN":{"type":"string"}`) + `}}`,
		"required":           `{"type":"object","properties":{` + many(50_000, `"pN":{"type":"string"}`) + `},"required":[` + many(50_000, `"pN"`) + `]}`,
		"keywords":           `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}},"required":["a"],` + many(50_000, `"xN":1`) + `}`,
		"enums":              `{"type":"object","properties":{"a":{"allOf":[{"enum":[` + many(30_000, `"aN"`) + `]},{"enum":[` + many(30_000, `"bN"`) + `]}]}},"required":["a"]}`,
		"types":              `{"type":"object","properties":{"a":{"type":[` + many(50_000, `"tN"`) + `]}},"required":["a"]}`,
		"patterns":           `{"type":"object","properties":{"a":{"allOf":[` + many(3_000, `{"pattern":"^aN*$"}`) + `]}},"required":["a"]}`,
		"pattern properties": `{"type":"object","properties":{` + many(300, `"pN":{}`) + `},"patternProperties":{` + many(3_000, `"^pN.*$":{}`) + `}}`,
		"branches":           `{"type":"object","properties":{"a":{"anyOf":[` + many(20_000, `{"enum":[]}`) + `]}},"required":["a"]}`,
		"choices":            `{"type":"object","properties":{"a":{"type":"string","allOf":[` + many(500, `{"anyOf":[{"type":"null"},{"type":"array"}]}`) + `]}},"required":["a"]}`,
		"items":              `{"type":"object","properties":{"a":{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":1000000000}},"required":["a"]}`,
		"tuple":              `{"type":"object","properties":{"a":{"type":"array","prefixItems":[` + many(50_000, `{"type":"integer"}`) + `],"uniqueItems":true}},"required":["a"]}`,
		"length":             `{"type":"object","properties":{"a":{"type":"string","minLength":1000000000}},"required":["a"]}`,
		"repeats":            `{"type":"object","properties":{"a":{"type":"string","pattern":"((a{1,9}){1,9}){1,9}b{900}","minLength":90000}},"required":["a"]}`,
		"numbers":            `{"type":"object","properties":{"a":{"type":"number","minimum":1e999999999,"maximum":-1e999,"multipleOf":1e-999}},"required":["a"]}`,
		"small steps":        `{"type":"object","properties":{"a":{"type":"number","minimum":1e900,"multipleOf":1e-900}},"required":["a"]}`,
		"names":              `{"type":"object","minProperties":1000000,"propertyNames":{"enum":["a"]}}`,
		"fan of references":  `{"type":"object","properties":{"a":{"$ref":"#/$defs/l0"}},"required":["a"],"$defs":{` + fan(`"lN":{"type":"object","properties":{"a":{"$ref":"NEXT"},"b":{"$ref":"NEXT"}},"required":["a","b"]}`) + `}}`,
		"fan of all":         `{"type":"object","properties":{"a":{"$ref":"#/$defs/l0"}},"required":["a"],"$defs":{` + fan(`"lN":{"allOf":[{"$ref":"NEXT"},{"$ref":"NEXT"}]}`) + `}}`,
		"fan of doubts":      `{"type":"object","properties":{"a":{"$ref":"#/$defs/l0"}},"required":["a"],"$defs":{` + fan(`"lN":{"not":{"anyOf":[{"$ref":"NEXT"},{"$ref":"NEXT"}]}}`) + `}}`,
		"deep":               `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 900) + `{}` + strings.Repeat(`}`, 900) + `},"required":["a"]}`,
		"wrong everywhere":   `{"type":5,"properties":[1],"required":{"a":1},"enum":3,"anyOf":{"a":1},"items":"x","pattern":1,"minimum":[],"$ref":7,"allOf":null,"if":1}`,
	}
	for number, name := range slices.Sorted(maps.Keys(cases)) {
		parameters := cases[name]
		t.Run(name, func(t *testing.T) {
			handler := emulator.New(emulator.Options{AsOf: day})
			for i, request := range []struct{ path, body string }{
				{"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a","parameters":SCHEMA}}]}`},
				{"/v1/messages", `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"output_config":{"format":{"type":"json_schema","schema":SCHEMA}}}`},
				{"/v1beta/models/gemini-2.5-flash:generateContent", `{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"a","description":"d","parametersJsonSchema":SCHEMA}]}]}`},
				{"/v1beta/models/gemini-2.5-flash:generateContent", `{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"a","description":"d","parameters":SCHEMA}]}]}`},
			} {
				if testing.Short() && i != number%4 {
					continue
				}
				body := []byte(strings.Replace(request.body, "SCHEMA", parameters, 1))
				answer, allocated := postCounted(t, handler, request.path, body)
				if answer.Code != http.StatusOK && answer.Code != http.StatusBadRequest {
					t.Errorf("%s: status %d\n%.300s", request.path, answer.Code, answer.Body)
				}
				t.Logf("%s: %d of %d bytes took %d bytes", request.path, answer.Code, len(body), allocated)
				if most := uint64(64<<20 + 500*len(body)); allocated > most {
					t.Errorf("%s: a body of %d bytes took %d bytes", request.path, len(body), allocated)
				}
			}
		})
	}
}

// TestModels lists the models of each service and reads one of them.
func TestModels(t *testing.T) {
	t.Parallel()
	handler := emulator.New(emulator.Options{})
	for _, test := range []struct {
		path, version string
		status        int
		has           string
	}{
		{"/v1beta/models", "", 200, `"name":"models/gemini-2.5-flash"`},
		{"/v1beta/models/gemini-2.5-flash", "", 200, `"name":"models/gemini-2.5-flash"`},
		{"/v1beta/models/other", "", 404, "NOT_FOUND"},
		{"/v1beta1/publishers/google/models", "", 200, `"name":"publishers/google/models/gemini-2.5-flash"`},
		{"/v1beta/openai/models", "", 200, `"id":"gemini-2.5-flash"`},
		{"/v1/models", "", 200, `"id":"gpt-4o-mini"`},
		{"/v1/models/gpt-4o-mini", "", 200, `"id":"gpt-4o-mini"`},
		{"/v1/models/claude-sonnet-5", "", 404, "model_not_found"},
		{"/v1/models", "2023-06-01", 200, `"id":"claude-sonnet-5"`},
		{"/v1/models/claude-sonnet-5", "2023-06-01", 200, `"id":"claude-sonnet-5"`},
		{"/v1/messages", "", 405, `"type":"error"`},
		{"/v1beta/models/gemini-2.5-flash:generateContent", "", 404, "NOT_FOUND"},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, nil)
		request.Header.Set("Anthropic-Version", test.version)
		if test.version == "" {
			request.Header.Del("Anthropic-Version")
		}
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != test.status || !strings.Contains(recorder.Body.String(), test.has) {
			t.Errorf("%s: status %d, want %d with %s:\n%s", test.path, recorder.Code, test.status, test.has, recorder.Body)
		}
	}
}

// TestSeed checks that another seed gives other answers and the same seed the same.
func TestSeed(t *testing.T) {
	t.Parallel()
	const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"a",` +
		`"parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":90}},"required":["n"]}}}]}`
	said := map[string]bool{}
	for seed := range uint64(10) {
		first := post(t, emulator.New(emulator.Options{Seed: seed, AsOf: day}), "/v1/chat/completions", []byte(body)).Body.String()
		if second := post(t, emulator.New(emulator.Options{Seed: seed, AsOf: day}), "/v1/chat/completions", []byte(body)).Body.String(); first != second {
			t.Errorf("seed %d has two answers:\n%s\n%s", seed, first, second)
		}
		said[first] = true
	}
	if len(said) < 10 {
		t.Errorf("10 seeds have %d answers", len(said))
	}
}

// TestFaults lets one fault happen to every request and checks what a client sees.
func TestFaults(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, fault, path string) (status int, header http.Header, body string, err error) {
		t.Helper()
		faults, err := emulator.ParseFaults(fault)
		if err != nil {
			t.Fatal(err)
		}
		const delay = time.Millisecond
		server := httptest.NewServer(emulator.New(emulator.Options{Faults: faults, Delay: delay}))
		t.Cleanup(server.Close)
		ctx := t.Context()
		if fault == "timeout" { // no answer ever comes
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
			t.Cleanup(cancel)
		}
		question := strings.NewReader(`{"model":"gpt-4o","input":"hi"}`)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, question)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, nil, "", err
		}
		text, err := io.ReadAll(response.Body)
		return response.StatusCode, response.Header, string(text), errors.Join(err, response.Body.Close())
	}
	for _, test := range []struct {
		fault, path string
		status      int
		has         string
	}{
		{"429", "/v1/responses", 429, `"rate_limit_exceeded"`},
		{"429", "/v1/messages", 429, `"rate_limit_error"`},
		{"429", "/v1beta/models/gemini-2.5-flash:generateContent", 429, `"RESOURCE_EXHAUSTED"`},
		{"500", "/v1/responses", 500, `"server_error"`},
		{"500", "/v1/messages", 500, `"api_error"`},
		{"500", "/v1beta/models/gemini-2.5-flash:generateContent", 500, `"INTERNAL"`},
		{"garbage", "/v1/responses", 200, "<html>"},
		{"slow", "/v1/responses", 200, `"completed"`},
		{"429=0", "/v1/responses", 200, `"completed"`},
	} {
		status, header, text, err := ask(t, test.fault, test.path)
		if err != nil {
			t.Errorf("%s %s: %v", test.fault, test.path, err)
			continue
		}
		if status != test.status || !strings.Contains(text, test.has) {
			t.Errorf("%s %s: %d %s", test.fault, test.path, status, text)
		}
		if hasRetryAfter := header.Get("Retry-After") != ""; hasRetryAfter != (test.status == 429) {
			t.Errorf("%s %s: Retry-After is %q", test.fault, test.path, header.Get("Retry-After"))
		}
		if mark, want := header.Get(provider.EmulatorHeader), "fault "+test.fault; mark != want && test.fault != "429=0" {
			t.Errorf("%s %s: marked as %q, want %q", test.fault, test.path, mark, want)
		}
	}
	if _, _, _, err := ask(t, "reset", "/v1/responses"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reset: %v", err)
	}
	if _, _, _, err := ask(t, "timeout", "/v1/responses"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
}

// TestShares counts faults, which depend on the seed alone.
func TestShares(t *testing.T) {
	t.Parallel()
	count := func(seed uint64) map[int]int {
		faults := emulator.Faults{emulator.TooManyRequests: 0.2, emulator.ServerError: 0.05}
		handler := emulator.New(emulator.Options{Seed: seed, Faults: faults})
		counted := map[int]int{}
		for range 2000 {
			counted[post(t, handler, "/v1/responses", []byte(`{"model":"gpt-4o","input":"hi"}`)).Code]++
		}
		return counted
	}
	first, again, other := count(1), count(1), count(2)
	if first[429] < 340 || first[429] > 460 || first[500] < 70 || first[500] > 130 || first[200] != 2000-first[429]-first[500] {
		t.Errorf("of 2,000 requests %v, want some 400 with 429 and 100 with 500", first)
	}
	if first[429] != again[429] || first[500] != again[500] {
		t.Errorf("the same seed makes other faults: %v and %v", first, again)
	}
	if first[429] == other[429] && first[500] == other[500] {
		t.Errorf("another seed makes as many faults: %v", first)
	}
}

func TestParseFaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "428", "429=", "429=x", "429=1.1", "429=-1", "429=NaN", "429=0.6,500=0.6", "429,500"} {
		if faults, err := emulator.ParseFaults(text); err == nil {
			t.Errorf("%q is read as %v", text, faults)
		}
	}
	faults, err := emulator.ParseFaults("429=0.2, slow=0.1,reset=0")
	if err != nil || faults[emulator.TooManyRequests] != 0.2 || faults[emulator.Slow] != 0.1 {
		t.Errorf("read as %v, %v", faults, err)
	}
}
