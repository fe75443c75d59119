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

// TestPipe checks that an interrupt ends opening a pipe that nobody writes to.
func TestPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, arguments := range [][]string{
		{"calibrate", pipe},
		{"calibrate", "--baseline", pipe, pipe},
		{"import", pipe},
	} {
		var out, errs bytes.Buffer
		if code := run(ctx, arguments, strings.NewReader(""), &out, &errs); code != cli.CodeInconclusive {
			t.Errorf("%s ended with %d: %s", arguments, code, errs.String())
		}
	}
}
