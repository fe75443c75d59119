package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/recordings"
)

// checkFlags are the choices of verify check.
type checkFlags struct {
	targets       []string
	language      string
	asJSON        bool
	raw           bool
	diff          bool
	quiet         bool
	minTools      int
	baseline      string
	writeBaseline string
}

func newCheck(s *session) *cobra.Command {
	var flags checkFlags
	command := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check your own tools",
		Long: `check says what a provider answers to your tools as they are, what was rewritten
so that it accepts them, and what that loses.

It reads the result of MCP tools/list, the tools of OpenAI's Chat and Responses,
Gemini's function declarations, Anthropic's tools, JSON Lines of
{id, name, description, schema}, and a bare schema; compressed with gzip or not;
- reads standard input.

It exits 1 when a normalized tool is refused, with --raw also when a tool as given
is; 2 when a tool could not be read, a flag is wrong or nothing was checked; 3 when
nothing was learnt.`,
		Example: `  verify check tools.json
  verify check --target gemini --target openai tools.json
  verify check --raw --target openai-strict --write-baseline baseline.jsonl tools.json
  verify check --raw --target openai-strict --baseline baseline.jsonl tools.json
  some-server --list-tools | verify check --target gemini --json -`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.check(command.Context(), flags, files)
		},
	}
	command.Flags().StringArrayVar(&flags.targets, "target", []string{"all"}, "check for this target; repeat it, or all")
	command.Flags().StringVar(&flags.language, "language", "", "prefer this language in texts of several, such as de-AT")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per tool and target and a summary")
	command.Flags().BoolVar(&flags.raw, "raw", false, "fail also for tools that are refused as given")
	command.Flags().BoolVar(&flags.diff, "diff", false, "show what was made of each tool")
	command.Flags().BoolVar(&flags.quiet, "quiet", false, "show failures and the summary alone")
	command.Flags().IntVar(&flags.minTools, "min-tools", 1, "fail when fewer tools were judged")
	command.Flags().StringVar(&flags.baseline, "baseline", "", "fail only for findings that this file does not have")
	command.Flags().StringVar(&flags.writeBaseline, "write-baseline", "", "write the findings to this file, for --baseline")
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(true))
	return command
}

func (s *session) check(ctx context.Context, flags checkFlags, arguments []string) error {
	targets, err := targetsNamed(flags.targets, flags.language)
	if err != nil {
		return err
	}
	documents, err := s.read(arguments)
	if err != nil {
		return err
	}
	baseline, err := readBaseline(flags.baseline)
	if err != nil {
		return err
	}
	store, err := recording.Load(recordings.Files)
	if err != nil {
		return exitError{exitBroken, err}
	}
	run := checkRun{
		session: s, flags: flags, targets: targets, baseline: baseline, summary: report.NewSummary(),
		checker:  harness.Checker{Store: store, Raw: flags.raw},
		terminal: &report.Terminal{Out: s.out, Color: s.color, Diff: flags.diff, Quiet: flags.quiet}, lines: report.NewJSON(s.out),
	}
	run.progress = newProgress(s, documents, len(targets))
	for _, document := range documents {
		if err := run.document(ctx, document); err != nil {
			return err
		}
	}
	run.progress.clear()
	return run.finish(arguments)
}

// targetsNamed returns the targets of the given names.
func targetsNamed(names []string, language string) ([]harness.Target, error) {
	var targets []harness.Target
	for _, name := range names {
		if name == "all" {
			targets = append(targets, harness.Targets...)
			continue
		}
		target, err := harness.TargetNamed(name)
		if err != nil {
			return nil, exitError{exitBroken, err}
		}
		targets = append(targets, target)
	}
	seen := map[string]bool{}
	var once []harness.Target
	for _, target := range targets {
		if seen[target.Name()] {
			continue
		}
		seen[target.Name()] = true
		if pipeline, ok := target.Normalizer.(*normalizers.Pipeline); ok && language != "" {
			options := pipeline.Options
			options.Language = language
			target.Normalizer = pipeline.With(options)
		}
		once = append(once, target)
	}
	return once, nil
}

// document is a file with the tools in it.
type document struct {
	source string
	tools  []toolfile.Tool
	err    error // why the rest of it could not be read
}

// read reads the files, in order.
func (s *session) read(arguments []string) ([]document, error) {
	if len(arguments) == 0 {
		return nil, exitError{exitBroken, hint(errors.New("no file to check"), "name one, or - for standard input")}
	}
	var documents []document
	for _, argument := range arguments {
		names, err := expand(argument)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			tools, err := s.readFile(name)
			documents = append(documents, document{name, tools, err})
		}
	}
	return documents, nil
}

// expand returns the files that an argument names, which may be a pattern where a
// shell has not expanded it.
func expand(argument string) ([]string, error) {
	if !strings.ContainsAny(argument, "*?[") {
		return []string{argument}, nil
	}
	if _, err := os.Stat(argument); err == nil {
		return []string{argument}, nil
	}
	names, err := filepath.Glob(argument)
	if err != nil {
		return nil, usage("the pattern %q: %w", argument, err)
	}
	if len(names) == 0 {
		return nil, usage("no file matches %q", argument)
	}
	return names, nil
}

func (s *session) readFile(name string) ([]toolfile.Tool, error) {
	if name == "-" {
		return toolfile.Read(s.in)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return toolfile.Read(file)
}

func readBaseline(name string) (*report.Baseline, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no baseline was asked for
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, exitError{exitBroken, hint(err, "--write-baseline "+name+" makes it")}
	}
	defer file.Close()
	baseline, err := report.ReadBaseline(file)
	if err != nil {
		return nil, exitError{exitBroken, fmt.Errorf("%s: %w", name, err)}
	}
	return baseline, nil
}

