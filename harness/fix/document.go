package fix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/sync/errgroup"

	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Fixer writes edits into documents.
type Fixer struct {
	Judge judge.Judge
	// Targets judge tools, and Responses the schemas of answers.
	Targets, Responses []judge.Target
	// Unsafe also makes the edits that are not safe; see verdict.Change.
	Unsafe bool
	// Advise gives advice on the tools of a document, one result for each, whose edits are made with the unsafe ones; nil if nobody
	// wants any.
	Advise func(context.Context, []toolfile.Tool) []verdict.Result
	// Steps are those of the run. What they excuse is not edited.
	Steps []func(*verdict.Result)
	// Source is the name of the document in results.
	Source string
	// Read reads the tools of a text, and returns what finds the targets that the request of a tool means in
	// place of Targets and Responses, or nil; toolfile.Reader reads if it is nil.
	Read func([]byte) ([]toolfile.Tool, func(toolfile.Tool) []judge.Target, error)

	meant func(toolfile.Tool) []judge.Target // of the text that was read last
	mutex sync.Mutex
}

// read reads the tools of a text.
func (f *Fixer) read(text []byte) (tools []toolfile.Tool, err error) {
	if f.Read == nil {
		return toolfile.Reader{}.Read(bytes.NewReader(text))
	}
	tools, f.meant, err = f.Read(text)
	return tools, err
}

var errNoVerdict = errors.New("a target gives no verdict")

// Document is a document with its edits.
type Document struct {
	// Before and After are its text.
	Before, After []byte
	Tools         []Tool
}

// IsChanged reports whether there are edits.
func (d *Document) IsChanged() bool { return !bytes.Equal(d.Before, d.After) }

// Patch returns the edits as patch and git apply -p0 read them, for a file with a name.
func (d *Document) Patch(name string) []byte {
	text := diff.Diff(name, d.Before, name, d.After)
	_, text, _ = bytes.Cut(text, []byte("\n")) // the line "diff old new"
	return text
}

// Document edits the tools of a document. It returns an error if the edits cannot be written so that
// nothing else changes and no tool is newly refused; the document then stays as it is.
func (f *Fixer) Document(ctx context.Context, text []byte) (*Document, error) {
	document := &Document{Before: text, After: text}
	tools, err := f.read(text)
	if err != nil {
		return document, err
	}
	document.Tools = make([]Tool, len(tools))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, tool := range tools {
		work.Go(func() error {
			document.Tools[i] = f.tool(ctx, tool)
			return ctx.Err()
		})
	}
	if err := work.Wait(); err != nil {
		return document, fmt.Errorf("editing: %w", err)
	}
	if f.Advise != nil {
		if err := f.advise(ctx, document.Tools); err != nil {
			return document, fmt.Errorf("editing: %w", err)
		}
	}
	for i := range document.Tools {
		if tool := &document.Tools[i]; schema.Equal(tool.Declaration, tool.After.Declaration) {
			tool.keep(tool.Problem)
		}
	}
	document.keepNames()
	if slices.ContainsFunc(document.Tools, func(tool Tool) bool { return len(tool.Edits) > 0 }) {
		after, err := document.write(f.read)
		if err != nil {
			return document, err
		}
		if err := f.confirm(ctx, document, after); err != nil {
			return document, err
		}
		document.After = after
	}
	return document, nil
}

// confirm judges the edited tools once more, as they are read from the edited text.
func (f *Fixer) confirm(ctx context.Context, document *Document, text []byte) error {
	tools, err := f.read(text)
	if err != nil {
		return fmt.Errorf("the edited text: %w", err)
	}
	for i, tool := range tools {
		edited := &document.Tools[i]
		if len(edited.Edits) == 0 {
			continue
		}
		edited.After = tool
		after, isJudged := f.refusals(ctx, tool)
		if !isJudged || edited.before.isWorse(after) {
			return fmt.Errorf("after the edits %s would be newly refused: make them by hand", tool.Name)
		}
		edited.IsRefused = after.isRefused()
	}
	return ctx.Err()
}

// keepNames drops the edits of tools that would have the name of another one.
func (d *Document) keepNames() {
	names := map[string]int{}
	for _, tool := range d.Tools {
		names[tool.After.Name]++
	}
	for i := range d.Tools {
		tool := &d.Tools[i]
		if tool.After.Name != tool.Name && names[tool.After.Name] > 1 {
			tool.keep(fmt.Errorf("its new name, %s, is that of another tool", tool.After.Name))
		}
	}
}

// write returns the text with the edits of the tools. A tool whose edits cannot be written stays as it is.
// If the text does not say what it should then, write returns an error.
func (d *Document) write(read func([]byte) ([]toolfile.Tool, error)) ([]byte, error) {
	text, err := toolfile.TextOf(d.Before)
	if err != nil {
		return nil, err
	}
	for i := range d.Tools {
		tool := &d.Tools[i]
		if len(tool.Edits) == 0 {
			continue
		}
		if err := text.Change(tool.Declaration, tool.After.Declaration); err != nil {
			tool.keep(err)
		}
	}
	after := text.Bytes()
	tools, err := read(after)
	if err != nil || len(tools) != len(d.Tools) {
		return nil, errMisread
	}
	for i, tool := range tools {
		want := d.Tools[i].After
		if (tool.Err == nil) != (want.Err == nil) || want.Declaration != nil && !schema.Equal(tool.Declaration, want.Declaration) {
			return nil, errMisread
		}
	}
	return after, nil
}

var errMisread = errors.New("the edits cannot be written into the text without changing something else: make them by hand")
