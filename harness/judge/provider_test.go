package judge_test

import (
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/verdict"
	"toolproof/recordings"
)

// TestOverReplay judges what fixtures expect of tools as given over recordings alone: the
// status is that of Offline wherever the request is recorded, and inconclusive elsewhere.
func TestOverReplay(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	given, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	offline := judge.Judge{Store: store}
	replay := judge.Judge{Provider: func(dialect *provider.Dialect) provider.Provider {
		return recording.Replay{Store: store, Dialect: dialect}
	}}
	recorded, others := 0, 0
	for _, one := range given {
		for _, surface := range harness.Surfaces {
			if one.Expect[surface.Dialect.Name].Raw == nil || one.Knows(surface.Dialect.Name, "raw") || len(surface.Also) > 0 {
				continue
			}
			surface.Normalizer = nil // the tool as given alone
			got := replay.Fixture(t.Context(), one, surface)[0]
			want := offline.Fixture(t.Context(), one, surface)[0].Status
			if answers := store.Of(surface.Dialect.Encode(one.Tools)); len(answers) == 0 {
				others++
				want = verdict.Inconclusive
			} else if recorded++; answers[0].Response.Fragment != "" {
				continue // its words are completed by the model, which nobody asks here
			}
			if got.Status != want {
				t.Errorf("%s on %s: %s over the recordings, %s offline: %s", one.ID, surface.Dialect.Name, got.Status, want, got.Error)
			}
		}
	}
	t.Logf("%d answers are recorded, %d are not", recorded, others)
	if recorded < 10 || others == 0 {
		t.Errorf("%d answers are recorded, %d are not: both are needed", recorded, others)
	}
}
