package toolserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/internal/toolserver"
	"toolproof/schema"
)

// TestList asks a server over streamable HTTP for more tools than a page has.
func TestList(t *testing.T) {
	t.Parallel()
	const tools = 25
	server := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{PageSize: 10})
	for i := range tools {
		server.AddTool(&mcp.Tool{Name: "tool" + strconv.Itoa(i), InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(web.Close)
	text, err := toolserver.At(web.URL).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := schema.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	names := map[string]bool{}
	for _, tool := range listed.Get("tools").Elements {
		names[tool.GetString("name")] = tool.Get("inputSchema").Get("type").Is("object")
	}
	for i := range tools {
		if !names["tool"+strconv.Itoa(i)] {
			t.Errorf("tool%d is missing in\n%s", i, text)
		}
	}
}

// TestListEnds asks servers that do not answer as one should.
func TestListEnds(t *testing.T) {
	t.Parallel()
	asked, over := make(chan struct{}, 10), make(chan struct{})
	for name, handler := range map[string]http.HandlerFunc{
		"not found": http.NotFound,
		"rubbish":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("rubbish")) },
		"hangs": func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-over
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(handler)
			t.Cleanup(web.Close)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if name == "hangs" {
				go func() {
					<-asked
					cancel()
				}()
			}
			text, err := toolserver.At(web.URL).List(ctx)
			if err == nil {
				t.Errorf("the answer is %s", text)
			}
			if name == "hangs" {
				close(over) // the server waits for what it has begun
			}
		})
	}
}
