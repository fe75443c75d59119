//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
)

// TestProjectOfAnotherUser: a toolproof.json that another user laid above the working
// folder is not gone by, unless it is named: it starts programs.
func TestProjectOfAnotherUser(t *testing.T) {
	folder := t.TempDir()
	below := filepath.Join(folder, "below")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{below, filepath.Join(folder, ".git")} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("tools.json", `{"name": "f", "inputSchema": {"type": "object", "properties": {}}}`)
	write("toolproof.json", `{"sources": ["tools.json"]}`)
	t.Chdir(below)
	clitest.Output(t, run, "", cli.CodeConforms, "check")
	const another = 12345
	name := filepath.Join(folder, "toolproof.json")
	if err := os.Chown(name, another, -1); err != nil {
		t.Skipf("only root gives a file away: %v", err)
	}
	if _, errs := clitest.Output(t, run, "", cli.CodeBroken, "check"); !strings.HasPrefix(errs, "verify: ../toolproof.json belongs to another user\nhint: --config ../toolproof.json goes by it") {
		t.Errorf("it says %s", errs)
	}
	clitest.Output(t, run, "", cli.CodeConforms, "check", "--config", "../toolproof.json")
	if err := os.Chown(below, another, -1); err != nil { // a checkout of the other user
		t.Fatal(err)
	}
	clitest.Output(t, run, "", cli.CodeConforms, "check")
}
