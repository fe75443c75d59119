package rules

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// WholeBounds serves engines that take only whole numbers for counts and bounds of integers.
var WholeBounds = &engine.Rule{
	Name: "whole_bounds",
	Doc: `counts, and the bounds of an integer, are whole numbers

A count of 2.0 becomes 2. An integer from 1.5 becomes one from 2. A bound beyond 64 bits, or
a count beyond 32, goes into the description. Source: json_schema_converter.cc of xgrammar
0.1.27.`,
	Before: `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1.5, "maximum": 1e30}, "s": {"type": "string", "maxLength": 2.0}}}`,
	After: `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 2, "description": "{maximum: 1e30}"}, ` +
		`"s": {"type": "string", "maxLength": 2}}}`,
	Loss: rewrite.Both,
	On: []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"minLength", "maxLength", "minItems", "maxItems", "minContains", "minProperties", "maxProperties",
	},
	Rewrite: func(p *engine.Pass) {
		if !p.Target.TypeDecides || p.Schema.Kind != schema.Object {
			return
		}
		for member := range p.Members() {
			switch about := belongsTo[member.Key]; {
			case member.Value.Kind != schema.Number || len(about) == 0:
			case schema.TypeOf(member.Key) == "integer" && isReadAs(p.Schema, about[0]):
				wholeCount(p, member)
			case about[0] == "number" && member.Key != "multipleOf" && isReadAs(p.Schema, "integer"):
				wholeBound(p, member)
			}
		}
	},
}

// wholeCount writes a count without a fraction.
func wholeCount(p *engine.Pass, member schema.Member) {
	count, ok := member.Value.Int64()
	switch {
	case !ok || count > math.MaxInt32:
		p.SpillAway(member.Key, lossIn(p, rewrite.Widens))
	case strings.ContainsAny(member.Value.Text, ".eE"):
		p.Set(member.Key, schema.NewInt(int(count)), rewrite.Exact)
	}
}

// wholeBound makes a bound of an integer a whole number, unless the engine reads it as one.
func wholeBound(p *engine.Pass, member schema.Member) {
	value, err := strconv.ParseInt(member.Value.Text, 10, 64)
	isEdge := member.Key == "exclusiveMinimum" && value == math.MaxInt64 || member.Key == "exclusiveMaximum" && value == math.MinInt64
	if err == nil && !isEdge {
		return
	}
	const edge = 1 << 63 // the first number beyond the integers of 64 bits
	float, _ := strconv.ParseFloat(member.Value.Text, 64)
	exact := member.Value.Rat()
	switch {
	case isEdge || float >= edge || float <= -edge || exact == nil || namesType(p.Schema, "number") && float != math.Floor(float):
		p.SpillAway(member.Key, lossIn(p, rewrite.Widens))
	case float != math.Floor(float):
		whole := new(big.Int).Div(exact.Num(), exact.Denom())
		if member.Key == "minimum" || member.Key == "exclusiveMaximum" {
			whole.Add(whole, big.NewInt(1))
		}
		p.Set(member.Key, schema.NewNumber(whole.String()), rewrite.Exact)
	}
}
