package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"toolproof/harness"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// document is a file with the tools in it.
type document struct {
	source string
	tools  []toolfile.Tool
	err    error // why the rest of it could not be read
}

// readAll reads the files, in order, and what an exporter prints.
func (s *session) readAll(ctx context.Context, files, exporter []string, reads reads) ([]document, error) {
	if len(exporter) == 0 {
		return s.readAs(ctx, files, reads)
	}
	var documents []document
	if len(files) > 0 {
		var err error
		if documents, err = s.readAs(ctx, files, reads); err != nil {
			return nil, err
		}
	}
	document, err := s.exported(ctx, exporter, "")
	return append(documents, document), err
}

// reads is toolfile.Read or toolfile.ReadFolded.
type reads func(io.Reader) ([]toolfile.Tool, error)

// read reads the files, in order.
func (s *session) read(ctx context.Context, arguments []string) ([]document, error) {
	return s.readAs(ctx, arguments, toolfile.Read)
}

func (s *session) readAs(ctx context.Context, arguments []string, reads reads) ([]document, error) {
	if len(arguments) == 0 {
		return nil, exitError{exitBroken, hint(errors.New("a file is required"), "name one, or - for standard input")}
	}
	var documents []document
	for _, argument := range arguments {
		search := searchOf(argument)
		names, err := s.names(ctx, argument, search)
		if err != nil {
			return nil, err
		}
		reads := reads
		if search != nil {
			reads = toolfile.Read // what is found is looked at
		}
		for _, name := range names {
			tools, err := s.readFile(ctx, name, reads)
			if ctx.Err() != nil {
				return nil, interrupted(ctx)
			}
			if search == nil || search.take(name, tools, err) {
				documents = append(documents, document{name, tools, ofFile(name, err)})
			}
		}
		if search != nil {
			s.warnf("%v", search)
		}
	}
	return documents, nil
}

// names returns the files that an argument names or asks to search for.
func (s *session) names(ctx context.Context, argument string, search *search) ([]string, error) {
	if search == nil {
		return expand(argument)
	}
	return await(ctx, func() ([]string, error) {
		err := search.find(ctx)
		return search.found, err
	})
}

// foreign is the error of a file that is something else. It names the file in what it
// says to do.
type foreign struct {
	*toolfile.ForeignError

	file string
}

func (f foreign) Error() string {
	f.Do = strings.ReplaceAll(f.Do, "verify ", programName+" ")
	return f.Of(f.file)
}

// ofFile returns an error of reading with the name of its file.
func ofFile(name string, err error) error {
	if is, ok := errors.AsType[*toolfile.ForeignError](err); ok && name != "-" {
		return foreign{is, shellQuote(name)}
	}
	return err
}

func interrupted(ctx context.Context) error {
	return exitError{exitInconclusive, fmt.Errorf("interrupted: %w", ctx.Err())}
}

// problems returns the single errors of a document.
func (d document) problems() []error { return toolfile.Problems(d.err) }

// requests returns the tools by the request that they are sent in.
func (d document) requests() [][]toolfile.Tool { return toolfile.Requests(d.tools) }

// say returns an error about the document, behind its name: one that begins with line and
// column follows without a space.
func (d document) say(problem error) string {
	between := ": "
	if _, ok := errors.AsType[*schema.SyntaxError](problem); ok {
		between = ":"
	}
	return escape.Line(d.source + between + problem.Error())
}

// expand returns the files that an argument names, which may be a pattern where a
// shell has not expanded it.
func expand(argument string) ([]string, error) {
	if !strings.ContainsAny(argument, "*?[{") {
		return []string{argument}, nil
	}
	if _, err := os.Stat(argument); err == nil {
		return []string{argument}, nil
	}
	names, err := doublestar.FilepathGlob(argument, doublestar.WithNoFollow())
	if err != nil {
		return nil, usage("the pattern %q: %w", argument, err)
	}
	if len(names) == 0 {
		return nil, usage("no file matches %q", argument)
	}
	return names, nil
}

func (s *session) readFile(ctx context.Context, name string, reads reads) ([]toolfile.Tool, error) {
	return await(ctx, func() ([]toolfile.Tool, error) {
		in, err := s.open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // it was read
		return reads(in)
	})
}

// open opens a file that the user names, or standard input. An error is without the name.
func (s *session) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.in), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, meantBy(name, withoutPath(err))
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close() // nothing was read
		return nil, hint(errors.New("is a directory"), "name the files in it, such as "+escape.Line(filepath.Join(name, "*.json")))
	}
	return file, nil
}

// meantBy says what to do about the name of a file that cannot be opened and is no name of
// a file.
func meantBy(name string, err error) error {
	if _, isTarget := harness.TargetNamed(name); isTarget == nil {
		return fmt.Errorf("%w: write several targets with a comma, --target gemini,%s", err, name)
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return fmt.Errorf("%w: save the document of the address to a file, or ask a server with %s mcp --url", err, programName)
	}
	return err
}

// await does what may never end, such as to open a pipe and read it, and is no longer
// there for it when the run is interrupted: what is read after that is lost.
func await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		made T
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		made, err := work()
		done <- outcome{made, err}
	}()
	select {
	case got := <-done:
		return got.made, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// withoutPath leaves the name of the file out of an error that is shown with it.
func withoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// writeFile writes a file that the user names; what appears in an error.
func writeFile(what, name string, write func(io.Writer) error) error {
	var text bytes.Buffer
	err := write(&escape.Writer{Out: &text}) // files are shown as well
	if err == nil {
		const readable = 0o644
		err = os.WriteFile(name, text.Bytes(), readable)
	}
	if err != nil {
		return exitError{exitBroken, fmt.Errorf("writing %s: %s: %w", what, name, withoutPath(err))}
	}
	return nil
}

// awaitBaseline is readBaseline that an interrupt ends.
func awaitBaseline[T any](ctx context.Context, name, between string, read func(io.Reader) (*T, error)) (*T, error) {
	baseline, err := await(ctx, func() (*T, error) { return readBaseline(name, between, read) })
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	return baseline, err
}

// readBaseline reads a baseline, or returns nil where none was asked for. between
// stands between the name of the file and what read finds wrong with it.
func readBaseline[T any](name, between string, read func(io.Reader) (*T, error)) (*T, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no baseline was asked for
	}
	shown := escape.Line(name)
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, exitError{exitBroken, hint(fmt.Errorf("%s: %w", shown, withoutPath(err)), "--write-baseline "+shown+" makes it")}
	}
	defer file.Close()
	baseline, err := read(file)
	if err != nil {
		return nil, exitError{exitBroken, fmt.Errorf("%s%s%w", shown, between, err)}
	}
	return baseline, nil
}
