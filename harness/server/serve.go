package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve is a server with the tools of a list, as List returns it, on an input and an
// output. It publishes each tool byte for byte, also one that the protocol does not allow,
// and answers each call with a text. It ends with the input, or with the context.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, list []byte) error {
	if !json.Valid(list) {
		return fmt.Errorf("serving tools: the list is no JSON: %.40s", list)
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
	return server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out}) //nolint:wrapcheck // it says what was wrong
}

// verbatim is the result of tools/list in the words of another server: the types of the
// protocol would drop what they do not know, and order members anew.
type verbatim struct {
	mcp.ListToolsResult

	text []byte
}

// MarshalJSON returns the words.
func (v *verbatim) MarshalJSON() ([]byte, error) { return v.text, nil }
