package rules

import (
	"strconv"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PlainData serves engines that look into values as if they were schemas.
var PlainData = &rewrite.Rule{
	Name: "plain_data",
	Doc: `a value that stops the engine goes into the description

llama.cpp looks for $ref in every object, also in those of const, enum, default and
examples, and among the names of patternProperties or dependencies. It reads each number as a double. Source: resolve_refs in
json-schema-to-grammar.cpp of llama.cpp ec98e2002.`,
	Before: `{"type": "object", "properties": {"a": {"type": "object", "default": {"$ref": 1}}, "b": {"type": "number", "maximum": 1e400}}}`,
	After: `{"type": "object", "properties": {"a": {"type": "object", "description": "{default: {\"$ref\":1}}"}, ` +
		`"b": {"type": "number", "description": "{maximum: 1e400}"}}}`,
	Loss: rewrite.Widens,
	Rewrite: func(p *rewrite.Pass) {
		if p.Schema.Kind != schema.Object || !p.Target.GrammarLoops {
			return
		}
		p.RemoveEach(func(member schema.Member) (rewrite.Fate, rewrite.Loss) {
			class := schema.ClassOf(member.Key)
			isMap := class.HeldIn(member.Value) == schema.Members && member.Key != "properties" && !areDefinitions(member.Key) && member.Value.Has("$ref")
			if !isMap && (class > schema.Data || !stopsEngine(p, member.Value)) {
				return rewrite.Stays, rewrite.Exact
			}
			if schema.IsAnnotation(member.Key) || class == schema.Unknown {
				return rewrite.IsSpilled, rewrite.Exact
			}
			return rewrite.IsSpilled, lossOfStripping(p, member.Key)
		})
	},
}

// stopsEngine reports whether a value has a member $ref, or a number beyond a double.
func stopsEngine(p *rewrite.Pass, value *schema.Node) bool {
	p.Charge(1 + len(value.Members))
	if value.Kind == schema.Number {
		_, err := strconv.ParseFloat(value.Text, 64)
		return err != nil
	}
	for _, member := range value.Members {
		if member.Key == "$ref" || stopsEngine(p, member.Value) {
			return true
		}
	}
	for _, element := range value.Elements {
		if stopsEngine(p, element) {
			return true
		}
	}
	return false
}
