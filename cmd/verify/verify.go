package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/internal/evidence"
	"toolproof/normalizers"
	"toolproof/recordings"
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
		if judging.Oldest, err = oldestDay(maxAge); err != nil {
			return err
		}
		data, err := loadEmbedded()
		if folder != "" {
			data, err = loadCheckout(folder)
		}
		if err != nil {
			return exitError{exitBroken, err}
		}
		replayed, err := fixturesLike(data.fixtures, pattern)
		if err != nil {
			return err
		}
		judging.Store = data.store
		results, err := s.replay(command.Context(), judging, replayed)
		if err != nil {
			return err
		}
		agreements := evidence.CrossExamine(command.Context(), data.store, harness.Dialects, data.fixtures)
		summary, err := s.writeRun(results, agreements, len(replayed), chosen, form)
		if err != nil {
			return err
		}
		return exitOf(summary, agreements)
	}
}

// fixturesLike returns the fixtures whose ids match a pattern.
func fixturesLike(fixtures []*fixture.Fixture, pattern string) ([]*fixture.Fixture, error) {
	var chosen []*fixture.Fixture
	ids := make([]string, len(fixtures))
	for i, given := range fixtures {
		ids[i] = given.ID
		matched, err := path.Match(pattern, given.ID)
		if err != nil {
			return nil, usage("the pattern %q: %w", pattern, err)
		}
		if matched {
			chosen = append(chosen, given)
		}
	}
	if len(chosen) == 0 {
		return nil, exitError{exitBroken, suggest(fmt.Errorf("no fixture is called %q", pattern), pattern, ids, programName+" list fixtures lists them")}
	}
	return chosen, nil
}

// replay judges the fixtures for every target.
func (s *session) replay(ctx context.Context, judging judge.Judge, fixtures []*fixture.Fixture) ([]verdict.Result, error) {
	progress := newProgress(s, len(fixtures)*len(harness.Surfaces))
	defer progress.clear()
	var results []verdict.Result
	for _, given := range fixtures {
		judging.Memory = &judge.Memory{}
		for _, target := range harness.Surfaces {
			if ctx.Err() != nil {
				return nil, interrupted(ctx)
			}
			results = append(results, judging.Fixture(ctx, given, target)...)
			progress.step()
		}
	}
	return results, nil
}

// data is fixtures with the recordings beside them.
type data struct {
	fixtures []*fixture.Fixture
	store    *recording.Store
}

// everyFixture reads the fixtures inside the program, everyRecording the recordings, and
// recordingsAsked those of the surfaces that are asked. They do so once: a check that is
// repeated, and the tests, run many commands in one process.
var (
	everyFixture    = sync.OnceValues(func() ([]*fixture.Fixture, error) { return fixture.Load(fixtures.Files) })
	everyRecording  = sync.OnceValues(func() (*recording.Store, error) { return recording.Load(recordings.Files) })
	recordingsAsked = sync.OnceValues(func() (*recording.Store, error) { return recording.Lazy(recordings.Files) })
)

// loadEmbedded reads and lints the data inside the program, once.
var loadEmbedded = sync.OnceValues(func() (data, error) { return linted(everyFixture, everyRecording) })

// loadCheckout reads and lints the data of a checkout.
func loadCheckout(folder string) (data, error) {
	if _, err := os.Stat(filepath.Join(folder, fixtureSchema)); err != nil {
		return data{}, hint(fmt.Errorf("%s is no checkout: it has no %s", folder, fixtureSchema), "name the folder that contains fixtures and recordings")
	}
	return linted(
		func() ([]*fixture.Fixture, error) { return fixture.Load(os.DirFS(filepath.Join(folder, "fixtures"))) },
		func() (*recording.Store, error) { return recording.Load(os.DirFS(filepath.Join(folder, "recordings"))) },
	)
}

// fixtureSchema is the file that a checkout is known by.
var fixtureSchema = filepath.Join("fixtures", "fixture.schema.json")

// linted reads fixtures and recordings, and lints them.
func linted(readFixtures func() ([]*fixture.Fixture, error), readRecordings func() (*recording.Store, error)) (data, error) {
	loaded, err := readFixtures()
	if err != nil {
		return data{}, err
	}
	store, err := readRecordings()
	if err != nil {
		return data{}, err
	}
	if err := lint(loaded); err != nil {
		return data{}, err
	}
	if orphans := evidence.Orphans(store, harness.Dialects, loaded); len(orphans) > 0 {
		return data{}, hint(fmt.Errorf("recordings that no rule and no fixture uses: %s", strings.Join(orphans, ", ")),
			"name them in the Evidence of a rule, or remove them")
	}
	return data{loaded, store}, nil
}

// lint checks fixtures with the names that the program knows.
func lint(loaded []*fixture.Fixture) error {
	var dialects, normalized, targets []string
	for _, surface := range harness.Surfaces {
		dialects = append(dialects, surface.Dialect.Name)
		if surface.Normalizer != nil {
			normalized = append(normalized, surface.Dialect.Name)
		}
	}
	for _, pipeline := range normalizers.All {
		targets = append(targets, pipeline.Name())
	}
	return fixture.Lint(loaded, dialects, normalized, targets, string(provider.Today()))
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
			s.warnf("recording %s: %s: %s", agreement.Recording.Name(), agreement.Status, agreement.Error)
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
	return exitFor(worst)
}

// exitFor returns the error that ends the program with the code of an outcome, or
// nil.
func exitFor(worst verdict.Status) error {
	switch worst {
	case verdict.Error:
		return exitError{code: exitBroken}
	case verdict.Fail:
		return exitError{code: exitFails}
	case verdict.Inconclusive, verdict.NotApplicable:
		return exitError{code: exitInconclusive}
	default:
		return nil
	}
}
