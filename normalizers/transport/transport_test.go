package transport_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/transport"
	"toolproof/schema"
)

// base answers each request with a text of a type, and keeps the last request.
type base struct {
	kind, answer string
	zipped       bool
	cut          error     // ends the answer; nil means its end
	body         io.Reader // in place of answer; nil for none

	lock sync.Mutex
	sent string
}

func (b *base) RoundTrip(request *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	if request.ContentLength >= 0 && request.ContentLength != int64(len(sent)) {
		return nil, fmt.Errorf("the length of %d bytes is %d", len(sent), request.ContentLength)
	}
	b.lock.Lock()
	b.sent = string(sent)
	b.lock.Unlock()
	response := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {b.kind}}, Request: request}
	body := []byte(b.answer)
	if b.zipped {
		var zipped bytes.Buffer
		writer := gzip.NewWriter(&zipped)
		if _, err := writer.Write(body); err != nil {
			return nil, err
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		body = zipped.Bytes()
		response.Header.Set("Content-Encoding", "gzip")
	}
	reader := io.Reader(bytes.NewReader(body))
	if b.body != nil {
		reader = b.body
	}
	if b.cut != nil {
		reader = io.MultiReader(reader, iotest.ErrReader(b.cut))
	}
	response.Body = io.NopCloser(iotest.OneByteReader(reader))
	if b.body != nil {
		response.Body = io.NopCloser(reader)
	}
	return response, nil
}

// exchange is one request, and what became of it.
type exchange struct {
	sent, got string
	told      []error
	err       error
}

// exchanged sends a request to a path through a Transport.
func exchanged(t *testing.T, pipeline *normalizers.Pipeline, path, request string, answers *base) exchange {
	t.Helper()
	var x exchange
	client := &http.Client{Transport: &transport.Transport{Pipeline: pipeline, Base: answers, Problem: func(err error) { x.told = append(x.told, err) }}}
	sent, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/v1"+path, strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	x.sent, x.got, x.err = answers.sent, string(got), err
	return x
}

// The paths of the APIs.
const (
	chatPath      = "/chat/completions"
	responsesPath = "/responses"
	messagesPath  = "/messages"
	googlePath    = "/models/gemini:generateContent"
)

