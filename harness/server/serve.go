package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve serves the tools of a list, in the form that List returns, on an input and an output.
// It publishes each tool byte for byte, even one that the protocol does not allow, and
// answers each call with a text. It returns when the input or the context ends.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, list []byte) error {
	if !json.Valid(list) {
		return fmt.Errorf("serving tools: the list is not JSON: %.40s", list)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "toolproof", Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/list":
				return &verbatim{text: list}, nil
			case "tools/call":
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "This tool does nothing."}}}, nil
			default:
				return next(ctx, method, request)
			}
		}
	})
	return server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out}) //nolint:wrapcheck // the error of the SDK says what failed
}

// verbatim is a result of tools/list as another server wrote it: the types of the SDK would
// drop the members that they do not know, and reorder the others.
type verbatim struct {
	mcp.ListToolsResult

	text []byte
}

// MarshalJSON returns the text as it is.
func (v *verbatim) MarshalJSON() ([]byte, error) { return v.text, nil }
