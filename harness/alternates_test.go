package harness_test

import (
	"slices"
	"testing"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/verdict"
)

// TestAlternateIsJudgedBesideTarget judges a fixture that names an alternate: what it
// expects is the alternate's, and the target must make the tool accepted.
func TestAlternateIsJudgedBesideTarget(t *testing.T) {
	t.Parallel()
	given, store := load(t)
	i := slices.IndexFunc(given, func(one *fixture.Fixture) bool { return one.ID == "strip-example" })
	if i < 0 {
		t.Fatal("the fixture is gone")
	}
	results := judge.Judge{Store: store}.Fixture(t.Context(), given[i], harness.Targets[0])
	if len(results) != 2 {
		t.Fatalf("got %d results, want one of the alternate and one of the target", len(results))
	}
	for i, want := range []struct{ name, verdict string }{{"gemini-strip", "rejected"}, {"gemini", "accepted"}} {
		got := results[i]
		if got.Fixture().Normalizer != want.name || got.Target != want.name || got.Status != verdict.Pass || string(got.Sides().Normalized.Verdict) != want.verdict {
			t.Errorf("got %s: %s by %s, %s; want %s by %s", got.Status, got.Sides().Normalized.Verdict, got.Fixture().Normalizer, got.Error, want.verdict, want.name)
		}
	}
}

func TestUnknownNormalizerIsAnError(t *testing.T) {
	t.Parallel()
	given, err := fixture.Parse([]byte(`{"tool": {"name": "f"}, "expect": {"gemini/parameters": {"normalizer": "gemini-none", "normalized": {"verdict": "accepted"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, store := load(t)
	results := judge.Judge{Store: store}.Fixture(t.Context(), given, harness.Targets[0])
	if len(results) == 0 || results[0].Status != verdict.Error {
		t.Errorf("got %v, want an error first", results)
	}
}

// TestEveryAlternateIsReplayed holds that the pipelines and the targets of the
// alternates are the same, and that fixtures name each of them.
func TestEveryAlternateIsReplayed(t *testing.T) {
	t.Parallel()
	given, _ := load(t)
	for _, target := range harness.Alternates {
		if named, err := harness.TargetNamed(target.Name()); err != nil || named.Normalizer != target.Normalizer {
			t.Errorf("%s is not found by its name: %v", target.Name(), err)
		}
		if len(naming(given, target)) == 0 {
			t.Errorf("no fixture names %s", target.Name())
		}
	}
}