const parameters = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`

// strictly is what parameters become in strict mode.
const strictly = `{"type":"object","properties":{"city":{"type":"string"},"days":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["city","days"],"additionalProperties":false}`

// TestRequests has requests with all that names a tool.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name           string
		pipeline       *normalizers.Pipeline
		path           string
		request, wants string
	}{
		{
			"chat", normalizers.OpenAIStrict, chatPath,
			`{"model":"m","seed":1.50,"tools":[{"type":"function","function":{"name":"a/b","strict":false,"parameters":` + parameters + `}},{"type":"custom","custom":{"name":"c/d"}}],` +
				`"tool_choice":{"type":"function","function":{"name":"a/b"}},"messages":[{"role":"assistant","tool_calls":[` +
				`{"id":"1","type":"function","function":{"name":"a/b","arguments":"{\"city\":\"Rome\"}"}},{"id":"2","type":"custom","custom":{"name":"c/d","input":"x"}},` +
				`{"id":"3","type":"function","function":{"name":"no longer","arguments":"{}"}},{"id":"4","type":"function","function":{"name":"a/b","arguments":"{\"city\":"}},{"id":"5","type":"function","function":{}}]},` +
				`{"role":"tool","tool_call_id":"1","name":"a/b","content":"a/b"}]}`,
			`{"model":"m","seed":1.50,"tools":[{"type":"function","function":{"name":"a_b","parameters":` + strictly + `,"strict":true}},{"type":"custom","custom":{"name":"c/d"}}],` +
				`"tool_choice":{"type":"function","function":{"name":"a_b"}},"messages":[{"role":"assistant","tool_calls":[` +
				`{"id":"1","type":"function","function":{"name":"a_b","arguments":"{\"city\":\"Rome\",\"days\":null}"}},{"id":"2","type":"custom","custom":{"name":"c/d","input":"x"}},` +
				`{"id":"3","type":"function","function":{"name":"no_longer","arguments":"{}"}},{"id":"4","type":"function","function":{"name":"a_b","arguments":"{\"city\":"}},{"id":"5","type":"function","function":{}}]},` +
				`{"role":"tool","tool_call_id":"1","name":"a_b","content":"a/b"}]}`,
		},
		{
			"legacy chat", normalizers.OpenAI, chatPath,
			`{"functions":[{"name":"a/b","strict":true}],"function_call":{"name":"a/b"},"messages":[{"role":"assistant","function_call":{"name":"a/b","arguments":"{}"}},{"role":"function","name":"a/b","content":""}]}`,
			`{"functions":[{"name":"a_b"}],"function_call":{"name":"a_b"},"messages":[{"role":"assistant","function_call":{"name":"a_b","arguments":"{}"}},{"role":"function","name":"a_b","content":""}]}`,
		},
		{
			"responses", normalizers.OpenAIStrict, responsesPath,
			`{"tools":[{"type":"function","name":"a/b","parameters":` + parameters + `},{"type":"web_search"},{"type":"namespace","name":"s/t","tools":[{"type":"function","name":"e/f"}]}],` +
				`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a/b"},{"type":"mcp","server_label":"a/b","name":"a/b"}]},` +
				`"input":[{"type":"function_call","call_id":"1","name":"a/b","arguments":"{\"days\":1,\"city\":\"Rome\"}"},{"type":"function_call","namespace":"s/t","name":"e/f","arguments":"{}"}]}`,
			`{"tools":[{"type":"function","name":"a_b","parameters":` + strictly + `,"strict":true},{"type":"web_search"},{"type":"namespace","name":"s/t","tools":[{"type":"function","name":"e/f"}]}],` +
				`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"a_b"},{"type":"mcp","server_label":"a/b","name":"a/b"}]},` +
				`"input":[{"type":"function_call","call_id":"1","name":"a_b","arguments":"{\"days\":1,\"city\":\"Rome\"}"},{"type":"function_call","namespace":"s/t","name":"e/f","arguments":"{}"}]}`,
		},
		{
			"responses that are not strict", normalizers.OpenAIResponses, responsesPath, `{"tools":[{"type":"function","name":"a/b","strict":true}]}`,
			`{"tools":[{"type":"function","name":"a_b","strict":false}]}`,
		},
		{
			"messages", normalizers.Anthropic, messagesPath,
			`{"tools":[{"name":"a/b","input_schema":{"type":"object","properties":{"x/y":{"type":"string"}}},"cache_control":{"type":"ephemeral"}},{"type":"bash_20250124","name":"bash"}],` +
				`"tool_choice":{"type":"tool","name":"a/b"},"messages":[{"role":"user","content":"a/b"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a/b","input":{"x/y":"z"}},` +
				`{"type":"tool_use","id":"2","name":"bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_reference","tool_name":"a/b"}]}]}]}`,
			`{"tools":[{"name":"a_b","input_schema":{"type":"object","properties":{"x_y":{"type":"string"}}},"cache_control":{"type":"ephemeral"}},{"type":"bash_20250124","name":"bash"}],` +
				`"tool_choice":{"type":"tool","name":"a_b"},"messages":[{"role":"user","content":"a/b"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"a_b","input":{"x_y":"z"}},` +
				`{"type":"tool_use","id":"2","name":"bash","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"tool_reference","tool_name":"a_b"}]}]}]}`,
		},
		{
			"a value that is no object", normalizers.Anthropic, messagesPath,
			`{"tools":[{"name":"ask","input_schema":{"type":"string"}}],"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ask","input":"x"},{"type":"tool_use","id":"2","name":"ask","input":{"value":1}}]}]}`,
			`{"tools":[{"name":"ask","input_schema":{"type":"object","properties":{"value":{"type":"string"}},"required":["value"]}}],` +
				`"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ask","input":{"value":"x"}},{"type":"tool_use","id":"2","name":"ask","input":{"value":1}}]}]}`,
		},
		{
			"generateContent", normalizers.Gemini, googlePath,
			`{"tools":[{"google_search":{}},{"function_declarations":[{"name":"a/b","parametersJsonSchema":{"type":"object","properties":{"x":{"type":"string"}}}}]}],` +
				`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a/b"]}},` +
				`"contents":[{"role":"model","parts":[{"functionCall":{"name":"a/b","args":{"x":"a/b"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a/b","response":{"name":"a/b"}}}]}]}`,
			`{"tools":[{"google_search":{}},{"function_declarations":[{"name":"a_b","parameters":{"type":"OBJECT","properties":{"x":{"type":"STRING"}}}}]}],` +
				`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a_b"]}},` +
				`"contents":[{"role":"model","parts":[{"functionCall":{"name":"a_b","args":{"x":"a/b"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a_b","response":{"name":"a/b"}}}]}]}`,
		},
		{
			"countTokens", normalizers.GeminiJSON, "/models/gemini:countTokens",
			`{"generateContentRequest":{"tools":[{"functionDeclarations":{"name":"a/b"}}]}}`, `{"generateContentRequest":{"tools":[{"functionDeclarations":{"name":"a_b"}}]}}`,
		},
		{"no tools", normalizers.OpenAIStrict, chatPath, `{ "messages" : [ {"content":"\u00e9"} ] }`, `{ "messages" : [ {"content":"\u00e9"} ] }`},
		{"another API", normalizers.OpenAIStrict, "/embeddings", `{"tools":[{"type":"function","function":{"name":"a/b"}}]}`, `{"tools":[{"type":"function","function":{"name":"a/b"}}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			x := exchanged(t, test.pipeline, test.path, test.request, &base{kind: "application/json", answer: ` {"id" : 1}`})
			if x.sent != test.wants || len(x.told) > 0 || x.err != nil || x.got != ` {"id" : 1}` {
				t.Errorf("sent %s\nwant %s\ngot %s, told %v, error %v", x.sent, test.wants, x.got, x.told, x.err)
			}
		})
	}
}

// TestUnread has requests and answers that pass as they are, each with its reason.
func TestUnread(t *testing.T) {
	t.Parallel()
	const good = `{"tools":[{"type":"function","function":{"name":"a/b"}}]}`
	for _, test := range []struct{ request, answer, told string }{
		{`{"tools":`, `{}`, "the request passes as it is: "},
		{`{"tools":[],"tools":[]}`, `{}`, "the request passes as it is: "},
		{good, `{"choices":`, "the answer cannot be read: "},
		{good, `<html>`, "the answer cannot be read: "},
		{`{"background":true,"tools":[{"type":"function","function":{"name":"f"}}]}`, `{}`, "the calls of a response in the background are not restored"},
	} {
		x := exchanged(t, normalizers.OpenAI, chatPath, test.request, &base{kind: "application/json", answer: test.answer})
		if x.err != nil || x.got != test.answer || len(x.told) != 1 || !strings.HasPrefix(x.told[0].Error(), test.told) {
			t.Errorf("%s and %s: got %s, told %v, error %v", test.request, test.answer, x.got, x.told, x.err)
		}
	}
	if testing.Short() {
		return // the rest takes half a gigabyte
	}
	large := `{"a":"` + strings.Repeat("a", transport.MaxBody) + `"}`
	x := exchanged(t, normalizers.OpenAI, chatPath, large, &base{kind: "application/json", answer: "{}"})
	if x.sent != large || len(x.told) != 1 {
		t.Errorf("sent %d bytes of %d, told %v", len(x.sent), len(large), x.told)
	}
}

// requests declare a tool to each API.
var requests = map[string]string{
	chatPath:      `{"tools":[{"type":"function","function":{"name":"a/b","parameters":` + parameters + `}}]}`,
	responsesPath: `{"tools":[{"type":"function","name":"a/b","parameters":` + parameters + `},{"type":"custom","name":"own"}]}`,
	messagesPath:  `{"tools":[{"name":"a/b","input_schema":{"type":"object","properties":{"x/y":{"type":"string"}}}},{"type":"bash_20250124","name":"bash"}]}`,
	googlePath:    `{"tools":[{"functionDeclarations":[{"name":"a/b","parameters":` + parameters + `}]}]}`,
}

// pipelines are those of requests.
var pipelines = map[string]*normalizers.Pipeline{
	chatPath: normalizers.OpenAIStrict, responsesPath: normalizers.OpenAIStrict, messagesPath: normalizers.Anthropic, googlePath: normalizers.Gemini,
}

// TestWholeAnswers has answers as they are and compressed.
func TestWholeAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, answer, wants string }{
		{
			chatPath,
			`{"id":1,"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"a_b","arguments":"{\"city\":\"Rome\",\"days\":null}"}}]}}],"usage":{"n":1.50}}`,
			`{"id":1,"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"a/b","arguments":"{\"city\":\"Rome\"}"}}]}}],"usage":{"n":1.50}}`,
		},
		{
			responsesPath,
			`{"output":[{"type":"reasoning"},{"type":"function_call","call_id":"1","name":"a_b","arguments":"{\"city\":\"Rome\",\"days\":2}"},{"type":"custom_tool_call","name":"a_b","input":"a_b"},{"type":"function_call","namespace":"n","name":"a_b","arguments":"{}"}]}`,
			`{"output":[{"type":"reasoning"},{"type":"function_call","call_id":"1","name":"a/b","arguments":"{\"city\":\"Rome\",\"days\":2}"},{"type":"custom_tool_call","name":"a_b","input":"a_b"},{"type":"function_call","namespace":"n","name":"a_b","arguments":"{}"}]}`,
		},
		{
			messagesPath,
			`{"content":[{"type":"text","text":"a_b"},{"type":"tool_use","id":"1","name":"a_b","input":{"x_y":"z"}},{"type":"tool_use","id":"2","name":"bash","input":{"x_y":"z"}},{"type":"server_tool_use","name":"a_b","input":{}}]}`,
			`{"content":[{"type":"text","text":"a_b"},{"type":"tool_use","id":"1","name":"a/b","input":{"x/y":"z"}},{"type":"tool_use","id":"2","name":"bash","input":{"x_y":"z"}},{"type":"server_tool_use","name":"a_b","input":{}}]}`,
		},
		{
			googlePath,
			`[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a_b","args":{"city":"Rome"}},"thoughtSignature":"s"}]}}]},{"candidates":[]}]`,
			`[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a/b","args":{"city":"Rome"}},"thoughtSignature":"s"}]}}]},{"candidates":[]}]`,
		},
	} {
		for _, zipped := range []bool{false, true} {
			x := exchanged(t, pipelines[test.path], test.path, requests[test.path], &base{kind: "application/json; charset=utf-8", answer: test.answer, zipped: zipped})
			if x.got != test.wants || x.err != nil || len(x.told) > 0 {
				t.Errorf("%s, zipped %t: got %s\nwant %s\nerror %v, told %v", test.path, zipped, x.got, test.wants, x.err, x.told)
			}
		}
	}
}

