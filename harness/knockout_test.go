package harness_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/recordings"
	"toolproof/schema"
)

// loadOnce reads the fixtures, the smallest first, and the recordings. All tests share
// them: a test that may change them reads its own.
var loadOnce = sync.OnceValues(func() ([]*fixture.Fixture, error) {
	loaded, err := fixture.Load(fixtures.Files)
	slices.SortStableFunc(loaded, func(a, b *fixture.Fixture) int {
		return cmp.Compare(a.Tools[0].Parameters.Size(), b.Tools[0].Parameters.Size())
	})
	return loaded, err
})

var storeOnce = sync.OnceValues(func() (*recording.Store, error) { return recording.Load(recordings.Files) })

func load(t *testing.T) ([]*fixture.Fixture, *recording.Store) {
	t.Helper()
	loaded, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	store, err := storeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return loaded, store
}

// normalize is what a target makes of a tool.
func normalize(t failer, target judge.Target, tool schema.Tool) normalizers.Result {
	t.Helper()
	result, err := target.Normalizer.Normalize(context.Background(), tool)
	if err != nil {
		t.Fatalf("%s: %v\n%s", target.Name(), err, tool.Node())
	}
	return result
}

// normalized is what a target makes of the tools of a fixture, by its number. The tests
// share it.
func normalized(t *testing.T, target judge.Target, number int) []normalizers.Result {
	t.Helper()
	results, err := normalizedOnce()[target.Name()][number]()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

var normalizedOnce = sync.OnceValue(func() map[string][]func() ([]normalizers.Result, error) {
	once := map[string][]func() ([]normalizers.Result, error){}
	given, _ := loadOnce() // its error is one of every test that asks for a fixture
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		for _, one := range given {
			once[target.Name()] = append(once[target.Name()], sync.OnceValues(func() (results []normalizers.Result, err error) {
				for _, tool := range one.Tools {
					result, failed := within(target, one).Normalizer.Normalize(context.Background(), tool)
					if failed != nil {
						err = errors.Join(err, fmt.Errorf("%s, %s: %w", target.Name(), one.ID, failed))
					}
					results = append(results, result)
				}
				return results, err
			}))
		}
	}
	return once
})

// within is a target with the limit of values that a fixture names for it: without, one
// fixture would take more of a sweep than all others.
func within(target judge.Target, one *fixture.Fixture) judge.Target {
	if pipeline, ok := target.Normalizer.(*normalizers.Pipeline); ok {
		options := pipeline.Options
		options.MaxValues = one.Expect[target.Dialect.Name].MaxValues
		target.Normalizer = pipeline.With(options)
	}
	return target
}

// replay is what became of all fixtures on all surfaces.
type replay struct {
	results []verdict.Result
	// by has the fixtures by who judged them and what came up there: "gemini/all_of" has
	// those that the rule all_of of the normalizer gemini changed, and those that the rule
	// all_of of the target gemini refused.
	by map[string][]*fixture.Fixture
	// memory has what is kept of each fixture, for the knock-outs to go on with.
	memory map[*fixture.Fixture]*judge.Memory
}

// replayOnce replays all fixtures. The tests share it.
var replayOnce = sync.OnceValues(func() (replay, error) {
	given, err := loadOnce()
	if err != nil {
		return replay{}, err
	}
	store, err := storeOnce()
	if err != nil {
		return replay{}, err
	}
	done := replay{by: map[string][]*fixture.Fixture{}, memory: map[*fixture.Fixture]*judge.Memory{}}
	for _, one := range given {
		done.memory[one] = &judge.Memory{}
		judging := judge.Judge{Store: store, Memory: done.memory[one]}
		names := map[string]bool{}
		for _, surface := range harness.Surfaces {
			for _, result := range judging.Fixture(context.Background(), one, surface) {
				for _, rule := range rulesIn(result) {
					names[rule] = true
				}
				done.results = append(done.results, result)
			}
		}
		for name := range names {
			done.by[name] = append(done.by[name], one)
		}
	}
	return done, nil
})

// rulesIn returns the rules that came up in a result.
func rulesIn(result verdict.Result) []string {
	var names []string
	refusedBy := func(answer verdict.Answer) {
		for _, finding := range slices.Concat(answer.Findings, answer.Ignored) {
			names = append(names, result.Target+"/"+finding.Rule)
		}
	}
	if result.Sides().Raw != nil {
		refusedBy(*result.Sides().Raw)
	}
	if result.Sides().Normalized != nil {
		refusedBy(result.Sides().Normalized.Answer)
		for _, change := range result.Sides().Normalized.Changes {
			names = append(names, result.Fixture().Normalizer+"/"+change.Rule)
		}
	}
	return names
}

