package engine

import (
	"slices"

	"toolproof/schema"
)

// TypeForm is a set of forms that the keyword type can have.
type TypeForm uint8

// Each schema has one of these forms. Most have Named, and most rules skip such schemas.
const (
	Untyped TypeForm = 1 << iota // there is no type, or the schema is no object
	Named                        // the name of a type of JSON Schema
	Listed                       // a list
	Foreign                      // anything else
)

// TypeNames are the types of JSON Schema.
var TypeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// typeFormOf returns the form of the value of type.
func typeFormOf(value *schema.Node) TypeForm {
	switch {
	case value.Kind == schema.Array:
		return Listed
	case value.Kind == schema.String && slices.Contains(TypeNames, value.Text):
		return Named
	default:
		return Foreign
	}
}