// lines are the data of events, each as it comes in a stream.
func lines(events ...string) string {
	var stream strings.Builder
	for _, event := range events {
		stream.WriteString("data: " + event + "\n\n")
	}
	return stream.String()
}

func chunk(delta string) string { return `{"id":"c","choices":[{"index":0,"delta":{` + delta + `}}]}` }

func piece(index int, text string) string {
	return chunk(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%q}}]`, index, text))
}

func begun(index int, name string) string {
	return chunk(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"call%d","function":{"name":%q,"arguments":""}}]`, index, index, name))
}

const (
	finished  = `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"n":1}}`
	continues = `{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":%q}}]},"finish_reason":null}]}`
)

// TestStreams has streams with what changes in them; they come a byte at a time, so that each letter and
// each escape is split.
func TestStreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, path, stream, wants string }{
		{
			"text, comments and unknown events pass byte for byte", chatPath,
			": hi\r\n\r\nretry: 5\nid:1\nevent: new\ndata:" + chunk(`"content":"\u00e9é"`) + "\r\n\r\ndata: {\"x\":\ndata: [1.0]}\n\n" + lines("[DONE]"),
			": hi\r\n\r\nretry: 5\nid:1\nevent: new\ndata:" + chunk(`"content":"\u00e9é"`) + "\r\n\r\ndata: {\"x\":\ndata: [1.0]}\n\n" + lines("[DONE]"),
		},
		{
			"pieces", chatPath,
			lines(begun(0, "a_b"), piece(0, `{"city":"\u00`), piece(0, `e9é","da`), piece(0, `ys":null}`), finished, "[DONE]"),
			lines(begun(0, "a/b"), piece(0, ""), piece(0, ""), piece(0, ""), fmt.Sprintf(continues, 0, `{"city":"éé"}`), finished, "[DONE]"),
		},
		{
			"one after another", chatPath,
			lines(begun(0, "a_b"), piece(0, `{"city":"x","days":null}`), begun(1, "a_b"), piece(1, `{"city":"y","days":null}`), finished),
			lines(begun(0, "a/b"), piece(0, ""), fmt.Sprintf(continues, 0, `{"city":"x"}`), begun(1, "a/b"), piece(1, ""), fmt.Sprintf(continues, 1, `{"city":"y"}`), finished),
		},
		{
			"interleaved", chatPath,
			lines(begun(0, "a_b"), begun(1, "a_b"), piece(0, `{"city":"x",`), piece(1, `{"city":"y"`), piece(0, `"days":null}`), piece(1, `,"days":null}`), finished),
			lines(begun(0, "a/b"), begun(1, "a/b"), piece(0, ""), piece(1, ""), piece(0, ""), piece(1, ""),
				fmt.Sprintf(continues, 0, `{"city":"x"}`), fmt.Sprintf(continues, 1, `{"city":"y"}`), finished),
		},
		{
			"whole calls in an event that also ends", chatPath,
			lines(`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"1","function":{"name":"a_b","arguments":"{\"city\":\"x\",\"days\":null}"}},`+
				`{"id":"2","function":{"name":"a_b","arguments":"{\"city\":\"y\",\"days\":null}"}}]},"finish_reason":"stop"}]}`, "[DONE]"),
			lines(`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"1","function":{"name":"a/b","arguments":"{\"city\":\"x\"}"}},`+
				`{"id":"2","function":{"name":"a/b","arguments":"{\"city\":\"y\"}"}}]},"finish_reason":"stop"}]}`, "[DONE]"),
		},
		{
			"an end without a reason", chatPath,
			lines(chunk(`"function_call":{"name":"a_b","arguments":"{\"city\":"}`), chunk(`"function_call":{"arguments":"\"x\",\"days\":null}"}`), "[DONE]"),
			lines(chunk(`"function_call":{"name":"a/b","arguments":""}`), chunk(`"function_call":{"arguments":""}`),
				`{"id":"c","choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"city\":\"x\"}"}},"finish_reason":null}]}`, "[DONE]"),
		},
		{
			"responses interleaved", responsesPath,
			lines(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a_b","arguments":""}}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"type":"custom_tool_call","call_id":"2","name":"own","input":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\":\"x\","}`,
				`{"type":"response.custom_tool_call_input.delta","output_index":1,"delta":"x"}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"\"days\":null}"}`,
				`{"type":"response.output_text.delta","output_index":2,"delta":"x"}`,
				`{"type":"response.function_call_arguments.done","output_index":0,"name":"a_b","arguments":"{\"city\":\"x\",\"days\":null}"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a_b","arguments":"{\"city\":\"x\",\"days\":null}"}}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"1","name":"a_b","arguments":"{\"city\":\"x\",\"days\":null}"}]}}`),
			lines(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a/b","arguments":""}}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"type":"custom_tool_call","call_id":"2","name":"own","input":""}}`,
				`{"type":"response.custom_tool_call_input.delta","output_index":1,"delta":"x"}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":""}`,
				`{"type":"response.output_text.delta","output_index":2,"delta":"x"}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\":\"x\"}"}`,
				`{"type":"response.function_call_arguments.done","output_index":0,"name":"a/b","arguments":"{\"city\":\"x\"}"}`,
				`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a/b","arguments":"{\"city\":\"x\"}"}}`,
				`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"1","name":"a/b","arguments":"{\"city\":\"x\"}"}]}}`),
		},
		{
			"messages", messagesPath,
			"event: content_block_start\n" + lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a_b","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x_y\":"}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x_y\":"}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"z\"}"}}`,
				`{"type":"content_block_stop","index":1}`),
			"event: content_block_start\n" + lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a/b","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"x_y\":"}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`) +
				"event: content_block_delta\n" + lines(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x/y\":\"z\"}"}}`,
				`{"type":"content_block_stop","index":1}`),
		},
		{
			"a name in each piece", chatPath,
			lines(chunk(`"tool_calls":[{"index":0,"function":{"name":"a_b","arguments":"{\"city\":"}}]`), chunk(`"tool_calls":[{"index":0,"function":{"name":"a_b","arguments":"\"x\",\"days\":null}"}}]`), finished),
			lines(chunk(`"tool_calls":[{"index":0,"function":{"name":"a/b","arguments":""}}]`), chunk(`"tool_calls":[{"index":0,"function":{"name":"a/b","arguments":""}}]`),
				fmt.Sprintf(continues, 0, `{"city":"x"}`), finished),
		},
		{
			"a block that begins whole", messagesPath,
			lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a_b","input":{"x_y":"z"}}}`, `{"type":"content_block_stop","index":1}`),
			lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a/b","input":{"x/y":"z"}}}`, `{"type":"content_block_stop","index":1}`),
		},
		{
			"generateContent", googlePath,
			"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a_b\"}]}}]}\r\n\r\ndata: {\"candidates\": [{\"content\": {\"parts\": [{\"functionCall\": {\"name\": \"a_b\", \"args\": {\"city\": \"x\"}}}]}}]}\r\n\r\n",
			"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a_b\"}]}}]}\r\n\r\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"a/b\",\"args\":{\"city\":\"x\"}}}]}}]}\r\n\r\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, zipped := range []bool{false, true} {
				x := exchanged(t, pipelines[test.path], test.path, requests[test.path], &base{kind: "text/event-stream; charset=utf-8", answer: test.stream, zipped: zipped})
				if x.got != test.wants || x.err != nil || len(x.told) > 0 {
					t.Errorf("got\n%s\nwant\n%s\nerror %v, told %v", x.got, test.wants, x.err, x.told)
				}
			}
		})
	}
}

