package judge

import (
	"context"
	"slices"

	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

// Refused returns the result of each tool that a located refusal names, in the order of the
// refusal. The raw side has the provider's words. The normalized side is the tool as the target
// makes it; it is missing if the target has no normalizer.
func (j Judge) Refused(
	ctx context.Context, located refusal.Located, target Target, tools []Subject,
) ([]verdict.Result, error) {
	var order []int
	for _, place := range located.Places {
		if !slices.Contains(order, place.Declaration) {
			order = append(order, place.Declaration)
		}
	}
	results := make([]verdict.Result, 0, len(order))
	for _, index := range order {
		subject := tools[index]
		result := subject.result(target)
		result.Status = verdict.NotApplicable
		if target.Normalizer != nil {
			judge := j
			judge.Raw = false
			result = judge.Tool(ctx, subject, target)
		}
		sides := result.Sides()
		sides.RawDialect = located.Dialect.Name
		sides.Raw = &verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported}
		for _, place := range located.Places {
			if place.Declaration != index {
				continue
			}
			rule, err := refusal.RuleOf(ctx, j.model(located.Dialect), subject.Tool.Tool, place)
			if err != nil {
				return nil, err
			}
			sides.Raw.Findings = append(sides.Raw.Findings, findingAt(subject.Tool, place, rule))
		}
		results = append(results, result)
	}
	return results, nil
}

// model returns the model of a surface on the judge's day.
func (j Judge) model(dialect *provider.Dialect) provider.Model {
	return provider.Model{Dialect: dialect, AsOf: j.AsOf, ModelName: j.ModelName, Parameters: j.Parameters}
}

// findingAt returns the finding about a place of a tool, with its line.
func findingAt(tool toolfile.Tool, place provider.Place, rule *provider.Rule) verdict.Finding {
	found := provider.Finding{Rule: rule, Message: place.Message, At: place.At}
	finding := verdict.Findings(provider.Response{Verdict: provider.Rejected, Findings: []provider.Finding{found}})[0]
	finding.At = tool.Pointer(finding.At)
	position := positionOf(tool.Declaration, finding.At)
	finding.Line, finding.Column = int(position.Line), int(position.Column)
	return finding
}
