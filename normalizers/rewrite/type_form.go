package rewrite

import "toolproof/schema"

// TypeForm is a set of forms that the type of a schema has.
type TypeForm uint8

// A schema has one of them. Most are Named, and most rules pass over these.
const (
	Untyped TypeForm = 1 << iota // none, also where the schema is no object
	Named                        // a name of JSON Schema
	Listed                       // a list
	Foreign                      // anything else
)

// typeFormOf returns the form of the value of type.
func typeFormOf(value *schema.Node) TypeForm {
	if value.Kind == schema.Array {
		return Listed
	}
	switch value.Text {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		if value.Kind == schema.String {
			return Named
		}
	}
	return Foreign
}
