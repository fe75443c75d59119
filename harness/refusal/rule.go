package refusal

import (
	"context"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// RuleOf returns the rule that explains a place of a refusal of a tool, or nil. It is the
// rule that the model reports at the place in the same words, apart from numbers, which
// differ from request to request.
func RuleOf(ctx context.Context, model provider.Model, tool schema.Tool, place provider.Place) (*provider.Rule, error) {
	request := model.Dialect.Encode([]schema.Tool{tool})
	var stages []*provider.Stage
	for _, rule := range model.Dialect.Rules {
		if slices.Contains(stages, rule.Stage) {
			continue
		}
		stages = append(stages, rule.Stage)
		stage := *model.Dialect // a single stage, because an earlier one could refuse the tool for another reason
		stage.Rules = slices.DeleteFunc(slices.Clone(model.Dialect.Rules), func(other *provider.Rule) bool { return other.Stage != rule.Stage })
		alone := model
		alone.Dialect = &stage
		answer, err := alone.Send(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, finding := range answer.Findings {
			if finding.Rule != nil && provider.Alike(place.Message, finding.Message) {
				return finding.Rule, nil
			}
		}
	}
	return nil, nil //nolint:nilnil // no rule explains it
}
