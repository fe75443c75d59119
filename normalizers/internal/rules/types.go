// Package rules holds the rewrite rules, one in each file: the file, the variable and the rule
// share one name. The limits of a target that a rule reads are a type in the same file. The few
// files without a rule hold what several rules need to know of JSON Schema.
package rules

import (
	"slices"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// anyType is the name that stands for all types.
const anyType = "any"

// namesTypes reports whether a schema names types at all.
func namesTypes(node *schema.Node) bool {
	value := node.Get("type")
	return value != nil && (value.Kind == schema.String || slices.ContainsFunc(value.Elements, isStringValue))
}

// everyType reports whether holds returns true for each type that a schema names.
func everyType(node *schema.Node, holds func(name string) bool) bool {
	value := node.Get("type")
	if value == nil || value.Kind == schema.String {
		return value == nil || holds(value.Text)
	}
	return every(value.Elements, func(element *schema.Node) bool { return element.Kind != schema.String || holds(element.Text) })
}

// namesType reports whether a schema names a type, alone or among others.
func namesType(node *schema.Node, name string) bool {
	value := node.Get("type")
	return value.Is(name) || value != nil && slices.ContainsFunc(value.Elements, func(element *schema.Node) bool { return element.Is(name) })
}

// isOfType reports whether a schema names the given type and no other.
func isOfType(node *schema.Node, name string) bool { return node.Get("type").Is(name) }

// setTypes gives a schema types: one as a name, several as a list.
func setTypes(node *schema.Node, names []string) {
	if len(names) == 1 {
		node.Set("type", engine.TypeName(names[0]))
		return
	}
	node.Set("type", schema.NewStrings(names...))
}

// typeOfInstance returns the type of a JSON value, which is integer for a whole number.
func typeOfInstance(value *schema.Node) string {
	if value.IsInteger() {
		return "integer"
	}
	return value.Kind.String()
}

// isOneOfTypes reports whether a value has one of the types, or whether there are none.
func isOneOfTypes(value *schema.Node, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, value.IsOf)
}

// belongsTo holds the types to which each assertion applies; it ignores instances of other types. A
// keyword that is not listed applies to all types.
var belongsTo = map[string][]string{
	"pattern": {"string"}, "minLength": {"string"}, "maxLength": {"string"},
	"contentEncoding": {"string"}, "contentMediaType": {"string"}, "contentSchema": {"string"},

	"minimum": {"number", "integer"}, "maximum": {"number", "integer"}, "multipleOf": {"number", "integer"},
	"exclusiveMinimum": {"number", "integer"}, "exclusiveMaximum": {"number", "integer"},

	"items": {"array"}, "prefixItems": {"array"}, "minItems": {"array"}, "maxItems": {"array"}, "uniqueItems": {"array"},
	"contains": {"array"}, "minContains": {"array"}, "maxContains": {"array"}, "unevaluatedItems": {"array"}, "additionalItems": {"array"},

	"properties": {"object"}, "required": {"object"}, "additionalProperties": {"object"}, "minProperties": {"object"},
	"maxProperties": {"object"}, "patternProperties": {"object"}, "propertyNames": {"object"}, "propertyOrdering": {"object"},
	"dependentRequired": {"object"}, "dependentSchemas": {"object"}, "dependencies": {"object"}, "unevaluatedProperties": {"object"},
}

// isReadAs reports whether an engine of TypeDecides reads a schema as one of the named type.
func isReadAs(node *schema.Node, name string) bool {
	switch {
	case slices.ContainsFunc([]string{"$ref", "const", "enum", "anyOf", "oneOf", "allOf"}, node.Has):
		return false
	case node.Has("type"):
		return namesType(node, name)
	case slices.ContainsFunc([]string{"properties", "additionalProperties", "unevaluatedProperties"}, node.Has):
		return name == "object"
	default:
		return name == "array" && slices.ContainsFunc([]string{"items", "prefixItems", "unevaluatedItems"}, node.Has)
	}
}

// lossIn returns the loss of the whole tool if the schema has the given loss: a keyword around the
// schema, such as not, may accept less if the schema accepts more.
func lossIn(p *engine.Pass, loss rewrite.Loss) rewrite.Loss {
	isTurned := func(outer string) bool { return p.Target.Takes(outer, false) && p.LiesIn(outer) }
	if loss != rewrite.Exact && slices.ContainsFunc([]string{"not", "oneOf", "if", "contains"}, isTurned) {
		return rewrite.Both
	}
	return loss
}

// isNull reports whether a schema accepts null alone.
func isNull(node *schema.Node) bool {
	if isOfType(node, "null") {
		return true
	}
	if value := node.Get("const"); value != nil {
		return value.Kind == schema.Null
	}
	values := node.Get("enum")
	return values != nil && len(values.Elements) == 1 && values.Elements[0].Kind == schema.Null
}

// lossIf returns the loss if the condition holds, and Exact otherwise.
func lossIf(condition bool, loss rewrite.Loss) rewrite.Loss {
	if condition {
		return loss
	}
	return rewrite.Exact
}

// distinctSchemas returns the schemas without those whose JSON equals that of an earlier one.
func distinctSchemas(nodes []*schema.Node) []*schema.Node {
	distinct := make([]*schema.Node, 0, len(nodes))
	seen := make(map[uint64][]*schema.Node, len(nodes))
	for _, node := range nodes {
		hash := node.Hash()
		if !slices.ContainsFunc(seen[hash], func(other *schema.Node) bool { return schema.Identical(node, other) }) {
			seen[hash] = append(seen[hash], node)
			distinct = append(distinct, node)
		}
	}
	return distinct
}

// valuesAmong returns a function that reports whether a value is one of values.
func valuesAmong(p *engine.Pass, values []*schema.Node) func(value *schema.Node) bool {
	var set schema.Values
	for _, value := range values {
		p.Charge(1 + value.Size())
		set.Add(value)
	}
	return func(value *schema.Node) bool {
		p.Charge(1 + value.Size())
		return set.Has(value)
	}
}

// every reports whether holds returns true for all elements.
func every[E any](list []E, holds func(E) bool) bool {
	return !slices.ContainsFunc(list, func(element E) bool { return !holds(element) })
}
