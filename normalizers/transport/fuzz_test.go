package transport_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzStream gives any stream to each API. Without a call it passes byte for byte; with one, a call
// that the client gets is whole: the pieces of its arguments are what the model wrote, or valid.
func FuzzStream(f *testing.F) {
	f.Add(lines(begun(0, "a_b"), piece(0, `{"city":"\u00`), piece(0, `e9é","days":null}`), finished, "[DONE]"))
	f.Add(lines(begun(0, "a_b"), begun(1, "a_b"), piece(0, `{"city":1}`), piece(1, `{`), finished) + ": x\r\n\r\ndata:{\n")
	f.Add(lines(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"1","name":"a_b","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"city\":\"x\",\"days\":null}"}`,
		`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"city\":\"x\",\"days\":null}"}`,
		`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"1","name":"a_b","arguments":"{}"}]}}`))
	f.Add(lines(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"a_b","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"x_y\":\"z\"}"}}`, `{"type":"content_block_stop","index":1}`))
	f.Add(lines(`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a_b","args":{"city":"x"}}}]}}]}`))
	f.Fuzz(func(t *testing.T, stream string) {
		for path, request := range requests {
			x := exchanged(t, pipelines[path], path, request, &base{kind: "text/event-stream", answer: stream})
			if !strings.Contains(unescaped(stream), "a_b") && x.err == nil && x.got != stream {
				t.Errorf("%s: %q became %q", path, stream, x.got)
			}
			again := exchanged(t, pipelines[path], path, request, &base{kind: "text/event-stream", answer: stream})
			if again.got != x.got || len(again.told) != len(x.told) {
				t.Errorf("%s: %q became %q, and then %q", path, stream, x.got, again.got)
			}
		}
	})
}

// unescaped returns a text with the escapes of its JSON replaced, as far as they can be.
func unescaped(text string) string {
	var result string
	if json.Unmarshal([]byte(`"`+strings.ReplaceAll(strings.ReplaceAll(text, `"`, `\"`), "\n", " ")+`"`), &result) != nil {
		return text + "a_b" // which nothing is said of
	}
	return result
}