// checkRun is one run of verify check.
type checkRun struct {
	*session
	flags    checkFlags
	targets  []harness.Target
	checker  harness.Checker
	baseline *report.Baseline
	summary  *report.Summary
	terminal *report.Terminal
	lines    *report.JSON
	progress *progress
	matrix   []verdict.Result
	entries  []report.Entry
	broken   bool // a document could not be read to its end
}

// document checks the tools of one document and says when there was more in it
// that could not be read.
func (r *checkRun) document(ctx context.Context, document document) error {
	for _, tool := range document.tools {
		if err := ctx.Err(); err != nil {
			return exitError{exitInconclusive, fmt.Errorf("interrupted: %w", err)}
		}
		if err := r.tool(ctx, tool, document.source); err != nil {
			return err
		}
	}
	if document.err != nil {
		r.broken = true
		r.progress.clear()
		fmt.Fprintf(r.errs, "verify: %s: %v\n", document.source, document.err)
	}
	return nil
}

func (r *checkRun) tool(ctx context.Context, tool toolfile.Tool, source string) error {
	r.summary.Tools++
	if tool.Err == nil {
		r.summary.Read++
	}
	judged := true
	for _, target := range r.targets {
		result := r.checker.Check(ctx, tool, source, target)
		if r.flags.writeBaseline != "" {
			r.entries = append(r.entries, report.Entries(result, r.flags.raw)...)
		}
		if r.baseline != nil {
			r.baseline.Excuse(&result, r.flags.raw)
		}
		judged = judged && result.Normalized != nil
		r.summary.Add(result)
		if err := r.write(result); err != nil {
			return err
		}
		r.progress.step()
	}
	if judged {
		r.summary.Judged++
	}
	return nil
}

// write shows a result, or keeps it for the matrix.
func (r *checkRun) write(result verdict.Result) error {
	switch {
	case r.flags.asJSON:
		return r.lines.Result(result)
	case r.isMatrix():
		// The matrix shows outcomes; what it does not show is not kept.
		result.Given = nil
		if result.Normalized != nil {
			result.Normalized.Tool, result.Normalized.Changes = nil, nil
		}
		r.matrix = append(r.matrix, result)
		return nil
	default:
		r.progress.clear()
		r.terminal.Result(result)
		return r.terminal.Err()
	}
}

func (r *checkRun) isMatrix() bool { return len(r.targets) > 1 && !r.flags.diff }

func (r *checkRun) finish(arguments []string) error {
	if r.isMatrix() && !r.flags.asJSON {
		r.writeMatrix()
	}
	if r.broken || r.summary.Judged < r.flags.minTools || r.summary.Tools == 0 {
		r.summary.Conforms = false
	}
	if r.flags.asJSON {
		if err := r.lines.Summary(r.summary); err != nil {
			return err
		}
	} else {
		r.terminal.CheckSummary(r.summary)
		r.again(arguments)
		if err := r.terminal.Err(); err != nil {
			return err
		}
	}
	if err := r.endBaseline(); err != nil {
		return err
	}
	switch {
	case r.summary.Tools == 0:
		return exitError{exitBroken, hint(errors.New("nothing was checked: there is no tool in what was given"), "verify check --help lists the forms that are read")}
	case r.broken:
		return exitError{code: exitBroken}
	case r.summary.Worst() == verdict.Error:
		return exitError{code: exitBroken}
	case r.summary.Judged < r.flags.minTools:
		return usage("%d tools were judged, and --min-tools asks for %d", r.summary.Judged, r.flags.minTools)
	case r.flags.writeBaseline != "" && r.summary.Worst() == verdict.Fail:
		return nil // what fails now is what the baseline is for
	default:
		return exitFor(r.summary.Worst())
	}
}

// writeMatrix writes the matrix, after what could not be judged.
func (r *checkRun) writeMatrix() {
	names := make([]string, len(r.targets))
	for i, target := range r.targets {
		names[i] = target.Name()
	}
	shown := r.matrix
	for _, result := range r.matrix {
		if result.Status == verdict.Error || result.Status == verdict.Inconclusive {
			r.terminal.Result(result)
		}
	}
	if r.flags.quiet {
		shown = nil
		for start := 0; start < len(r.matrix); start += len(names) {
			row := r.matrix[start : start+len(names)]
			for _, result := range row {
				if result.Status > verdict.KnownFailure {
					shown = append(shown, row...)
					break
				}
			}
		}
	}
	r.terminal.Matrix(shown, names)
}

// again tells how to see more of one target.
func (r *checkRun) again(arguments []string) {
	command := "verify check --target " + r.targets[0].Name()
	if !r.flags.diff {
		command += " --diff"
	}
	fmt.Fprintf(r.out, "again         %s %s\n", command, strings.Join(arguments, " "))
}

// endBaseline writes the baseline, or names what in it is stale.
func (r *checkRun) endBaseline() error {
	if r.flags.writeBaseline != "" {
		var text strings.Builder
		if err := report.WriteBaseline(&text, r.entries); err != nil {
			return err
		}
		const readable = 0o644
		if err := os.WriteFile(r.flags.writeBaseline, []byte(text.String()), readable); err != nil {
			return exitError{exitBroken, err}
		}
	}
	if r.baseline != nil {
		for _, entry := range r.baseline.Stale() {
			fmt.Fprintf(r.errs, "verify: %s: stale, no longer found: %s of %s for %s at %s\n", r.flags.baseline, entry.Rule, entry.Tool, entry.Target, orRoot(string(entry.At)))
		}
	}
	return nil
}

func orRoot(at string) string {
	if at == "" {
		return "the root"
	}
	return at
}
