// Package normalizers rewrites tools so that a provider accepts them. Each
// pipeline serves one target, needs no configuration, and reports every change
// with its place and its loss:
//
//	result, err := normalizers.Gemini.Normalize(ctx, tool)
package normalizers

import (
	"context"
	"errors"
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/rules"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// Normalizer makes a tool fit for a surface.
type Normalizer interface {
	// Name returns the name of the target, such as gemini.
	Name() string
	// Normalize returns the tool in a form that the surface accepts, and what
	// was changed for it. The given tool stays as it is. An error means that
	// there is no result.
	Normalize(ctx context.Context, tool schema.Tool) (Result, error)
}

// Result is what a Normalizer makes of a tool.
type Result struct {
	Tool schema.Tool
	// Given is the tool as it was given.
	Given schema.Tool
	// Strict is set when the tool is to be sent with strict true.
	Strict bool
	// Fallback says why a strict target sends the tool as one that is not
	// strict; empty otherwise.
	Fallback string
	Changes  []rewrite.Change
	// Steps is how many steps the rules took. They are the same for the same tool.
	Steps int
	// Unreported is set when the normalizer cannot say what it changed.
	Unreported bool
}

// Loss returns what the changes lose together, after the way back.
func (r Result) Loss() rewrite.Loss {
	loss := rewrite.Exact
	for i := range r.Changes {
		loss |= r.Changes[i].Lost()
	}
	return loss
}

// Pipeline is a Normalizer made of rules.
type Pipeline struct {
	target *engine.Target
	rules  []*engine.Rule
	// optional are rules that run only if the options ask for them, besides say_constraints.
	optional []*engine.Rule
	// request bounds the strict tools of a request together.
	request requestLimits
	// fallback serves a tool that the target cannot express; nil if no pipeline does.
	fallback *Pipeline
	watch    func(rule string, parameters *schema.Node) // see Watched; may be nil

	// Options are those that With gave it.
	Options Options
}

// Name returns the name of the target.
func (p *Pipeline) Name() string { return p.target.Name }

// Normalize runs the rules over the tool. A tool that takes more steps than the options
// allow is a *rewrite.BudgetError. A fallback, where there is one, replaces the error.
func (p *Pipeline) Normalize(ctx context.Context, tool schema.Tool) (Result, error) {
	if p.Options.NeverStrict && p.fallback != nil {
		return p.FallBack(ctx, tool, "the options say never strict")
	}
	result, err := p.rewrite(ctx, tool)
	if err != nil && p.fallback != nil && cannotBeSaid(err) {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return p.FallBack(ctx, tool, reason)
	}
	return result, err
}

// cannotBeSaid reports whether an error is one of the tool for the target.
func cannotBeSaid(err error) bool {
	var unrepresentable *rewrite.UnrepresentableError
	var budget *rewrite.BudgetError
	return errors.As(err, &unrepresentable) || errors.As(err, &budget)
}

// rewrite runs the rules over the tool, without the fallback.
func (p *Pipeline) rewrite(ctx context.Context, tool schema.Tool) (result Result, err error) {
	if err := ctx.Err(); err != nil { // a small tool takes fewer steps than lie between looks
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
	return Result{Tool: rewritten, Given: tool, Strict: target.Strict, Changes: changes, Steps: work.Taken()}, nil
}

// FallBack normalizes a tool with the fallback, which there must be. The reason is that of
// the result.
func (p *Pipeline) FallBack(ctx context.Context, tool schema.Tool, reason string) (Result, error) {
	result, err := p.fallback.With(p.Options).Normalize(ctx, tool)
	result.Fallback = reason
	return result, err
}

// onDemand returns the rules that run only if the options ask for them.
func (p *Pipeline) onDemand() []*engine.Rule {
	if slices.Contains(p.rules, rules.SayConstraints) {
		return p.optional
	}
	return append(slices.Clip(p.optional), rules.SayConstraints)
}

// Rules returns what is known of the rules that run in any case, in their order.
func (p *Pipeline) Rules() []Rule {
	known := make([]Rule, len(p.rules))
	for i, rule := range p.rules {
		known[i] = documented(rule)
	}
	return known
}

// Has reports whether the pipeline has the named rule, be it only for certain options.
func (p *Pipeline) Has(name string) bool {
	isNamed := func(rule *engine.Rule) bool { return rule.Name == name }
	return slices.ContainsFunc(p.rules, isNamed) || slices.ContainsFunc(p.onDemand(), isNamed)
}

// Limits returns what the tools of the pipeline keep to today.
func (p *Pipeline) Limits() Limits {
	return Limits{NameLength: p.target.NameGrammar.MaxLength, DescriptionLength: int(engine.LimitsOf[rules.MaxDescription](p.target)), Repeated: engine.LimitsOf[rules.Repeated](p.target)}
}

// Limits are what the tools of a pipeline keep to, where a client or a page asks for it.
type Limits struct {
	// NameLength and DescriptionLength bound the characters in the name and in the
	// description of a tool; 0 means no bound.
	NameLength, DescriptionLength int
	// Repeated are the keywords that stay and that the description says as well.
	Repeated []string
}

// Days returns the days on which the surface dropped a limit, the latest first. With an AsOf
// before such a day the tools keep to the limit.
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

// Without returns the pipeline without the named rule, or without the limits that the surface
// had until the named one of its Days. Tests show with it that each of them is needed.
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

// Watched returns the pipeline with a function that it calls after each rule, until one finds
// that the target cannot express the tool, with the name of the rule and the parameters as they
// are then, which may be nil. Tests hold invariants with it.
func (p *Pipeline) Watched(watch func(rule string, parameters *schema.Node)) *Pipeline {
	clone := *p
	clone.watch = watch
	return &clone
}
