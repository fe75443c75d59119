//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
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

// TestServersLeaveNothing: a process that a server starts in a session of its own, without its
// environment and below a parent that has ended, ends with the server and does not hold the run.
func TestServersLeaveNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux hands over such processes")
	}
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // to open it waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	const leaves = `exec 3>"$1"; echo begun >&3; env -i "$2" -f tail -f /dev/null 2>&1; read -r line; echo boom >&2; exit 3`
	_, errs := clitest.Output(t, run, "", cli.CodeInconclusive, "mcp", "--target", "openai", "--", "sh", "-c", leaves, "sh", pipe, setsid)
	if !strings.Contains(errs, "the server ended before it answered: exit status 3") {
		t.Errorf("it says %s", errs)
	}
	if text, err := io.ReadAll(reader); err != nil || string(text) != "begun\n" {
		t.Errorf("it wrote %q, %v", text, err)
	}
}
