package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/schema"
)

// askServer connects the official client to the server of this program.
func askServer(t *testing.T) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan struct{})
	var errs strings.Builder
	go func() {
		defer close(ended)
		if code := run(context.Background(), []string{"mcp-server"}, fromClient, toClient, &errs); code != cli.CodeConforms {
			t.Errorf("the server ended with %d: %s", code, &errs)
		}
		_ = toClient.Close()
	}()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = toServer.Close()
		<-ended
	})
	return client
}

// TestMCPServer calls each tool of the server as a coding agent does.
func TestMCPServer(t *testing.T) {
	t.Parallel()
	client := askServer(t)
	const (
		refused = `[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"const": "x"}, "b": {"type": "string"}}}}]`
		answer  = `{"error": {"code": 400, "message": "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.", "status": "INVALID_ARGUMENT"}}`
	)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      []string
		isError   bool
	}{
		{"check", map[string]any{"tools": refused, "targets": []string{"gemini"}}, []string{`Unknown name "const"`, `write "type":"string","enum":["x"] for "const":"x" (means the same)`, "Gemini refuses the tool, for \"const\" alone.\n"}, false},
		{"check", map[string]any{"tools": refused, "targets": []string{"gemini"}, "normalized": true}, []string{"Gemini takes the tool after the rewrite, which means the same.\n"}, false},
		{"check", map[string]any{"tools": refused}, []string{"Gemini and Vertex AI refuse the tool, for \"const\" alone.\n"}, false},
		{"check", map[string]any{"tools": "{"}, []string{"not JSON"}, true},
		{"check", map[string]any{"tools": refused, "targets": []string{"gemni"}}, []string{"did you mean gemini?"}, true},
		{"check", map[string]any{"tool": refused}, []string{`the arguments of check: json: unknown field "tool"`}, true},
		{"normalize", map[string]any{"tools": refused, "target": "gemini"}, []string{`"enum": [`, "5 changes, loss exact"}, false},
		{"normalize", map[string]any{"tools": refused, "target": "all of them"}, []string{"portable", "openai-strict"}, true},
		{"explain", map[string]any{"rule": "const_to_enum"}, []string{"const becomes an enum of one value"}, false},
		{"explain", map[string]any{"rule": "--help"}, []string{`no rule is called "--help"`}, true},
		{"explain_error", map[string]any{"error": answer, "tools": refused}, []string{"-:1:70", `write "type":"string","enum":["x"] for "const":"x" (means the same)`}, false},
		{"explain_error", map[string]any{"error": "Tables are out of season.", "tools": refused}, []string{"the words of no provider"}, true},
		{"minimize", map[string]any{"tools": refused, "target": "gemini/parameters"}, []string{`"const": "x"`, "gemini/parameters/unknown_name"}, false},
	} {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: test.arguments})
		if err != nil {
			t.Errorf("%s %v: %v", test.tool, test.arguments, err)
			continue
		}
		text, _ := result.Content[0].(*mcp.TextContent)
		for _, want := range test.want {
			if !strings.Contains(text.Text, want) {
				t.Errorf("%s %v: %q is missing in\n%s", test.tool, test.arguments, want, text.Text)
			}
		}
		if result.IsError != test.isError {
			t.Errorf("%s %v: error %t\n%s", test.tool, test.arguments, result.IsError, text.Text)
		}
	}
}

// TestMCPServerEdits: the result of check has the edits as JSON beside the text.
func TestMCPServerEdits(t *testing.T) {
	t.Parallel()
	const refused = `[{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": "x", "type": "string"}}}}]`
	result, err := askServer(t).CallTool(t.Context(), &mcp.CallToolParams{Name: "check", Arguments: map[string]any{"tools": refused, "targets": []string{"gemini"}}})
	if err != nil || len(result.Content) != 2 {
		t.Fatalf("%v: %v", err, result)
	}
	text, _ := result.Content[1].(*mcp.TextContent)
	const want = `{"edits":[{"tool":"f","pointer":"/inputSchema/properties/a","before":{"const":"x"},"after":{"enum":["x"]}}]}`
	if text == nil || text.Text != want {
		t.Errorf("the edits are %v", text)
	}
}

// TestServedToolsAreFixtures: the tools of the server are the fixtures of toolproof's own,
// each accepted as it is by every surface that clients send tools to as they are, and
// rewritten for every target without loss but for strict ones.
func TestServedToolsAreFixtures(t *testing.T) {
	t.Parallel()
	all, err := cli.EveryFixture()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := askServer(t).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) != len(servedTools) {
		t.Errorf("%d tools are listed", len(listed.Tools))
	}
	for _, tool := range listed.Tools {
		text, err := json.Marshal(map[string]any{"name": tool.Name, "description": tool.Description, "parameters": tool.InputSchema})
		if err != nil {
			t.Fatal(err)
		}
		node, err := schema.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(all, func(one *fixture.Fixture) bool { return one.ID == "own-"+strings.ReplaceAll(tool.Name, "_", "-") })
		if at < 0 {
			t.Errorf("no fixture has the tool\n%s", node.Indented())
			continue
		}
		if given := all[at].Tools[0].Node(); !schema.Equal(given, node) {
			t.Errorf("the fixture of %s has another tool\n%s", tool.Name, node.Indented())
		}
		for _, target := range harness.Direct {
			if expected, ok := all[at].Expect[target.Dialect.Name]; !ok || expected.Raw == nil || expected.Raw.Verdict != "accepted" {
				t.Errorf("the fixture of %s does not expect that %s accepts it", tool.Name, target.Dialect.Name)
			}
		}
	}
}
