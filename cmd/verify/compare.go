package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/drift"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

func newCompare(s *session) *cobra.Command {
	var form comparison
	var common bool
	command := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two runs: which verdicts changed, and why",
		Long: `compare reads the result lines of two runs (verify --json, verify check --json;
compressed or not) and lists each tool whose verdict or loss differs, and each that only
one run has. One of the two files may be -, standard input.

For each difference it names the cause, judging by the evidence of both verdicts and by
the model of today: the provider changed, a rule or a rewrite of Toolproof changed, the
recording is stale, or a rule of Toolproof is wrong or missing.

Exit codes:
  0  no difference
  1  some verdict or loss differs
  2  a file cannot be read, or ends too early
  3  no difference, but one of the runs had no verdict on something, or there is nothing to compare`,
		Example: `  verify compare yesterday.jsonl.gz today.jsonl
  verify compare --markdown offline.jsonl live.jsonl >>"$GITHUB_STEP_SUMMARY"
  verify compare --html yesterday.jsonl.gz today.jsonl >flips.html`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 2 && (files[0] != "-" || files[1] != "-") {
				return nil
			}
			return cli.Broken(cli.Hint(errors.New("two files are required"), "verify --json or verify check --json writes them"))
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.compare(command.Context(), files[0], files[1], form, common)
		},
	}
	command.Flags().BoolVar(&form.asJSON, "json", false, "write JSON Lines, one object per difference and a summary")
	command.Flags().BoolVar(&form.asMarkdown, "markdown", false, "write a Markdown table")
	command.Flags().BoolVar(&form.asHTML, "html", false, "write a page of HTML")
	command.Flags().BoolVar(&common, "common", false, "leave out tools that only one run has")
	command.MarkFlagsMutuallyExclusive("json", "markdown", "html")
	return command
}

// comparison is the format in which a comparison is written: text if none is set.
type comparison struct{ asJSON, asMarkdown, asHTML bool }

func (s *session) compare(ctx context.Context, oldName, newName string, form comparison, common bool) error {
	before, err := s.runOf(ctx, oldName)
	if err != nil {
		return err
	}
	defer before.end()
	after, err := s.runOf(ctx, newName)
	if err != nil {
		return err
	}
	defer after.end()

	lines, table, terminal := report.NewFlipLines(s.Out), &report.FlipTable{}, &report.Terminal{Out: s.Out, Color: s.Color}
	var problem error
	tell := terminal.Flip
	switch {
	case form.asJSON:
		tell = func(flip drift.Flip) { problem = errors.Join(problem, lines.Flip(flip)) }
	case form.asMarkdown, form.asHTML:
		tell = table.Flip
	}
	summary, err := drift.Compare(before.next, after.next, drift.Options{Model: modelOf(ctx), Common: common}, tell)
	if err != nil {
		return err
	}
	switch {
	case form.asJSON:
		problem = errors.Join(problem, lines.Summary(summary))
	case form.asMarkdown:
		fmt.Fprint(s.Out, table.Page(summary))
	case form.asHTML:
		problem = table.HTML(report.Options{Out: s.Out, Version: cli.Version()}, summary)
	default:
		terminal.Drift(summary)
		problem = terminal.Err()
	}
	switch {
	case problem != nil:
		return problem
	case summary.Flips > 0:
		return cli.Exit(cli.CodeFails)
	case summary.Compared == 0:
		return cli.Fail(cli.CodeInconclusive, errors.New("there is nothing to compare"))
	case summary.Inconclusive > 0:
		return cli.Exit(cli.CodeInconclusive)
	default:
		return nil
	}
}

// runResults are the results in one file.
type runResults struct {
	next drift.Results
	end  func()
}

func (s *session) runOf(ctx context.Context, name string) (runResults, error) {
	stream, end, err := s.results(ctx, name)
	if err != nil {
		return runResults{}, err
	}
	return runResults{func() (verdict.Result, error) {
		result, err := stream.Next()
		for err == nil && result.Advice() != nil { // advice is not a verdict
			result, err = stream.Next()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			err = cli.Unreadable(ctx, name, err)
		}
		return result, err
	}, end}, nil
}

// modelOf returns a function that asks today's model about the normalized tool of a result, or about
// the tools of its fixture as given. The fixtures are read when the first result needs them.
func modelOf(ctx context.Context) func(verdict.Result, drift.Kind) provider.Verdict {
	byID := sync.OnceValue(func() map[string]*fixture.Fixture {
		byID := map[string]*fixture.Fixture{}
		all, _ := cli.EveryFixture() // a test reads the embedded fixtures
		for _, fixture := range all {
			byID[fixture.ID] = fixture
		}
		return byID
	})
	return func(result verdict.Result, side drift.Kind) provider.Verdict {
		var tools []schema.Tool
		switch fixture := result.Fixture(); {
		case side == drift.Normalized:
			tools = []schema.Tool{schema.ToolOf(result.Sides().Normalized.Tool)}
		case fixture == nil || byID()[fixture.ID] == nil:
			return ""
		default:
			tools = byID()[fixture.ID].Tools
		}
		dialect, err := harness.DialectNamed(result.Dialect)
		if err != nil {
			return ""
		}
		answer, err := (&provider.Model{Dialect: dialect}).Send(ctx, dialect.Encode(tools))
		if err != nil {
			return ""
		}
		return answer.Verdict
	}
}