// breaks reports whether a fixture does not pass for a target that lacks a rule. The
// first that does not is enough. Those in which the rule came up are asked first, and
// then all, because a rule may act in silence.
func breaks(t *testing.T, judging judge.Judge, given []*fixture.Fixture, target judge.Target, rule string) bool {
	t.Helper()
	replayed, err := replayOnce()
	if err != nil {
		t.Fatal(err)
	}
	return replayed.anyBreaks(t, judging, replayed.by[target.Name()+"/"+rule], target) || replayed.anyBreaks(t, judging, given, target)
}

func (r replay) anyBreaks(t *testing.T, judging judge.Judge, given []*fixture.Fixture, target judge.Target) bool {
	t.Helper()
	for _, one := range given {
		judging.Memory = r.memory[one]
		for _, result := range judging.Fixture(t.Context(), one, target) {
			if result.Status > verdict.KnownFailure {
				return true
			}
		}
	}
	return false
}

// TestFixturesPass is what the knock-outs below rest on.
func TestFixturesPass(t *testing.T) {
	t.Parallel()
	replayed, err := replayOnce()
	if err != nil {
		t.Fatal(err)
	}
	if len(replayed.results) == 0 {
		t.Error("nothing was replayed")
	}
	for _, result := range replayed.results {
		if result.Status > verdict.KnownFailure {
			t.Errorf("%s, %s, %s: %s: %s", result.ID, result.Dialect, result.Fixture().Side, result.Status, result.Error)
		}
	}
}

func TestRecordingsAgree(t *testing.T) {
	t.Parallel()
	given, store := load(t)
	for _, agreement := range evidence.CrossExamine(t.Context(), store, harness.Dialects, given) {
		if agreement.Status > verdict.KnownFailure {
			t.Errorf("%s: %s: %s", agreement.Recording.Name(), agreement.Status, agreement.Error)
		}
	}
	if orphans := evidence.Orphans(store, harness.Dialects, given); len(orphans) > 0 {
		t.Errorf("no rule and no fixture uses %s", strings.Join(orphans, ", "))
	}
}

// naming returns the fixtures that a target is judged on: of an alternate those alone
// that name it.
func naming(given []*fixture.Fixture, target judge.Target) []*fixture.Fixture {
	if !isAlternate(target) {
		return given
	}
	return slices.DeleteFunc(slices.Clone(given), func(one *fixture.Fixture) bool {
		return one.Expect[target.Dialect.Name].Normalizer != target.Name()
	})
}

func isAlternate(target judge.Target) bool {
	return slices.ContainsFunc(harness.Alternates, func(other judge.Target) bool { return other.Name() == target.Name() })
}

// TestEveryRewriteRuleIsNeeded removes each rule from each pipeline: a fixture
// must break.
func TestEveryRewriteRuleIsNeeded(t *testing.T) {
	t.Parallel()
	given, store := load(t)
	judging := judge.Judge{Store: store}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		given := naming(given, target)
		pipeline, ok := target.Normalizer.(*normalizers.Pipeline)
		if !ok {
			continue
		}
		if isAlternate(target) && sharesRules(pipeline) {
			continue // fixtures hold them with the target
		}
		for _, rule := range pipeline.Rules() {
			t.Run(target.Name()+"/"+rule.Name, func(t *testing.T) {
				t.Parallel()
				knocked := target
				knocked.Normalizer = pipeline.Without(rule.Name)
				if !breaks(t, judging, given, knocked, rule.Name) {
					t.Error("no fixture breaks without the rule")
				}
			})
		}
	}
}

// sharesRules reports whether a target has the rules of an alternate, with other limits.
func sharesRules(alternate *normalizers.Pipeline) bool {
	return slices.ContainsFunc(normalizers.Pipelines, func(pipeline *normalizers.Pipeline) bool { return slices.Equal(pipeline.Rules(), alternate.Rules()) })
}

