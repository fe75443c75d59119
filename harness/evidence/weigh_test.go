package evidence_test

import (
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/recordings"
)

// TestWeights checks that no rule rests only on answers of other surfaces, unless it says so.
func TestWeights(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := evidence.Weigh(t.Context(), harness.Dialects, store)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, dialect := range harness.Dialects {
		if len(weights[dialect]) != len(dialect.Rules) {
			t.Errorf("%s: %d of %d rules are weighed", dialect.Name, len(weights[dialect]), len(dialect.Rules))
		}
		for _, weight := range weights[dialect] {
			kinds[weight.Rests()]++
			if weight.Rests() == evidence.Unproven && weight.Rule.Effect != provider.Unknown {
				t.Errorf("%s/%s rests on %s: it needs evidence of its own, or its stage a reason", dialect.Name, weight.Rule.Name, strings.Join(weight.Others, ", "))
			}
		}
	}
	for _, kind := range []string{evidence.Several, evidence.Single, evidence.Carried, evidence.Undigested} {
		if kinds[kind] == 0 {
			t.Errorf("no rule rests on %s", kind)
		}
	}
	foreign := evidence.Weight{Rule: &provider.Rule{Stage: &provider.Stage{}}, Others: []string{"a/b (1)"}}
	if rests := foreign.Rests(); rests != evidence.Unproven {
		t.Errorf("a rule with another surface's answers rests on %s", rests)
	}
}
