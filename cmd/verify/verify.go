package main

import (
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
)

// addVerify makes the root command replay the embedded fixtures and recordings.
func addVerify(s *session, root *cobra.Command) {
	var chosen format
	var requests bool
	var require requirement
	var pattern, folder, maxAge string
	chosen.add(root, "one object per verdict and a summary")
	root.Flags().BoolVar(&requests, "requests", false, "add the judged requests to the lines; requires --json")
	require.add(root)
	root.Flags().StringVar(&maxAge, "max-age", "", "ignore recordings that are older, such as 90d")
	root.Flags().StringVar(&pattern, "fixture", "*", "replay only fixtures whose id matches this pattern")
	root.Flags().StringVar(&folder, "data", "", "read fixtures and recordings from this checkout of the project instead of the program")
	root.RunE = func(command *cobra.Command, _ []string) error {
		if requests && !chosen.isJSON() {
			return errRequestsAlone
		}
		progress := cli.NewProgress(s.Session, 0)
		sink, err := s.sink(chosen, report.Options{OfFixtures: true, AsGiven: true}, progress, nil)
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
		run := &engine.Run{Targets: harness.Surfaces, Judge: judging, Sink: sink, Progress: progress}
		if err := run.Fixtures(command.Context(), replayed); err != nil {
			return orInterrupted(command.Context(), err)
		}
		agreements := evidence.CrossExamine(command.Context(), data.Store, harness.Dialects, data.Fixtures)
		if err := s.crossExamined(run, agreements); err != nil {
			return err
		}
		if err := run.End(); err != nil {
			return err
		}
		return exitOf(run.Summary(), agreements)
	}
}

// crossExamined counts the recordings that were compared with the models, and passes those on which
// a model disagrees to the sink.
func (s *session) crossExamined(run *engine.Run, agreements []evidence.Agreement) error {
	summary := run.Summary()
	for _, agreement := range agreements {
		summary.Recordings++
		if agreement.Status <= verdict.KnownFailure {
			continue
		}
		summary.Disagreements++
		summary.Conforms = false
		s.Warnf("recording %s: %s: %s", agreement.Recording.Name(), agreement.Status, agreement.Error)
		if err := run.Sink.Result(resultOf(agreement)); err != nil {
			return err
		}
	}
	return nil
}

// resultOf returns a recording on which a model disagrees as a result, so that a report of the run
// does not pass.
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
		worst = max(worst, agreement.Status)
	}
	return cli.ExitFor(worst)
}
