//go:build unix

package normalizers_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

// TestCommandLeavesNothing: what a normalizer has started in the background holds its
// standard output and ends with it. A pipe tells: it has an end once nobody can write to
// it, and the test has none before.
func TestCommandLeavesNothing(t *testing.T) {
	t.Parallel()
	const script = `exec 3>"$1"; tail -f /dev/null & read -r line; echo '{"id":1,"tool":{"name":"f","parameters":{}}}'; wait`
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	pipe, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	made := &normalizers.Command{Args: []string{"sh", "-c", script, "sh", path}, Target: "gemini"}
	if _, err := made.Normalize(t.Context(), schema.Tool{Name: "f", Parameters: schema.NewObject()}); err != nil {
		t.Fatal(err)
	}
	made.Close()
	if _, err := io.Copy(io.Discard, pipe); err != nil {
		t.Error(err)
	}
}
