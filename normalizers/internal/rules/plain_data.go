package rules

import (
	"slices"
	"strconv"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PlainData serves engines that read values as if they were schemas.
var PlainData = &engine.Rule{
	Name: "plain_data",
	Doc: `a value that stops an engine goes into the description

llama.cpp looked for $ref in every object until October 2026, also in those of const, enum,
default and examples. vLLM looks there for the keywords that it refuses. Engines and protobuf read each
number as a double, and protojson refuses a larger one. llama.cpp and xgrammar take no empty
enum, which becomes {"not": {}}: it accepts no value either. Sources: resolve_refs in json-schema-to-grammar.cpp of llama.cpp ec98e2002;
vllm/v1/structured_output/backend_xgrammar.py; picojson.h of xgrammar 0.1.27; protojson of
google.golang.org/protobuf.`,
	Before:     `{"type": "object", "properties": {"b": {"type": "number", "maximum": 1e400}}}`,
	After:      `{"type": "object", "properties": {"b": {"type": "number", "description": "{maximum: 1e400}"}}}`,
	Loss:       rewrite.Both,
	Everywhere: true,
	Rewrite: func(p *engine.Pass) {
		if p.Schema.Kind != schema.Object {
			return
		}
		if isEmptyEnum(p) {
			p.Replace("enum", "not", schema.NewObject(), rewrite.Exact)
		}
		names := engine.LimitsOf[ReservedInValues](p.Target)
		p.RemoveEach(func(member schema.Member) (engine.Fate, rewrite.Loss) {
			isData := schema.ClassOf(member.Key) <= schema.Data
			if !isData && !givesReserved(member, names) || isData && !stopsEngine(p, member.Value, names) {
				return engine.Stays, rewrite.Exact
			}
			if member.Key == "patternProperties" {
				return engine.IsSpilled, lossIn(p, lossOfNames(p.Schema))
			}
			asserts := !schema.IsAnnotation(member.Key) && schema.ClassOf(member.Key) != schema.Unknown
			return engine.IsSpilled, lossIn(p, lossIf(asserts, rewrite.Widens))
		})
	},
}

// isEmptyEnum reports whether the schema has an enum without values that an engine reads. llama.cpp
// passes over an enum beside a reference, a union or const.
func isEmptyEnum(p *engine.Pass) bool {
	enum := p.Schema.Get("enum")
	if enum == nil || len(enum.Elements) > 0 {
		return false
	}
	isPassedOver := slices.ContainsFunc([]string{"$ref", "oneOf", "anyOf", "const"}, p.Schema.Has)
	return p.Target.TypeDecides || engine.Has[FirstDecides](p.Target) && !isPassedOver
}

// ReservedInValues says which names a surface takes for keywords even within values.
type ReservedInValues struct {
	// Names are names that no object in a value may have, nor an object of schemas.
	Names []string
	// Refused is set if the target's RefusedIf applies also to objects in values.
	Refused bool
}

// givesReserved reports whether a member is an object of schemas with a reserved name that cannot be
// changed. property_keys changes the names of properties and definitions.
func givesReserved(member schema.Member, names ReservedInValues) bool {
	isOfNames := slices.Contains([]string{"patternProperties", "dependentSchemas", "dependencies"}, member.Key)
	return isOfNames && slices.ContainsFunc(names.Names, member.Value.Has)
}

// stopsEngine reports whether a value contains a name that the target takes for a keyword or refuses,
// or a number beyond the range of a double.
func stopsEngine(p *engine.Pass, value *schema.Node, names ReservedInValues) bool {
	p.Charge(1 + len(value.Members))
	if value.Kind == schema.Number {
		_, err := strconv.ParseFloat(value.Text, 64)
		return err != nil
	}
	for _, member := range value.Members {
		isRefused := p.Target.RefusedIf[member.Key]
		switch {
		case slices.Contains(names.Names, member.Key),
			names.Refused && isRefused != nil && isRefused(value, ""),
			stopsEngine(p, member.Value, names):
			return true
		}
	}
	for _, element := range value.Elements {
		if stopsEngine(p, element, names) {
			return true
		}
	}
	return false
}
