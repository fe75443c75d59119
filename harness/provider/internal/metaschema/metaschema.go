// Package metaschema validates schemas against the metaschema of JSON Schema.
package metaschema

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// Invalid returns the first value that the metaschema of draft 2020-12 refuses, with the pointer to it,
// or nil. It calls charge with a number of steps before it takes them. Source:
// https://json-schema.org/draft/2020-12/schema, where formats are not asserted.
func Invalid(node *schema.Node, charge func(steps int)) (fault *schema.Node, at schema.Pointer) {
	charge(1 + len(node.Members))
	switch node.Kind {
	case schema.Bool:
		return nil, ""
	case schema.Object:
	default:
		return node, ""
	}
	for i := range node.Members {
		member := &node.Members[i]
		if !isOfDraft(member.Key) {
			continue
		}
		charge(len(member.Value.Elements))
		if !isValid(member.Key, member.Value) {
			return member.Value, at.Child(member.Key)
		}
		for place := range member.Subschemas() {
			if place.Node().IsPlain() {
				continue
			}
			fault, below := Invalid(place.Node(), charge)
			if fault == nil {
				continue
			}
			for _, token := range place.Tokens() {
				at = at.Child(token)
			}
			return fault, at + below
		}
	}
	return nil, ""
}

// isOfDraft reports whether the metaschema restricts a keyword. It does not restrict
// those of other drafts and of OpenAPI.
func isOfDraft(keyword string) bool {
	switch keyword {
	case "nullable", "propertyOrdering", "id", "additionalItems", "$recursiveAnchor", "$recursiveRef":
		return false
	default:
		return schema.ClassOf(keyword) != schema.Unknown
	}
}

// isValid reports whether the value of a keyword is valid, apart from its subschemas.
func isValid(keyword string, value *schema.Node) bool {
	if want := schema.TypeOf(keyword); want != "" && !value.IsOf(want) {
		return false
	}
	switch keyword {
	case "type":
		return IsType(value)
	case "items":
		return value.Kind != schema.Array
	case "anyOf", "allOf", "oneOf", "prefixItems":
		return len(value.Elements) > 0
	case "required":
		return areNames(value)
	case "dependentRequired":
		return !slices.ContainsFunc(value.Members, func(member schema.Member) bool { return !areNames(member.Value) })
	case "multipleOf":
		return !isNegative(value) && strings.Trim(mantissa(value), "0.") != ""
	case "maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength", "minProperties":
		return !isNegative(value)
	default:
		return true
	}
}

// mantissa returns a number without its exponent, because the value of the number may be too large to
// compute.
func mantissa(number *schema.Node) string {
	digits, _, _ := strings.Cut(strings.ToLower(number.Text), "e")
	return digits
}

func isNegative(number *schema.Node) bool {
	return strings.HasPrefix(number.Text, "-") && strings.Trim(mantissa(number), "-0.") != ""
}

// typeNames are the types of JSON Schema.
var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// IsType reports whether a value is the name of a type, or a list of distinct names.
func IsType(value *schema.Node) bool {
	if value.Kind == schema.String {
		return slices.Contains(typeNames, value.Text)
	}
	return len(value.Elements) > 0 && areNames(value) &&
		!slices.ContainsFunc(value.Elements, func(name *schema.Node) bool { return !slices.Contains(typeNames, name.Text) })
}

// areNames reports whether a value is a list of distinct strings.
func areNames(value *schema.Node) bool {
	if value.Kind != schema.Array {
		return false
	}
	seen := make(map[string]bool, len(value.Elements))
	for _, name := range value.Elements {
		if name.Kind != schema.String || seen[name.Text] {
			return false
		}
		seen[name.Text] = true
	}
	return true
}
