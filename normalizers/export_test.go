package normalizers

import (
	"slices"

	"toolproof/normalizers/internal/engine"
)

// Parts returns the target of a pipeline, its rules, and those that run for options alone.
func Parts(p *Pipeline) (target *engine.Target, rules, optional []*engine.Rule) {
	return p.target, p.rules, p.onDemand()
}

// Alone returns the pipeline without a fallback, and with rules before its own.
func Alone(p *Pipeline, before ...*engine.Rule) *Pipeline {
	clone := *p
	clone.fallback, clone.rules = nil, slices.Concat(before, p.rules)
	return &clone
}
