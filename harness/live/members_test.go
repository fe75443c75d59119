package live_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"toolproof/harness/emulator"
)

// absent are members that the official clients' types require and that published recordings of answers to requests
// without a beta feature do not have.
var absent = []string{"access_programs", "citations", "diagnostics", "speed"}

// TestRequiredMembers checks that the emulator's answers, whole and in streams, have each member that the official
// clients' types require.
func TestRequiredMembers(t *testing.T) {
	t.Parallel()
	const (
		chat     = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]`
		chatTool = `,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}]`
		response = `{"model":"gpt-5","reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"input":"hi"`
		tool     = `,"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}]`
		message  = `{"model":"claude-opus-4-5","max_tokens":9000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"hi"}]`
		msgTool  = `,"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}]`
	)
	for name, test := range map[string]struct {
		path, body string
		whole, one any // the types of an answer and of an event
	}{
		"chat":      {"/v1/chat/completions", chat, openai.ChatCompletion{}, openai.ChatCompletionChunk{}},
		"chat call": {"/v1/chat/completions", chat + chatTool, openai.ChatCompletion{}, openai.ChatCompletionChunk{}},
		"chat usage": {
			"/v1/chat/completions", chat + chatTool + `,"stream_options":{"include_usage":true}`, nil, openai.ChatCompletionChunk{},
		},
		"responses":      {"/v1/responses", response, responses.Response{}, responses.ResponseStreamEventUnion{}},
		"responses call": {"/v1/responses", response + tool, responses.Response{}, responses.ResponseStreamEventUnion{}},
		"messages":       {"/v1/messages", message, anthropic.Message{}, anthropic.MessageStreamEventUnion{}},
		"messages call":  {"/v1/messages", message + msgTool, anthropic.Message{}, anthropic.MessageStreamEventUnion{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.whole != nil {
				lacking(t, "the answer", test.whole, post(t, test.path, test.body+"}"))
			}
			events := 0
			for line := range bytes.Lines(post(t, test.path, test.body+`,"stream":true}`)) {
				if data, isData := strings.CutPrefix(strings.TrimSpace(string(line)), "data: "); isData && data != "[DONE]" {
					events++
					lacking(t, fmt.Sprintf("event %d", events), test.one, []byte(data))
				}
			}
			if events < 3 {
				t.Errorf("the stream has %d events", events)
			}
		})
	}
}

func post(t *testing.T, path, body string) []byte {
	t.Helper()
	recorder := httptest.NewRecorder()
	emulator.New(emulator.Options{}).ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
	if recorder.Code != http.StatusOK {
		t.Fatalf("status %d: %s", recorder.Code, recorder.Body)
	}
	return recorder.Body.Bytes()
}

// lacking reports each member that a client's type requires and a text of JSON lacks.
func lacking(t *testing.T, what string, wanted any, text []byte) {
	t.Helper()
	read := reflect.New(reflect.TypeOf(wanted))
	if err := json.Unmarshal(text, read.Interface()); err != nil {
		t.Fatalf("%s: %v: %s", what, err, text)
	}
	walk(read.Elem(), "", func(place string) { t.Errorf("%s lacks %s: %.400s", what, place, text) })
}

// walk visits a value of a client's type and calls lacks with each required member that its JSON has not.
func walk(value reflect.Value, place string, lacks func(place string)) {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			walk(value.Elem(), place, lacks)
		}
	case reflect.Slice:
		for i := range value.Len() {
			walk(value.Index(i), fmt.Sprintf("%s[%d]", place, i), lacks)
		}
	case reflect.Struct:
		if variant := value.MethodByName("AsAny"); variant.IsValid() {
			walk(variant.Call(nil)[0], place, lacks)
			return
		}
		read := value.FieldByName("JSON")
		for i := range value.NumField() {
			field := value.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.IsExported() || field.Name == "JSON" || !read.IsValid() || !read.FieldByName(field.Name).IsValid() {
				continue
			}
			raw := fmt.Sprint(read.FieldByName(field.Name).MethodByName("Raw").Call(nil)[0])
			isRequired := field.Tag.Get("api") == "required" || field.Tag.Get("default") != ""
			if raw == "" && isRequired && !slices.Contains(absent, name) {
				lacks(place + "." + name)
			}
			if raw != "" && raw != "null" {
				walk(value.Field(i), place+"."+name, lacks)
			}
		}
	default: // it has no members
	}
}
