package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/internal/group"
)

// Exported runs a program that prints tools, such as a script that exports those of a
// framework, and reads its output, which may have toolfile.MaxSize bytes. The program runs in
// the folder, or, if that is empty, in the working directory. Its standard error is passed on.
func (s *Session) Exported(ctx context.Context, words []string, folder string, reader toolfile.Reader) (run.Document, error) {
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	command := exec.CommandContext(running, words[0], words[1:]...) //nolint:gosec // the user names the program
	command.Dir = folder
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	command.WaitDelay = time.Second // its children may keep its output open
	printed := printed{most: toolfile.MaxSize, tooMuch: cancel}
	command.Stdout, command.Stderr = &printed, s.Errs
	_ = s.Out.Flush() // the writer keeps the error, and Run reports it
	err := command.Run()
	name := escape.Line(words[0])
	switch {
	case ctx.Err() != nil:
		return run.Document{}, Interrupted(ctx)
	case context.Cause(running) != nil:
		return run.Document{}, Usage("%s: %w", name, context.Cause(running))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		err := fmt.Errorf("%s is no program that can be started", name)
		if folder == "" {
			err = Hint(err, "leave out -- to check files: a command stands behind it")
		}
		return run.Document{}, Broken(err)
	case err != nil:
		return run.Document{}, Usage("%s: %w", name, WithoutPath(err))
	case printed.text.Len() == 0:
		return run.Document{}, Broken(Hint(fmt.Errorf("%s printed nothing", name), "it is to print tools to standard output, as docs/export.md shows"))
	}
	source := strings.Join(words, " ")
	document := run.Document{Source: source}
	reader.Passed = func(entry toolfile.Passed) { document.Passed = append(document.Passed, entry) }
	document.Tools, document.Err = reader.Read(&printed.text)
	return document, nil
}

// printed collects the output of a program up to a limit.
type printed struct {
	text    bytes.Buffer
	most    int
	tooMuch context.CancelCauseFunc
}

// Write ends the program if it prints too much.
func (p *printed) Write(text []byte) (int, error) {
	if p.text.Len()+len(text) > p.most {
		err := fmt.Errorf("it prints more than %d MB", p.most>>20)
		p.tooMuch(err)
		return 0, err
	}
	return p.text.Write(text) //nolint:wrapcheck // a Buffer does not fail
}
