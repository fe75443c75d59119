package evidence_test

import (
	"testing"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/recording"
	"toolproof/recordings"
)

// TestModels checks that each recording of a model is in its record, with the rule of a refusal and the first day of
// each construct, and that nothing else is.
func TestModels(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	seen, refused := 0, 0
	for _, dialect := range harness.Dialects {
		known := map[string]bool{}
		for _, recorded := range store.On(dialect.Name) {
			known[string(recorded.Date)] = true
		}
		for _, record := range evidence.Models(t.Context(), dialect, store) {
			if record.Published > record.Date || !known[string(record.Published)] || !known[string(record.Date)] {
				t.Errorf("%s %s was recorded from %s to %s", dialect.Name, record.Version, record.Published, record.Date)
			}
			for fact, day := range record.Facts {
				if !known[day] || day < string(record.Published) || day > string(record.Date) {
					t.Errorf("%s %s: %s on %s, when nothing was recorded", dialect.Name, record.Version, fact, day)
				}
			}
			constructs, rules := evidence.Shown(record)
			seen, refused = seen+len(constructs), refused+len(rules)
			for _, rule := range rules {
				if dialect.Rule(rule) == nil {
					t.Errorf("%s has no rule %s", dialect.Name, rule)
				}
			}
		}
	}
	if seen < 100 || refused < 10 {
		t.Errorf("only %d constructs and %d refusals are shown", seen, refused)
	}
}

// TestRulesOf compares two models of which one has a rule that the other does not have.
func TestRulesOf(t *testing.T) {
	t.Parallel()
	dialect, err := harness.DialectNamed("openai/chat-strict")
	if err != nil {
		t.Fatal(err)
	}
	const today = "2026-11-28"
	own := evidence.RulesOf(dialect, today, "gpt-5", "gpt-4o")
	if len(own) != 1 || own[0].Name != "lookaround" {
		t.Errorf("gpt-5 has %v", own)
	}
	if other := evidence.RulesOf(dialect, today, "gpt-4o", "gpt-5"); len(other) > 0 {
		t.Errorf("gpt-4o has %v", other)
	}
	if before := evidence.RulesOf(dialect, "2026-05-24", "gpt-5", "gpt-4o"); len(before) > 0 {
		t.Errorf("before the rule gpt-5 has %v", before)
	}
}
