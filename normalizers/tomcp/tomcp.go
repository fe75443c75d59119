// Package tomcp converts normalized tools to types of github.com/modelcontextprotocol/go-sdk,
// for a server to publish them.
package tomcp

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/normalizers"
)

// Tool returns the tool of a server for one that was normalized for mcp or portable. Its
// InputSchema is the schema byte for byte, which Server.AddTool takes.
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
