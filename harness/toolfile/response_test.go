package toolfile_test

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/toolfile"
)

// TestResponses reads response schemas in the forms of requests, each with its near miss: what is
// read is named with its line and the place of its schema.
func TestResponses(t *testing.T) {
	t.Parallel()
	const inner = `{"type": "object", "properties": {"a": {"type": "string"}}}`
	for text, want := range map[string]string{
		`{"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": ` + inner + `}}}`:                                "n 1 /json_schema/schema",
		`{"response_format": {"type": "json_object"}, "tools": [{"name": "f"}]}`:                                                             "tool f",
		"{\"tools\": [{\"name\": \"f\"}],\n\"text\": {\"format\": {\"type\": \"json_schema\", \"name\": \"n\", \"schema\": " + inner + "}}}": "tool f; n 2 /schema",
		`{"type": "json_schema", "json_schema": {"name": "n", "schema": ` + inner + `}}`:                                                     "n 1 /json_schema/schema",
		`{"type": "json_schema", "name": "n", "schema": ` + inner + `}`:                                                                      "n 1 /schema",
		`{"name": "n", "schema": ` + inner + `}`:                                                                                             "tool n",
		`{"generationConfig": {"responseSchema": ` + inner + `}}`:                                                                            "response 1 ",
		`{"config": {"response_json_schema": ` + inner + `}}`:                                                                                "response 1 ",
		`{"responseSchema": ` + inner + `}`:                                                                                                  "response 1 ",
		`{"responseSchema": {"x": 1}}`:                                                                                                       "error",
		`{"tools": [{"name": "f", "parameters": {}, "responseJsonSchema": ` + inner + `}]}`:                                                  "tool f",
		`{"output_format": {"type": "json_schema", "schema": ` + inner + `}}`:                                                                "response 1 /schema",
		`{"output_config": {"format": {"type": "json_schema", "schema": ` + inner + `}}}`:                                                    "response 1 /schema",
		`{"output_config": {"effort": "low"}, "tools": [{"name": "f"}]}`:                                                                     "tool f",
		`{"model": "m", "messages": [], "format": ` + inner + `}`:                                                                            "response 1 ",
		`{"model": "m", "messages": [], "format": "json", "tools": [{"name": "f"}]}`:                                                         "tool f",
		"response_format:\n  json_schema:\n    name: n\n    schema: {type: object, properties: {a: {}}}":                                     "n 2 /json_schema/schema",
		`{"method": "elicitation/create", "params": {"message": "m", "requestedSchema": ` + inner + `}}`:                                     "requestedSchema 1 ",
		`{"method": "elicitation\/create", "params": {"requestedSchema": {}}}`:                                                               "requestedSchema 1 ",
		`{"message": "m", "requestedSchema": ` + inner + `}`:                                                                                 "requestedSchema 1 ",
		`{"jsonrpc": "2.0", "method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "https://a.b/"}}`:               "error",
		`{"method": "sampling/createMessage", "params": {"messages": [], "tools": [{"name": "f", "inputSchema": {}}]}}`:                      "tool f",
		"{\"resultType\": \"input_required\", \"inputRequests\": {\"r\": {\"method\": \"roots/list\"},\n\"a\": {\"method\": \"elicitation/create\", \"params\": {\"requestedSchema\": " + inner + "}},\n" +
			"\"b\": {\"method\": \"sampling/createMessage\", \"params\": {\"tools\": [{\"name\": \"f\"}]}}}}": "requestedSchema 2 ; tool f",
		`{"resultType": "complete", "inputRequests": {"a": {"method": "elicitation/create", "params": {"requestedSchema": ` + inner + `}}}}`: "error",
		inner: "tool f",
	} {
		tools, err := toolfile.Reader{Responses: true}.Read(strings.NewReader(text))
		var got []string
		for _, tool := range tools {
			if one := "tool " + tool.Name; tool.Err == nil && tool.IsResponse {
				got = append(got, fmt.Sprintf("%s %d %s", tool.Name, tool.Line, tool.Pointer("/parameters")))
			} else {
				got = append(got, one)
			}
		}
		if err != nil {
			got = append(got, "error")
		}
		if said := strings.Join(got, "; "); said != want {
			t.Errorf("%s\nis %q and should be %q: %v", text, said, want, err)
		}
	}
	tools, err := toolfile.Reader{Folds: true, AsResponse: true}.Read(strings.NewReader(inner))
	if err != nil || len(tools) != 1 || !tools[0].IsResponse || tools[0].Name != toolfile.ResponseName {
		t.Errorf("a schema alone as that of an answer is %+v: %v", tools, err)
	}
	if tools, err := toolfile.Read(strings.NewReader(`{"generationConfig": {"responseSchema": ` + inner + `}}`)); err == nil {
		t.Errorf("who reads tools alone gets %+v", tools)
	}
}
