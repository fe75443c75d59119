package rules

import (
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// SchemaLikeData serves engines that look for keywords in data too.
var SchemaLikeData = &rewrite.Rule{
	Name: "schema_like_data",
	Doc: `data that an engine takes for a schema it refuses goes into the description

The engine looks at all objects within a schema: also at those in a default, in examples
and in an enum. Source: vllm/v1/structured_output/backend_xgrammar.py.`,
	Before: `{"type": "object", "default": {"type": "number", "multipleOf": 2}}`,
	After:  `{"type": "object", "description": "{default: {\"type\":\"number\",\"multipleOf\":2}}"}`,
	Loss:   rewrite.Both,
	Rewrite: func(p *rewrite.Pass) {
		if p.Target.RefusedIf == nil || p.Schema.Kind != schema.Object {
			return
		}
		spillData(p, isRefusedAsData)
	},
}

// spillData spills the keywords of a schema whose value is data that an engine refuses.
func spillData(p *rewrite.Pass, isRefused func(*rewrite.Pass, *schema.Node) bool) {
	p.RemoveEach(func(member schema.Member) (rewrite.Fate, rewrite.Loss) {
		switch class := schema.ClassOf(member.Key); {
		case class != schema.Data && class != schema.Unknown || !isRefused(p, member.Value):
			return rewrite.Stays, rewrite.Exact
		case class == schema.Unknown || schema.IsAnnotation(member.Key):
			return rewrite.IsSpilled, rewrite.Exact
		default:
			return rewrite.IsSpilled, lossIn(p, rewrite.Widens)
		}
	})
}

// isRefusedAsData reports whether an engine refuses a value of data.
func isRefusedAsData(p *rewrite.Pass, value *schema.Node) bool {
	p.Charge(1)
	for _, member := range value.Members {
		if isRefused := p.Target.RefusedIf[member.Key]; isRefused != nil && isRefused(value, "") {
			return true
		}
	}
	for _, element := range value.Elements {
		if isRefusedAsData(p, element) {
			return true
		}
	}
	for _, member := range value.Members {
		if isRefusedAsData(p, member.Value) {
			return true
		}
	}
	return false
}
