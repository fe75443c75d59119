package rules

import (
	"math/big"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ExclusiveBounds serves targets that take only inclusive bounds.
var ExclusiveBounds = &engine.Rule{
	Name: "exclusive_bounds",
	Doc: `an exclusive bound becomes an inclusive one

For integers the next integer is exact: above 5 is from 6. For other numbers the bound
itself becomes valid, and the description excludes it. Of an exclusive and an inclusive
bound the tighter one stays. Sources: docs/seeds.md#seed-002-log-002, patterns 14 and 15;
https://github.com/pizza-bot-app/pizza-bot/issues/62.`,
	Before: `{"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 10, "maximum": 8}`,
	After:  `{"type": "integer", "minimum": 6, "maximum": 8}`,
	Loss:   rewrite.Widens,
	On:     []string{"exclusiveMinimum", "exclusiveMaximum"},
	Rewrite: func(p *engine.Pass) {
		includeBound(p, "exclusiveMinimum", "minimum", 1)
		includeBound(p, "exclusiveMaximum", "maximum", -1)
	},
}

// includeBound replaces a bound; direction is 1 for a lower bound and -1 for an upper one.
func includeBound(p *engine.Pass, exclusive, inclusive string, direction int64) {
	value := p.Schema.Get(exclusive)
	if value == nil || !p.Refuses(exclusive) {
		return
	}
	bound, beside := value.Rat(), p.Schema.Get(inclusive).Rat()
	if bound == nil || isOutOfRange(schema.Member{Key: exclusive, Value: value}) {
		p.SpillAway(exclusive, rewrite.Widens)
		return
	}
	next, loss := value, rewrite.Widens
	if isOfType(p.Schema, "integer") {
		next, loss = schema.NewNumber(nextInteger(bound, direction).String()), rewrite.Exact
	}
	tighter := beside == nil || next.Rat().Cmp(beside)*int(direction) >= 0
	switch {
	case beside != nil && bound.Cmp(beside)*int(direction) < 0:
		p.Remove(exclusive, rewrite.Exact) // the inclusive bound is tighter
	case !tighter:
		p.Remove(exclusive, rewrite.Exact)
	default:
		if loss != rewrite.Exact {
			p.Spill(exclusive, value)
		}
		p.Replace(exclusive, inclusive, next, loss)
	}
}

// nextInteger returns the first integer beyond a number in a direction.
func nextInteger(number *big.Rat, direction int64) *big.Int {
	floor := new(big.Int).Div(number.Num(), number.Denom()) // Euclidean: rounds down for a positive denominator
	if direction > 0 {
		return floor.Add(floor, big.NewInt(1))
	}
	if number.IsInt() {
		return floor.Sub(floor, big.NewInt(1))
	}
	return floor
}
