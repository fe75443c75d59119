package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/fix"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// fixFlags are the flags of check that write what it says into the files.
type fixFlags struct{ safe, unsafe, dryRun bool }

func (f *fixFlags) add(command *cobra.Command) {
	command.Flags().BoolVar(&f.safe, "fix", false, "write the edits that lose nothing into the files, and check them again; with --diff, show them and write nothing")
	command.Flags().BoolVar(&f.unsafe, "unsafe-fixes", false, "like --fix, with the edits that lose something; with --advice, also those of advice")
	command.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --fix, say what would be written and what would remain")
	for _, fix := range []string{"fix", "unsafe-fixes"} {
		for _, other := range []string{"normalized", "error", "watch", "baseline", "write-baseline", "requests", "as-of"} {
			command.MarkFlagsMutuallyExclusive(fix, other)
		}
	}
	command.MarkFlagsMutuallyExclusive("dry-run", "diff")
}

func (f *fixFlags) isWanted() bool { return f.safe || f.unsafe }

// words returns the flags of a run that writes nothing.
func (f *fixFlags) words() []string {
	if f.unsafe {
		return []string{"--unsafe-fixes", "--dry-run"}
	}
	return []string{"--fix", "--dry-run"}
}

// misused returns an error if the flags do not go together or the tools are in no file.
func (f *fixFlags) misused(exporter []string) error {
	switch {
	case f.dryRun && !f.isWanted():
		return cli.Usage("--dry-run requires --fix or --unsafe-fixes")
	case f.isWanted() && len(exporter) > 0:
		return errServed()
	default:
		return nil
	}
}

// errServed returns the error of --fix for the tools of a program.
func errServed() error {
	return cli.Broken(cli.Hint(errNoFile, "edit the source of the program as the check says; docs/export.md names the lines of generators"))
}

// errNoFile is the error of --fix for tools that no file has.
var errNoFile = errors.New("--fix writes into files, and these tools are in none")

// fixed is a file with its edits.
type fixed struct {
	*fix.Document

	name     string
	document engine.Document // as it was read
	problem  error           // why it was not edited
}

// fix writes edits into files, and checks the result. It returns the error that ends the program.
func (r *checkRun) fix(ctx context.Context, arguments []string) error {
	files, err := r.filesToFix(ctx, arguments)
	if err != nil {
		return err
	}
	documents := make([]engine.Document, len(files))
	for i := range files {
		documents[i] = files[i].document
	}
	r.divide(documents)
	for i := range files {
		file := &files[i]
		if file.document.Err != nil {
			continue // the check says why
		}
		fixer := &fix.Fixer{
			Judge: r.Judge, Targets: r.Targets, Responses: r.Responses, Unsafe: r.flags.fixes.unsafe,
			Steps: r.Steps, Source: file.name, Read: r.toolsToFix,
		}
		if r.Advice != nil {
			fixer.Advise = func(ctx context.Context, tools []toolfile.Tool) []verdict.Result {
				return r.Advice.Tools(ctx, tools, file.name)
			}
		}
		edited, err := fixer.Document(ctx, file.Before)
		if ctx.Err() != nil {
			return cli.Interrupted(ctx)
		}
		file.Document, file.problem = edited, err
		if err == nil && edited.IsChanged() && file.name != "-" && !r.flags.fixes.dryRun && !r.flags.diff {
			file.problem = cli.Replace(file.name, edited.Before, edited.After)
		}
		if file.problem != nil {
			file.After = file.Before
		}
	}
	return r.fixed(ctx, files)
}

// filesToFix reads the files that are named or that the project has.
func (r *checkRun) filesToFix(ctx context.Context, arguments []string) ([]fixed, error) {
	if len(arguments) == 0 && r.flags.project != nil {
		for _, source := range r.flags.project.Sources {
			if source.Files == "" {
				r.Warnf("%s: left out: %v", escape.Line(r.flags.project.Place(source)), errNoFile)
				continue
			}
			arguments = append(arguments, r.flags.project.From(source.Files))
		}
	}
	var files []fixed
	seen := map[string]bool{}
	for _, argument := range arguments {
		search := cli.SearchOf(argument)
		names, err := r.Names(ctx, argument, search)
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			if target, err := filepath.EvalSymlinks(name); err == nil {
				name = target
			}
			known := seen[name]
			seen[name] = true
			return known
		})
		for _, name := range names {
			file := r.fileToFix(ctx, name)
			if ctx.Err() != nil {
				return nil, cli.Interrupted(ctx)
			}
			if search == nil || search.Take(name, file.document.Tools, file.document.Err) {
				files = append(files, file)
			}
		}
		if search != nil {
			r.Warnf("%v", search)
		}
	}
	if len(files) > 1 && seen["-"] {
		return nil, cli.Usage("--fix writes standard input to standard output: leave the other files out")
	}
	if len(files) == 0 {
		return nil, cli.Broken(cli.Hint(errors.New("there is no file to edit"), "verify check --fix FILE names one"))
	}
	return files, nil
}