// TestProblems has calls that pass with the arguments that the model wrote, each told once.
func TestProblems(t *testing.T) {
	t.Parallel()
	isError := func(is func(error) bool) func(error) bool {
		return func(err error) bool {
			var call *transport.CallError
			return errors.As(err, &call) && is(call.Err)
		}
	}
	for _, test := range []struct {
		name, stream, wants string
		told                func(error) bool
	}{
		{
			"cut by a limit of tokens", lines(begun(0, "a_b"), piece(0, `{"city":`), finished),
			lines(begun(0, "a/b"), piece(0, ""), fmt.Sprintf(continues, 0, `{"city":`), finished),
			isError(func(err error) bool { return errors.Is(err, schema.ErrNotJSON) }),
		},
		{
			"not valid", lines(begun(0, "a_b"), piece(0, `{"city":1,"days":null}`), finished),
			lines(begun(0, "a/b"), piece(0, ""), fmt.Sprintf(continues, 0, `{"city":1,"days":null}`), finished),
			isError(func(err error) bool { var invalid *calls.ArgumentsError; return errors.As(err, &invalid) }),
		},
		{
			"of no tool", lines(begun(0, "other"), piece(0, `{"days":`), piece(0, "null}"), finished), lines(begun(0, "other"), piece(0, `{"days":`), piece(0, "null}"), finished),
			isError(func(err error) bool { var unknown *calls.UnknownToolError; return errors.As(err, &unknown) }),
		},
		{
			"an event that is not JSON", lines("{"), lines("{"),
			func(err error) bool { return strings.HasPrefix(err.Error(), "an event of the stream cannot be read: ") },
		},
	} {
		x := exchanged(t, normalizers.OpenAIStrict, chatPath, requests[chatPath], &base{kind: "text/event-stream", answer: test.stream})
		if x.got != test.wants || x.err != nil || len(x.told) != 1 || !test.told(x.told[0]) {
			t.Errorf("%s: got\n%s\nwant\n%s\nerror %v, told %v", test.name, x.got, test.wants, x.err, x.told)
		}
	}
}

