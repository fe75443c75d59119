// Package normalizers rewrites tools so that a provider accepts them. Each Pipeline serves one
// target, needs no configuration, and reports every change with its place and its loss:
//
//	result, err := normalizers.Gemini.Normalize(ctx, tool)
package normalizers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Normalizer rewrites tools for a surface.
type Normalizer interface {
	// Name returns the name of the target, such as gemini.
	Name() string
	// Normalize returns the tool in a form that the surface accepts, with the changes made. It
	// does not change the given tool. An error means that there is no result.
	Normalize(ctx context.Context, tool schema.Tool) (Result, error)
}

// Result is what a Normalizer makes of a tool.
type Result struct {
	Tool schema.Tool
	// Given is the tool as it was given.
	Given schema.Tool
	// Target is the name of the Pipeline that made the tool; empty if none did.
	Target string
	// Strict is set if the tool should be sent with strict true.
	Strict bool
	// Fallback says why a strict target sends the tool with strict false; empty otherwise.
	Fallback string
	Changes  []rewrite.Change
	// Steps is the number of steps that the rules took, which is always the same for the same
	// tool.
	Steps int
	// Unreported is set if the normalizer does not report its changes.
	Unreported bool
}

// Loss returns the loss of all changes together that remains after Restore.
func (r Result) Loss() rewrite.Loss {
	loss := rewrite.Exact
	for i := range r.Changes {
		loss |= r.Changes[i].Lost()
	}
	return loss
}

// CheckTarget returns an error that names the target of the result and the needed targets, unless it is
// one of these. It knows nothing against a tool that none of Pipelines made.
func (r Result) CheckTarget(needed ...string) error {
	isMain := slices.ContainsFunc(Pipelines, func(pipeline *Pipeline) bool { return pipeline.Name() == r.Target })
	if !isMain || slices.Contains(needed, r.Target) {
		return nil
	}
	last := len(needed) - 1
	list := strings.Join(needed[:last], ", ")
	if last > 0 {
		list += " or "
	}
	return fmt.Errorf("declaring %q: the tool was normalized for %s: normalize it for %s", r.Tool.Name, r.Target, list+needed[last])
}

// Pipeline is a Normalizer made of rules.
type Pipeline struct {
	target *engine.Target
	rules  []*engine.Rule
	// optional are the rules, besides say_constraints, that run only if the options ask for them.
	optional []*engine.Rule
	// request bounds the strict tools of a request together.
	request requestLimits
	// fallback serves a tool that the target cannot express; nil if no pipeline does.
	fallback *Pipeline
	watch    func(rule string, parameters *schema.Node) // see Watched; may be nil

	// Options are the options that With has set.
	Options Options
}

// Name returns the name of the target.
func (p *Pipeline) Name() string { return p.target.Name }

// Normalize runs the rules over the tool. The error is a *rewrite.UnrepresentableError if the
// target cannot express the tool, and a *rewrite.BudgetError if the tool takes more steps than the
// options allow. Instead of returning these errors, a strict target falls back to one that is not
// strict.
func (p *Pipeline) Normalize(ctx context.Context, tool schema.Tool) (Result, error) {
	if p.Options.NeverStrict && p.fallback != nil {
		return p.FallBack(ctx, tool, "the options say never strict")
	}
	result, err := p.rewrite(ctx, tool)
	if err != nil && p.fallback != nil && cannotExpress(err) {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return p.FallBack(ctx, tool, reason)
	}
	return result, err
}

// cannotExpress reports whether an error says that the target cannot express the tool, or only with
// more work than allowed.
func cannotExpress(err error) bool {
	var unrepresentable *rewrite.UnrepresentableError
	var budget *rewrite.BudgetError
	return errors.As(err, &unrepresentable) || errors.As(err, &budget)
}

// rewrite runs the rules over the tool, without the fallback.
func (p *Pipeline) rewrite(ctx context.Context, tool schema.Tool) (result Result, err error) {
	if err := ctx.Err(); err != nil { // the engine looks only every so many steps
		return Result{}, err
	}
	defer engine.Recover(&err)
	target := p.Options.of(p.target)
	work := engine.New(ctx, tool, target, p.Options.engine())
	for _, rule := range p.rules {
		work.Apply(rule)
		if p.watch != nil && work.Failure() == nil {
			p.watch(rule.Name, work.Root())
		}
	}
	for _, rule := range p.onDemand() {
		if rule == rules.PropertyOrdering && p.Options.PropertyOrdering || rule == rules.SayConstraints && p.Options.SayConstraints {
			work.Apply(rule)
		}
	}
	rewritten, changes := work.Finish(tool)
	if failure := work.Failure(); failure != nil {
		return Result{}, failure
	}
	return Result{Tool: rewritten, Given: tool, Target: p.Name(), Strict: target.Strict, Changes: changes, Steps: work.Taken()}, nil
}

