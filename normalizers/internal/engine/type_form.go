package engine

import (
	"slices"

	"toolproof/schema"
)

// TypeForm is a set of forms that the type of a schema has.
type TypeForm uint8

// A schema has one of them. Most are Named, and most rules pass over these.
const (
	Untyped TypeForm = 1 << iota // none, also where the schema is no object
	Named                        // a name of JSON Schema
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