// TestEveryProviderRuleIsNeeded removes each rule from each dialect: a recording
// must contradict the model then, or, for a rule that is known from its source
// alone, a fixture must break. No verdict contradicts what a surface ignores: such a rule
// names its source.
func TestEveryProviderRuleIsNeeded(t *testing.T) {
	t.Parallel()
	given, store := load(t)
	judging := judge.Judge{Store: store}
	var known []*provider.Rule
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if slices.ContainsFunc(known, func(other *provider.Rule) bool { return isCopy(rule, other) }) {
				continue // surfaces that share a rule share what shows that it is needed
			}
			known = append(known, rule)
			t.Run(dialect.Name+"/"+rule.Name, func(t *testing.T) {
				t.Parallel()
				switch {
				case rule.Source == "" && !isContradicted(t.Context(), store, rule):
					t.Error("no recording contradicts the model without the rule")
				case rule.Source != "" && !breaksFixture(t, judging, given, rule):
					t.Error("no fixture breaks without the rule, which is known from its source alone")
				}
			})
		}
	}
}

// isCopy reports whether two rules are one, or one is a copy of the other for another
// surface or with other dates: they rest on the very same evidence. A rule that happens
// to have the same name is another one.
func isCopy(a, b *provider.Rule) bool {
	if len(a.Evidence) > 0 && len(b.Evidence) > 0 {
		return a.Name == b.Name && &a.Evidence[0] == &b.Evidence[0]
	}
	return a.Name == b.Name && len(a.Evidence) == len(b.Evidence) && a.Source == b.Source
}

// without returns a dialect that lacks a rule and its copies, but no other rule of the
// same name.
func without(dialect *provider.Dialect, rule *provider.Rule) *provider.Dialect {
	if dialect == nil || !slices.ContainsFunc(dialect.Rules, func(other *provider.Rule) bool { return isCopy(rule, other) }) {
		return dialect
	}
	clone := *dialect
	clone.Rules = slices.DeleteFunc(slices.Clone(dialect.Rules), func(other *provider.Rule) bool { return isCopy(rule, other) })
	return &clone
}

// isContradicted reports whether a recording that a rule names speaks against the
// models that lack the rule. Dialects that share a rule share its recordings.
func isContradicted(ctx context.Context, store *recording.Store, rule *provider.Rule) bool {
	knocked := make([]*provider.Dialect, len(harness.Dialects))
	for i, dialect := range harness.Dialects {
		knocked[i] = without(dialect, rule)
	}
	var named recording.Store
	for _, recorded := range store.All {
		if slices.Contains(rule.Evidence, recorded.Name()) {
			named.All = append(named.All, recorded)
		}
	}
	return slices.ContainsFunc(evidence.CrossExamine(ctx, &named, knocked, nil), func(agreement evidence.Agreement) bool {
		return agreement.Status != verdict.Pass
	})
}

// breaksFixture reports whether a fixture fails for a target whose surface, or
// the one it falls back to, lacks the rule. The targets on which the rule came up are
// asked first.
func breaksFixture(t *testing.T, judging judge.Judge, given []*fixture.Fixture, rule *provider.Rule) bool {
	t.Helper()
	replayed, err := replayOnce()
	if err != nil {
		t.Fatal(err)
	}
	var knocked []judge.Target
	for _, target := range harness.Surfaces {
		dialect, fallback := without(target.Dialect, rule), without(target.Fallback, rule)
		if dialect == target.Dialect && fallback == target.Fallback {
			continue
		}
		target.Dialect, target.Fallback = dialect, fallback
		if replayed.anyBreaks(t, judging, replayed.by[target.Name()+"/"+rule.Name], target) {
			return true
		}
		knocked = append(knocked, target)
	}
	return slices.ContainsFunc(knocked, func(target judge.Target) bool { return replayed.anyBreaks(t, judging, given, target) })
}

// TestRulesHoldTheirEvidence fires each rule on recordings that it names and keeps
// it silent on the near misses among them.
func TestRulesHoldTheirEvidence(t *testing.T) {
	t.Parallel()
	_, store := load(t)
	byName := map[string]*recording.Recording{}
	for _, recorded := range store.All {
		byName[recorded.Name()] = recorded
	}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if len(rule.Evidence) == 0 && rule.Source == "" {
				t.Errorf("%s/%s has neither evidence nor a source", dialect.Name, rule.Name)
			}
			fires, nearMisses := 0, 0
			for _, name := range rule.Evidence {
				recorded := byName[name]
				if recorded == nil {
					t.Errorf("%s/%s: there is no recording %s", dialect.Name, rule.Name, name)
					continue
				}
				fired := firesOn(t, rule, recorded)
				switch {
				case fired && recorded.Accepted() != (rule.Effect == provider.Ignores):
					t.Errorf("%s/%s fires on its near miss %s", dialect.Name, rule.Name, name)
				case fired:
					fires++
				case recorded.Accepted():
					nearMisses++
				default:
					t.Errorf("%s/%s does not fire on %s", dialect.Name, rule.Name, name)
				}
			}
			if len(rule.Evidence) > 0 && (fires == 0 || nearMisses == 0) {
				t.Errorf("%s/%s needs a recording on which it fires and a near miss", dialect.Name, rule.Name)
			}
		}
	}
}

