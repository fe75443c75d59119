package gateway

import (
	"testing"

	"toolproof/harness/provider"
)

// TestCallsInStreams reads a call from each form of a stream, and none from what is no answer.
func TestCallsInStreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		api  provider.API
		body string
		want string // the arguments; empty if there is no call
	}{
		{provider.GenerateContent, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{\"a\":1}}}]}}]}\n\n", `{"a":1}`},
		{provider.GenerateContent, `[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1}}}]}}]}]`, `{"a":1}`},
		{provider.ChatCompletions, `"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\ndata: [DONE]\n\n"`, `{"a":1}`},
		{provider.ChatCompletions, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"}}]}\n\ndata: [DONE]\n\n", ""},
	} {
		calls, isRead := callsIn(test.api, []byte(test.body))
		if !isRead || (len(calls) == 1) != (test.want != "") || test.want != "" && (calls[0].name != "f" || calls[0].arguments.String() != test.want) {
			t.Errorf("%s: %+v, %t", test.body, calls, isRead)
		}
	}
	for _, body := range []string{"<html>", `"text"`, "[]", ""} {
		if calls, isRead := callsIn(provider.ChatCompletions, []byte(body)); isRead {
			t.Errorf("%s is read as an answer with %+v", body, calls)
		}
	}
}
