// Package tomcp converts tools of github.com/modelcontextprotocol/go-sdk to tools that can
// be normalized, and normalized tools back, for a server to publish them.
package tomcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/normalizers"
	"toolproof/schema"
)

// Tool returns the tool of a server for one that was normalized for mcp or portable. Its
// InputSchema is the schema byte for byte, which Server.AddTool takes. Who hands on a
// tool of another server sets title, annotations, output schema and _meta from that tool.
func Tool(result normalizers.Result) (*mcp.Tool, error) {
	tool := result.Tool
	description, err := tool.DescriptionText()
	if err != nil {
		return nil, fmt.Errorf("declaring %q: %w", tool.Name, err)
	}
	if tool.Parameters == nil {
		return nil, fmt.Errorf("declaring %q: /parameters: there is no input schema\nnormalize it for mcp or portable, which give it one", tool.Name)
	}
	return &mcp.Tool{Name: tool.Name, Description: description, InputSchema: json.RawMessage(tool.Parameters.JSON())}, nil
}

// FromTool returns the name, description and input schema of a server's tool. An
// InputSchema that is a json.RawMessage keeps its order and its numbers. A client of the
// SDK holds a map[string]any, where the members are without order and a number is a
// float64. A tool without an InputSchema has no Parameters. The error names the tool
// whose InputSchema is not JSON.
func FromTool(tool *mcp.Tool) (schema.Tool, error) {
	if tool == nil {
		return schema.Tool{}, errors.New("reading a tool: it is null")
	}
	result := schema.Tool{Name: tool.Name}
	if tool.Description != "" {
		result.Description = schema.NewString(tool.Description)
	}
	if tool.InputSchema == nil {
		return result, nil
	}
	text, isText := tool.InputSchema.(json.RawMessage)
	if !isText {
		var err error
		if text, err = json.Marshal(tool.InputSchema); err != nil {
			return schema.Tool{}, fmt.Errorf("reading %q: /inputSchema: %w", tool.Name, err)
		}
	}
	parameters, err := schema.Parse(text)
	if err != nil {
		return schema.Tool{}, fmt.Errorf("reading %q: /inputSchema: %w", tool.Name, err)
	}
	result.Parameters = parameters
	return result, nil
}
