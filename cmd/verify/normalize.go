package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers"
	"toolproof/schema"
)

func newNormalize(s *session) *cobra.Command {
	var target string
	var as cli.As
	var only cli.Only
	var options cli.Options
	command := &cobra.Command{
		Use:   "normalize --target TARGET FILE...",
		Short: "Rewrite tools for a target, and print them as its requests have them",
		Long: `normalize rewrites tools for a target and prints them as JSON, in the form that a
request of that provider has: the list under tools or, for Gemini, under
functionDeclarations. The tools of all files form one request, so each gets a name of
its own. Standard error lists what was changed, what is lost, and what the provider
still refuses.

A response schema is printed as the members of a request that hold it. If the files have
response schemas and the target takes them, tools are left out.

The exit codes are those of verify check --normalized.`,
		Example: `  verify normalize --target gemini tools.json > gemini.json`,
		RunE: func(command *cobra.Command, files []string) error {
			run, err := s.oneTarget(command.Context(), target, options, as, only, files)
			if err != nil {
				return err
			}
			declarations, formats := []*schema.Node{}, []*schema.Node{}
			problems := &report.Terminal{Out: s.Errs, Quiet: true}
			losses := lossCounts{rules: map[string]bool{}}
			outcome := run.each(command.Context(), run.shared(command.Context()), func(result verdict.Result) {
				problems.Result(result)
				normalized := result.Sides().Normalized
				if normalized == nil && (result.Sides().AsGiven == "" || result.Status != verdict.Pass) {
					return
				}
				if normalized == nil {
					normalized = &verdict.Normalized{Tool: result.Sides().Given, Strict: run.target.Dialect.Strict}
				}
				if result.Kind.(*verdict.Tool).IsResponse { //nolint:forcetypeassert // each result is of a tool
					formats = append(formats, run.target.Format(normalized))
				} else {
					declarations = append(declarations, run.target.Wire(normalized))
				}
				fmt.Fprintf(s.Errs, "%s:%d: %s: %s\n", escape.Line(result.Source), result.Line, escape.Line(result.Tool), changed(result))
				losses.say(s, result)
			})
			losses.sum(s)
			if len(declarations)+len(formats) == 0 && outcome != nil {
				return outcome
			}
			for _, format := range formats { // each response schema is part of a request of its own
				fmt.Fprintf(s.Out, "%s\n", format.Indented())
			}
			if len(formats) == 0 {
				fmt.Fprintf(s.Out, "%s\n", schema.NewArray(declarations...).Indented())
			}
			return outcome
		},
	}
	addTarget(command, &target, &as, &options)
	only.Add(command)
	return command
}

// lossCounts counts tools, those that lose something, and those whose calls need Restore, and notes the rules
// for which they need it.
type lossCounts struct {
	tools, losing, restored int
	rules                   map[string]bool
}

// say writes what a tool loses to standard error.
func (l *lossCounts) say(s *session, result verdict.Result) {
	for _, line := range report.Losses(result) {
		fmt.Fprintf(s.Errs, "    %s\n", line)
	}
	l.tools++
	if report.Loses(result) {
		l.losing++
	}
	rules := report.Restored(result)
	if len(rules) == 0 {
		return
	}
	l.restored++
	for _, rule := range rules {
		l.rules[rule] = true
	}
}

// sum writes the counts, unless nothing is lost, and how the arguments of calls differ.
func (l *lossCounts) sum(s *session) {
	if l.losing+l.restored > 0 {
		s.Warnf("tools that lose something: %d of %d; tools whose calls need Restore (docs/library.md): %d", l.losing, l.tools, l.restored)
	}
	for _, rule := range normalizers.Rules() {
		if l.rules[rule.Name] {
			fmt.Fprintf(s.Errs, "    %s: %s\n", rule.Name, rule.Title())
		}
	}
}

// addTarget adds the flags of a command for one target.
func addTarget(command *cobra.Command, target *string, as *cli.As, options *cli.Options) {
	command.Flags().StringVarP(target, "target", "t", "", "rewrite the tools for this target, one of those in list targets")
	as.Add(command)
	options.Add(command)
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(false))
}

// targetRun is a run over the tools of some files for one target.
type targetRun struct {
	*session
	target    judge.Target
	documents []engine.Document
	judge     judge.Judge
}

// oneTarget reads the files of a command for one target.
func (s *session) oneTarget(ctx context.Context, name string, options cli.Options, as cli.As, only cli.Only, files []string) (*targetRun, error) {
	target, err := cli.OneTarget(name, options.Of(""))
	if err != nil {
		return nil, err
	}
	store, err := cli.RecordingsAsked()
	if err != nil {
		return nil, cli.Broken(err)
	}
	documents, err := s.ReadWith(ctx, files, as.Reader(false))
	if err == nil {
		err = only.Keep(documents)
	}
	run := &targetRun{s, target, documents, judge.Judge{Store: store}}
	if cli.HaveResponses(documents) {
		run.keep()
	}
	return run, err
}

// keep leaves out what the target does not take, tools or response schemas. It is called if there are
// response schemas.
func (r *targetRun) keep() {
	for i := range r.documents {
		document := &r.documents[i]
		document.Tools = slices.DeleteFunc(document.Tools, func(tool toolfile.Tool) bool { return !r.target.IsFor(tool) })
	}
}

// shared returns the changes to tools that are due to the others of the request, by the number of the
// tool in the run. All tools of the run form one request.
func (r *targetRun) shared(ctx context.Context) map[int]judge.Shared {
	var all []toolfile.Tool
	for _, document := range r.documents {
		all = append(all, document.Tools...)
	}
	return r.judge.Shared(ctx, all, r.target)
}

// each judges every tool, with the shared changes to it, and calls show with the result. It warns
// about what could not be read, and returns the error that ends the run, or nil.
func (r *targetRun) each(ctx context.Context, shared map[int]judge.Shared, show func(verdict.Result)) error {
	worst, tools := verdict.NotApplicable, 0
	for _, document := range r.documents {
		for _, tool := range document.Tools {
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
			result := r.judge.Tool(ctx, judge.Subject{Tool: tool, Source: document.Source, Shared: shared[tools]}, r.target)
			worst = max(worst, result.Status)
			tools++
			show(result)
		}
		for _, entry := range document.Passed {
			r.Warnf("%s", document.Say(fmt.Errorf("a tool of the provider's own (%s) is left out", entry.Kind)))
		}
		for _, problem := range document.Problems() {
			worst = verdict.Error
			r.Warnf("%s", document.Say(problem))
		}
	}
	if tools == 0 && worst != verdict.Error {
		return cli.Broken(cli.Hint(errors.New("the input has no tool"), "verify check --help lists the forms of files"))
	}
	return cli.ExitFor(worst)
}

// changed returns a line about the changes to a tool.
func changed(result verdict.Result) string {
	normalized := result.Sides().Normalized
	text := "unchanged"
	if normalized == nil {
		return text + ", no normalized form: " + escape.Line(result.Sides().AsGiven)
	}
	if len(normalized.Changes) > 0 {
		text = report.Count(len(normalized.Changes), "change") + ", loss " + normalized.Loss.String()
	}
	if renamed := report.Renamed(result); renamed != "" {
		text += ", " + renamed
	}
	if normalized.Fallback != "" {
		text += "; sent with strict false: " + escape.Line(normalized.Fallback)
	}
	return text
}
