package evidence_test

import (
	"slices"
	"testing"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/recordings"
	"toolproof/schema"
)

// answers is a sink that keeps the answers about tools as given, by surface.
type answers map[string]*verdict.Answer

func (a answers) Result(result verdict.Result) error {
	a[result.Sides().RawDialect] = result.Sides().Raw
	return nil
}

func (answers) Summary(*report.Summary) error { return nil }

// TestKeywordsAgreeWithCheck runs a check of every seventh keyword on every surface and compares its
// answers with the states.
func TestKeywordsAgreeWithCheck(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	states := map[evidence.State]int{}
	for d, dialect := range harness.Dialects {
		all := evidence.Keywords(t.Context(), dialect, store)
		for i := d % 7; i < len(all); i += 7 {
			keyword, said := all[i], answers{}
			check := run.Run{
				Targets: []judge.Target{{Dialect: dialect}}, Judge: judge.Judge{Store: store, Coverage: &judge.Coverage{}, Raw: true}, Sink: said,
			}
			if err := check.Documents(t.Context(), []run.Document{{Source: "-", Tools: []toolfile.Tool{toolfile.Of(keyword.Tool)}}}); err != nil {
				t.Fatal(err)
			}
			states[keyword.State]++
			answer, want := said[dialect.Name], keyword.State
			if dialect.API == provider.ElicitationCreate && want == evidence.Unknown {
				continue // the object or the list around the keyword is refused, whatever it has
			}
			switch keyword.Remark { // what it says is not so of the tool that is checked
			case "not always":
				continue
			case "seen in another form":
				want = evidence.Predicted
			}
			if got := stateOf(answer, keyword.Name); got != want {
				t.Errorf("%s is %s on %s, and check says %s of %s", keyword.Name, keyword.String(), dialect.Name, got, keyword.Tool.Parameters)
			}
		}
	}
	for _, state := range []evidence.State{evidence.Refused, evidence.Ignored, evidence.Accepted, evidence.Predicted} {
		if states[state] < 5 {
			t.Errorf("the sample has %d keywords that are %s", states[state], state)
		}
	}
}

// stateOf returns the state of a keyword as an answer shows it.
func stateOf(answer *verdict.Answer, keyword string) evidence.State {
	isAbout := func(finding verdict.Finding) bool {
		tokens := finding.At.Tokens()
		return tokens[len(tokens)-1] == keyword
	}
	switch {
	case answer == nil:
		return evidence.Unknown
	case answer.Verdict == provider.Rejected:
		return evidence.Refused
	case slices.ContainsFunc(answer.Ignored, isAbout):
		return evidence.Ignored
	case answer.Seen == nil:
		return evidence.Accepted
	}
	for _, missing := range answer.Seen.Missing {
		if missing.Keyword == keyword {
			return evidence.Predicted
		}
	}
	return evidence.Accepted
}

// TestContradictedKeywordIsUnknown checks that a keyword is not predicted to be accepted once an
// answer refused a schema with it that the model accepts.
func TestContradictedKeywordIsUnknown(t *testing.T) {
	t.Parallel()
	dialect, err := harness.DialectNamed("mistral/chat")
	if err != nil {
		t.Fatal(err)
	}
	request := dialect.Encode([]schema.Tool{{Name: "f", Parameters: mustParse(t, `{"type":"object","properties":{"a":{"type":"string","writeOnly":true}}}`)}})
	refusal := &recording.Recording{Dialect: dialect.Name, Date: "2026-01-01"}
	refusal.Request.Declarations = request.Declarations
	refusal.Response.Status, refusal.Response.Body = 400, []byte(`{"message":"no"}`)
	for _, test := range []struct {
		store *recording.Store
		want  evidence.State
	}{
		{&recording.Store{}, evidence.Predicted},
		{&recording.Store{All: []*recording.Recording{refusal}}, evidence.Unknown},
	} {
		all := evidence.Keywords(t.Context(), dialect, test.store)
		at := slices.IndexFunc(all, func(keyword evidence.Keyword) bool { return keyword.Name == "writeOnly" })
		if got := all[at]; got.State != test.want {
			t.Errorf("with %d recordings it is %s", len(test.store.All), got.String())
		}
	}
}

func mustParse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}
