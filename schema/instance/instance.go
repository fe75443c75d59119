// Package instance asks what a schema means: which instances it accepts. A
// provider's own form is read as JSON Schema first. Nothing is ever fetched.
package instance

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/schema"
)

// Schema is a compiled schema.
type Schema struct {
	compiled *jsonschema.Schema
	meter    *meter
}

// Compile reads a schema in JSON Schema, or in the form that Google's proto
// surfaces take. It returns an error for what is no valid JSON Schema then.
func Compile(node *schema.Node) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuse{})
	compiler.UseRegexpEngine(compilePattern)
	meter := &meter{left: math.MaxInt} // a compiler validates as well
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

// refuse is a loader that loads nothing.
type refuse struct{}

func (refuse) Load(string) (any, error) {
	return nil, errors.New("references out of the schema are not followed")
}

// compilePattern reads a pattern, also one that writes characters as JavaScript does and Go
// does not: \u002D.
func compilePattern(pattern string) (jsonschema.Regexp, error) { //nolint:ireturn // as the compiler asks for it
	compiled, err := regexp.Compile(writtenInGo(pattern))
	if err != nil {
		return nil, err //nolint:wrapcheck // the compiler says what it is about
	}
	return given{compiled, pattern}, nil
}

// given is a compiled pattern that says itself as it was given.
type given struct {
	*regexp.Regexp

	text string
}

func (g given) String() string { return g.text }

// writtenInGo returns a pattern with \x{002D} for \u002D. Half of a character stays as it is.
func writtenInGo(pattern string) string {
	const digits = 4
	if !strings.Contains(pattern, `\u`) {
		return pattern
	}
	var text strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			text.WriteByte(pattern[i])
			continue
		}
		i++
		if number := pattern[i+1:]; pattern[i] == 'u' && len(number) >= digits {
			code, err := strconv.ParseUint(number[:digits], 16, 16)
			if err == nil && !utf16.IsSurrogate(rune(code)) {
				text.WriteString(`\x{` + number[:digits] + `}`)
				i += digits
				continue
			}
		}
		text.WriteString(pattern[i-1 : i+1])
	}
	return text.String()
}

// Accepts reports whether the schema accepts the instance, however long that takes. Where
// the schema or the instance is foreign, AcceptsWithin is to be asked.
func (s *Schema) Accepts(instance *schema.Node) bool {
	return s.meter.validate(s.compiled, instance.Value(), math.MaxInt) == nil
}

// AcceptsWithin reports whether the schema accepts the instance. The error is
// ErrTooManySteps where MaxSteps were not enough to find out.
func (s *Schema) AcceptsWithin(instance *schema.Node) (bool, error) {
	err := s.meter.validate(s.compiled, instance.Value(), MaxSteps)
	if errors.Is(err, ErrTooManySteps) {
		return false, ErrTooManySteps
	}
	return err == nil, nil
}

// Standard returns a copy of the schema in JSON Schema's own words. Types are in lower
// case, and nullable becomes null among the types or branches. Where the root is an
// OBJECT, any_of becomes anyOf. Formats are left out: they are annotations in 2020-12,
// and what a model writes is not refused for one.
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

// protoFields are the names of Google's proto that JSON Schema spells otherwise.
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

// upgradeItems turns a list of items, which the drafts before 2020-12 have, into
// prefixItems.
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

// distinct returns a list with each value once.
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

// acceptNull makes a schema accept null besides what it accepts. What a reference
// can lead to stays in its place where that can be.
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
	// judgesNull are the keywords, besides type, that null has to satisfy.
	judgesNull = []string{"enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef"}
	// staysOutside are the keywords that name things or say how to read them.
	staysOutside = []string{"$schema", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions"}
)
