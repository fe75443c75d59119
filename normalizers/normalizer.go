// Package normalizers rewrites tools so that a provider accepts them. Each
// pipeline serves one surface, needs no configuration, and reports every change
// with its place and its loss:
//
//	result, err := normalizers.Gemini.Normalize(ctx, tool)
package normalizers

import (
	"context"

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
	// Strict is set when the tool is to be sent with strict true.
	Strict bool
	// Fallback says why a strict target sends the tool as one that is not
	// strict; empty otherwise.
	Fallback string
	Changes  []rewrite.Change
	// Unreported is set when the normalizer cannot tell what it changed.
	Unreported bool
}

// Loss returns what the changes lose together, but for what the way back undoes.
func (r Result) Loss() rewrite.Loss {
	loss := rewrite.Exact
	for _, change := range r.Changes {
		if !change.Restored {
			loss |= change.Loss
		}
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

// Normalize runs the rules over the tool.
func (p *Pipeline) Normalize(ctx context.Context, tool schema.Tool) (Result, error) {
	work := rewrite.New(tool, p.Target, p.Options)
	for _, rule := range p.Rules {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		work.Apply(rule)
	}
	rewritten, changes := work.Finish(tool)
	if failure := work.Failure(); failure != nil {
		return p.fallBack(ctx, tool, failure)
	}
	return Result{Tool: rewritten, Strict: p.Target.Strict, Changes: changes}, nil
}

// fallBack gives the tool, as it was given, to the other pipeline.
func (p *Pipeline) fallBack(ctx context.Context, tool schema.Tool, failure *rewrite.UnrepresentableError) (Result, error) {
	if p.Fallback == nil {
		return Result{}, failure
	}
	result, err := p.Fallback.With(p.Options).Normalize(ctx, tool)
	result.Fallback = failure.Error()
	return result, err
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