// TestCuts has streams that end too early: the client gets an error, and nothing of the call.
func TestCuts(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name, path, stream string
		cut, want          error
	}{
		{"chat", chatPath, lines(begun(0, "a_b"), piece(0, `{"city":"Rome"`)), nil, io.ErrUnexpectedEOF},
		{"chat within an event", chatPath, lines(begun(0, "a_b")) + "data: " + piece(0, `{"city":"Rome"`)[:30], nil, schema.ErrNotJSON},
		{"chat by an error", chatPath, lines(begun(0, "a_b"), piece(0, `{"city":"Rome"`)), broken, broken},
		{"chat by an event that is not JSON", chatPath, lines(begun(0, "a_b"), piece(0, `{"city":"Rome"`), "{", finished), nil, schema.ErrNotJSON},
		{
			"responses", responsesPath, lines(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a_b","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\":\"Rome\""}`), nil, io.ErrUnexpectedEOF,
		},
		{
			"messages", messagesPath, lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a_b","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x_y\":\"Rome\""}}`), nil, io.ErrUnexpectedEOF,
		},
	} {
		x := exchanged(t, pipelines[test.path], test.path, requests[test.path], &base{kind: "text/event-stream", answer: test.stream, cut: test.cut})
		if !errors.Is(x.err, test.want) || strings.Contains(x.got, "Rome") || len(x.told) > 0 {
			t.Errorf("%s: got %s and the error %v, told %v", test.name, x.got, x.err, x.told)
		}
	}
}

