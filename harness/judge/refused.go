package judge

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Refused returns the result of each tool that a located refusal names, in the order of the
// refusal. The raw side has the provider's words. The normalized side is the tool as the target
// makes it; it is missing if the target has no normalizer. The edits of the source that cure the refusal
// are also judged for the targets that others returns for the form of the tool's file; where none holds
// there, they are those for the target alone.
func (j Judge) Refused(
	ctx context.Context, located refusal.Located, target Target, others func(toolfile.Form) []Target, tools []Subject,
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
		result := j.result(subject, target)
		result.Status = verdict.NotApplicable
		if target.Normalizer != nil {
			judge := j
			judge.Raw = false
			result = judge.Tool(ctx, subject, target)
			result.Kind.(*verdict.Tool).IsNormalized = false //nolint:forcetypeassert // it is about the tool
		}
		if err := j.refuse(ctx, &result, located, target, others, subject, index); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// refuse puts the refusal of the tool at the index into its result. The normalized tool counts as
// refused, too, if what was refused is still there: a refusal in hand outweighs a prediction.
func (j Judge) refuse(
	ctx context.Context, result *verdict.Result, located refusal.Located, target Target, others func(toolfile.Form) []Target,
	subject Subject, index int,
) error {
	sides := result.Sides()
	sides.RawDialect = located.Dialect.Name
	sides.Raw = &verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported}
	var places []refusal.Place
	for _, place := range located.Places {
		if place.Declaration == index {
			places = append(places, place)
			sides.Raw.Findings = append(sides.Raw.Findings, findingAt(subject.Tool, place))
		}
	}
	normalized := sides.Normalized
	isLooser := normalized != nil && located.Dialect.Strict && !normalized.Strict
	if normalized == nil || normalized.Verdict != provider.Accepted || isLooser {
		return nil
	}
	left, err := j.left(ctx, located.Dialect, subject.Tool, places, normalized)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		refused := verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported}
		for _, place := range left {
			refused.Findings = append(refused.Findings, findingAt(subject.Tool, place))
		}
		normalized.Answer, sides.Understood = refused, nil
		result.Status, result.Dialect = verdict.Fail, located.Dialect.Name
	}
	target.Dialect = located.Dialect
	judged := []Target{target}
	if !subject.IsResponse {
		judged = append(judged, others(subject.Tool.Form)...)
	}
	cures, alone := j.Cures(ctx, subject.Tool, judged), j.Cures(ctx, subject.Tool, judged[:1])
	for _, place := range places {
		if place.Rule != nil {
			cures.surfaces[0].also = append(cures.surfaces[0].also, place.Rule)
		}
	}
	alone.surfaces[0].also = cures.surfaces[0].also
	for i, place := range places {
		if slices.Contains(left, place) {
			continue
		}
		finding := &sides.Raw.Findings[i]
		if finding.Answers = cures.Of(*finding).Edits; len(finding.Answers) == 0 {
			finding.Answers = alone.Of(*finding).Edits
		}
	}
	return nil
}

// left returns the places of a pasted refusal that are still refused in the normalized tool: those
// whose rule still holds somewhere, and without a rule those of which nothing was changed.
func (j Judge) left(
	ctx context.Context, dialect *provider.Dialect, tool toolfile.Tool, places []refusal.Place, normalized *verdict.Normalized,
) ([]refusal.Place, error) {
	model := j.model(dialect)
	after, err := model.Violations(ctx, dialect.Declared([]schema.Tool{schema.ToolOf(normalized.Tool)}))
	if err != nil {
		return nil, err
	}
	var left []refusal.Place
	for _, place := range places {
		at := tool.Pointer(place.At)
		isNear := func(change verdict.Change) bool { return at.Under(change.From) || change.From.Under(at) }
		isHeld := func(finding provider.Finding) bool { return finding.Rule.Name == place.Rule.Name }
		if place.Rule != nil && slices.ContainsFunc(after, isHeld) || place.Rule == nil && !slices.ContainsFunc(normalized.Changes, isNear) {
			left = append(left, place)
		}
	}
	return left, nil
}

// RefusedRequest returns the result of a request that was refused for something else than its tools,
// with what is known of the rule.
func RefusedRequest(located refusal.Located, known *refusal.RequestError, tools []Subject) verdict.Result {
	var target, dialect string
	rule := known.Rule
	if about := known.Conversation; about != nil {
		target, dialect = about.Services[0], about.Services[0]+"/conversation"
		rule = &provider.Rule{Name: about.Name, Doc: about.Doc, Since: about.Since, Until: about.Until, Models: about.Models}
	} else {
		target, dialect = known.Dialect.Service(), known.Dialect.Name
	}
	finding := verdict.Finding{Rule: rule.Name, Severity: provider.Finding{}.Severity(), Message: located.Message, About: about(rule)}
	return verdict.Result{
		Source: tools[0].Source, Target: target, Dialect: dialect, Status: verdict.NotApplicable,
		Kind: &verdict.Request{
			Answer: verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported, Findings: []verdict.Finding{finding}},
			Tools:  len(tools),
		},
	}
}

// about returns what a rule says, when it holds and for which models, as one line.
func about(rule *provider.Rule) string {
	title, text, _ := strings.Cut(rule.Doc, "\n")
	parts := []string{title}
	for _, limit := range []struct{ word, value string }{
		{"since", string(rule.Since)}, {"until", string(rule.Until)}, {"models", strings.Join(rule.Models, ", ")},
	} {
		if limit.value != "" {
			parts = append(parts, limit.word+" "+limit.value)
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, "; ")+". "+text), " ")
}

// model returns the model of a surface on the judge's day.
func (j Judge) model(dialect *provider.Dialect) provider.Model {
	return provider.Model{Dialect: dialect, AsOf: j.AsOf, ModelName: j.ModelName, Parameters: j.Parameters}
}

// findingAt returns the finding about a place of a tool, with its line.
func findingAt(tool toolfile.Tool, place refusal.Place) verdict.Finding {
	found := provider.Finding{Rule: place.Rule, Message: place.Message, At: place.At}
	finding := verdict.Findings(provider.Response{Verdict: provider.Rejected, Findings: []provider.Finding{found}})[0]
	finding.At = tool.Pointer(finding.At)
	if place.Rule != nil && place.Rule.Until <= provider.Today() {
		finding.Until = string(place.Rule.Until)
	}
	position := positionOf(tool.Declaration, finding.At)
	finding.Line, finding.Column = int(position.Line), int(position.Column)
	return finding
}