// fileToFix reads a file or standard input.
func (r *checkRun) fileToFix(ctx context.Context, name string) fixed {
	text, err := cli.Await(ctx, func() ([]byte, error) { return r.Content(name) })
	document := engine.Document{Source: name, Err: err}
	if err == nil {
		document = r.document(name, text)
	}
	return fixed{Document: &fix.Document{Before: text, After: text}, name: name, document: document}
}

// document returns the tools of a file with a text.
func (r *checkRun) document(name string, text []byte) engine.Document {
	document, err := cli.TextDocument(name, text, nil, r.flags.as.Reader(false))
	document.Err = err
	if len(r.flags.targets) > 0 {
		document.Meant = nil
	}
	return document
}

// toolsToFix returns the tools of a text, and the targets that their requests mean.
func (r *checkRun) toolsToFix(text []byte) ([]toolfile.Tool, func(toolfile.Tool) []judge.Target, error) {
	document := r.document("", text)
	return document.Tools, document.Meant, document.Err
}

// fixed shows what was edited, or writes the diff or the edited standard input, and checks the result.
func (r *checkRun) fixed(ctx context.Context, files []fixed) error {
	isInput := files[0].name == "-"
	words := r.Errs
	if !isInput && !r.flags.diff && r.flags.format.chosen() == report.TextFormat {
		words = r.Out
	}
	var hasChanges, hasProblems bool
	var documents []engine.Document
	for _, file := range files {
		if r.flags.diff && file.IsChanged() {
			if err := r.write(file.Patch(filepath.ToSlash(file.name))); err != nil {
				return err
			}
		}
		hasChanges = hasChanges || file.IsChanged()
		hasProblems = hasProblems || file.problem != nil || file.document.Err != nil
		r.say(words, file)
		if file.IsChanged() {
			file.document = r.document(file.name, file.After)
		}
		documents = append(documents, file.document)
	}
	switch {
	case !r.flags.diff && !isInput:
		if words == io.Writer(r.Out) {
			fmt.Fprintln(words) // before the result of the check
		}
		err := r.all(ctx, documents)
		if hasProblems {
			return cli.Broken(errors.Join(err)) // its text, if there is one
		}
		return err
	case isInput && !r.flags.diff && !r.flags.fixes.dryRun:
		if err := r.write(files[0].After); err != nil {
			return err
		}
	}
	for _, document := range documents {
		for _, problem := range document.Problems() {
			r.Warnf("%s", document.Say(problem))
		}
	}
	switch {
	case hasProblems:
		return cli.Exit(cli.CodeBroken)
	case r.flags.diff && hasChanges, !r.flags.diff && countRefused(files, false) > 0:
		return cli.Exit(cli.CodeFails)
	default:
		return nil
	}
}

// write writes a text to standard output as it is, unless that is a terminal.
func (r *checkRun) write(text []byte) error {
	out := r.Log.Out
	if err := r.Out.Flush(); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	if cli.IsTerminal(out) {
		out = r.Out
	}
	if _, err := out.Write(text); err != nil {
		return fmt.Errorf("writing standard output: %w", err)
	}
	return nil
}

// countRefused counts the tools that are refused, before or after the edits.
func countRefused(files []fixed, before bool) int {
	count := 0
	for _, file := range files {
		for _, tool := range file.Tools {
			if before && tool.WasRefused || !before && tool.IsRefused {
				count++
			}
		}
	}
	return count
}

// mostEdits is the number of safe edits of a file that are shown without --verbose, and mostText the number of
// bytes of each text that an edit replaces or writes.
const (
	mostEdits = 20
	mostText  = 300
)

// say says what was edited in a file, and what can be done about the rest.
func (r *checkRun) say(out io.Writer, file fixed) {
	name := escape.Line(file.name)
	if file.problem != nil {
		r.Warnf("%s: not edited: %v", name, file.problem)
		return
	}
	edits, tools, left, most := 0, 0, 0, mostText
	if r.flags.verbose {
		most = math.MaxInt
	}
	var lines []string
	for _, tool := range file.Tools {
		if tool.Problem != nil {
			r.Warnf("%s:%d: %s: not edited: %v", name, tool.Line, escape.Line(tool.Name), tool.Problem)
		}
		if len(tool.Edits) > 0 {
			tools++
		}
		edits += len(tool.Edits)
		for _, edit := range tool.Edits {
			if edit.IsSafe() && len(lines) >= mostEdits && !r.flags.verbose {
				left++
				continue
			}
			place := tool.Name
			if edit.From != "" {
				place += " " + string(edit.From)
			}
			lines = append(lines, fmt.Sprintf("  %d %s: %s\n", tool.Line, escape.Line(place), report.BriefEditOf(edit, most)))
		}
	}
	was, is := countRefused([]fixed{file}, true), countRefused([]fixed{file}, false)
	of := "of " + report.Count(len(file.Tools), "tool")
	switch {
	case file.document.Err != nil: // the check says why
	case edits == 0:
		fmt.Fprintf(out, "%s: nothing to write: %s, %d refused\n", name, of, was)
	default:
		verb := "written"
		if r.flags.diff || r.flags.fixes.dryRun {
			verb = "to write"
		}
		fmt.Fprintf(out, "%s: %s in %s %s: %s, %d refused before and %d after\n", name, report.Count(edits, "edit"), report.Count(tools, "tool"), verb, of, was, is)
	}
	for _, line := range lines {
		fmt.Fprint(out, line)
	}
	if left > 0 {
		fmt.Fprintf(out, "  and %d more: --verbose shows them\n", left)
	}
	r.sayLeft(out, file)
	offered := 0
	var withheld []string
	for _, tool := range file.Tools {
		offered += tool.Offered
		withheld = append(withheld, tool.Withheld...)
	}
	if count := len(withheld); count > 0 {
		slices.Sort(withheld)
		fmt.Fprintf(out, "  advice: %s left out, after which %s would refuse a tool\n", report.Count(count, "edit"), strings.Join(slices.Compact(withheld), ", "))
	}
	if offered > 0 {
		fmt.Fprintf(out, "  advice: --unsafe-fixes has %s, after which the schemas may take other arguments\n", report.Count(offered, "edit"))
	}
}

