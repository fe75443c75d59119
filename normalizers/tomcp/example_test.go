package tomcp_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/normalizers/tomcp"
	"toolproof/schema"
)

func ExampleTool() {
	ctx := context.Background()
	parameters, err := schema.Parse([]byte(`{
		"type": "object",
		"properties": {"filter[name]": {"type": "string"}, "limit": {"type": ["integer", "null"]}},
		"required": ["limit"]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}

	// Normalize for clients of every provider, and publish.
	result, err := normalizers.Portable.Normalize(ctx, schema.Tool{Name: "search", Parameters: parameters})
	if err != nil {
		fmt.Println(err)
		return
	}
	tool, err := tomcp.Tool(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := calls.Of(ctx, result)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call, err := tools.Restore(request.Params.Name, string(request.Params.Arguments))
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil //nolint:nilerr // the model is told, and tries again
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: call.Arguments.String()}}}, nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	server.AddTool(tool, handler)

	// A client calls it.
	toServer, toClient := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, toServer, nil); err != nil {
		fmt.Println(err)
		return
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, toClient, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = session.Close() }()
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "search", Arguments: json.RawMessage(`{"filter_name_": "a"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, content := range answer.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	// Output:
	// {"filter[name]":"a","limit":null}
}

// A gateway publishes the tools of another server for clients of every provider.
func ExampleFromTool() {
	ctx := context.Background()
	upstream := &mcp.Tool{
		Name:        "search",
		Description: "Searches the orders.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: json.RawMessage(`{"type": "object", "properties": {"filter[name]": {"type": "string"}}}`),
		// Without a type a client refuses the whole list.
		OutputSchema: json.RawMessage(`{"properties": {"orders": {"type": "array"}}}`),
	}
	given, err := tomcp.FromTool(upstream)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := normalizers.Portable.Normalize(ctx, given)
	if err != nil {
		fmt.Println(err)
		return
	}
	published, err := tomcp.Tool(result)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(published)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	// Output:
	// {"annotations":{"idempotentHint":false,"readOnlyHint":true},"description":"Searches the orders.","inputSchema":{"type":"object","properties":{"filter_name_":{"type":"string"}}},"name":"search","outputSchema":{"type":"object","properties":{"orders":{"type":"array"}}}}
}
