package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
)

// ReadAll reads the files, in order, and then the output of the exporter, if there is one.
func (s *Session) ReadAll(ctx context.Context, files, exporter []string, reader toolfile.Reader) ([]run.Document, error) {
	if len(exporter) == 0 {
		return s.ReadWith(ctx, files, reader)
	}
	var documents []run.Document
	if len(files) > 0 {
		var err error
		if documents, err = s.ReadWith(ctx, files, reader); err != nil {
			return nil, err
		}
	}
	document, err := s.Exported(ctx, exporter, "", reader)
	return append(documents, document), err
}

// HaveResponses reports whether documents have the schema of a model's answer.
func HaveResponses(documents []run.Document) bool {
	return slices.ContainsFunc(documents, func(document run.Document) bool {
		return slices.ContainsFunc(document.Tools, func(tool toolfile.Tool) bool { return tool.IsResponse })
	})
}

// Read reads the tools of files, in order. See SearchOf for arguments that are folders or patterns.
// A file that cannot be read is no error of Read: the Problems of its document say why.
func (s *Session) Read(ctx context.Context, arguments []string) ([]run.Document, error) {
	return s.ReadWith(ctx, arguments, toolfile.Reader{})
}

// ReadWith is like Read, with a reader of the caller.
func (s *Session) ReadWith(ctx context.Context, arguments []string, reader toolfile.Reader) ([]run.Document, error) {
	if len(arguments) == 0 {
		return nil, Broken(Hint(errors.New("a file is required"), "name one, or - for standard input"))
	}
	var documents []run.Document
	for _, argument := range arguments {
		search := SearchOf(argument)
		names, err := s.Names(ctx, argument, search)
		if err != nil {
			return nil, err
		}
		reader := reader
		reader.Folds = reader.Folds && search == nil // Take looks at the tools
		for _, name := range names {
			document, err := s.document(ctx, name, reader)
			if ctx.Err() != nil {
				return nil, Interrupted(ctx)
			}
			isRecorded := document.Meant != nil && slices.ContainsFunc(document.Conversations, isToModel)
			if search != nil && isRecorded {
				search.read++
			}
			if search == nil || isRecorded || search.Take(name, document.Tools, err) {
				document.Err = ofFile(name, err)
				documents = append(documents, document)
			}
		}
		if search != nil {
			s.Warnf("%v", search)
		}
	}
	return documents, nil
}

// isToModel reports whether a request is one to a model, and not a server.json, which a search passes over.
func isToModel(request run.Conversation) bool { return request.API != provider.Publish }

// Names returns the files that an argument names, or those that a search finds.
func (s *Session) Names(ctx context.Context, argument string, search *Search) ([]string, error) {
	if search == nil {
		return Expand(argument)
	}
	return Await(ctx, func() ([]string, error) {
		err := search.Find(ctx)
		return search.Found, err
	})
}

// foreign is the error of a file that is something other than tools. It names the file in its
// advice.
type foreign struct {
	*toolfile.ForeignError

	file string
}

func (f foreign) Error() string {
	f.Do = Typed(f.Do)
	return f.Of(f.file)
}

// ofFile adds the name of the file to an error that can use it.
func ofFile(name string, err error) error {
	if is, ok := errors.AsType[*toolfile.ForeignError](err); ok && name != "-" {
		return foreign{is, ShellQuote(name)}
	}
	return err
}

// Unwrap returns the error without the name.
func (f foreign) Unwrap() error { return f.ForeignError }

// Interrupted returns the error of a run whose context has ended.
func Interrupted(ctx context.Context) error {
	return Fail(CodeInconclusive, fmt.Errorf("interrupted: %w", ctx.Err()))
}

// Expand returns the files that an argument names. It expands a pattern that the shell has not
// expanded.
func Expand(argument string) ([]string, error) {
	if !strings.ContainsAny(argument, "*?[{") {
		return []string{argument}, nil
	}
	if _, err := os.Stat(argument); err == nil {
		return []string{argument}, nil
	}
	names, err := doublestar.FilepathGlob(argument, doublestar.WithNoFollow())
	if err != nil {
		return nil, Usage("the pattern %q: %w", argument, err)
	}
	if len(names) == 0 {
		return nil, Usage("no file matches %q", argument)
	}
	return names, nil
}

// ReadFile reads the tools of one file, or of standard input for "-".
func (s *Session) ReadFile(ctx context.Context, name string, reader toolfile.Reader) ([]toolfile.Tool, error) {
	return Await(ctx, func() ([]toolfile.Tool, error) {
		in, err := s.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		return reader.Read(in)
	})
}

