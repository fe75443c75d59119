package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
	"toolproof/internal/lazy"
)

// addVerify makes the root command replay the embedded fixtures and recordings, if a flag asks for that or
// the working directory is in a checkout of this project. Elsewhere it checks what toolproof.json names,
// or says how to begin.
func addVerify(s *session, root *cobra.Command) {
	var chosen format
	var requests, verbose bool
	var require requirement
	var pattern, folder, maxAge string
	var shard cli.Shard
	chosen.add(root, "one object per verdict and a summary")
	root.Flags().BoolVar(&requests, "requests", false, "add the judged requests to the lines; requires --json")
	require.add(root)
	root.Flags().StringVar(&maxAge, "max-age", "", "ignore recordings that are older, such as 90d")
	root.Flags().StringVar(&pattern, "fixture", "*", "replay only fixtures whose id matches this pattern")
	root.Flags().StringVar(&folder, "data", "", "read fixtures and recordings from this checkout of the project instead of the program")
	shard.Add(root.Flags(), "fixtures and recordings")
	root.Flags().BoolVar(&verbose, "verbose", false, "add the counts of each target")
	root.RunE = func(command *cobra.Command, _ []string) error {
		if command.Flags().NFlag() == 0 && !isInCheckout() {
			return s.begin(command)
		}
		if requests && !chosen.isJSON() {
			return errRequestsAlone
		}
		if err := shard.Choose(s.Warnf); err != nil {
			return err
		}
		progress := cli.NewProgress(s.Session, 0)
		sink, err := s.sink(chosen, report.Options{OfFixtures: true, AsGiven: true, Verbose: verbose}, progress, nil)
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
		replayed = slices.DeleteFunc(replayed, func(fixture *fixture.Fixture) bool { return !shard.Has(fixture.ID) })
		judging.Store = data.Store
		run := &engine.Run{Targets: harness.Surfaces, Judge: judging, Sink: sink, Progress: progress}
		run.Summary().Shard = shard.String()
		if err := run.Fixtures(command.Context(), replayed); err != nil {
			return orInterrupted(command.Context(), err)
		}
		agreements := slices.DeleteFunc(evidence.CrossExamine(command.Context(), data.Store, harness.Dialects, data.Fixtures), func(agreement evidence.Agreement) bool {
			return !shard.Has(agreement.Recording.Name())
		})
		if err := s.crossExamined(run, agreements); err != nil {
			return err
		}
		if err := run.End(); err != nil {
			return err
		}
		return exitOf(run.Summary(), agreements)
	}
}

// isInCheckout reports whether the working directory is in a checkout of this project.
func isInCheckout() bool {
	folder, err := os.Getwd()
	for err == nil {
		text, _ := os.ReadFile(filepath.Join(folder, "go.mod")) //nolint:gosec // above the working directory; without the file it is none of this project
		_, missing := os.Stat(filepath.Join(folder, "fixtures"))
		if module, _, _ := strings.Cut(string(text), "\n"); missing == nil && modulePath.MatchString(module) {
			return true
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	return false
}

// modulePath matches the first line of the go.mod of this project, also after lab/module changed its path.
var modulePath = lazy.Compile(`^module (.*/)?toolproof$`)

// begin runs check if there is a toolproof.json, and otherwise says how to begin.
func (s *session) begin(root *cobra.Command) error {
	var configured projectFlags
	name, err := configured.find()
	if err != nil {
		return err
	}
	check, _, err := root.Find([]string{"check"})
	if name != "" && err == nil {
		check.SetContext(root.Context())
		return check.RunE(check, nil) //nolint:wrapcheck // it is a command of this program
	}
	fmt.Fprintln(s.Out, cli.Typed(beginning))
	return cli.Exit(cli.CodeBroken)
}

// beginning says which command a newcomer needs.
const beginning = `Nothing was checked: there is no toolproof.json here. Begin with one of these:
  verify check FILE               which providers refuse the tools of a file
  verify mcp -- COMMAND           which refuse those of an MCP server
  verify check --error ERROR FILE which line a provider's error means
  verify init                     write toolproof.json, which verify then checks
  verify --help                   all commands`

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
