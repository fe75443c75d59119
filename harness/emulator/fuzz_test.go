package emulator_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/emulator"
)

// FuzzRequest sends arbitrary bodies to each API. The answer has to be JSON of a known status,
// or events.
func FuzzRequest(f *testing.F) {
	paths := []string{
		"/v1beta/models/gemini-2.5-flash:generateContent",
		"/v1beta/models/gemini-2.5-flash:streamGenerateContent",
		"/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent",
		"/v1beta/openai/chat/completions",
		"/v1/chat/completions",
		"/v1/responses",
		"/v1/messages",
	}
	for i, body := range []string{
		`{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"a","description":"d","parameters":SCHEMA}]}]}`,
		`{"contents":{"parts":{"functionResponse":{}}},"tools":{"function_declarations":{"name":"a","parameters_json_schema":SCHEMA}},"tool_config":{"function_calling_config":{"mode":"ANY"}}}`,
		`{"contents":[{}],"generationConfig":{"responseMimeType":"application/json","responseSchema":SCHEMA}}`,
		`{"model":"gemini-2.5-flash","messages":[{"role":"user"}],"tools":[{"function":{"name":"a","parameters":SCHEMA}}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user"}],"tools":[{"function":{"name":"a","strict":true,"parameters":SCHEMA}}],"tool_choice":"required"}`,
		`{"model":"gpt-4o","input":[{}],"tools":[{"type":"function","name":"a","parameters":SCHEMA},1],"text":{"format":{"type":"json_schema","strict":true,"schema":SCHEMA}}}`,
		`{"model":"claude-sonnet-5","max_tokens":1,"messages":[{"content":[{"type":"tool_result"}]}],"tools":[{"name":"a","input_schema":SCHEMA}],"output_format":{"type":"json_schema","schema":SCHEMA}}`,
	} {
		for _, schema := range []string{goodSchema, badSchema, `{"$ref":"#","oneOf":[{"not":{"type":[1]}},true],"if":{"minimum":"x"},"required":"a","items":[{}]}`} {
			f.Add(uint8(i), []byte(strings.ReplaceAll(body, "SCHEMA", schema)))
		}
	}
	handler := emulator.New(emulator.Options{AsOf: day})
	f.Fuzz(func(t *testing.T, path uint8, body []byte) {
		answer := post(t, handler, paths[int(path)%len(paths)], body)
		if !slices.Contains([]int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound}, answer.Code) {
			t.Errorf("status %d\n%s", answer.Code, answer.Body)
		}
		if isEvents := answer.Header().Get("Content-Type") == "text/event-stream"; !isEvents && !json.Valid(answer.Body.Bytes()) {
			t.Errorf("no JSON: %s", answer.Body)
		}
	})
}

// FuzzQuirks calls a tool with arbitrary arguments in the shape of each quirk. No writer may fail, and where an answer
// stays whole, each of its lines with data stays JSON.
func FuzzQuirks(f *testing.F) {
	for i := range emulator.Quirks {
		f.Add(uint8(i), uint8(i), true, oddArguments)
		f.Add(uint8(i), uint8(i+1), false, `{}`)
	}
	f.Add(uint8(0), uint8(0), true, `{"city":{"\u0000":[null,1e400,"\ud83d\ude00"]},"at":{},"":"data: "}`)
	f.Fuzz(func(t *testing.T, first, second uint8, isStream bool, arguments string) {
		one, other := emulator.Quirks[int(first)%len(emulator.Quirks)], emulator.Quirks[int(second)%len(emulator.Quirks)]
		script := `{"steps":[{"answers":[{"calls":[{"name":"get_weather","arguments":` + arguments + `}]}]}]}`
		if _, err := emulator.ParseScript([]byte(script)); err != nil {
			t.Skip("no arguments")
		}
		for api := range oddRequests {
			answer := oddly(t, api, arguments, isStream, one.Name, other.Name)
			if !isStream && !json.Valid([]byte(answer)) {
				t.Errorf("%s and %s on %s: no JSON: %s", one.Name, other.Name, api, answer)
			}
			for line := range strings.Lines(answer) {
				data, isData := strings.CutPrefix(line, "data: ")
				if isStream && isData && strings.TrimSpace(data) != "[DONE]" && !json.Valid([]byte(data)) {
					t.Errorf("%s and %s on %s: no JSON: %s", one.Name, other.Name, api, data)
				}
			}
		}
	})
}
