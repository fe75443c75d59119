package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/transport"
)

// always answers with the same text.
type always struct{ kind, answer string }

func (a always) RoundTrip(request *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(strings.NewReader(a.answer))}, nil
}

// BenchmarkRoundTrip sends 20 tools and a history of 40 messages, of which 20 are calls, with the Transport and without.
// The answers have a call, and the stream also 200 events of text.
func BenchmarkRoundTrip(b *testing.B) {
	var tools, messages []string
	for i := range 20 {
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":"a/%d","description":"Says what the weather is like.","parameters":%s}}`, i, parameters))
		messages = append(messages, fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"a/%d","arguments":"{\"city\":\"Rome\"}"}}]}`, i, i),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"%d","content":"%s"}`, i, strings.Repeat("It is sunny. ", 50)))
	}
	request := []byte(`{"tools":[` + strings.Join(tools, ",") + `],"messages":[` + strings.Join(messages, ",") + `]}`)
	text := strings.Repeat(lines(chunk(`"content":"Rome"`)), 200)
	const whole = `{"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"a_1","arguments":"{\"city\":\"Rome\",\"days\":null}"}}]}}]}`
	for _, answers := range []struct {
		always

		name string
	}{
		{always{"application/json", whole}, "whole"},
		{always{"text/event-stream", text + lines(begun(0, "a_1"), piece(0, `{"city":"Rome",`), piece(0, `"days":null}`), finished, "[DONE]")}, "stream"},
	} {
		for name, through := range map[string]http.RoundTripper{
			"with":    &transport.Transport{Pipeline: normalizers.OpenAIStrict, Base: answers.always, Problem: func(err error) { b.Error(err) }},
			"without": answers.always,
		} {
			b.Run(answers.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sent, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://example.com"+chatPath, bytes.NewReader(request))
					if err != nil {
						b.Fatal(err)
					}
					response, err := through.RoundTrip(sent)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := io.Copy(io.Discard, response.Body); err != nil {
						b.Fatal(err)
					}
					if err := response.Body.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
