package engines_test

import (
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/lab/corpus"
	"toolproof/schema"
)

// TestXGrammarAgreesWithEvidence holds the model against what xgrammar 0.1.27 answered to
// every tool and every schema of the test suite: a short test to one of eleven.
func TestXGrammarAgreesWithEvidence(t *testing.T) {
	t.Parallel()
	count, verdicts, refused, words := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, want := range corpus.Answers(t, share(), "xgrammar") {
		count[want.Set]++
		declaration := schema.NewObject(schema.Member{Key: "schema", Value: want.Schema})
		model := provider.Model{Dialect: engines.XGrammar}
		got, err := model.Send(t.Context(), provider.Request{Dialect: engines.XGrammar.Name, Declarations: []*schema.Node{declaration}})
		if err != nil {
			t.Errorf("%s: %v", want.ID, err)
			continue
		}
		if string(got.Verdict) == want.Verdict {
			verdicts[want.Set]++
		} else {
			t.Logf("%s %s: %s, want %s: %q, want %q: %s", want.Set, want.ID, got.Verdict, want.Verdict, got.Message, want.Message, cut(want.Schema.String()))
		}
		if want.Verdict != "rejected" {
			continue
		}
		refused[want.Set]++
		if hasWords(want.Message, strings.TrimSpace(got.Message)) { // the evidence has no space at the end
			words[want.Set]++
		} else {
			t.Logf("%s %s:\n got %q\nwant %q", want.Set, want.ID, cut(got.Message), cut(want.Message))
		}
	}
	for _, set := range []string{"tools", "suite"} {
		t.Logf("%s: %d of %d verdicts, %d of %d words", set, verdicts[set], count[set], words[set], refused[set])
		if verdicts[set] < count[set] || words[set] < refused[set] {
			t.Errorf("%s: the model differs from the evidence", set)
		}
	}
}

// hasWords reports whether a message has the words of the model, which leaves out where a
// grammar cannot be read.
func hasWords(message, words string) bool {
	return message == words || strings.HasPrefix(words, "EBNF ") && strings.HasPrefix(message, words+" at line ")
}

// share is the interval of the answers that a test takes: make whole takes all. It is a
// prime, so that no server's tools are all of them.
func share() int {
	if testing.Short() {
		return 11
	}
	return 1
}

func cut(text string) string {
	const most = 400
	if len(text) > most {
		return text[:most] + "..."
	}
	return strings.TrimSpace(text)
}
