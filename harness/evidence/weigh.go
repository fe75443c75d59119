package evidence

import (
	"context"
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// Weight tells what a rule of a surface rests on.
type Weight struct {
	Rule *provider.Rule
	// Own holds the places, each once, that publish refusals by the rule on the surface itself.
	Own []string
	// Others holds the surfaces on which the same rule has refusals, each with the number of
	// places that publish them.
	Others []string
}

// The values of Rests, best first.
const (
	Several    = "several answers" // from the surface itself
	Single     = "one answer"      // from the surface itself
	Carried    = "answers elsewhere, the same check"
	Unproven   = "answers elsewhere alone"
	Undigested = "a text without a recording"
)

// Rests names the kind of evidence for the rule.
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

// Weigh returns the weights of each dialect's rules, in the order of the rules. The dialects
// must include all that share rules.
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

// firings returns, for each rule of a dialect, the places that publish refusals which it
// explains.
func firings(ctx context.Context, dialect *provider.Dialect, store *recording.Store) (map[string][]string, error) {
	fired := map[string][]string{}
	for _, recorded := range store.All {
		if recorded.Dialect != dialect.Name || recorded.Accepted() {
			continue
		}
		model := recorded.Asked(dialect)
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
