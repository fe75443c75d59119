package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
)

// connected returns a client of the SDK that is connected to a server at an address through a session.
func connected(t *testing.T, address string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	ended := make(chan error, 1)
	session := &wrap.Session{Target: func(string) *normalizers.Pipeline { return normalizers.Portable }, Warn: func(sentence string) { t.Error(sentence) }}
	go func() {
		err := session.Serve(t.Context(), in, out, wrap.Connect(t.Context(), http.DefaultClient, address))
		_ = out.Close()
		ended <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, options)
	connection, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromOut, Writer: toIn}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = connection.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return connection
}

// TestRemote: a client speaks to a server of streamable HTTP, whose answers are streams or JSON. The server
// asks back, tells progress and sends notifications of its own accord.
func TestRemote(t *testing.T) {
	t.Parallel()
	for _, isJSON := range []bool{false, true} {
		t.Run(fmt.Sprintf("JSON %t", isJSON), func(t *testing.T) {
			t.Parallel()
			server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			server.AddTool(&mcp.Tool{Name: "a.b", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"k y":{"type":"string"}},"required":["n"]}`)},
				func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					roots := 0
					if !isJSON { // which has no room for a request
						listed, err := request.Session.ListRoots(ctx, nil) //nolint:staticcheck // clients have it for another year
						if err != nil {
							return nil, err
						}
						roots = len(listed.Roots)
					}
					server.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(string(request.Params.Arguments), roots)}}}, nil
				})
			var deleted atomic.Bool
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: isJSON})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				if request.Method == http.MethodDelete {
					deleted.Store(request.Header.Get("Mcp-Session-Id") != "")
				}
				handler.ServeHTTP(w, request)
			}))
			t.Cleanup(func() {
				web.Close()
				if !deleted.Load() {
					t.Error("the session is not deleted")
				}
			})
			changed := make(chan struct{}, 10)
			client := connected(t, web.URL, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
			listed, err := client.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) != 1 || listed.Tools[0].Name != "a_b" {
				t.Fatalf("%v, %v", listed, err)
			}
			called, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_b", Arguments: json.RawMessage(`{"n":"1","k_y":"v"}`)})
			if err != nil || called.Content[0].(*mcp.TextContent).Text != `{"n":1,"k y":"v"}0` { //nolint:forcetypeassert // another content fails
				t.Errorf("%v, %v", called, err)
			}
			<-changed
			if again, err := client.ListTools(t.Context(), nil); err != nil || len(again.Tools) != 2 {
				t.Errorf("%v, %v", again, err)
			}
			called, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_b"})
			if err != nil || !called.IsError {
				t.Errorf("%v, %v", called, err)
			}
		})
	}
}

// remote passes lines to a server of a handler, and returns the lines of its answer.
func remote(t *testing.T, handler http.HandlerFunc, lines ...string) string {
	t.Helper()
	web := httptest.NewServer(handler)
	defer web.Close()
	server := wrap.Connect(t.Context(), http.DefaultClient, web.URL+"/?key=canary")
	for _, line := range lines {
		if _, err := io.WriteString(server, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.CloseInput(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(server)
	if err := errors.Join(err, server.End()); err != nil {
		t.Error(err)
	}
	return string(text)
}

// TestRemoteAnswers: the messages of an answer become lines without another byte in them, a stream that
// breaks is resumed after its last whole event, and a request that has no answer gets one.
func TestRemoteAnswers(t *testing.T) {
	t.Parallel()
	const request = `{"jsonrpc":"2.0", "id":"7","method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"JSON": {func(w http.ResponseWriter, request *http.Request) {
			body, _ := io.ReadAll(request.Body)
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			fmt.Fprintf(w, "{\n  \"id\": \"7\",\r\n  \"result\": [%q, %q, %q, 1.0, \"\xff\"]\n}\n", request.Header.Get("Mcp-Name"), request.Header.Get("Mcp-Method")+request.Header.Get("Mcp-Protocol-Version"), body)
		}, `{   "id": "7",    "result": ["é", "tools/call2026-07-28", ` + fmt.Sprintf("%q", request) + ", 1.0, \"\xff\"] }\n"},
		"events": {func(w http.ResponseWriter, request *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			switch {
			case request.Method == http.MethodPost:
				_, _ = io.WriteString(w, ": comment\n\nid: 1\nretry: 1\ndata: \n\nevent: message\ndata: {\"method\":\"notifications/x\",\ndata:\"a\": 1.0}\n\nevent: other\ndata: {}\n\nid: 2\n\nid: 9\ndata: {\"id\":\"7\",")
			case request.Header.Get("Last-Event-ID") == "2":
				_, _ = io.WriteString(w, "id: 3\ndata: {\"id\":\"7\",\"result\":{}}\n\ndata: cut")
			default:
				t.Errorf("%s with %s", request.Method, request.Header)
			}
		}, "{\"method\":\"notifications/x\", \"a\": 1.0}\n{\"id\":\"7\",\"result\":{}}\n"},
		"no answer": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/event-stream") }, failing("the server does not answer: its status is 200 OK")},
		"status":    {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "canary", http.StatusUnauthorized) }, failing("the server does not answer: its status is 401 Unauthorized")},
		"own error": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"7","error":{"code":-32020,"message":"no"}}`)
		}, `{"jsonrpc":"2.0","id":"7","error":{"code":-32020,"message":"no"}}` + "\n"},
		"broken": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, failing("asking the server: EOF")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := remote(t, test.handler, request); got != test.want || strings.Contains(got, "canary") {
				t.Errorf("the client gets\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func failing(why string) string {
	return `{"jsonrpc":"2.0","id":"7","error":{"code":-32000,"message":"` + why + "\"}}\n"
}
