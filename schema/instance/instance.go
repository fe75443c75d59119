// Package instance validates instances against schemas. A schema in a provider's own form is
// translated to JSON Schema first. References out of a schema are never followed.
package instance

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/schema"
)

// Schema is a compiled schema. It may be used by several goroutines, which validate one after
// another.
type Schema struct {
	compiled *jsonschema.Schema
	meter    *meter
}

// maxSubschemas bounds the schemas that are compiled: the time that takes is quadratic in their number,
// a second for 10,000.
const maxSubschemas = 8_000

// ErrTooLarge means that a schema has too many subschemas to be compiled.
var ErrTooLarge = fmt.Errorf("the schema has more than %d subschemas", maxSubschemas)

// Compile compiles a schema in JSON Schema or in the form of Google's proto surfaces. It
// returns an error if the schema, or what it is in JSON Schema, is not valid, and ErrTooLarge
// if it may be valid but is too large.
func Compile(node *schema.Node) (*Schema, error) {
	count := 0
	node.Each(func(*schema.Node) bool {
		count++
		return count <= maxSubschemas
	})
	if count > maxSubschemas {
		return nil, ErrTooLarge
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuse{})
	meter := &meter{left: math.MaxInt} // the compiler validates the schema itself
	compiler.UseRegexpEngine(meter.compilePattern)
	compiler.RegisterVocabulary(meter.vocabulary(node.GetString("$schema")))
	compiler.AssertVocabs()
	const address = "mem:///schema.json"
	if err := compiler.AddResource(address, Standard(node).Value()); err != nil {
		return nil, fmt.Errorf("compiling a schema: %w", err)
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("compiling a schema: %w", err)
	}
	return &Schema{compiled, meter}, nil
}

// refuse is a loader that refuses every URI.
type refuse struct{}

func (refuse) Load(string) (any, error) {
	return nil, errors.New("references out of the schema are not followed")
}

// Accepts reports whether the schema accepts the instance. Its work is unbounded: use
// AcceptsWithin if the schema or the instance is not trusted.
func (s *Schema) Accepts(instance *schema.Node) bool {
	return s.meter.validate(s.compiled, instance.Value(), math.MaxInt) == nil
}

// AcceptsWithin reports whether the schema accepts the instance. It returns ErrTooManySteps if
// that takes more than MaxSteps.
func (s *Schema) AcceptsWithin(instance *schema.Node) (bool, error) {
	err := s.meter.validate(s.compiled, instance.Value(), MaxSteps)
	if errors.Is(err, ErrTooManySteps) {
		return false, ErrTooManySteps
	}
	return err == nil, nil
}

// Standard returns a copy of the schema in JSON Schema's own keywords: types are in lower case,
// nullable is replaced by null among the types or branches, and, if the type of the root is
// OBJECT, the proto's names such as any_of become JSON Schema's. Formats are left out, because
// they are annotations in 2020-12 and no model's output is refused for one.
func Standard(node *schema.Node) *schema.Node {
	if node == nil {
		return schema.NewObject()
	}
	clone := node.Clone()
	dialect := clone.GetString("$schema")
	isProto := clone.Get("type").Is("OBJECT")
	isLatest := isLatest(dialect)
	clone.Each(func(subschema *schema.Node) bool {
		subschema.Delete("format")
		if isProto {
			renameProtoFields(subschema)
		}
		if isLatest {
			upgradeItems(subschema)
		}
		if required := subschema.Get("required"); required != nil && required.Kind == schema.Array {
			subschema.Set("required", distinct(required))
		}
		if name := subschema.GetString("type"); name != strings.ToLower(name) {
			subschema.Set("type", schema.NewString(strings.ToLower(name)))
		}
		if nullable := subschema.Delete("nullable"); nullable.IsTrue() || nullable.Is("true") {
			acceptNull(subschema)
		}
		return true
	})
	return clone
}

// protoFields maps the names of fields in Google's proto to JSON Schema's keywords.
var protoFields = map[string]string{
	"any_of": "anyOf", "max_items": "maxItems", "min_items": "minItems", "max_length": "maxLength", "min_length": "minLength",
	"max_properties": "maxProperties", "min_properties": "minProperties", "additional_properties": "additionalProperties",
}

func renameProtoFields(node *schema.Node) {
	for i := range node.Members {
		if keyword := protoFields[node.Members[i].Key]; keyword != "" && !node.Has(keyword) {
			node.Members[i].Key = keyword
		}
	}
}

// upgradeItems turns a list of items, as in the drafts before 2020-12, into prefixItems.
func upgradeItems(node *schema.Node) {
	items := node.Get("items")
	if items == nil || items.Kind != schema.Array || node.Has("prefixItems") {
		return
	}
	node.Delete("items")
	if rest := node.Delete("additionalItems"); rest != nil {
		node.Set("items", rest)
	}
	if len(items.Elements) > 0 {
		node.Set("prefixItems", items)
	}
}

// distinct returns the list without repeated values.
func distinct(list *schema.Node) *schema.Node {
	once, seen := schema.NewArray(), make(map[string]bool, len(list.Elements))
	for _, element := range list.Elements {
		if text := element.String(); !seen[text] {
			seen[text] = true
			once.Elements = append(once.Elements, element)
		}
	}
	return once
}

// acceptNull makes a schema accept null too. Subschemas that a reference can lead to keep their
// place where that is possible.
func acceptNull(node *schema.Node) {
	if !slices.ContainsFunc(node.Members, func(member schema.Member) bool { return slices.Contains(judgesNull, member.Key) }) {
		names := node.Get("type").Strings()
		if name := node.GetString("type"); name != "" {
			names = []string{name}
		}
		if len(names) > 0 && !slices.Contains(names, "null") {
			node.Set("type", schema.NewStrings(append(names, "null")...))
		}
		return
	}
	content, outside := schema.NewObject(), schema.NewObject()
	for _, member := range node.Members {
		if slices.Contains(staysOutside, member.Key) {
			outside.Members = append(outside.Members, member)
		} else {
			content.Members = append(content.Members, member)
		}
	}
	null := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("null")})
	outside.Set("anyOf", schema.NewArray(content, null))
	node.Members = outside.Members
}

var (
	// judgesNull are the keywords, besides type, that can refuse null.
	judgesNull = []string{"enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef"}
	// staysOutside are the keywords that name schemas or say how to read them.
	staysOutside = []string{"$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"}
)