// Open opens a file that the user names, or standard input for "-". Its errors do not contain
// the name.
func (s *Session) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(s.In), nil
	}
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, meantBy(name, WithoutPath(err))
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		_ = file.Close() // nothing was read
		return nil, Hint(errors.New("is a directory"), "name the files in it, such as "+escape.Line(filepath.Join(name, "*.json")))
	}
	return file, nil
}

// meantBy adds advice to the error of a file that cannot be opened, judging by its name.
func meantBy(name string, err error) error {
	if _, isTarget := harness.TargetNamed(name); isTarget == nil {
		return fmt.Errorf("%w: write several targets with a comma, --target gemini,%s", err, name)
	}
	if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
		return fmt.Errorf("%w: save the document of the address to a file, or ask a server with %s", err, Typed("verify mcp --url"))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if path := strings.ReplaceAll(name, `\`, "/"); path != name && filepath.Separator == '/' {
		if drive, rest, isDrive := strings.Cut(path, ":/"); isDrive && len(drive) == 1 {
			return fmt.Errorf("%w: this is a path of Windows, which WSL has at /mnt/%s/%s", err, strings.ToLower(drive), escape.Line(rest))
		}
		return fmt.Errorf("%w: write / between folders: %s", err, escape.Line(path))
	}
	if similar := similarFile(name); similar != "" {
		return fmt.Errorf("%w: did you mean %s?", err, escape.Line(similar))
	}
	return err
}

// similarFile returns the file with the most similar name in the same folder, or "".
func similarFile(name string) string {
	folder, base := filepath.Split(name)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return ""
	}
	extension := filepath.Ext(base)
	var stems []string
	for _, entry := range entries {
		if stem, isSame := strings.CutSuffix(entry.Name(), extension); isSame && !entry.IsDir() {
			stems = append(stems, stem)
		}
	}
	if stem := nearest(strings.TrimSuffix(base, extension), stems); stem != "" {
		return folder + stem + extension
	}
	return ""
}

// Await calls work, which may block for ever, for example opening a pipe. If the context ends
// first, it returns the context's error and abandons the call.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := work()
		done <- outcome{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// WithoutPath returns an error without the path of its fs.PathError, for messages that name the
// file already.
func WithoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// WriteFile writes a file that the user names. what says in an error what the file is.
func WriteFile(what, name string, write func(io.Writer) error) error {
	var text bytes.Buffer
	err := write(&escape.Writer{Out: &text}) // files are shown on terminals, too
	if err == nil {
		const readable = 0o644
		err = os.WriteFile(name, text.Bytes(), readable)
	}
	if err != nil {
		return Broken(fmt.Errorf("writing %s: %s: %w", what, name, WithoutPath(err)))
	}
	return nil
}

// AwaitBaseline is ReadBaseline for a file that may block, such as a pipe.
func AwaitBaseline[T any](ctx context.Context, name, between string, read func(io.Reader) (*T, error)) (*T, error) {
	baseline, err := Await(ctx, func() (*T, error) { return ReadBaseline(name, between, read) })
	if ctx.Err() != nil {
		return nil, Interrupted(ctx)
	}
	return baseline, err
}

// ReadBaseline reads a baseline, or returns nil if name is empty. between separates the name of
// the file from the error of read.
func ReadBaseline[T any](name, between string, read func(io.Reader) (*T, error)) (*T, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // the user names no baseline
	}
	shown := escape.Line(name)
	file, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, Broken(Hint(fmt.Errorf("%s: %w", shown, WithoutPath(err)), "--write-baseline "+shown+" makes it"))
	}
	defer file.Close()
	baseline, err := read(file)
	if err != nil {
		return nil, Broken(fmt.Errorf("%s%s%w", shown, between, err))
	}
	return baseline, nil
}

// ToolsIn reads the tools of files, in order. It returns an error if one of them cannot be read
// or there are none.
func (s *Session) ToolsIn(ctx context.Context, names ...string) ([]toolfile.Tool, error) {
	documents, err := s.Read(ctx, names)
	if err != nil {
		return nil, err
	}
	var tools []toolfile.Tool
	for _, document := range documents {
		if problems := document.Problems(); len(problems) > 0 {
			return nil, Broken(errors.New(document.Say(problems[0])))
		}
		for _, tool := range document.Tools {
			if tool.Err != nil {
				return nil, Broken(errors.New(document.Say(tool.Err)))
			}
			tools = append(tools, tool)
		}
	}
	if len(tools) == 0 {
		return nil, Broken(fmt.Errorf("%s: there is no tool", escape.Line(strings.Join(names, ", "))))
	}
	return tools, nil
}
