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

// Weigh returns what each rule of dialects rests on, in the order of a dialect's rules. The
// dialects are those that share rules.
func Weigh(ctx context.Context, dialects []*provider.Dialect, store *recording.Store) (map[*provider.Dialect][]Weight, error) {
	places := map[*provider.Dialect]map[string][]string{} // by dialect and rule
	for _, dialect := range dialects {
		fired, err := firings(ctx, dialect, store)
		if err != nil {
			return nil, err
		}
		places[dialect] = fired
	}
	weights := map[*provider.Dialect][]Weight{}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			weight := Weight{Rule: rule, Own: places[dialect][rule.Name]}
			for _, other := range dialects {
				same := other.Rule(rule.Name)
				found := places[other][rule.Name]
				if other != dialect && same != nil && same.Stage == rule.Stage && len(found) > 0 {
					weight.Others = append(weight.Others, fmt.Sprintf("%s (%d)", other.Name, len(found)))
				}
			}
			weights[dialect] = append(weights[dialect], weight)
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
