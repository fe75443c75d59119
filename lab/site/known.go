package site

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/lab/tally"
)

// known holds the models' findings in fixtures and recorded requests, by surface and rule.
type known struct {
	data *Data
	// shown holds the findings of each rule, those in recordings first.
	shown map[ruleKey][]shownRule
	// errors holds all messages, and errorsOf those of a rule.
	errors   []*message
	errorsOf map[ruleKey][]*message
	// byName holds the recordings by name.
	byName map[string][]*recording.Recording
	// views caches the views of rules.
	views map[ruleKey]*ruleView
	// tallies are the counts of public tools, and newest is the newest of the main set.
	tallies []tally.Tally
	newest  tally.Tally
	// surfaces are all surfaces, once their pages are made.
	surfaces []*surface
}

// ruleKey is a rule on a surface. Surfaces share rules.
type ruleKey struct {
	dialect *provider.Dialect
	rule    *provider.Rule
}

// shownRule is one finding of a rule, in a recorded request or in a fixture.
type shownRule struct {
	provider.Finding

	Recording *recording.Recording // nil for a fixture
	Fixture   *fixture.Fixture     // nil for a recording
	// Request is the request, and Model the model that answered it.
	Request provider.Request
	Model   provider.Model
}

// mostShown is the largest number of findings kept of a rule.
const mostShown = 60

// learn asks the models about all fixtures and recordings, once.
func (d *Data) learn(ctx context.Context) (*known, error) {
	if d.known != nil {
		return d.known, nil
	}
	k := &known{data: d, shown: map[ruleKey][]shownRule{}, errorsOf: map[ruleKey][]*message{}, byName: map[string][]*recording.Recording{}, views: map[ruleKey]*ruleView{}}
	var err error
	if k.tallies, k.newest, err = counts(d.Docs); err != nil {
		return nil, err
	}
	for _, recorded := range d.Store.All {
		k.byName[recorded.Name()] = append(k.byName[recorded.Name()], recorded)
	}
	for _, dialect := range harness.Dialects {
		if err := k.recordings(ctx, dialect); err != nil {
			return nil, err
		}
		for _, model := range modelsOf(dialect) {
			for _, fixture := range d.Fixtures {
				if err := k.fixture(ctx, model, fixture); err != nil {
					return nil, err
				}
			}
		}
	}
	k.messages()
	d.known = k
	return k, nil
}

// modelsOf returns today's model, and models for the rules that do not hold today or for every
// model of the provider.
func modelsOf(dialect *provider.Dialect) []provider.Model {
	models := []provider.Model{{Dialect: dialect}}
	for _, rule := range dialect.Rules {
		model := provider.Model{Dialect: dialect}
		if rule.Until != "" {
			model.AsOf = cmp.Or(rule.Since, "2000-01-01")
		}
		for _, pattern := range rule.Models {
			if !strings.HasPrefix(pattern, "!") {
				model.ModelName = strings.ReplaceAll(pattern, "*", "")
			}
		}
		if !slices.Contains(models, model) {
			models = append(models, model)
		}
	}
	return models
}

// recordings adds the model's findings in the recordings of a surface, as of their days.
func (k *known) recordings(ctx context.Context, dialect *provider.Dialect) error {
	for _, recorded := range k.data.Store.All {
		if recorded.Dialect != dialect.Name {
			continue
		}
		model := recorded.Asked(dialect)
		request := dialect.Request(recorded.Request.Declarations)
		answer, err := model.Send(ctx, request)
		if err != nil {
			return err
		}
		for _, finding := range slices.Concat(answer.Findings, answer.Ignored) {
			if (answer.Verdict == provider.Accepted) == recorded.Accepted() {
				k.add(dialect, shownRule{Finding: finding, Recording: recorded, Request: request, Model: model})
			}
		}
	}
	return nil
}

// fixture adds a model's findings in a fixture.
func (k *known) fixture(ctx context.Context, model provider.Model, from *fixture.Fixture) error {
	request := model.Dialect.Encode(from.Tools)
	answer, err := model.Send(ctx, request)
	if err != nil {
		return err
	}
	for _, finding := range slices.Concat(answer.Findings, answer.Ignored) {
		k.add(model.Dialect, shownRule{Finding: finding, Fixture: from, Request: request, Model: model})
	}
	return nil
}

// evidence returns the recordings that a rule names as evidence.
func (k *known) evidence(rule *provider.Rule) []*recording.Recording {
	var found []*recording.Recording
	for _, name := range rule.Evidence {
		found = append(found, k.byName[name]...)
	}
	return found
}

func (k *known) add(dialect *provider.Dialect, shown shownRule) {
	key := ruleKey{dialect, shown.Rule}
	if len(k.shown[key]) < mostShown {
		k.shown[key] = append(k.shown[key], shown)
	}
}
