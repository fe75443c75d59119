package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/server"
	"toolproof/schema"
)

// TestServe lists tools that the types of the SDK cannot hold: they arrive as they were given.
func TestServe(t *testing.T) {
	t.Parallel()
	const list = `{"tools":[{"x":1,"name":"f","inputSchema":{"type":"object","properties":{"z":true,"a":{"minimum":1.0}}}},{"name":"g","inputSchema":[]}]}`
	if os.Getenv("SERVE_TOOLS") != "" {
		_ = server.Serve(t.Context(), os.Stdin, os.Stdout, []byte(list))
		os.Exit(0)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	started := server.Program(t.Context(), self, "-test.run=^TestServe$")
	started.Env = []string{"SERVE_TOOLS=1"}
	text, err := started.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want, _ := schema.Parse([]byte(list))
	if got, err := schema.Parse(text); err != nil || !schema.Identical(got, want) {
		t.Errorf("the list is %s, %v", text, err)
	}
}

// TestServeAnswersCalls checks that a call of any tool is answered with a text.
func TestServeAnswersCalls(t *testing.T) {
	t.Parallel()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, fromClient, toClient, []byte(`{"tools":[{"name":"f"}]}`)) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "f"})
	if err != nil || len(answer.Content) != 1 || answer.IsError {
		t.Errorf("a call is answered with %v, %v", answer, err)
	}
	_ = session.Close()
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestServeRefuses serves a text that is not JSON.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	if err := server.Serve(t.Context(), io.NopCloser(bytes.NewReader(nil)), nil, []byte("{")); err == nil {
		t.Error("half a list is served")
	}
}
