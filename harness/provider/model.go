package provider

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// Model is a Provider that predicts the answers of a surface from its rules, the same answer
// for the same request. It returns an error if the context ends, and a *BudgetError if judging
// the request takes too many steps.
type Model struct {
	Dialect *Dialect
	AsOf    Date // the day to answer for; empty means today
	// ModelName is the provider's model that the request names, such as gemini-2.5-flash;
	// empty if unknown.
	ModelName string
	// Parameters are members that the body of every request has beside the declarations, such as
	// reasoning_effort; nil means no more than the request says.
	Parameters *schema.Node
}

// Send predicts the answer to the request.
func (m *Model) Send(ctx context.Context, request Request) (response Response, err error) {
	defer steps.Recover(&err)
	day := m.AsOf
	if day == "" {
		day = Today()
	}
	plan := m.planOn(day)
	visitor := &Visitor{Dialect: m.Dialect, Day: day, ModelName: m.ModelName, parameters: m.Parameters, counter: newCounter(ctx, request)}
	stage, findings := visitor.judge(plan.rejecting, request)
	response = Response{Verdict: Accepted, Status: 200, Evidence: Predicted, Date: day}
	if len(findings) == 0 {
		response.Ignored, response.Unknown = visitor.reports(plan.ignoring, request), visitor.reports(plan.unknown, request)
		response.Steps = visitor.counter.Taken()
		return response, nil
	}
	response.Verdict, response.Status, response.Steps = Rejected, cmp.Or(findings[0].Status, stage.Status, 400), visitor.counter.Taken()
	response.Findings = findings
	response.Param, response.Code = findings[0].Location, findings[0].Code
	response.Message = findings[0].Message
	if stage.Compose != nil {
		response.Message = stage.Compose(findings)
	}
	if stage.Preface != nil {
		response.Message = stage.Preface(day, findings[0]) + response.Message
	}
	return response, nil
}

// judge runs the stages in the order of the rules, and returns the first stage that finds
// a violation with its findings.
func (v *Visitor) judge(runs [][]*Rule, request Request) (*Stage, []Finding) {
	for len(runs) > 0 {
		if stage := runs[0][0].Stage; !stage.PerDeclaration {
			if findings := v.run(runs[0], request, -1); len(findings) > 0 {
				return stage, findings
			}
			runs = runs[1:]
			continue
		}
		end := slices.IndexFunc(runs, func(run []*Rule) bool { return !run[0].Stage.PerDeclaration })
		if end < 0 {
			end = len(runs)
		}
		for declaration := range request.Declarations {
			for _, run := range runs[:end] {
				if findings := v.run(run, request, declaration); len(findings) > 0 {
					return run[0].Stage, findings
				}
			}
		}
		runs = runs[end:]
	}
	return nil, nil
}

// reports returns what rules that do not refuse report about an accepted request.
func (v *Visitor) reports(runs [][]*Rule, request Request) []Finding {
	var reported []Finding
	for _, run := range runs {
		if !run[0].Stage.PerDeclaration {
			reported = append(reported, v.run(run, request, -1)...)
			continue
		}
		for declaration := range request.Declarations {
			reported = append(reported, v.run(run, request, declaration)...)
		}
	}
	return reported
}

// plan has the rules of a surface that hold on a day for a model, in runs of consecutive rules
// of one stage.
type plan struct {
	rules     []*Rule // all rules of the surface
	day       Date
	modelName string

	rejecting, ignoring, unknown [][]*Rule
	// everRejecting are the rules of any day and for any model.
	everRejecting func() []period
}

// plans has the plan of each surface that was used last, because most requests are judged for
// the same day and model.
var plans sync.Map

// planOn returns the model's plan for a day.
func (m *Model) planOn(day Date) *plan {
	rules := m.Dialect.Rules
	if known, ok := plans.Load(m.Dialect); ok {
		known := known.(*plan) //nolint:forcetypeassert // nothing else is stored
		if known.day == day && known.modelName == m.ModelName && slices.Equal(known.rules, rules) {
			return known
		}
	}
	fresh := &plan{rules: slices.Clone(rules), day: day, modelName: m.ModelName}
	fresh.rejecting, fresh.ignoring, fresh.unknown = m.runs(day, Rejects), m.runs(day, Ignores), m.runs(day, Unknown)
	model := *m
	fresh.everRejecting = sync.OnceValue(func() []period { return model.periods(day) })
	plans.Store(m.Dialect, fresh)
	return fresh
}

// runs returns the rules of an effect that hold on a day, in runs of consecutive rules of one
// stage.
func (m *Model) runs(day Date, effect Effect) [][]*Rule {
	var runs [][]*Rule
	for _, rule := range m.Dialect.Rules {
		if rule.Effect != effect || !rule.InForce(day, m.ModelName) {
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last][0].Stage == rule.Stage {
			runs[last] = append(runs[last], rule)
			continue
		}
		runs = append(runs, []*Rule{rule})
	}
	return runs
}

// run runs the rules of one stage.
func (v *Visitor) run(rules []*Rule, request Request, declaration int) []Finding {
	stage := rules[0].Stage
	v.rules, v.all, v.findings = rules, stage.All, nil
	stage.Walk(request, declaration, v)
	return v.findings
}
