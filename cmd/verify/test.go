package main

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
)

// testFlags are the choices of verify test.
type testFlags struct {
	program string
	target  string
	pattern string
	timeout time.Duration
	asJSON  bool
}

func newTest(s *session) *cobra.Command {
	var flags testFlags
	command := &cobra.Command{
		Use:   "test --exec CMD --target TARGET [-- ARGUMENT...]",
		Short: "Run somebody else's normalizer through the fixtures",
		Long: `test runs a normalizer in any language through the fixtures of a target. It is a
process that reads one JSON object a line and answers each with one line:

  {"id":1,"target":"gemini","tool":{"name":"f","description":"…","parameters":{…}}}
  {"id":1,"tool":{…},"strict":false}  or  {"id":1,"unsupported":"why"}  or  {"id":1,"error":"why"}

Each tool that it returns must be accepted by the provider, keep its properties in their
order, and take the arguments that the tool takes, unless this project's own normalizer
has to refuse them too. A tool that it does not support is not applicable.

It exits 1 when a tool fails, 2 when the process dies or answers otherwise, and 3 when
it supports none of the tools.`,
		Example: `  verify test --target gemini --exec ./normalizer
  verify test --target openai-strict --exec 'python3 normalizer.py'
  verify test --target gemini --exec node -- 'my normalizer.js' --strict`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.test(command.Context(), flags, arguments)
		},
	}
	command.Flags().StringVar(&flags.program, "exec", "", "the program, with arguments that have no spaces; others come after --")
	command.Flags().StringVar(&flags.target, "target", "", "the target that it normalizes for")
	command.Flags().StringVar(&flags.pattern, "fixture", "*", "run the fixtures of this id, or of ids like this pattern")
	command.Flags().DurationVar(&flags.timeout, "timeout", 10*time.Second, "how long one tool may take")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per fixture and a summary")
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(false))
	return command
}

func (s *session) test(ctx context.Context, flags testFlags, arguments []string) error {
	words := append(strings.Fields(flags.program), arguments...)
	switch {
	case strings.TrimSpace(flags.program) == "":
		return exitError{exitBroken, hint(errors.New("no normalizer"), "--exec names the program")}
	case flags.target == "" || flags.target == "all":
		return exitError{exitBroken, hint(errors.New("no target"), "--target names one; verify list targets lists them")}
	case flags.timeout <= 0:
		return usage("--timeout is %s, and a tool takes longer", flags.timeout)
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return exitError{exitBroken, hint(err, "--exec names a program")}
	}
	targets, err := targetsNamed([]string{flags.target}, rewrite.Options{})
	if err != nil {
		return err
	}
	data, err := loadEmbedded() //nolint:contextcheck // what it normalizes ends by itself
	if err != nil {
		return exitError{exitBroken, err}
	}
	chosen, err := fixturesLike(data.fixtures, flags.pattern)
	if err != nil {
		return err
	}
	command := &normalizers.Command{Args: words, Target: flags.target, Timeout: flags.timeout}
	defer command.Close()
	target := targets[0]
	target.Normalizer = command
	// The process is given its time by Command, which tells what it wrote; the runner
	// waits a little longer.
	runner := harness.Runner{Store: data.store, Timeout: flags.timeout + time.Second}
	results, err := s.testAll(ctx, runner, chosen, target)
	if err != nil {
		return err
	}
	summary, err := s.writeTested(results, flags.asJSON)
	if err != nil {
		return err
	}
	return exitFor(summary.Worst())
}

// testAll judges the normalized side of the fixtures that the normalizer can be asked
// about: not of one that is about another normalizer or its options.
func (s *session) testAll(ctx context.Context, runner harness.Runner, fixtures []*fixture.Fixture, target harness.Target) ([]verdict.Result, error) {
	progress := newProgress(s, len(fixtures))
	defer progress.clear()
	var results []verdict.Result
	for _, given := range fixtures {
		if ctx.Err() != nil {
			return nil, interrupted(ctx)
		}
		progress.step()
		judged := *given
		judged.Known = nil // those are failures of our own normalizer
		expected := given.Expect[target.Dialect.Name]
		if expected.Normalizer != "" || expected.AsOf != "" || expected.Language != nil || expected.MaxValues != 0 {
			continue
		}
		for _, result := range runner.Judge(ctx, &judged, target) {
			if result.Side == "normalized" {
				results = append(results, result)
			}
		}
	}
	return results, nil
}

func (s *session) writeTested(results []verdict.Result, asJSON bool) (*report.Summary, error) {
	unsupported := 0
	for _, result := range results {
		if result.Status == verdict.NotApplicable {
			unsupported++
		}
	}
	summary, err := s.writeRun(results, nil, len(results), asJSON)
	if unsupported > 0 {
		s.warnf("%s not supported by the normalizer", report.Count(unsupported, "tool"))
	}
	return summary, err
}
