package explore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/lab/explore"
	"toolproof/recordings"
)

// options returns the options for a surface.
func options(t *testing.T, name string) explore.Options {
	t.Helper()
	dialect, err := harness.DialectNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	of, err := known()
	if err != nil {
		t.Fatal(err)
	}
	of.Dialect = dialect
	return of
}

// known returns the options that all surfaces share.
var known = sync.OnceValues(func() (explore.Options, error) {
	store, unread := recording.Load(recordings.Files)
	loaded, err := fixture.Load(fixtures.Files)
	if err := errors.Join(unread, err); err != nil {
		return explore.Options{}, err
	}
	samples := explore.Recorded(store, harness.Dialects)
	for _, one := range loaded {
		samples = append(samples, one.Tools)
	}
	return explore.Options{Store: store, Samples: samples, Used: explore.Corpus()}, nil
})

// planned returns the survey of a surface.
func planned(t *testing.T, options explore.Options) *explore.Survey {
	t.Helper()
	survey, err := explore.Plan(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return survey
}

// ask answers the questions of a survey by another model and returns their number.
func ask(ctx context.Context, survey *explore.Survey, questions []explore.Question, model provider.Model) int {
	asked := 0
	for ; len(questions) > 0; questions = survey.Further() {
		for _, question := range questions {
			answer, err := model.Send(ctx, model.Dialect.Request(question.Declarations))
			answer.Findings = nil // a provider does not name rules
			survey.Settle(question, answer, err)
			asked++
		}
	}
	return asked
}

// undecided are the rules that no request settles, by surface, with the reasons.
var undecided = map[string]map[string]string{
	"gemini/parameters": {"repeated_map_key": "clients send no name twice"},
	"openai/chat-strict": {
		"property_count": "the request would be larger than others together",
		"custom_member":  "no sample has custom tools", "grammar_syntax": "no sample has custom tools", "grammar_lookaround": "no sample has custom tools",
	},
	"anthropic/tools": {"member_extra": "a tool has no other members than those that are known"},
}

// TestUnknownFirst asks first about what the model says to be unknown, in a request of its own.
func TestUnknownFirst(t *testing.T) {
	t.Parallel()
	questions := planned(t, options(t, "openai/responses")).Questions(t.Context())
	if len(questions) < 2 || !questions[0].Alone || !questions[0].Declarations[0].Has("output_schema") || questions[1].Declarations[0].Has("output_schema") {
		t.Errorf("the first questions are %s, %s", questions[0].Declarations, questions[1].Declarations)
	}
}

// TestKnockOut removes each rule in turn and checks that the survey finds that rule and nothing
// else. Nothing is found for rules that no request settles, for the unchanged model, or without
// answers.
func TestKnockOut(t *testing.T) {
	t.Parallel()
	for name, undecided := range undecided {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := options(t, name)
			survey := planned(t, given)
			questions := survey.Questions(t.Context())
			t.Logf("%d cells, %d questions", len(survey.Cells), ask(t.Context(), survey, questions, provider.Model{Dialect: given.Dialect}))
			for _, find := range survey.Finds(t.Context(), harness.Dialects) {
				t.Errorf("the model itself: found %s: %s", find.Name(), find.Words)
			}
			for rule, reason := range undecided {
				if given.Dialect.Rule(rule) == nil {
					t.Errorf("there is no rule %s that is undecided because: %s", rule, reason)
				}
			}
			for _, rule := range given.Dialect.Rules {
				if rule.Effect != provider.Rejects || !rule.InForce(provider.Today(), "") {
					continue
				}
				ask(t.Context(), survey, questions, provider.Model{Dialect: given.Dialect.Without(rule.Name)})
				var found []string
				for _, find := range survey.Finds(t.Context(), harness.Dialects) {
					found = append(found, find.Name())
				}
				want := []string{rule.Name}
				if undecided[rule.Name] != "" {
					want = nil
				}
				if !slices.Equal(found, want) {
					t.Errorf("without %s: found %s, want %s", rule.Name, strings.Join(found, ", "), strings.Join(want, ", "))
				}
			}
			for _, question := range questions {
				survey.Settle(question, provider.Response{}, errors.New("no answer"))
			}
			if finds := survey.Finds(t.Context(), harness.Dialects); len(finds) > 0 {
				t.Errorf("%d found without an answer", len(finds))
			}
		})
	}
}
