package explore

import (
	"slices"

	"toolproof/harness/construct"
	"toolproof/schema"
)

// table returns the constructs that have a line on the dialects' pages, whether or not real
// tools use them: each keyword on values of the types that it concerns.
func table() []construct.Construct {
	var all []construct.Construct
	for _, keyword := range slices.Sorted(schema.Keywords()) {
		for _, types := range typesOf(keyword) {
			for _, position := range []string{"properties", construct.Root, "items", "anyOf", "$defs"} {
				if position == construct.Root && types != "object" && types != "" {
					continue // arguments are an object
				}
				for _, form := range formsOf(keyword) {
					all = append(all, construct.Construct{Keyword: keyword, Form: form, Types: construct.TypesNamed(types), Position: position})
				}
			}
		}
	}
	return slices.DeleteFunc(all, func(other construct.Construct) bool {
		whole, _ := probe{other, false}.parameters()
		return whole == nil
	})
}

// typesOf returns the types of values that a keyword concerns; "" stands for a schema without a
// type.
func typesOf(keyword string) []string {
	switch keyword {
	case "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema":
		return []string{"string"}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return []string{"integer", "number"}
	case "items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems", "unevaluatedItems":
		return []string{"array"}
	case "properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
		"dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "propertyOrdering":
		return []string{"object"}
	case "type":
		return []string{"string", "integer", "number", "boolean", "array", "object", "null", "string or null", "string or integer"}
	case "enum", "const", "default":
		return []string{"string", "integer", "boolean", "object"}
	case "anyOf", "oneOf", "$ref", "$dynamicRef", "$recursiveRef":
		return []string{"", "object"}
	default:
		return []string{"string", "object"}
	}
}

// formsOf returns the forms of a keyword that providers are known to treat differently.
func formsOf(keyword string) []string {
	switch keyword {
	case "type":
		return []string{"", "a list"}
	case "additionalProperties":
		return []string{"false", "true", "a schema"}
	case "items":
		return []string{"a schema", "a list"}
	case "format":
		return []string{"date-time", "uuid", "uri", "int32", "another name"}
	case "$ref":
		return []string{"", "to the root", "to another resource"}
	case "pattern":
		return []string{"", "looks around"}
	case "enum":
		return []string{"", "of several kinds", "an empty string"}
	case "unevaluatedProperties", "unevaluatedItems", "additionalItems":
		return []string{"false", "a schema"}
	case "not", "if", "then", "else", "contains", "propertyNames", "contentSchema":
		return []string{"a schema"}
	default:
		return []string{""}
	}
}
