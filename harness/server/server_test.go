package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/server"
	"toolproof/schema"
)

// TestList lists more tools than a page has, over streamable HTTP.
func TestList(t *testing.T) {
	t.Parallel()
	const tools = 25
	sdk := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ServerOptions{PageSize: 10})
	for i := range tools {
		sdk.AddTool(&mcp.Tool{Name: "tool" + strconv.Itoa(i), InputSchema: map[string]any{"type": "object"}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdk }, nil))
	t.Cleanup(web.Close)
	text, err := server.At(web.URL).List(t.Context())
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

// TestListEnds lists the tools of servers that answer wrongly.
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
			text, err := server.At(web.URL).List(ctx)
			if err == nil {
				t.Errorf("the answer is %s", text)
			}
			if name == "hangs" {
				close(over) // the server waits for what it has begun
			}
		})
	}
}

// oneTool returns a server with one tool.
func oneTool(name string) *mcp.Server {
	sdk := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	sdk.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	return sdk
}

// TestEvents checks that a server that speaks SSE is asked over SSE, even if the caller does not
// say so.
func TestEvents(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return oneTool("old") }, nil))
	t.Cleanup(web.Close)
	for _, events := range []*server.Server{server.Events(web.URL), server.At(web.URL)} {
		events.Headers = map[string]string{"X-Key": "k"}
		if text, err := events.List(t.Context()); err != nil || !strings.Contains(string(text), `"old"`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}

// TestHeaders checks that headers are sent with each request, and that a redirect is followed on
// the same host, without the address in Referer, and to no other.
func TestHeaders(t *testing.T) {
	t.Parallel()
	own := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return oneTool("far") }, nil)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		t.Errorf("another host was asked, with %v", request.Header)
		own.ServeHTTP(w, request)
	}))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch {
		case request.Header.Get("Authorization") != "Bearer k" || request.Header.Get("X-Key") != "k":
			w.WriteHeader(http.StatusUnauthorized)
		case request.Header.Get("Referer") != "":
			t.Error("the server hears of " + request.Header.Get("Referer"))
		case request.URL.Path == "/moved":
			http.Redirect(w, request, "/", http.StatusTemporaryRedirect)
		case request.URL.Path == "/away":
			http.Redirect(w, request, other.URL, http.StatusTemporaryRedirect)
		default:
			own.ServeHTTP(w, request)
		}
	}))
	t.Cleanup(web.Close)
	for path, isListed := range map[string]bool{"/": true, "/moved?key=k": true, "/away?key=k": false} {
		remote := server.At(web.URL + path)
		remote.Headers = map[string]string{"Authorization": "Bearer k", "X-Key": "k"}
		text, err := remote.List(t.Context())
		if isListed != (err == nil) || isListed != strings.Contains(string(text), `"far"`) {
			t.Errorf("%s: %s, %v", path, text, err)
		}
		if !isListed && !strings.Contains(err.Error(), "the server sends its clients on to "+other.URL+", which is not asked") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := server.At(web.URL).List(t.Context()); err == nil {
		t.Errorf("without a key: %s", text)
	}
}

// TestForeignEndpoint checks that an endpoint of SSE at another host gets no message.
func TestForeignEndpoint(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		t.Errorf("another host was asked, with %v", request.Header)
	}))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: "+other.URL+"/\n\n")
		_ = http.NewResponseController(w).Flush()
		<-request.Context().Done()
	}))
	t.Cleanup(web.Close)
	if text, err := server.Events(web.URL).List(t.Context()); err == nil || !strings.Contains(err.Error(), "which is not asked") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestInstalls tells commands that install a server first from others.
func TestInstalls(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{
		{"npx", "-y", "x"}, {"/usr/bin/uvx", "x"}, {"cmd", "/c", "npx", "x"}, {"sh", "-c", "exec pnpm dlx x"}, {"NPX.CMD", "x"}, {"docker", "run", "x"},
	} {
		if !server.Installs(command...) {
			t.Errorf("%q installs nothing", command)
		}
	}
	for _, command := range [][]string{nil, {"node", "server.js"}, {"./my-server"}, {"python", "-m", "npxx"}} {
		if server.Installs(command...) {
			t.Errorf("%q installs", command)
		}
	}
}
