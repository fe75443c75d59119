package tomcp_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/fixtures"
	"toolproof/harness/fixture"
	"toolproof/normalizers"
	"toolproof/normalizers/tomcp"
	"toolproof/schema"
)

func TestWhatCannotBeHeld(t *testing.T) {
	t.Parallel()
	for want, tool := range map[string]schema.Tool{
		`declaring "f": /parameters: there is no input schema`: {Name: "f"},
		`declaring "f": /description: `:                        {Name: "f", Parameters: schema.NewObject(), Description: schema.NewInt(1)},
		`declaring "f": json: cannot unmarshal`:                with(`{"title": 1}`),
		`declaring "f": /execution: the SDK has no place`:      with(`{"execution": {"taskSupport": "optional"}}`),
		`declaring "f": /annotations/audience: the SDK has no`: with(`{"annotations": {"audience": ["user"]}}`),
		`declaring "f": /icons/1/alt: the SDK has no place`:    with(`{"icons": [{"src": "a"}, {"src": "b", "alt": "B"}]}`),
	} {
		if _, err := tomcp.Tool(normalizers.Result{Tool: tool}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

// with returns a tool that has further members.
func with(further string) schema.Tool {
	node, err := schema.Parse([]byte(further))
	if err != nil {
		panic(err)
	}
	return schema.Tool{Name: "f", Parameters: schema.NewObject(), Further: node}
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	cycle := map[string]any{}
	cycle["not"] = cycle
	for want, tool := range map[string]*mcp.Tool{
		`reading a tool: it is null`:                   nil,
		`reading "a": /inputSchema: `:                  {Name: "a", InputSchema: json.RawMessage(`{"type"`)},
		`reading "b": /inputSchema: `:                  {Name: "b", InputSchema: json.RawMessage(nil)},
		`reading "c": /inputSchema: json: unsupported`: {Name: "c", InputSchema: math.Inf(1)},
		`reading "d": /inputSchema: json: unsupported`: {Name: "d", InputSchema: cycle},
	} {
		if _, err := tomcp.FromTool(tool); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

const (
	lastStays   = "the last of two members stays"
	beyondFloat = "a number beyond float64 is an error of the client"
)

// ofClients are the fixtures whose tools a client does not have as the server does.
var ofClients = map[string]string{
	"numbers-keep-their-spelling": "a number is a float64",
	"openai-parameters-null":      "null is absent",
	"parse-map-key-twice":         lastStays,
	"parse-member-twice":          lastStays,
	"llamacpp-number-overflow":    beyondFloat,
	"xgrammar-number-overflow":    beyondFloat,
	"ollama-number-overflow":      beyondFloat,
}

// TestRoundTrip holds that every tool of the fixtures comes back: as a server has it byte
// for byte, and as a client has it by value. A member that stands twice is an error.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	all, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, &fixture.Fixture{ID: "further", Tools: []schema.Tool{
		with(`{"title": "T", "icons": [{"src": "a", "sizes": ["any"]}], "_meta": {"a": [1, {"b": null}]}, "annotations": {"title": "U", "openWorldHint": false}}`),
	}})
	count := 0
	for _, given := range all {
		for _, tool := range given.Tools {
			tool.Members = nil // no member of MCP's tools
			ofServer, err := tomcp.Tool(normalizers.Result{Tool: tool})
			if err != nil {
				continue // TestWhatCannotBeHeld has these
			}
			count++
			want := asWritten(t, tool).Whole()
			back, err := tomcp.FromTool(ofServer)
			if isTwice := ofClients[given.ID] == lastStays; !isTwice && (err != nil || !schema.Identical(back.Whole(), want)) || isTwice && err == nil {
				t.Errorf("%s: %s came back as %s, %v", given.ID, want, back.Whole(), err)
			}
			if ofClients[given.ID] == beyondFloat {
				continue
			}
			back, err = tomcp.FromTool(sent(t, ofServer))
			if isSame := schema.Equal(back.Whole(), want); err != nil || isSame == (ofClients[given.ID] != "") {
				t.Errorf("%s: %s came to a client as %s, %v", given.ID, want, back.Whole(), err)
			}
		}
	}
	if count == 0 {
		t.Error("no fixture has a tool that MCP can hold")
	}
}

// sent returns a tool as a client of the SDK has it.
func sent(t *testing.T, tool *mcp.Tool) *mcp.Tool {
	t.Helper()
	text, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	var received mcp.Tool
	if err := json.Unmarshal(text, &received); err != nil {
		t.Fatal(err)
	}
	return &received
}

// asWritten returns a tool as the SDK writes it: without an empty description, which
// mcp.Tool cannot tell from one that is absent, and with the hints that it always writes.
func asWritten(t *testing.T, tool schema.Tool) schema.Tool {
	t.Helper()
	if tool.Description.Is("") {
		tool.Description = nil
	}
	if tool.Further == nil {
		return tool
	}
	var declared mcp.Tool
	if err := json.Unmarshal(tool.Further.JSON(), &declared); err != nil {
		t.Fatal(err)
	}
	declared.OutputSchema = nil
	text, err := json.Marshal(declared)
	if err != nil {
		t.Fatal(err)
	}
	node, err := schema.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if output := tool.Further.Get("outputSchema"); output != nil {
		node.Set("outputSchema", output)
	}
	tool.Further = schema.FurtherOf(node)
	return tool
}
