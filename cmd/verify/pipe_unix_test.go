//go:build unix

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"toolproof/cmd/internal/cli"
)

// TestPipe: to open a pipe waits for somebody who writes to it, and an interrupt ends
// that too.
func TestPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, arguments := range [][]string{
		{"check", pipe},
		{"check", "--error", pipe, "../../docs/example-tools.json"},
		{"check", "--baseline", pipe, pipe},
		{"normalize", "--target", "gemini", pipe},
		{"report", pipe},
		{"compare", pipe, pipe},
		{"minimize", "--dialect", "gemini/parameters", pipe},
		{"live", "--provider", "gemini", "--dry-run", pipe},
	} {
		var out, errs bytes.Buffer
		if code := run(ctx, arguments, strings.NewReader(""), &out, &errs); code != cli.CodeInconclusive {
			t.Errorf("%s ended with %d: %s", arguments, code, errs.String())
		}
	}
}
