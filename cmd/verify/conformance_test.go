package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
)

// TestConformanceLines compares the lines of verify conformance --json with their schema.
func TestConformanceLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/conformance.schema.json")
	lines, _ := clitest.Output(t, run, "", cli.CodeFails, "conformance", "--json", "--command", "sh", "--", "-c", `echo '{"unsupported":"no tools"}'`)
	for line := range strings.Lines(lines) {
		clitest.Validate(t, compiled, []byte(line), "conformance line")
	}
	if !strings.Contains(lines, `"outcome":"unsupported"`) {
		t.Errorf("got %s", lines)
	}
}

// TestProtocolLines validates the lines about the server of an SDK.
func TestProtocolLines(t *testing.T) {
	t.Parallel()
	sdk := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdk }, nil))
	t.Cleanup(web.Close)
	compiled := clitest.CompileSchema(t, "../../docs/schema/protocol.schema.json")
	lines, _ := clitest.Output(t, run, "", cli.CodeFails, "mcp", "--conformance", "--json", "--url", web.URL)
	for line := range strings.Lines(lines) {
		clitest.Validate(t, compiled, []byte(line), "protocol line")
	}
	if !strings.Contains(lines, `"check":"get_stream","level":"must","revision":"2025-11-25","outcome":"kept"`) {
		t.Errorf("got %s", lines)
	}
}
