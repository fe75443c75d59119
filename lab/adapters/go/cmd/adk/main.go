// Command adk is the adapter of Google's Agent Development Kit for Go. It converts the tools of
// an MCP server.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/adk/agent"
	"google.golang.org/adk/tool/mcptoolset"
	"google.golang.org/genai"

	"toolproof/lab/adapters/protocol"
)

func main() {
	protocol.Serve(protocol.Adapter{
		Name: "adk for Go", Module: "google.golang.org/adk",
		Note:     "mcptoolset; a server of the MCP SDK for Go hands the tool over, and takes no schema whose root is no object",
		Surfaces: map[string]func(protocol.Tool) (protocol.Tool, error){"gemini/parametersJsonSchema": declared},
	})
}

// declared returns a toolset's declaration of a tool that an MCP server in this process offers.
func declared(tool protocol.Tool) (protocol.Tool, error) {
	schema, err := tool.Schema()
	if err != nil {
		return tool, err
	}
	if schema["type"] != "object" {
		return tool, errors.New("the MCP SDK takes no tool whose input schema is not of the type object")
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("never called")
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	near, far := mcp.NewInMemoryTransports()
	session, err := server.Connect(ctx, far, nil)
	if err != nil {
		return tool, err
	}
	defer session.Close()
	set, err := mcptoolset.New(mcptoolset.Config{Transport: near})
	if err != nil {
		return tool, err
	}
	tools, err := set.Tools(readonly{ctx: ctx})
	if err != nil {
		return tool, err
	}
	if len(tools) == 0 {
		return tool, errors.New("the toolset has no tool")
	}
	made, declares := tools[0].(interface {
		Declaration() *genai.FunctionDeclaration
	})
	if !declares {
		return tool, errors.New("the tool has no declaration")
	}
	text, err := json.Marshal(made.Declaration().ParametersJsonSchema)
	if err != nil {
		return tool, fmt.Errorf("writing the declaration: %w", err)
	}
	return protocol.Tool{Name: tool.Name, Description: made.Declaration().Description, Parameters: json.RawMessage(text)}, nil
}

// readonly is a context for toolsets without an agent.
type readonly struct {
	agent.ReadonlyContext

	ctx context.Context
}

func (r readonly) Deadline() (time.Time, bool) { return r.ctx.Deadline() }
func (r readonly) Done() <-chan struct{}       { return r.ctx.Done() }
func (r readonly) Err() error                  { return r.ctx.Err() }
func (r readonly) Value(key any) any           { return r.ctx.Value(key) }