// firesOn reports whether the rule is among those that the model gives for a
// recording, on the recording's own dialect and day.
func firesOn(t *testing.T, rule *provider.Rule, recorded *recording.Recording) bool {
	t.Helper()
	dialect, err := harness.DialectNamed(recorded.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	model := recorded.Asked(dialect)
	response, err := model.Send(t.Context(), dialect.Request(recorded.Request.Declarations))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(slices.Concat(response.Findings, response.Ignored), func(finding provider.Finding) bool { return finding.Rule.Name == rule.Name })
}

// broken is a normalizer that does one thing wrong.
type broken struct {
	name      string
	normalize func(context.Context, schema.Tool) (normalizers.Result, error)
}

func (b broken) Name() string { return b.name }

func (b broken) Normalize(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
	return b.normalize(ctx, tool)
}

func withParameters(tool schema.Tool, parameters *schema.Node) (normalizers.Result, error) {
	tool.Parameters = parameters
	return normalizers.Result{Tool: tool}, nil
}

var brokenNormalizers = []broken{
	{"identity", func(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
		return normalizers.Result{Tool: tool}, nil
	}},
	{"drops everything", func(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
		node, err := schema.Parse([]byte(`{"type": "object", "properties": {}}`))
		if err != nil {
			return normalizers.Result{}, err
		}
		return withParameters(tool, node)
	}},
	{"reorders", func(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
		result, err := normalizers.Gemini.Normalize(ctx, tool)
		if properties := result.Tool.Parameters.Get("properties"); properties != nil {
			result.Tool.Parameters = result.Tool.Parameters.Clone()
			slices.Reverse(result.Tool.Parameters.Get("properties").Members)
		}
		return result, err
	}},
	{"rewrites in silence", func(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
		result, err := normalizers.Gemini.Normalize(ctx, tool)
		result.Changes = nil
		return result, err
	}},
	{"changes its input", func(ctx context.Context, tool schema.Tool) (normalizers.Result, error) {
		if tool.Parameters != nil {
			tool.Parameters.Set("title", schema.NewString("mine"))
		}
		return normalizers.Gemini.Normalize(ctx, tool)
	}},
	{"panics", func(context.Context, schema.Tool) (normalizers.Result, error) { panic("broken on purpose") }},
	{"hangs", func(ctx context.Context, _ schema.Tool) (normalizers.Result, error) {
		<-ctx.Done()
		time.Sleep(time.Millisecond)
		return normalizers.Result{}, ctx.Err()
	}},
	{"returns rubbish", func(_ context.Context, _ schema.Tool) (normalizers.Result, error) {
		return normalizers.Result{Tool: schema.Tool{Parameters: schema.NewString("rubbish")}}, nil
	}},
	{"gives up", func(context.Context, schema.Tool) (normalizers.Result, error) {
		return normalizers.Result{}, errors.New("not today")
	}},
}

// TestBrokenNormalizersAreCaught holds normalizers that are broken on purpose
// against the fixtures: each of them must fail some, and one that cannot work at
// all must be an error.
func TestBrokenNormalizersAreCaught(t *testing.T) {
	t.Parallel()
	useless := []string{"panics", "hangs", "gives up"}
	for _, normalizer := range brokenNormalizers {
		t.Run(strings.ReplaceAll(normalizer.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			given, store := load(t)
			if normalizer.name == "changes its input" {
				var err error
				if given, err = fixture.Load(fixtures.Files); err != nil { // its own
					t.Fatal(err)
				}
			}
			judging := judge.Judge{Store: store}
			if normalizer.name == "hangs" {
				judging.Timeout = time.Millisecond
			}
			target := harness.Targets[0]
			target.Normalizer = normalizer
			for _, one := range given {
				if one.Expect[target.Dialect.Name].Normalized != nil {
					continue // it may ask for options, which none of these takes
				}
				for _, result := range judging.Fixture(t.Context(), one, target) {
					if result.Fixture().Side != verdict.OfNormalized || result.Status <= verdict.KnownFailure {
						continue
					}
					if slices.Contains(useless, normalizer.name) && result.Status != verdict.Error {
						t.Errorf("%s: %s, and it cannot work at all", one.ID, result.Status)
					}
					return // one is enough
				}
			}
			t.Error("no fixture fails")
		})
	}
}
