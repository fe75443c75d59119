package engine

import (
	"slices"
	"strings"

	"toolproof/schema"
)

// TypeForm is a set of forms that the keyword type can have.
type TypeForm uint8

// A schema has one of these forms. Most are Named, and most rules skip such schemas.
const (
	Untyped TypeForm = 1 << iota // there is no type, or the schema is not an object
	Named                        // a type of JSON Schema
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

// TypeName returns a node with the name of a type. All results share the nodes of JSON Schema's
// types and of their upper-case forms, because even a small tool can have a type at very many places.
func TypeName(name string) *schema.Node {
	if node := typeNodes[name]; node != nil {
		return node
	}
	return schema.NewString(name)
}

var typeNodes = func() map[string]*schema.Node {
	nodes := map[string]*schema.Node{}
	for _, name := range TypeNames {
		upper := strings.ToUpper(name)
		nodes[name], nodes[upper] = schema.NewString(name), schema.NewString(upper)
	}
	return nodes
}()
