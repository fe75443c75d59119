package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
)

// readers are the commands that read what others wrote, from standard input.
var readers = [][]string{
	{"check", "-"},
	{"check", "--error", "-", "../../docs/example-tools.json"},
	{"normalize", "--target", "gemini", "-"},
	{"diff", "--target", "gemini", "-"},
	{"report", "-"},
	{"compare", "-", os.DevNull},
	{"calibrate", "-"},
	{"import", "-"},
	{"minimize", "--dialect", "gemini/parameters", "-"},
	{"live", "--provider", "gemini", "--dry-run", "-"},
}

// stuck is an input that says when it is read, and never gives anything.
type stuck struct {
	isRead func()
	over   <-chan struct{}
}

func (s stuck) Read([]byte) (int, error) {
	s.isRead()
	<-s.over
	return 0, io.EOF
}

// TestInterruptedRead: an interrupt ends a read that would never end. There is no clock
// here: without an end the test would not end either.
func TestInterruptedRead(t *testing.T) {
	t.Parallel()
	for _, arguments := range readers {
		t.Run(arguments[0], func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			var out, errs bytes.Buffer
			code := run(ctx, arguments, stuck{interrupt, t.Context().Done()}, &out, &errs)
			if code != cli.CodeInconclusive || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("%s ended with %d: %s", arguments, code, errs.String())
			}
		})
	}
}

// bomb writes a file that is small and large once it is decompressed: one line of spaces,
// in many members of gzip that are the same.
func bomb(t *testing.T, name string, megabytes int) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	var member bytes.Buffer
	writer := gzip.NewWriter(&member)
	_, err := writer.Write(bytes.Repeat([]byte(" "), 1<<20))
	err = errors.Join(err, writer.Close(), os.MkdirAll(filepath.Dir(name), 0o700))
	if err := errors.Join(err, os.WriteFile(name, bytes.Repeat(member.Bytes(), megabytes), 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestBombs: every command that reads has an end, and names the file and the limit.
func TestBombs(t *testing.T) {
	t.Parallel()
	line, whole, recorded := bomb(t, "line.gz", 17), bomb(t, "whole.gz", 65), bomb(t, "gemini/parameters/x.json", 17)
	all := bomb(t, "all.gz", 257)
	folder := filepath.Dir(filepath.Dir(filepath.Dir(recorded)))
	const lineLimit, wholeLimit = "the line is longer than 16 MB", "there is more than 64 MB after decompression"
	for _, test := range []struct {
		limit     string
		file      string
		arguments []string
	}{
		{"there is more than 256 MB after decompression", all, []string{"check", all}},
		{lineLimit, line, []string{"report", line}},
		{lineLimit, line, []string{"compare", line, line}},
		{lineLimit, line, []string{"calibrate", line}},
		{"the line is longer than 1 MB", line, []string{"check", "--baseline", line, "../../docs/example-tools.json"}},
		{"there is more than 16 MB after decompression", line, []string{"calibrate", "--baseline", line, line}},
		{wholeLimit, whole, []string{"import", whole}},
		{"there is more than 16 MB after decompression", line, []string{"check", "--error", line, "../../docs/example-tools.json"}},
		{"there is more than 16 MB after decompression", "gemini/parameters/x.json", []string{"recordings", "list", "--folder", folder}},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), test.arguments, strings.NewReader(""), &out, &errs)
		if text := out.String() + errs.String(); code != cli.CodeBroken || !strings.Contains(text, test.limit) || !strings.Contains(text, test.file) {
			t.Errorf("%s ended with %d: %s", test.arguments, code, text)
		}
	}
}
