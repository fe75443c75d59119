package provider

import (
	"cmp"
	"context"
	"slices"

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
	response.Verdict, response.Status, response.Steps = Rejected, cmp.Or(findings[0].Status, stage.Status, 400), counter.Taken()
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
	rules := m.inForce(day, Rejects)
	visitor := &Visitor{Dialect: m.Dialect, Day: day, counter: counter}
	for len(rules) > 0 {
		if stage := rules[0].Stage; !stage.PerDeclaration {
			next := afterStage(rules)
			if findings := visitor.run(rules[:next], request, -1); len(findings) > 0 {
				return stage, findings
			}
			rules = rules[next:]
			continue
		}
		end := slices.IndexFunc(rules, func(rule *Rule) bool { return !rule.Stage.PerDeclaration })
		if end < 0 {
			end = len(rules)
		}
		for declaration := range request.Declarations {
			for run := rules[:end]; len(run) > 0; {
				next := afterStage(run)
				if findings := visitor.run(run[:next], request, declaration); len(findings) > 0 {
					return run[0].Stage, findings
				}
				run = run[next:]
			}
		}
		rules = rules[end:]
	}
	return nil, nil
}

// ignored returns what the surface takes and does not use. The stages of those rules judge
// an accepted request, and each visits all that it judges.
func (m *Model) ignored(request Request, day Date, counter *steps.Counter) []Finding {
	var ignored []Finding
	visitor := &Visitor{Dialect: m.Dialect, Day: day, counter: counter}
	for rules := m.inForce(day, Ignores); len(rules) > 0; {
		next := afterStage(rules)
		if !rules[0].Stage.PerDeclaration {
			ignored = append(ignored, visitor.run(rules[:next], request, -1)...)
		} else {
			for declaration := range request.Declarations {
				ignored = append(ignored, visitor.run(rules[:next], request, declaration)...)
			}
		}
		rules = rules[next:]
	}
	return ignored
}

// inForce returns the rules of an effect that hold on a day.
func (m *Model) inForce(day Date, effect Effect) []*Rule {
	var rules []*Rule
	for i, rule := range m.Dialect.Rules {
		if rule.Effect == effect && rule.InForce(day, m.ModelName) {
			if rules == nil {
				rules = make([]*Rule, 0, len(m.Dialect.Rules)-i)
			}
			rules = append(rules, rule)
		}
	}
	return rules
}

// afterStage returns where the rules of the first one's stage end.
func afterStage(rules []*Rule) int {
	end := 1
	for end < len(rules) && rules[end].Stage == rules[0].Stage {
		end++
	}
	return end
}

// run runs the rules of one stage.
func (v *Visitor) run(rules []*Rule, request Request, declaration int) []Finding {
	stage := rules[0].Stage
	v.rules, v.all, v.findings = rules, stage.All, nil
	stage.Walk(request, declaration, v)
	return v.findings
}