// TestPrompt reads each event before the next one is written.
func TestPrompt(t *testing.T) {
	t.Parallel()
	server, writer := io.Pipe()
	client := &http.Client{Transport: &transport.Transport{Pipeline: normalizers.OpenAIStrict, Base: &base{kind: "text/event-stream", body: server}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com"+chatPath, strings.NewReader(requests[chatPath]))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // it is a pipe
	buffer := make([]byte, 1<<10)
	for _, event := range []struct{ sent, got string }{
		{chunk(`"content":"a"`), chunk(`"content":"a"`)},
		{begun(0, "a_b"), begun(0, "a/b")},
		{piece(0, `{"city":"x",`), piece(0, "")},
		{chunk(`"content":"b"`), chunk(`"content":"b"`)},
	} {
		go writer.Write([]byte(lines(event.sent))) //nolint:errcheck // the reader tells
		n, err := response.Body.Read(buffer)
		if got := string(buffer[:n]); err != nil || got != lines(event.got) {
			t.Errorf("got %q and the error %v, want %q", got, err, lines(event.got))
		}
	}
}

// TestTooLarge has an event, calls and a whole answer without an end.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	var open []string
	for i := range 129 {
		open = append(open, begun(i, "a_b"))
	}
	for name, answers := range map[string]*base{
		"event": {kind: "text/event-stream", body: io.MultiReader(strings.NewReader("data: "), endless("x"))},
		"calls": {kind: "text/event-stream", body: io.MultiReader(strings.NewReader(lines(begun(0, "a_b"))), endless(lines(piece(0, strings.Repeat("x", 1000)))))},
		"whole": {kind: "application/json", body: endless(" ")},
		"open":  {kind: "text/event-stream", answer: lines(open...)},
	} {
		if x := exchanged(t, normalizers.OpenAIStrict, chatPath, requests[chatPath], answers); !errors.Is(x.err, transport.ErrTooLarge) || len(x.got) > transport.MaxHeld {
			t.Errorf("%s: got %d bytes and the error %v", name, len(x.got), x.err)
		}
	}
}

// endless repeats a text.
type endless string

func (e endless) Read(buffer []byte) (int, error) {
	n := 0
	for n+len(e) <= len(buffer) {
		n += copy(buffer[n:], e)
	}
	if n == 0 { // the buffer is short
		return copy(buffer, e), nil
	}
	return n, nil
}

// TestCancelled: a context that ends stops the work on the tools.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://example.com"+chatPath, strings.NewReader(requests[chatPath]))
	if err != nil {
		t.Fatal(err)
	}
	answers := &base{}
	response, err := (&transport.Transport{Pipeline: normalizers.OpenAI, Base: answers}).RoundTrip(request)
	if err == nil {
		t.Error(response.Body.Close())
	}
	if !errors.Is(err, context.Canceled) || answers.sent != "" {
		t.Errorf("sent %q with the error %v", answers.sent, err)
	}
}

