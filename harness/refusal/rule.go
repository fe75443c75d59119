package refusal

import (
	"context"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// RuleOf returns the rule that explains a place of a refusal of a tool, or nil. The
// model finds that rule broken there, in the same words. Only numbers may differ, since
// they are those of another request.
func RuleOf(ctx context.Context, model provider.Model, tool schema.Tool, place provider.Place) (*provider.Rule, error) {
	request := model.Dialect.Encode([]schema.Tool{tool})
	var asked []*provider.Stage
	for _, rule := range model.Dialect.Rules {
		if slices.Contains(asked, rule.Stage) {
			continue
		}
		asked = append(asked, rule.Stage)
		stage := *model.Dialect // alone: what an earlier stage finds in the tool is another refusal
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
