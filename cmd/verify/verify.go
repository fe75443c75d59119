package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
)

// addVerify makes the root command judge the embedded fixtures and recordings.
func addVerify(s *session, root *cobra.Command) {
	var chosen format
	var requests bool
	var require requirement
	var pattern, folder, maxAge string
	chosen.add(root, "one object per verdict and a summary")
	root.Flags().BoolVar(&requests, "requests", false, "add the requests that were judged; requires --json")
	require.add(root)
	root.Flags().StringVar(&maxAge, "max-age", "", "use recordings up to this age only, such as 90d")
	root.Flags().StringVar(&pattern, "fixture", "*", "replay the fixtures of this id or pattern")
	root.Flags().StringVar(&folder, "data", "", "read fixtures and recordings from this checkout, not from the program")
	root.RunE = func(command *cobra.Command, _ []string) error {
		if requests && !chosen.isJSON() {
			return errRequestsAlone
		}
		form, err := s.renderer(chosen, report.Run{OfFixtures: true, AsGiven: true})
		if err != nil {
			return err
		}
		judging := judge.Judge{Coverage: &judge.Coverage{}, Requests: requests}
		if err := require.of(&judging); err != nil {
			return err
		}
		if judging.Oldest, err = cli.OldestDay(maxAge); err != nil {
			return err
		}
		data, err := cli.LoadEmbedded()
		if folder != "" {
			data, err = cli.LoadCheckout(folder)
		}
		if err != nil {
			return cli.Broken(err)
		}
		replayed, err := cli.FixturesLike(data.Fixtures, pattern)
		if err != nil {
			return err
		}
		judging.Store = data.Store
		results, err := s.replay(command.Context(), judging, replayed)
		if err != nil {
			return err
		}
		agreements := evidence.CrossExamine(command.Context(), data.Store, harness.Dialects, data.Fixtures)
		summary, err := s.writeRun(results, agreements, len(replayed), chosen, form)
		if err != nil {
			return err
		}
		return exitOf(summary, agreements)
	}
}

// replay judges the fixtures for every target.
func (s *session) replay(ctx context.Context, judging judge.Judge, fixtures []*fixture.Fixture) ([]verdict.Result, error) {
	progress := cli.NewProgress(s.Session, len(fixtures)*len(harness.Surfaces))
	defer progress.Clear()
	var results []verdict.Result
	for _, given := range fixtures {
		judging.Memory = &judge.Memory{}
		for _, target := range harness.Surfaces {
			if ctx.Err() != nil {
				return nil, cli.Interrupted(ctx)
			}
			results = append(results, judging.Fixture(ctx, given, target)...)
			progress.Step()
		}
	}
	return results, nil
}

func (s *session) writeRun(results []verdict.Result, agreements []evidence.Agreement, fixtures int, chosen format, form report.Renderer) (*report.Summary, error) {
	summary := report.NewSummary()
	summary.Tools, summary.Read, summary.Judged = fixtures, fixtures, fixtures
	var problems []error
	for _, result := range results {
		summary.Add(result)
		problems = append(problems, form.Result(result))
	}
	for _, agreement := range agreements {
		summary.Recordings++
		if agreement.Status > verdict.KnownFailure {
			summary.Disagreements++
			summary.Conforms = false
			s.Warnf("recording %s: %s: %s", agreement.Recording.Name(), agreement.Status, agreement.Error)
			if !chosen.isText() && !chosen.isJSON() { // which say it in the summary
				problems = append(problems, form.Result(resultOf(agreement)))
			}
		}
	}
	problems = append(problems, form.Summary(summary))
	return summary, errors.Join(problems...)
}

// resultOf returns a recording that was held against the models as a result, for reports
// that would pass without it.
func resultOf(agreement evidence.Agreement) verdict.Result {
	name, dialect := agreement.Recording.Name(), agreement.Recording.Dialect
	return verdict.Result{
		Source: "recordings/" + name + ".json", Target: dialect, Dialect: dialect, Status: agreement.Status, Error: agreement.Error,
		Kind: &verdict.Fixture{ID: name, Side: verdict.OfRecording},
	}
}

func exitOf(summary *report.Summary, agreements []evidence.Agreement) error {
	worst := summary.Worst()
	for _, agreement := range agreements {
		worst = verdict.Worst(worst, agreement.Status)
	}
	return cli.ExitFor(worst)
}
