package rules

import (
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
)

// ProtoNames serves every target whose rules are to see what a declaration in
// Google's own form says.
var ProtoNames = &engine.Rule{
	Name: "proto_names",
	Doc: `the field names of Google's proto become the keywords they stand for

Google takes any_of beside anyOf. Some targets pass over unknown names: there the root's
type must have Google's spelling too. Without it, a reader of JSON Schema passes over
the names, and accepts more. Sources: the field table of the proto; group live of the
corpus.`,
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

// renameProtoFields renames the members of a schema. What stood under any_of or
// additional_properties was no subschema before, so that it is visited here.
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

// lossOfProtoName returns what a name loses that only Google reads. Inside not, fewer
// instances are more.
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
