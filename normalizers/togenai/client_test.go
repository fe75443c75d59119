package togenai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/genai"

	"toolproof/harness/emulator"
	"toolproof/normalizers"
	"toolproof/normalizers/togenai"
	"toolproof/normalizers/transport"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// given are tools, each with a call as the model makes it, and the arguments that it means. Google takes
// none of the tools as it is.
var given = []struct{ name, parameters, call, wrote, meant string }{
	{
		"weather/forecast", `{"type": "object", "properties": {"city": {"type": ["string", "null"]}, "day": {"const": "today"}}, "required": ["city"]}`,
		"weather_forecast", `{"city": "Santo André", "day": "today"}`, `{"city":"Santo André","day":"today"}`,
	},
	{"tag/all", `{"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}, "required": ["tags"]}`, "tag_all", `{"tags": "[\"a\", \"b\"]"}`, `{"tags":["a","b"]}`},
}

func parsed(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// served starts an emulator whose model calls all tools in one answer, and then has done so.
func served(t *testing.T) *httptest.Server {
	t.Helper()
	var called []emulator.Call
	for _, tool := range given {
		called = append(called, emulator.Call{Name: tool.call, Arguments: parsed(t, tool.wrote)})
	}
	server := httptest.NewServer(emulator.New(emulator.Options{Script: &emulator.Script{Steps: []emulator.Step{
		{Answers: []emulator.Answer{{Calls: called}, {Text: "Done."}}},
	}}}))
	t.Cleanup(server.Close)
	return server
}

func clientOf(t *testing.T, server *httptest.Server, backend genai.Backend, client *http.Client) *genai.Client {
	t.Helper()
	made, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "key", Backend: backend, HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: server.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// normalizing is the client under test, without problems.
func normalizing(t *testing.T, pipeline *normalizers.Pipeline) *http.Client {
	t.Helper()
	return togenai.Client(nil, pipeline, func(err error) { t.Errorf("a problem: %v", err) })
}

func configOf(t *testing.T) *genai.GenerateContentConfig {
	t.Helper()
	calling := &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny}
	declared := &genai.Tool{}
	for _, tool := range given {
		declared.FunctionDeclarations = append(declared.FunctionDeclarations, &genai.FunctionDeclaration{Name: tool.name, ParametersJsonSchema: json.RawMessage(tool.parameters)})
		calling.AllowedFunctionNames = append(calling.AllowedFunctionNames, tool.name)
	}
	return &genai.GenerateContentConfig{Tools: []*genai.Tool{declared}, ToolConfig: &genai.ToolConfig{FunctionCallingConfig: calling}}
}

const model = "gemini-2.5-flash"

// check compares the calls that a program gets with those that the model means, and answers them.
func check(t *testing.T, client *genai.Client, calls []*genai.FunctionCall) {
	t.Helper()
	said := &genai.Content{Role: genai.RoleModel}
	results := &genai.Content{Role: genai.RoleUser}
	for i, tool := range given {
		if i >= len(calls) {
			t.Fatalf("got %d calls", len(calls))
		}
		text, err := json.Marshal(calls[i].Args)
		if err != nil {
			t.Fatal(err)
		}
		if calls[i].Name != tool.name || string(text) != tool.meant {
			t.Errorf("got a call of %s with %s, want %s of %s", calls[i].Name, text, tool.meant, tool.name)
		}
		accepts, err := instance.Compile(parsed(t, tool.parameters))
		if err != nil {
			t.Fatal(err)
		}
		if !accepts.Accepts(parsed(t, string(text))) {
			t.Errorf("%s does not accept %s", tool.name, text)
		}
		said.Parts = append(said.Parts, genai.NewPartFromFunctionCall(calls[i].Name, calls[i].Args))
		results.Parts = append(results.Parts, genai.NewPartFromFunctionResponse(calls[i].Name, map[string]any{"output": "sunny"}))
	}
	answer, err := client.Models.GenerateContent(t.Context(), model, append(genai.Text("Call them."), said, results), configOf(t))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text() != "Done." {
		t.Errorf("the second turn says %q", answer.Text())
	}
}

func TestClient(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		backend  genai.Backend
		pipeline *normalizers.Pipeline
	}{
		{genai.BackendGeminiAPI, normalizers.Gemini},
		{genai.BackendGeminiAPI, normalizers.GeminiJSON},
		{genai.BackendGeminiAPI, normalizers.Portable},
		{genai.BackendVertexAI, normalizers.Vertex},
		{genai.BackendVertexAI, normalizers.VertexJSON},
	} {
		server := served(t)
		var refused genai.APIError
		if _, err := clientOf(t, server, test.backend, nil).Models.GenerateContent(t.Context(), model, genai.Text("Call them."), configOf(t)); !errors.As(err, &refused) || refused.Code != http.StatusBadRequest {
			t.Errorf("%s: got the error %v for tools as given", test.pipeline.Name(), err)
		}
		client := clientOf(t, server, test.backend, normalizing(t, test.pipeline))
		answer, err := client.Models.GenerateContent(t.Context(), model, genai.Text("Call them."), configOf(t))
		if err != nil {
			t.Fatalf("%s: %v", test.pipeline.Name(), err)
		}
		check(t, client, answer.FunctionCalls())
	}
}

func TestClientStream(t *testing.T) {
	t.Parallel()
	client := clientOf(t, served(t), genai.BackendGeminiAPI, normalizing(t, normalizers.Gemini))
	var calls []*genai.FunctionCall
	for answer, err := range client.Models.GenerateContentStream(t.Context(), model, genai.Text("Call them."), configOf(t)) {
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, answer.FunctionCalls()...)
	}
	check(t, client, calls)
}

// TestClientOfNoObject has a tool whose arguments are a text, which the client cannot hold.
func TestClientOfNoObject(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(emulator.New(emulator.Options{}))
	t.Cleanup(server.Close)
	var told error
	client := clientOf(t, server, genai.BackendGeminiAPI, togenai.Client(nil, normalizers.GeminiJSON, func(err error) { told = err }))
	answer, err := client.Models.GenerateContent(t.Context(), model, genai.Text("Call it."), &genai.GenerateContentConfig{
		Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "ask/user", Parameters: &genai.Schema{Type: genai.TypeString}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := answer.FunctionCalls()
	var problem *transport.CallError
	if len(calls) != 1 || calls[0].Name != "ask/user" || calls[0].Args["value"] == nil || !errors.As(told, &problem) {
		t.Errorf("got the calls %v, text %q, told %v", calls, answer.Text(), told)
	}
}
