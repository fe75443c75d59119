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
	} {
		if _, err := tomcp.Tool(normalizers.Result{Tool: tool}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
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

const lastStays = "the last of two members stays"

// ofClients are the fixtures whose tools a client does not have as the server does.
var ofClients = map[string]string{
	"numbers-keep-their-spelling": "a number is a float64",
	"openai-parameters-null":      "null is absent",
	"parse-map-key-twice":         lastStays,
	"parse-member-twice":          lastStays,
}

// TestRoundTrip holds that every tool of the fixtures comes back: as a server has it byte
// for byte, and as a client has it by value. A member that stands twice is an error.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	all, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, given := range all {
		for _, tool := range given.Tools {
			ofServer, err := tomcp.Tool(normalizers.Result{Tool: tool})
			if err != nil {
				continue // TestWhatCannotBeHeld has these
			}
			count++
			want := withoutEmpty(tool).Node()
			back, err := tomcp.FromTool(ofServer)
			if isTwice := ofClients[given.ID] == lastStays; !isTwice && (err != nil || !schema.Identical(back.Node(), want)) || isTwice && err == nil {
				t.Errorf("%s: %s came back as %s, %v", given.ID, want, back.Node(), err)
			}
			back, err = tomcp.FromTool(sent(t, ofServer))
			if isSame := schema.Equal(back.Node(), want); err != nil || isSame == (ofClients[given.ID] != "") {
				t.Errorf("%s: %s came to a client as %s, %v", given.ID, want, back.Node(), err)
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

// withoutEmpty returns a tool without an empty description, which mcp.Tool cannot tell
// from one that is absent.
func withoutEmpty(tool schema.Tool) schema.Tool {
	if tool.Description.Is("") {
		tool.Description = nil
	}
	return tool
}
