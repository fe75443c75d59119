package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// UntypedSchema serves engines that read a schema by its type.
var UntypedSchema = &engine.Rule{
	Name: "untyped_schema",
	Doc: `a schema without a type lists all types

The schema accepts what it accepted before, even if an engine reads an empty schema as that
of an object. No type is added beside a keyword that an engine takes for one, such as
properties or enum. Some targets need a type only on properties. llama.cpp needed one until
September 2026. Sources: json-schema-to-grammar.cpp of llama.cpp ec98e2002 and wllama 3.6.1;
https://github.com/openclaw/openclaw/issues/113562.`,
	Before: `{"type": "object", "properties": {"a": {"description": "anything"}, "b": {"properties": {}}, "c": {"enum": [1]}}}`,
	After: `{"type": "object", "properties": {"a": {"type": ["string", "number", "boolean", "object", "array", "null"], "description": "anything"}, ` +
		`"b": {"properties": {}}, "c": {"enum": [1]}}}`,
	Loss:    rewrite.Exact,
	Rewrite: listTypes,
}

// TypedBy are the keywords beside which a schema needs no type; nil means that no schema needs one.
type TypedBy []string

// listTypes gives all types to a schema that says none.
func listTypes(p *engine.Pass) {
	typedBy := engine.LimitsOf[TypedBy](p.Target)
	if typedBy == nil || p.IsArguments() || p.Schema.Kind != schema.Object || p.Target.Judged != nil && p.Keyword() != "properties" {
		return
	}
	if !p.Schema.Has("type") && !slices.ContainsFunc(typedBy, p.Schema.Has) {
		giveType(p, []string{"string", "number", "boolean", "object", "array", "null"}, rewrite.Exact)
	}
}
