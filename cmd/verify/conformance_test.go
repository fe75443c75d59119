package main

import (
	"strings"
	"testing"

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
