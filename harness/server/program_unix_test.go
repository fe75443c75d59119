//go:build unix

package server_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolproof/harness/server"
)

// script is a server written for the shell. It answers the methods that it knows and ignores
// all others.
const script = `
while read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
	case $line in
	*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}' ;;
	*'"tools/list"'*) LIST ;;
	esac
done
`

const found = `echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"found","inputSchema":{"type":"object"}}]}}'`

func scripted(t *testing.T, list string, arguments ...string) *server.Server {
	t.Helper()
	return server.Program(t.Context(), "sh", append([]string{"-c", strings.ReplaceAll(script, "LIST", list), "sh"}, arguments...)...)
}

// TestDropsUnknownMethods checks that a server is initialized even if it ignores methods that
// it does not know.
func TestDropsUnknownMethods(t *testing.T) {
	t.Parallel()
	if text, err := scripted(t, found).List(t.Context()); err != nil || !strings.Contains(string(text), `"found"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestEndlessProgram checks the limits on standard output.
func TestEndlessProgram(t *testing.T) {
	t.Parallel()
	const note = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	if _, err := scripted(t, `yes '`+note+`'`).List(t.Context()); err == nil || err.Error() != "the server sends more than 10000 messages" {
		t.Errorf("the error is %v", err)
	}
	if _, err := scripted(t, `cat /dev/zero | tr '\0' ' '`).List(t.Context()); err == nil {
		t.Error("a message that never ends is one")
	}
}

// TestLeavesNothing checks that a process that a server has started in the background does
// not outlive the server, however that ends. The test reads a pipe that such a process can
// write to: the pipe ends only when no such process is left.
func TestLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]string{
		"waits":  `tail -f /dev/null >"$1" & : >"$2"; ` + found + `; wait`,
		"leaves": `tail -f /dev/null >"$1" & : >"$2"; ` + found,
		"dies":   `tail -f /dev/null >"$1" & : >"$2"; kill -9 $$`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe, begun := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "begun")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // to open it waits for nobody
			if err != nil {
				t.Fatal(err)
			}
			_, _ = scripted(t, list, pipe, begun).List(t.Context())
			if _, err := os.Stat(begun); err != nil {
				t.Fatal("nothing was started")
			}
			if _, err := io.Copy(io.Discard, reader); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProgramFails checks that the error says how a program failed, and that Complaint returns
// its last lines whole.
func TestProgramFails(t *testing.T) {
	t.Parallel()
	failing := server.Program(t.Context(), "sh", "-c", `head -c 20000 /dev/zero | tr '\0' 'k' >&2; echo >&2; echo "$WORD in $(basename "$(pwd)")" >&2; exit 3`)
	failing.Env, failing.Dir = []string{"WORD=here"}, t.TempDir()
	_, err := failing.List(t.Context())
	if err == nil || err.Error() != "the server ended before it answered: exit status 3" {
		t.Errorf("%v", err)
	}
	if want := "here in " + filepath.Base(failing.Dir); failing.Complaint() != want {
		t.Errorf("it says %q, want %q", failing.Complaint(), want)
	}
	ended := server.Program(t.Context(), "true")
	if _, err := ended.List(t.Context()); err == nil || errors.Is(err, server.ErrLate) {
		t.Errorf("%v", err)
	}
	silent := server.Program(t.Context(), "sh", "-c", `cat >/dev/null`)
	silent.Start = time.Nanosecond
	if _, err := silent.List(t.Context()); !errors.Is(err, server.ErrLate) {
		t.Errorf("%v", err)
	}
}
