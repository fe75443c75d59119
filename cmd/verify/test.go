package main

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/normalizers"
)

// testFlags are the flags of verify test.
type testFlags struct {
	shard   cli.Shard
	program string
	target  string
	pattern string
	tools   []string
	timeout time.Duration
	format  format
}

func newTest(s *session) *cobra.Command {
	var flags testFlags
	command := &cobra.Command{
		Use:   "test --exec CMD --target TARGET [--tools FILE] [-- ARGUMENT...]",
		Short: "Test your own normalizer, in any language, on the fixtures or a file of tools",
		Long: `test judges a normalizer in any language: a program that rewrites tools for a target. It
runs on the fixtures of that target or, with --tools, on the tools of a file in any form
that verify check reads. The program reads one JSON object per line and answers each
with one line:

  {"id":1,"target":"gemini","surface":"gemini/parameters","tool":{"name":"f","description":"…","parameters":{…}}}
  {"id":1,"tool":{…},"strict":false}  or  {"id":1,"unsupported":"why"}  or  {"id":1,"error":"why"}

On fixtures, the provider must accept each returned tool, and the tool must keep its
properties, their order and their descriptions. Defaults, titles and formats must stay
or be said in a description. The returned schema must accept the arguments that the
original accepts and refuse those that it refuses. A loss that this project's own
normalizer has as well is not a failure, and a tool that the program does not support is
not counted.

On the tools of a file, the provider must accept each tool, and nothing may be lost in
silence: instances of both schemas show what is lost, and a description may say it. The
summary also has the median time for a tool and the memory of the process.

Exit codes:
  0  every tool passes
  1  a tool fails
  2  the program ends early or answers in another form, or a file cannot be read
  3  no verdict, because the program supports none of the tools`,
		Example: `  verify test --target gemini --exec ./normalizer
  verify test --target openai-strict --exec 'python3 normalizer.py'
  verify test --target gemini --exec ./normalizer --tools tools.json
  verify test --target gemini --exec node -- 'my normalizer.js' --strict`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.test(command.Context(), flags, arguments)
		},
	}
	command.Flags().StringVar(&flags.program, "exec", "", "the program of the normalizer; put arguments with spaces after --")
	command.Flags().StringVarP(&flags.target, "target", "t", "", "rewrite and judge the tools for this target")
	command.Flags().StringVar(&flags.pattern, "fixture", "*", "run only fixtures whose id matches this pattern")
	command.Flags().StringArrayVar(&flags.tools, "tools", nil, "run on the tools of this file instead of the fixtures (repeatable)")
	command.MarkFlagsMutuallyExclusive("tools", "fixture")
	command.Flags().DurationVar(&flags.timeout, "timeout", 10*time.Second, "wait this long for each tool")
	flags.shard.Add(command.Flags(), "fixtures or tools")
	flags.format.add(command, "one object per fixture and a summary")
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(false))
	return command
}

func (s *session) test(ctx context.Context, flags testFlags, arguments []string) error {
	words := append(strings.Fields(flags.program), arguments...)
	switch {
	case strings.TrimSpace(flags.program) == "":
		return cli.Broken(cli.Hint(errors.New("--exec is required"), "name the program of the normalizer"))
	case flags.timeout <= 0:
		return cli.Usage("--timeout must be positive, not %s", flags.timeout)
	}
	if err := flags.shard.Choose(s.Warnf); err != nil {
		return err
	}
	target, err := cli.OneTarget(flags.target, normalizers.Options{})
	if err != nil {
		return err
	}
	progress := cli.NewProgress(s.Session, 0)
	tools := &trial{say: s.Warnf}
	var text newSink
	if len(flags.tools) > 0 {
		text = tools.text
	}
	sink, err := s.sink(flags.format, report.Options{OfFixtures: true}, progress, text)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return cli.Broken(cli.Hint(err, "name a program with --exec"))
	}
	if len(flags.tools) > 0 {
		return s.testTools(ctx, flags, words, target, sink, tools)
	}
	data, err := cli.LoadEmbedded()
	if err != nil {
		return cli.Broken(err)
	}
	chosen, err := cli.FixturesLike(data.Fixtures, flags.pattern)
	if err != nil {
		return err
	}
	chosen = slices.DeleteFunc(chosen, func(fixture *fixture.Fixture) bool { return !flags.shard.Has(fixture.ID) })
	command := &normalizers.Command{Args: words, Target: flags.target, Surface: target.Dialect.Name, Timeout: flags.timeout}
	defer command.Close()
	target.Normalizer = command
	// Command bounds the time of the process and reports what it wrote, so the judge waits a little
	// longer.
	judging := judge.Judge{Store: data.Store, Timeout: flags.timeout + time.Second}
	run := &engine.Run{Targets: []judge.Target{target}, Judge: judging, Sink: sink, Progress: progress, Alone: true}
	run.Summary().Shard = flags.shard.String()
	if err := run.Fixtures(ctx, normalizedSides(chosen, target)); err != nil {
		return orInterrupted(ctx, err)
	}
	if err := run.End(); err != nil {
		return err
	}
	counts := run.Summary().Of(target.Name())
	if unsupported := run.Summary().Tools - counts.Passed - counts.Known - counts.Failed - counts.Inconclusive - counts.Errors; unsupported > 0 {
		s.Warnf("%s not supported by the normalizer", report.Count(unsupported, "tool"))
	}
	return cli.ExitFor(run.Summary().Worst())
}

// normalizedSides returns the fixtures for the normalizer of another project, without their
// expectations for the tool as given and without known failures of this project's normalizers. It
// leaves out fixtures about a certain normalizer or its options.
func normalizedSides(fixtures []*fixture.Fixture, target judge.Target) []*fixture.Fixture {
	var chosen []*fixture.Fixture
	for _, original := range fixtures {
		expected := original.Expect[target.Dialect.Name]
		if original.WireOnly || expected.Normalizer != "" || expected.AsOf != "" || expected.Language != nil || expected.MaxValues != 0 {
			continue
		}
		expected.Raw = nil
		adapted := *original
		adapted.Known, adapted.Expect = nil, map[string]fixture.Expectation{target.Dialect.Name: expected}
		chosen = append(chosen, &adapted)
	}
	return chosen
}
