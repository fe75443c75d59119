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
	Target *rewrite.Target
	Rules  []*rewrite.Rule
	// Fallback is used for a tool that the target cannot say; nil where there
	// is none.
	Fallback *Pipeline
	Options  rewrite.Options
}

// Name returns the name of the target.
func (p *Pipeline) Name() string { return p.Target.Name }

// Normalize runs the rules over the tool. A tool that takes more steps than the options
// allow is a *rewrite.BudgetError. A fallback, where there is one, replaces the error.
func (p *Pipeline) Normalize(ctx context.Context, tool schema.Tool) (Result, error) {
	if p.Options.NeverStrict && p.Fallback != nil {
		return p.FallBack(ctx, tool, "the options say never strict")
	}
	result, err := p.rewrite(ctx, tool)
	if err != nil && p.Fallback != nil && cannotBeSaid(err) {
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
	defer rewrite.Recover(&err)
	target := p.Target.With(p.Options)
	work := rewrite.New(ctx, tool, target, p.Options)
	for _, rule := range p.Rules {
		work.Apply(rule)
	}
	for _, rule := range p.Optional() {
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
	result, err := p.Fallback.With(p.Options).Normalize(ctx, tool)
	result.Fallback = reason
	return result, err
}

// Optional returns the rules that run only for those who ask for them.
func (p *Pipeline) Optional() []*rewrite.Rule {
	var optional []*rewrite.Rule
	if p.Target.PropertyOrdering {
		optional = append(optional, rules.PropertyOrdering)
	}
	if !slices.Contains(p.Rules, rules.SayConstraints) {
		optional = append(optional, rules.SayConstraints)
	}
	return optional
}

// Has reports whether the pipeline has the rule, be it for options alone.
func (p *Pipeline) Has(rule *rewrite.Rule) bool {
	return slices.Contains(p.Rules, rule) || slices.Contains(p.Optional(), rule)
}

// With returns the pipeline with other options.
func (p *Pipeline) With(options rewrite.Options) *Pipeline {
	clone := *p
	clone.Options = options
	return &clone
}

// Without returns the pipeline without the named rule. The check that every rule
// is needed is made with it.
func (p *Pipeline) Without(name string) *Pipeline {
	clone := *p
	clone.Rules = nil
	for _, rule := range p.Rules {
		if rule.Name != name {
			clone.Rules = append(clone.Rules, rule)
		}
	}
	if p.Fallback != nil {
		clone.Fallback = p.Fallback.Without(name)
	}
	return &clone
}
