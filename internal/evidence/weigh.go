package evidence

import (
	"context"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// Weight says what a rule of one surface rests on.
type Weight struct {
	Rule *provider.Rule
	// Own are the places where refusals by the rule on the surface itself are published,
	// each once.
	Own []string
	// Others are the surfaces on which the same rule has refusals, with how many places
	// publish them.
	Others []string
}

// What a rule can rest on, best first.
const (
	Several    = "several answers" // of the surface itself
	Single     = "one answer"      // of the surface itself
	Carried    = "answers elsewhere, the same check"
	Unproven   = "answers elsewhere alone"
	Undigested = "a text without a recording"
)

// Rests names what the rule rests on.
func (w Weight) Rests() string {
	switch {
	case len(w.Own) > 1:
		return Several
	case len(w.Own) == 1:
		return Single
	case len(w.Others) > 0 && w.Rule.Stage.Shared != "":
		return Carried
	case len(w.Others) > 0:
		return Unproven
	default:
		return Undigested
	}
}

// Weigh returns what each rule of a dialect rests on, in the order of its rules. All
// dialects are those that share rules with it.
func Weigh(ctx context.Context, dialect *provider.Dialect, all []*provider.Dialect, store *recording.Store) ([]Weight, error) {
	places := map[string]map[string][]string{} // by dialect and rule
	for _, other := range all {
		fired, err := firings(ctx, other, store)
		if err != nil {
			return nil, err
		}
		places[other.Name] = fired
	}
	weights := make([]Weight, len(dialect.Rules))
	for i, rule := range dialect.Rules {
		weights[i] = Weight{Rule: rule, Own: places[dialect.Name][rule.Name]}
		for _, other := range all {
			same := other.Rule(rule.Name)
			found := places[other.Name][rule.Name]
			if other != dialect && same != nil && same.Stage == rule.Stage && len(found) > 0 {
				weights[i].Others = append(weights[i].Others, fmt.Sprintf("%s (%d)", other.Name, len(found)))
			}
		}
	}
	return weights, nil
}

// firings returns where the refusals are published that each rule of a dialect explains.
func firings(ctx context.Context, dialect *provider.Dialect, store *recording.Store) (map[string][]string, error) {
	fired := map[string][]string{}
	for _, recorded := range store.All {
		if recorded.Dialect != dialect.Name || recorded.Accepted() {
			continue
		}
		model := provider.Model{Dialect: dialect, AsOf: recorded.Date, ModelName: recorded.Model}
		said, err := model.Send(ctx, dialect.Request(recorded.Request.Declarations))
		if err != nil {
			return nil, fmt.Errorf("weighing %s: %w", recorded.Name(), err)
		}
		for _, finding := range said.Findings {
			if name := finding.Rule.Name; !slices.Contains(fired[name], recorded.Source) {
				fired[name] = append(fired[name], recorded.Source)
			}
		}
	}
	return fired, nil
}
