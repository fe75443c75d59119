package rules

import (
	"math"
	"strconv"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// FloatNumbers serves engines that read every number as a float.
var FloatNumbers = &rewrite.Rule{
	Name: "float_numbers",
	Doc: `a number that a float of 64 bits has no room for goes into the description

An engine cannot read the request otherwise, wherever such a number stands: as a bound, or
in a default or an enum. The keyword goes with all of its value. Sources: json.hpp of
llama.cpp ec98e2002; picojson.h of xgrammar 0.1.27.`,
	Before: `{"type": "object", "properties": {"n": {"enum": [1, 1e999]}, "m": {"type": "number", "maximum": 1e999}}}`,
	After: `{"type": "object", "properties": {"n": {"description": "{enum: [1,1e999]}"}, ` +
		`"m": {"type": "number", "description": "{maximum: 1e999}"}}}`,
	Loss: rewrite.Both,
	Rewrite: func(p *rewrite.Pass) {
		if p.Target.FloatNumbers && p.Schema.Kind == schema.Object {
			spillData(p, hasOverflow)
		}
	},
}

// hasOverflow reports whether a number in a value has no room in a float.
func hasOverflow(p *rewrite.Pass, value *schema.Node) bool {
	p.Charge(1)
	if value.Kind == schema.Number {
		float, _ := strconv.ParseFloat(value.Text, 64)
		return math.IsInf(float, 0)
	}
	for _, element := range value.Elements {
		if hasOverflow(p, element) {
			return true
		}
	}
	for _, member := range value.Members {
		if hasOverflow(p, member.Value) {
			return true
		}
	}
	return false
}
