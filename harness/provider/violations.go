package provider

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"toolproof/internal/steps"
	"toolproof/schema"
)

// AnyModel stands in a message of Violations for the name of the provider's model.
const AnyModel = "…"

// Violations returns every violation of a request that any rule of the surface finds, on the
// model's day or on any other, for any model, and whatever Parameters the body has. Unlike in Send,
// no stage hides the violations of a later one and none stops at its first. Findings that the day's
// rules report come first, and a message that names the provider's model has AnyModel in its place.
// If judging a part of the request takes too many steps, what the rest violates is returned.
func (m *Model) Violations(ctx context.Context, request Request) ([]Finding, error) {
	type violation struct {
		rule        *Rule
		declaration int
		at          schema.Pointer
		message     string
	}
	known := map[violation]bool{}
	var all []Finding
	for _, period := range m.planOn(cmp.Or(m.AsOf, Today())).everRejecting() {
		for _, run := range period.runs {
			found, err := m.inStage(m.anyModel(ctx, period.day, request), run, request)
			if budget := (*BudgetError)(nil); err != nil && !errors.As(err, &budget) {
				return nil, err
			}
			for _, finding := range found {
				key := violation{finding.Rule, finding.Declaration, finding.At, finding.Message}
				if !known[key] {
					known[key] = true
					all = append(all, finding)
				}
			}
		}
	}
	return all, nil
}

// Standing returns every violation that a rule of the model's day finds. Like Violations it is not
// bound to stages.
func (m *Model) Standing(ctx context.Context, request Request) ([]Finding, error) {
	day := cmp.Or(m.AsOf, Today())
	var all []Finding
	for _, run := range m.planOn(day).rejecting {
		found, err := m.inStage(m.anyModel(ctx, day, request), run, request)
		if budget := (*BudgetError)(nil); err != nil && !errors.As(err, &budget) {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// anyModel returns a visitor for whatever model and parameters a request has.
func (m *Model) anyModel(ctx context.Context, day Date, request Request) *Visitor {
	return &Visitor{Dialect: m.Dialect, Day: day, ModelName: AnyModel, parameters: m.Dialect.Parameters, counter: newCounter(ctx, request)}
}

// inStage returns what one run of rules finds in all declarations.
func (m *Model) inStage(visitor *Visitor, run []*Rule, request Request) (found []Finding, err error) {
	stage := run[0].Stage
	defer func() {
		if err != nil {
			found = append(found, visitor.findings...)
		}
	}()
	defer steps.Recover(&err)
	walk := func(declaration int) {
		visitor.rules, visitor.all, visitor.findings = run, true, nil
		stage.Walk(request, declaration, visitor)
		found = append(found, visitor.findings...)
		visitor.findings = nil
	}
	if !stage.PerDeclaration {
		walk(-1)
		return found, nil
	}
	for declaration := range request.Declarations {
		walk(declaration)
	}
	return found, nil
}

// period is a day with the runs of rules, each of one stage, that no earlier period has.
type period struct {
	day  Date
	runs [][]*Rule
}

// periods returns a day, and for each change of a rule a day on which the rule held, with
// the rules of each stage that held on it. Rules for particular models are apart, each with the
// others that hold for every model, because a rule may replace another for them.
func (m *Model) periods(today Date) []period {
	days, models := []Date{today}, [][]string{nil}
	for _, rule := range m.Dialect.Rules {
		if day := rule.DayNear(today); !slices.Contains(days, day) {
			days = append(days, day)
		}
		isKnown := slices.ContainsFunc(models, func(known []string) bool { return slices.Equal(known, rule.Models) })
		if rule.Effect == Rejects && len(rule.Models) > 0 && !isKnown {
			models = append(models, rule.Models)
		}
	}
	var periods []period
	var known [][]*Rule
	for _, day := range days {
		for _, only := range models {
			next := period{day: day}
			for _, run := range m.runsFor(day, only) {
				if !slices.ContainsFunc(known, func(other []*Rule) bool { return slices.Equal(other, run) }) {
					known, next.runs = append(known, run), append(next.runs, run)
				}
			}
			periods = append(periods, next)
		}
	}
	return periods
}

// runsFor returns the rules that held on a day for the models of the patterns, those of each stage
// together.
func (m *Model) runsFor(day Date, models []string) [][]*Rule {
	var runs [][]*Rule
	for _, rule := range m.Dialect.Rules {
		dated := Rule{Since: rule.Since, Until: rule.Until}
		isFor := rule.InForce(day, m.ModelName) || slices.Equal(rule.Models, models) && dated.InForce(day, "")
		if rule.Effect != Rejects || !isFor {
			continue
		}
		if at := slices.IndexFunc(runs, func(run []*Rule) bool { return run[0].Stage == rule.Stage }); at >= 0 {
			runs[at] = append(runs[at], rule)
		} else {
			runs = append(runs, []*Rule{rule})
		}
	}
	return runs
}

// DayNear returns the day nearest to another on which the rule holds or held.
func (r *Rule) DayNear(day Date) Date {
	switch {
	case day < r.Since:
		return r.Since
	case r.Until != "" && r.Until <= day:
		return r.Until.Before()
	default:
		return day
	}
}
