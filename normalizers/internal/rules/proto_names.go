package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// ProtoNames serves the other rules, which know only the keywords of JSON Schema.
var ProtoNames = &engine.Rule{
	Name: "proto_names",
	Doc: `the field names of Google's proto become the keywords they stand for

Google takes any_of as well as anyOf. For targets that ignore unknown names, the rule
applies only if the type of the root has Google's spelling too: a reader of JSON Schema
ignores the names otherwise, and accepts more. Sources: the field table of the proto; group
live of the corpus.`,
	Before:     `{"type": "array", "min_items": 1, "items": {"any_of": [{"type": "string"}, {"type": "integer"}]}}`,
	After:      `{"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}`,
	Loss:       rewrite.Both,
	Everywhere: true,
	On: []string{
		"any_of", "max_items", "min_items", "max_length", "min_length", "max_properties", "min_properties",
		"property_ordering", "additional_properties",
	},
	Rewrite: func(p *engine.Pass) {
		if p.Target.Typeless && !isOfType(p.Root(), "OBJECT") {
			return
		}
		renameProtoFields(p)
	},
}

var protoFields = map[string]string{
	"any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
	"max_properties": "maxProperties", "min_properties": "minProperties", "property_ordering": "propertyOrdering",
	"additional_properties": "additionalProperties",
}

// renameProtoFields renames the members of a schema. It visits the schemas under any_of and
// additional_properties itself, because they were no subschemas before.
func renameProtoFields(p *engine.Pass) {
	for i := range p.Schema.Members {
		member := p.Schema.Members[i]
		keyword, ok := protoFields[member.Key]
		if !ok || p.Schema.Has(keyword) {
			continue
		}
		p.Replace(member.Key, keyword, member.Value, lossOfProtoName(p, keyword))
		for place := range p.Schema.Subschemas() {
			if place.Keyword == keyword {
				renameBelow(p.Below(place.Node(), keyword))
			}
		}
	}
}

// lossOfProtoName returns the loss of renaming a member for a reader of JSON Schema, who ignored
// it before: Narrows, or Both within a keyword such as not.
func lossOfProtoName(p *engine.Pass, keyword string) rewrite.Loss {
	switch {
	case isOfType(p.Root(), "OBJECT") || keyword == "propertyOrdering":
		return rewrite.Exact
	case p.LiesIn("not") || p.LiesIn("if") || p.LiesIn("oneOf"):
		return rewrite.Both
	default:
		return rewrite.Narrows
	}
}

func renameBelow(p *engine.Pass) {
	for place := range p.Schema.Subschemas() {
		renameBelow(p.Below(place.Node(), place.Keyword))
	}
	renameProtoFields(p)
}
