//go:build unix

package bounded_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"toolproof/internal/bounded"
)

// TestPipe checks that File does not wait for a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := bounded.File(os.DirFS(folder), "pipe", 5); err == nil {
		t.Error("a pipe was read")
	}
}
