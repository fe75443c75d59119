// Package semantics asks what a schema means: which instances it accepts. A
// provider's own form is read as JSON Schema first. Nothing is ever fetched.
package semantics

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/schema"
)

// Schema is a compiled schema.
type Schema struct{ compiled *jsonschema.Schema }

// Compile reads a schema in JSON Schema, or in the form that Google's proto
// surfaces take. It returns an error for what is no valid JSON Schema then.
func Compile(node *schema.Node) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuse{})
	const address = "mem:///schema.json"
	if err := compiler.AddResource(address, value(standard(node))); err != nil {
		return nil, fmt.Errorf("compiling a schema: %w", err)
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("compiling a schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// refuse is a loader that loads nothing.
type refuse struct{}

func (refuse) Load(string) (any, error) {
	return nil, errors.New("references out of the schema are not followed")
}

// Accepts reports whether the schema accepts the instance.
func (s *Schema) Accepts(instance *schema.Node) bool {
	return s.compiled.Validate(value(instance)) == nil
}

// value turns a tree into the values that the validator works on.
func value(node *schema.Node) any {
	switch node.Kind {
	case schema.Object:
		object := make(map[string]any, len(node.Members))
		for _, member := range node.Members {
			object[member.Key] = value(member.Value)
		}
		return object
	case schema.Array:
		array := make([]any, len(node.Elements))
		for i, element := range node.Elements {
			array[i] = value(element)
		}
		return array
	case schema.String:
		return node.Text
	case schema.Number:
		return json.Number(node.Text) // loses no digits
	case schema.Bool:
		return node.Text == "true"
	default:
		return nil
	}
}

// standard returns a copy of the schema in JSON Schema's own words: lower-case
// types, and null among the types or branches for nullable.
func standard(node *schema.Node) *schema.Node {
	if node == nil {
		return schema.NewObject()
	}
	clone := node.Clone()
	clone.Walk(func(_ schema.Pointer, subschema *schema.Node) bool {
		if name := subschema.GetString("type"); name != strings.ToLower(name) {
			subschema.Set("type", schema.NewString(strings.ToLower(name)))
		}
		if subschema.Delete("nullable").IsTrue() {
			acceptNull(subschema)
		}
		return true
	})
	return clone
}

// acceptNull makes a schema accept null besides what it accepts.
func acceptNull(node *schema.Node) {
	content := *node
	content.Members = slices.Clone(node.Members)
	null := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("null")})
	node.Members = []schema.Member{{Key: "anyOf", Value: schema.NewArray(&content, null)}}
}
