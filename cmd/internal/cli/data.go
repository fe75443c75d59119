package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/normalizers"
	"toolproof/recordings"
)

// Checkout holds the fixtures and recordings of a checkout, or those inside the program.
type Checkout struct {
	Fixtures []*fixture.Fixture
	Store    *recording.Store
}

// EveryFixture and EveryRecording read the embedded fixtures and recordings. RecordingsAsked
// returns the embedded recordings but reads those of a surface only when they are asked for.
// Each reads only once, because a check that watches files, and the tests, run many commands in
// one process.
var (
	EveryFixture    = sync.OnceValues(func() ([]*fixture.Fixture, error) { return fixture.Load(fixtures.Files) })
	EveryRecording  = sync.OnceValues(func() (*recording.Store, error) { return recording.Load(recordings.Files) })
	RecordingsAsked = sync.OnceValues(func() (*recording.Store, error) { return recording.Lazy(recordings.Files) })
)

// LoadEmbedded reads and lints the embedded data, once.
var LoadEmbedded = sync.OnceValues(func() (Checkout, error) { return linted(EveryFixture, EveryRecording) })

// LoadCheckout reads and lints the data of a checkout.
func LoadCheckout(folder string) (Checkout, error) {
	if _, err := os.Stat(filepath.Join(folder, FixtureSchema)); err != nil {
		return Checkout{}, Hint(fmt.Errorf("%s is no checkout: it has no %s", folder, FixtureSchema), "name the folder that contains fixtures and recordings")
	}
	return linted(
		func() ([]*fixture.Fixture, error) { return fixture.Load(os.DirFS(filepath.Join(folder, "fixtures"))) },
		func() (*recording.Store, error) { return recording.Load(os.DirFS(filepath.Join(folder, "recordings"))) },
	)
}

// FixtureSchema is the file by which a checkout is recognized.
var FixtureSchema = filepath.Join("fixtures", "fixture.schema.json")

// linted reads fixtures and recordings, and lints them.
func linted(readFixtures func() ([]*fixture.Fixture, error), readRecordings func() (*recording.Store, error)) (Checkout, error) {
	loaded, err := readFixtures()
	if err != nil {
		return Checkout{}, err
	}
	store, err := readRecordings()
	if err != nil {
		return Checkout{}, err
	}
	if err := Lint(loaded); err != nil {
		return Checkout{}, err
	}
	if orphans := evidence.Orphans(store, harness.Dialects, loaded); len(orphans) > 0 {
		return Checkout{}, Hint(fmt.Errorf("recordings that no rule and no fixture uses: %s", strings.Join(orphans, ", ")),
			"name them in the Evidence of a rule, or remove them")
	}
	return Checkout{loaded, store}, nil
}

// Lint checks fixtures against the names of surfaces and targets that the program knows.
func Lint(loaded []*fixture.Fixture) error {
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

// FixturesLike returns the fixtures whose ids match a pattern of path.Match.
func FixturesLike(fixtures []*fixture.Fixture, pattern string) ([]*fixture.Fixture, error) {
	var chosen []*fixture.Fixture
	ids := make([]string, len(fixtures))
	for i, fixture := range fixtures {
		ids[i] = fixture.ID
		matched, err := path.Match(pattern, fixture.ID)
		if err != nil {
			return nil, Usage("the pattern %q: %w", pattern, err)
		}
		if matched {
			chosen = append(chosen, fixture)
		}
	}
	if len(chosen) == 0 {
		return nil, Broken(Suggest(fmt.Errorf("no fixture is called %q", pattern), pattern, ids, "verify list fixtures lists them"))
	}
	return chosen, nil
}