// TestConcurrency sends requests with different tools at a time through one Transport, which normalizes
// each set of tools once.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	var lock sync.Mutex
	var normalized []string
	shared := &transport.Transport{
		Pipeline: normalizers.OpenAIStrict, Base: &base{kind: "text/event-stream", answer: lines(begun(0, "a_1"), piece(0, `{"city":"x","days":null}`), finished)},
		Problem: func(err error) { t.Error(err) },
		Normalized: func(results []normalizers.Result) {
			lock.Lock()
			defer lock.Unlock()
			normalized = append(normalized, results[0].Given.Name)
		},
	}
	client := &http.Client{Transport: shared}
	send := func(name string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com"+chatPath, strings.NewReader(strings.ReplaceAll(requests[chatPath], "a/b", name)))
		if err != nil {
			t.Error(err)
			return
		}
		response, err := client.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		defer response.Body.Close() //nolint:errcheck // it is read
		if got, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(got), name) || !strings.Contains(string(got), `"{\"city\":\"x\"}"`) {
			t.Errorf("%s: got %s and the error %v", name, got, err)
		}
	}
	names := []string{"a/1", "a 1", "a.1"}
	for _, name := range names {
		send(name)
	}
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() { send(names[i%len(names)]) })
	}
	group.Wait()
	if !slices.Equal(normalized, names) {
		t.Errorf("normalized %q, want each once", normalized)
	}
}
