package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// PayloadNames serves targets that read keywords in any object, also in values.
var PayloadNames = &engine.Rule{
	Name: "payload_names",
	Doc: `a value that would be read as a reference goes into the description

So does a value within a definition if it has a name with a slash. const becomes an enum, in
which the surface reads no names. Sources: rules reference_elsewhere, reference_dangling and
definition_name of moonshot/chat, 2026-06-29.`,
	Before: `{"type": "object", "properties": {"a": {"type": "object", "default": {"$ref": "x"}}, "b": {"const": {"$ref": "x"}}}, ` +
		`"$defs": {"C": {"type": "object", "default": {"text/plain": 1}}}}`,
	After: `{"type": "object", "properties": {"a": {"type": "object", "description": "{default: {\"$ref\":\"x\"}}"}, "b": {"enum": [{"$ref": "x"}]}}, ` +
		`"$defs": {"C": {"type": "object", "description": "{default: {\"text/plain\":1}}"}}}`,
	Loss: rewrite.Widens,
	Rewrite: func(p *engine.Pass) {
		if !p.Target.DefinitionRefs || p.Schema.Kind != schema.Object {
			return
		}
		isHidden, isDefined := isHidden(p), p.LiesIn("$defs")
		for member := range p.Members() {
			isPayload := false
			switch schema.ClassOf(member.Key) {
			case schema.Data, schema.Unknown:
				isPayload = true
			case schema.OneSchema, schema.SchemaList, schema.SchemaOrList:
			case schema.SchemaMap, schema.SchemaOrNamesMap:
				isPayload = member.Key != "properties" && !areDefinitions(member.Key)
			}
			if !isPayload || len(member.Value.Members)+len(member.Value.Elements) == 0 {
				continue
			}
			isSchemas := schema.ClassOf(member.Key) > schema.Data // the rule visits these schemas themselves
			p.Charge(member.Value.Size())
			switch {
			case isDefined && hasSlash(member.Value, isSchemas):
				p.SpillAway(member.Key, lossIf(!saysNoMore(member.Key), rewrite.Widens))
			case isHidden || !(isSchemas && member.Value.Has("$ref") || !isSchemas && refersWithin(member.Value)):
			case member.Key == "const" && !p.Schema.Has("enum"):
				p.Replace("const", "enum", schema.NewArray(member.Value), rewrite.Exact)
			default:
				p.SpillAway(member.Key, lossIf(!saysNoMore(member.Key), rewrite.Widens))
			}
		}
	},
}

// refersWithin reports whether an object, or an object in it, has a member called $ref.
func refersWithin(value *schema.Node) bool {
	if value.Kind != schema.Object {
		return false
	}
	for _, member := range value.Members {
		if member.Key == "$ref" || refersWithin(member.Value) {
			return true
		}
		if member.Key == "anyOf" && slices.ContainsFunc(member.Value.Elements, refersWithin) {
			return true
		}
	}
	return false
}

// hasSlash reports whether a name in a value has a slash. If the value holds schemas, only the
// names that it gives them count.
func hasSlash(value *schema.Node, isSchemas bool) bool {
	for _, member := range value.Members {
		if strings.Contains(member.Key, "/") || !isSchemas && hasSlash(member.Value, false) {
			return true
		}
	}
	for _, element := range value.Elements {
		if hasSlash(element, false) {
			return true
		}
	}
	return false
}
