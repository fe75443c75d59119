package clitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
)

// Bomb writes a small file that is large once decompressed: one line of spaces in many
// identical gzip members.
func Bomb(t *testing.T, name string, megabytes int) string {
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

// Bombed is a run that reads a file whose text is too long. It has to name the limit and the
// file.
type Bombed struct {
	Limit, File string
	Arguments   []string
}

// Bombs requires that each run ends with CodeBroken and says why.
func Bombs(t *testing.T, program Program, runs []Bombed) {
	t.Helper()
	for _, test := range runs {
		var out, errs bytes.Buffer
		code := program(t.Context(), test.Arguments, strings.NewReader(""), &out, &errs)
		if text := out.String() + errs.String(); code != cli.CodeBroken || !strings.Contains(text, test.Limit) || !strings.Contains(text, test.File) {
			t.Errorf("%s ended with %d: %s", test.Arguments, code, text)
		}
	}
}

// Pipes requires that an interrupt ends each run with a pipe in place of "-": opening one waits for
// somebody who writes to it.
func Pipes(t *testing.T, program Program, runs [][]string) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.CommandContext(t.Context(), "mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	for _, run := range runs {
		arguments := slices.Clone(run)
		for i, argument := range run {
			if argument == "-" {
				arguments[i] = pipe
			}
		}
		var out, errs bytes.Buffer
		if code := program(ctx, arguments, strings.NewReader(""), &out, &errs); code != cli.CodeInconclusive {
			t.Errorf("%s ended with %d: %s", arguments, code, errs.String())
		}
	}
}
