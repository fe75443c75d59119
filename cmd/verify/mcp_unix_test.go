//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"toolproof/cmd/internal/cli"
)

// TestInterruptedServers: when a run is interrupted nothing is left of the servers that it
// started. A pipe tells: it has an end once nobody can write to it.
func TestInterruptedServers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, config := filepath.Join(folder, "pipe"), filepath.Join(folder, "config.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	servers := map[string]any{}
	for _, name := range []string{"one", "two", "three"} {
		servers[name] = map[string]any{"command": "sh", "args": []string{"-c", `exec >"$1"; echo begun; exec tail -f /dev/null`, "sh", pipe}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err == nil {
		err = os.WriteFile(config, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	reader, err := syscall.Open(pipe, syscall.O_RDONLY|syscall.O_NONBLOCK, 0) // to open it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		var text []byte
		for piece := make([]byte, 100); strings.Count(string(text), "begun") < len(servers) && ctx.Err() == nil; runtime.Gosched() {
			size, _ := syscall.Read(reader, piece) // there may be nothing yet
			text = append(text, piece[:max(size, 0)]...)
		}
		cancel()
	}()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"mcp", "--target", "openai", "--config", config}, nil, &out, &errs); code != cli.CodeInconclusive {
		t.Errorf("exit code %d\n%s\n%s", code, &out, &errs)
	}
	cancel()
	<-begun
	if size, err := syscall.Read(reader, make([]byte, 1)); size != 0 || err != nil {
		t.Errorf("a server is left: %d, %v", size, err)
	}
}