// FallBack normalizes a tool for the target that is not strict, and sets the Fallback of the result
// to the reason. The pipeline must have a strict target.
func (p *Pipeline) FallBack(ctx context.Context, tool schema.Tool, reason string) (Result, error) {
	result, err := p.fallback.With(p.Options).Normalize(ctx, tool)
	result.Target, result.Fallback = p.Name(), reason
	return result, err
}

// onDemand returns the rules that run only if the options ask for them.
func (p *Pipeline) onDemand() []*engine.Rule {
	if slices.Contains(p.rules, rules.SayConstraints) {
		return p.optional
	}
	return append(slices.Clip(p.optional), rules.SayConstraints)
}

// Rules returns the documentation of the rules that run with any options, in their order.
func (p *Pipeline) Rules() []Rule {
	documentation := make([]Rule, len(p.rules))
	for i, rule := range p.rules {
		documentation[i] = documented(rule)
	}
	return documentation
}

// Has reports whether the pipeline runs the named rule with some options.
func (p *Pipeline) Has(name string) bool {
	isNamed := func(rule *engine.Rule) bool { return rule.Name == name }
	return slices.ContainsFunc(p.rules, isNamed) || slices.ContainsFunc(p.onDemand(), isNamed)
}

// Limits returns the limits that the tools of the pipeline keep today.
func (p *Pipeline) Limits() Limits {
	return Limits{
		NameLength:        p.target.NameGrammar.MaxLength,
		DescriptionLength: int(engine.LimitsOf[rules.MaxDescription](p.target)),
		Repeated:          engine.LimitsOf[rules.Repeated](p.target),
	}
}

// Limits are some of the limits that the tools of a pipeline keep.
type Limits struct {
	// NameLength and DescriptionLength bound the characters in the name and in the
	// description of a tool; 0 means no bound.
	NameLength, DescriptionLength int
	// Repeated are the keywords that stay in the schema and that the description repeats.
	Repeated []string
	// Day is that of the target whose limits another surface has, such as 2025-12-18; empty for
	// those of today.
	Day string
}

// Days returns the days on which the surface dropped a limit, the latest first. If Options.AsOf
// is before such a day, the tools keep the limit.
func (p *Pipeline) Days() []string {
	var days []string
	for _, earlier := range p.target.Earlier {
		days = append(days, earlier.Until)
	}
	return days
}

// With returns the pipeline with other options.
func (p *Pipeline) With(options Options) *Pipeline {
	clone := *p
	clone.Options = options
	return &clone
}

// For returns the pipeline under the name of another surface, with the NameLength, the
// DescriptionLength and the Day of limits; 0 leaves a length as it is.
func (p *Pipeline) For(surface string, limits Limits) *Pipeline {
	clone, target := *p, *p.target
	clone.target, target.Name = &target, surface
	for len(target.Earlier) > 0 && limits.Day != "" && limits.Day < target.Earlier[0].Until {
		target.Earlier[0].Had(&target)
		target.Earlier = target.Earlier[1:]
	}
	if limits.NameLength > 0 {
		target.NameGrammar.MaxLength = limits.NameLength
	}
	if limits.DescriptionLength > 0 {
		target.Limits = append(slices.Clip(target.Limits), rules.MaxDescription(limits.DescriptionLength))
		clone.rules = append(slices.Clip(p.rules), rules.DescriptionLimit)
	}
	if p.fallback != nil {
		clone.fallback = p.fallback.For(surface, limits)
	}
	return &clone
}

// Without returns the pipeline without the named rule, or without the limit that the surface
// dropped on the named day of Days. Tests use it to show that each of them is needed.
func (p *Pipeline) Without(name string) *Pipeline {
	clone := *p
	clone.rules = slices.DeleteFunc(slices.Clone(p.rules), func(rule *engine.Rule) bool { return rule.Name == name })
	if slices.Contains(p.Days(), name) {
		target := *p.target
		target.Earlier = slices.DeleteFunc(slices.Clone(target.Earlier), func(earlier engine.Earlier) bool { return earlier.Until == name })
		clone.target = &target
	}
	if p.fallback != nil {
		clone.fallback = p.fallback.Without(name)
	}
	return &clone
}

// Watched returns the pipeline with a function that it calls after each rule, unless the target
// cannot express the tool, with the name of the rule and the parameters as they are then, which
// may be nil. Tests use it to check invariants.
func (p *Pipeline) Watched(watch func(rule string, parameters *schema.Node)) *Pipeline {
	clone := *p
	clone.watch = watch
	return &clone
}
