package provider

import (
	"cmp"
	"context"

	"toolproof/schema/steps"
)

// Model predicts a provider's answers from the rules of a dialect. It is a
// Provider that answers the same request the same way. It errs when the context ends, and
// with a *BudgetError when the request takes more steps than any may.
type Model struct {
	Dialect *Dialect
	AsOf    Date // the day to answer for; empty means today
	// ModelName is the provider's model that the request names, such as
	// gemini-2.5-flash; empty means that it is not known.
	ModelName string
}

// Send predicts the answer to the request.
func (m *Model) Send(ctx context.Context, request Request) (response Response, err error) {
	defer steps.Recover(&err)
	day := m.AsOf
	if day == "" {
		day = Today()
	}
	counter := newCounter(ctx, request)
	stage, findings := m.judge(request, day, counter)
	response = Response{Verdict: Accepted, Status: 200, Evidence: Predicted, Date: day}
	if len(findings) == 0 {
		response.Ignored = m.ignored(request, day, counter)
		response.Steps = counter.Taken()
		return response, nil
	}
	response.Verdict, response.Status, response.Steps = Rejected, cmp.Or(stage.Status, 400), counter.Taken()
	response.Findings = findings
	response.Param, response.Code = findings[0].Location, findings[0].Code
	response.Message = findings[0].Message
	if stage.Compose != nil {
		response.Message = stage.Compose(findings)
	}
	return response, nil
}

// judge runs the stages in the order of the rules and returns the first that
// finds fault.
func (m *Model) judge(request Request, day Date, counter *steps.Counter) (*Stage, []Finding) {
	stages := stagesOf(m.Dialect.Rules, day, m.ModelName, Rejects)
	for len(stages) > 0 {
		if !stages[0].PerDeclaration {
			if findings := stages[0].run(m.Dialect, request, -1, day, counter); len(findings) > 0 {
				return stages[0].Stage, findings
			}
			stages = stages[1:]
			continue
		}
		run := 1
		for run < len(stages) && stages[run].PerDeclaration {
			run++
		}
		for declaration := range request.Declarations {
			for _, stage := range stages[:run] {
				if findings := stage.run(m.Dialect, request, declaration, day, counter); len(findings) > 0 {
					return stage.Stage, findings
				}
			}
		}
		stages = stages[run:]
	}
	return nil, nil
}

// ignored returns what the surface takes and does not use. The stages of those rules judge
// an accepted request, and each visits all that it judges.
func (m *Model) ignored(request Request, day Date, counter *steps.Counter) []Finding {
	var ignored []Finding
	for _, stage := range stagesOf(m.Dialect.Rules, day, m.ModelName, Ignores) {
		if !stage.PerDeclaration {
			ignored = append(ignored, stage.run(m.Dialect, request, -1, day, counter)...)
			continue
		}
		for declaration := range request.Declarations {
			ignored = append(ignored, stage.run(m.Dialect, request, declaration, day, counter)...)
		}
	}
	return ignored
}

// rulesOf is a stage with its rules that are in force.
type rulesOf struct {
	*Stage
	rules []*Rule
}

// stagesOf returns the stages of the rules of an effect, in the order of the rules.
func stagesOf(rules []*Rule, day Date, model string, effect Effect) []rulesOf {
	var stages []rulesOf
	for _, rule := range rules {
		if rule.Effect != effect || !rule.InForce(day, model) {
			continue
		}
		if len(stages) == 0 || stages[len(stages)-1].Stage != rule.Stage {
			stages = append(stages, rulesOf{Stage: rule.Stage})
		}
		last := &stages[len(stages)-1]
		last.rules = append(last.rules, rule)
	}
	return stages
}

func (s rulesOf) run(dialect *Dialect, request Request, declaration int, day Date, counter *steps.Counter) []Finding {
	visitor := Visitor{Dialect: dialect, Day: day, rules: s.rules, all: s.All, counter: counter}
	s.Walk(request, declaration, &visitor)
	return visitor.findings
}