// sayLeft says why tools are still refused, and what takes them.
func (r *checkRun) sayLeft(out io.Writer, file fixed) {
	var unsafe, unsafeSent, sent, notStrict, never int
	member, target, why := "", "", ""
	for _, tool := range file.Tools {
		if !tool.IsRefused || len(tool.Left) == 0 {
			continue
		}
		hasEdits, hasMember, fallback := true, true, ""
		for _, cure := range tool.Left {
			hasEdits, hasMember = hasEdits && len(cure.Edits) > 0, hasMember && cure.Member != ""
			member, fallback = cmp.Or(cure.Member, member), cmp.Or(cure.NotStrict, fallback)
		}
		switch {
		case hasEdits && !r.flags.fixes.unsafe:
			unsafe++
			if hasMember {
				unsafeSent++
			}
		case hasMember:
			sent++
		case fallback != "":
			notStrict++
			why = cmp.Or(why, fallback)
		default:
			never++
			target = cmp.Or(target, tool.Left[0].Target)
		}
	}
	if unsafe > 0 {
		text := "--unsafe-fixes has edits, which lose something"
		if unsafeSent > 0 {
			text += fmt.Sprintf("; %d of them, sent as %s, need none", unsafeSent, member)
		}
		fmt.Fprintf(out, "  %s: %s\n", report.Count(unsafe, "refused tool"), text)
	}
	if sent > 0 {
		fmt.Fprintf(out, "  %s: no edit helps; sent as %s, none is needed\n", report.Count(sent, "refused tool"), member)
	}
	if notStrict > 0 {
		text := "no edit makes it strict, so that it has to be sent with strict false: " + why
		if notStrict > 1 {
			text = "no edit makes them strict, so that they have to be sent with strict false, the first because of " + why
		}
		fmt.Fprintf(out, "  %s: %s\n", report.Count(notStrict, "refused tool"), escape.Line(text))
	}
	if never > 0 {
		fmt.Fprintf(out, "  %s: no edit helps; let the client rewrite (verify normalize --target %s)\n", report.Count(never, "refused tool"), target)
	}
}

// fileText is the file of the latest result, for formats that show what an edit replaces in it.
type fileText struct {
	reader toolfile.Reader
	name   string
	text   *toolfile.Text
	tools  []toolfile.Tool
}

// replaced returns what an edit replaces in the file of a result.
func (f *fileText) replaced(result verdict.Result, edit verdict.Change) []report.Replacement {
	f.read(result.Source)
	isOf := func(tool toolfile.Tool) bool {
		return tool.Line == result.Line && tool.Name == result.Tool && tool.ID == result.ID
	}
	at := slices.IndexFunc(f.tools, isOf)
	if at < 0 || slices.ContainsFunc(f.tools[at+1:], isOf) {
		return nil
	}
	var replaced []report.Replacement
	for _, part := range fix.Replaced(f.text, f.tools[at], edit) {
		shown := report.Replacement{Text: part.Text}
		shown.StartLine, shown.StartColumn = f.text.Place(part.Start)
		shown.EndLine, shown.EndColumn = f.text.Place(part.End)
		replaced = append(replaced, shown)
	}
	return replaced
}

// read reads a file unless it is that of the result before. A file that cannot be read has no tools.
func (f *fileText) read(name string) {
	if f.name == name {
		return
	}
	*f = fileText{reader: f.reader, name: name}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > toolfile.MaxSize {
		return
	}
	data, err := os.ReadFile(name) //nolint:gosec // the run has read the file
	if err != nil {
		return
	}
	if f.text, err = toolfile.TextOf(data); err == nil {
		f.tools, _ = f.reader.Read(bytes.NewReader(data)) // what cannot be read is not edited
	}
}
