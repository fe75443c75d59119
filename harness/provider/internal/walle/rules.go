package walle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

const (
	// source is the published source of the validator.
	source = "the source of walle, as https://github.com/MoonshotAI/walle has it; docs/providers.md#moonshot"
	limits = "the documentation of https://github.com/MoonshotAI/walle; docs/providers.md#moonshot"
)

// relaxed is the day on which Moonshot's own endpoint was measured to accept a type beside anyOf, with
// kimi-k3 and kimi-k2.6: https://github.com/14790897/MiqroForge-Desktop/issues/1165. Moonshot's
// endpoint for coding still refused it on 2026-08-26.
const relaxed = "2026-09-21"

var documentRules = []*provider.Rule{notObject, tooLarge}

// notObject reports a schema other than an object.
var notObject = &provider.Rule{
	Name:   "not_object",
	Effect: provider.Rejects,
	Stage:  document,
	Doc:    `the schema is an object, not true or false`,
	Evidence: []string{
		"moonshot/response_format/50684bfa4914",
		// Near misses.
		"moonshot/response_format/b27c060c59a2",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object {
			return
		}
		if p.Node.Kind == schema.Null {
			report(p, "schema must be a dict")
			return
		}
		var object map[string]any // as the validator, which is written in Go, decodes it
		err := json.Unmarshal(p.Node.JSON(), &object)
		if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
			reportWhole(p, "root", fmt.Sprintf("JSON schema parsing error: JSON type error at offset %d: expected %s but got %s",
				mismatch.Offset, mismatch.Type, mismatch.Value))
		}
	},
}

// tooLarge reports a schema with too many bytes.
var tooLarge = &provider.Rule{
	Name:   "too_large",
	Effect: provider.Rejects,
	Stage:  document,
	Doc: `the schema has 120,000 bytes at most, as JSON without spaces

<, > and & count as six bytes each.`,
	Source: limits,
	Check: func(p *provider.Pass) {
		if p.Charge(p.Node.Size()); p.Node.MostBytes() <= mostBytes {
			return // spares most schemas the encoding
		}
		text := p.Node.JSON()
		p.ChargeText(len(text))
		size := len(text)
		for _, escaped := range []string{"<", ">", "&"} {
			size += (len(`\u003c`) - 1) * bytes.Count(text, []byte(escaped))
		}
		if size > mostBytes {
			report(p, "schema exceeds maximum allowed size")
		}
	},
}

// subschemaRules are in the validator's order: those about the type first, then those
// about keywords, by name.
var subschemaRules = []*provider.Rule{
	definitionNotObject, tooDeep, unionTypedTwice, unionBesideType, referenceBesideType, enumOfStructures, unknownType, keywordBesideTypes, keywordKind,
	definitionName, referencePrefix, definitionsMissing, unionSize, branchNotObject, enumSize, bracesInName, enumWithoutType, enumTypes, enumValue,
	propertyName, propertyNotObject, requiredName, branchRequires, requiredUndeclared, typeKind, unionConflict,
}

// definitionNotObject reports a definition other than an object.
var definitionNotObject = &provider.Rule{
	Name:   "definition_not_object",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a definition is an object, not true or false`,
	Evidence: []string{
		"moonshot/response_format/5efdc28c7967",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		if where := in(p); where.isDefinition && p.Node.Kind != schema.Object {
			at := *where
			at.parts = at.parts[:len(at.parts)-1]
			p.Subject = &at
			report(p, "$defs schema must be object")
		}
	},
}

// tooDeep reports a schema below too many levels of properties.
var tooDeep = &provider.Rule{
	Name:   "too_deep",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `a schema has 30 levels of properties at most

Items, additionalProperties and branches do not count as levels. The model does not count
levels behind a reference, though the validator does.`,
	Source: limits,
	Check: func(p *provider.Pass) {
		if in(p).depth > mostLevels {
			report(p, "schema depth exceeds maximum limit of "+strconv.Itoa(mostLevels))
		}
	},
}

// unionBesideType reports a union with a type beside it.
var unionBesideType = &provider.Rule{
	Name:   "union_beside_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  relaxed,
	Doc: `anyOf whose branches have no type has none beside it either

Moonshot's own endpoint was measured to accept it on 2026-09-21, as the validator's later
documentation says.`,
	Evidence: []string{
		"moonshot/chat/d95a37e5204e",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if union := p.Node.Get("anyOf"); union != nil && p.Node.Has("type") && !slices.ContainsFunc(union.Elements, hasType) {
			report(p, unionHasType)
		}
	},
}

const unionHasType = "when using anyOf, type should be defined in anyOf items instead of the parent schema"

// unionTypedTwice reports a union with a type both beside it and in a branch.
var unionTypedTwice = &provider.Rule{
	Name:   "union_typed_twice",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `anyOf has no type beside it if a branch has one

This is the same rule as union_beside_type, and it is not known to have ended: what was
measured on 2026-09-21 had branches without a type, and api.kimi.com/coding refused it
in the month of September.`,
	Evidence: []string{
		"moonshot/chat/9ac461e48c25",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		if union := p.Node.Get("anyOf"); union != nil && p.Node.Has("type") && slices.ContainsFunc(union.Elements, hasType) {
			report(p, unionHasType)
		}
	},
}

func hasType(node *schema.Node) bool { return node.Has("type") }

// referenceBesideType reports a reference with a type beside it.
var referenceBesideType = &provider.Rule{
	Name:   "reference_beside_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a reference has no type beside it`,
	Evidence: []string{
		"moonshot/response_format/ae0dd808e665",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("type") && p.Node.Has("$ref") {
			report(p, "when using $ref, type should be defined in the referenced schema instead of the parent schema")
		}
	},
}

// enumOfStructures reports an enum where one of several types is object or array.
var enumOfStructures = &provider.Rule{
	Name:   "enum_of_structures",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a list of types beside enum has neither object nor array`,
	Source: source,
	Check: func(p *provider.Pass) {
		types := typesOf(p.Node)
		if len(types) < 2 || !p.Node.Has("enum") {
			return
		}
		if i := slices.IndexFunc(types, isStructure); i >= 0 {
			report(p, "type "+types[i].Text+" is not allowed in combination with enum")
		}
	},
}

// typesOf returns the elements of a list of types, or nil if the type is not a list.
func typesOf(node *schema.Node) []*schema.Node {
	if value := node.Get("type"); value != nil && value.Kind == schema.Array {
		return value.Elements
	}
	return nil
}

func isStructure(value *schema.Node) bool { return value.Is("object") || value.Is("array") }

func isType(value *schema.Node) bool {
	names := []string{"string", "number", "integer", "boolean", "null", "array", "object"}
	return value.Kind == schema.String && slices.Contains(names, value.Text)
}

// unknownType reports a type that JSON Schema does not have.
var unknownType = &provider.Rule{
	Name:   "unknown_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a type that JSON Schema does not have, or an empty list of types, fails the request`,
	Evidence: []string{
		"moonshot/response_format/906779246bbc",
		// Near misses.
		"moonshot/response_format/fd9373a0c0b3",
	},
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		switch {
		case value == nil:
		case value.Kind == schema.String && !isType(value):
			report(p, "invalid type")
		case value.Kind == schema.Array && len(value.Elements) == 0:
			report(p, "type array cannot be empty")
		case value.Kind == schema.Array && !allOf(value.Elements, isType):
			report(p, "invalid type in type array")
		}
	},
}

func allOf(values []*schema.Node, holds func(*schema.Node) bool) bool {
	return !slices.ContainsFunc(values, func(value *schema.Node) bool { return !holds(value) })
}

// keywordBesideTypes reports a keyword beside several types.
var keywordBesideTypes = &provider.Rule{
	Name:   "keyword_beside_types",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `beside several types there are only title and description, and at the root $defs and $id

$schema at the root is refused. The two types that enum_types allows beside an enum may have
any keyword beside them. The message names any one of several keywords.`,
	Evidence: []string{
		"moonshot/response_format/0eb866e13127",
		// Near misses.
		"moonshot/response_format/ab96b2ec0438",
	},
	Check: func(p *provider.Pass) {
		types := typesOf(p.Node)
		if len(types) < 2 || len(types) == 2 && p.Node.Has("enum") && p.Node.Get("enum").Kind != schema.Null {
			return
		}
		for _, member := range p.Node.Members {
			isRootOnly := len(in(p).parts) == 0 && (member.Key == "$defs" || member.Key == "$id")
			if member.Key != "type" && !isAnnotation(member.Key) && !isRootOnly {
				report(p, "keyword "+member.Key+" is not allowed in combination with multiple types")
			}
		}
	},
}

// kinds has the kind of each keyword's value, in the order in which the validator checks them.
var kinds = []struct {
	keyword string
	kind    schema.Kind
	words   string
	orNull  bool
}{
	{"$defs", schema.Object, "an object", false},
	{"$id", schema.String, "a string", true},
	{"$ref", schema.String, "a string", false},
	{"additionalProperties", schema.Object, "a boolean or an object", false},
	{"anyOf", schema.Array, "an array", false},
	{"description", schema.String, "a string", false},
	{"enum", schema.Array, "an array", false},
	{"items", schema.Object, "an object", false},
	{"pattern", schema.String, "a string", true},
	{"properties", schema.Object, "an object", false},
	{"required", schema.Array, "an array", false},
}

// keywordKind reports a keyword whose value is of the wrong kind.
var keywordKind = &provider.Rule{
	Name:   "keyword_kind",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `the value of a keyword is of its kind

An object: $defs, items, properties, and additionalProperties, which may be true or false.
A string: $ref and description, and $id and pattern, which may be null. An array: anyOf,
enum and required. Refusals of items and description are recorded; the rest is known from the
source.`,
	Evidence: []string{
		"moonshot/response_format/29d8ccca2e22",
		"moonshot/response_format/53e6d241963f",
		// Near misses.
		"moonshot/response_format/a0dcb4d713a4",
		"moonshot/response_format/20a083f7d407",
		// Tools with all common keywords.
		"moonshot/chat/99b589026013",
		"moonshot/chat/b21865e1b48d",
		"moonshot/chat/e9d5fd7634d0",
		"moonshot/chat/64c1c4ef0805",
		"moonshot/chat/07c8acb409fe",
		"moonshot/chat/2c9fe1681fe3",
		"moonshot/chat/51221b9cee4d",
		"moonshot/chat/13554cc5494a",
		"moonshot/chat/ff9526d02fbc",
		"moonshot/chat/2f54c9bd024c",
	},
	Check: func(p *provider.Pass) {
		for _, row := range kinds {
			value := p.Node.Get(row.keyword)
			isBool := value != nil && value.Kind == schema.Bool && row.keyword == "additionalProperties"
			isNull := value != nil && value.Kind == schema.Null && row.orNull
			if value != nil && value.Kind != row.kind && !isBool && !isNull {
				report(p, row.keyword+" must be "+row.words, row.keyword)
				return
			}
		}
	},
}

// bracesInName reports certain keywords below a property with braces in its name.
var bracesInName = &provider.Rule{
	Name:   "braces_in_name",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `below a property whose name has braces there is no $ref, anyOf, enum or required

The validator mistakes the braces for the index of a branch, and so does not find the schema
again when it judges the keywords beside these.`,
	Evidence: []string{
		"moonshot/response_format/9872d4b59121",
		// Near misses.
		"moonshot/response_format/b3d7c5a53fd6",
	},
	Check: func(p *provider.Pass) {
		where := in(p)
		if !where.isLost {
			return
		}
		for _, keyword := range []string{"$ref", "anyOf", "enum", "required"} {
			value := p.Node.Get(keyword)
			if value != nil && !value.Is("#") && (keyword != "required" || len(value.Elements) > 0) {
				report(p, "invalid path: "+where.raw(), keyword)
				return
			}
		}
	},
}

// definitionName reports a name of a definition, or inside one, that references cannot
// spell.
var definitionName = &provider.Rule{
	Name:   "definition_name",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `the name of a definition is not empty, and no name in it has a slash

All names count: those of properties in a definition, and of members of its default. Which of
several the message names varies.`,
	Evidence: []string{
		"moonshot/response_format/84d197838dcf",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		for _, member := range objectOf(p.Node, "$defs") {
			switch {
			case member.Key == "":
				report(p, "$defs property name cannot be empty", "$defs")
			case strings.Contains(member.Key, "/"):
				reportSlash(p, member.Key, []string{"$defs"})
			default:
				slashes(p, member.Value, []string{"$defs", member.Key})
			}
		}
	},
}

func reportSlash(p *provider.Pass, name string, parts []string) {
	report(p, "$defs property name '"+name+"' cannot contain '/' character", parts...)
}

// slashes reports the names in a value that have a slash. The parts lead to the value.
func slashes(p *provider.Pass, value *schema.Node, parts []string) {
	p.Charge(1 + len(value.Members))
	for _, member := range value.Members {
		if strings.Contains(member.Key, "/") {
			reportSlash(p, member.Key, parts[:len(parts)-1])
			continue
		}
		if member.Value.Kind == schema.Object {
			slashes(p, member.Value, append(slices.Clip(parts), member.Key))
		}
		for i, element := range member.Value.Elements {
			if element.Kind == schema.Object {
				slashes(p, element, append(slices.Clip(parts), fmt.Sprintf("%s[%d]", member.Key, i)))
			}
		}
	}
}

// referencePrefix reports a reference to anything but a definition or the root.
var referencePrefix = &provider.Rule{
	Name:   "reference_prefix",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a reference leads to the root or to a definition below $defs`,
	Evidence: []string{
		"moonshot/response_format/07d370175d6e",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		if reference == nil || reference.Is("#") {
			return
		}
		name, isDefinition := strings.CutPrefix(reference.Text, "#/$defs/")
		switch {
		case !isDefinition:
			report(p, "references must start with #/$defs/", "$ref")
		case name == "":
			report(p, "definition name cannot be empty", "$ref")
		}
	},
}

// definitionsMissing reports a reference where the root has no definitions.
var definitionsMissing = &provider.Rule{
	Name:   "definitions_missing",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `where there is a reference to a definition the root has $defs`,
	Source: source,
	Check: func(p *provider.Pass) {
		if reference := p.Node.Get("$ref"); reference != nil && !reference.Is("#") && !in(p).root.Has("$defs") {
			report(p, "$defs not found for reference: "+reference.Text, "$ref")
		}
	},
}

// unionSize reports a union with too few or too many branches.
var unionSize = &provider.Rule{
	Name:   "union_size",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `anyOf has 1 to 500 branches`,
	Source: limits,
	Check: func(p *provider.Pass) {
		if union := p.Node.Get("anyOf"); union != nil && (len(union.Elements) == 0 || len(union.Elements) > mostBranches) {
			report(p, fmt.Sprintf("anyOf must have 1-%d items", mostBranches), "anyOf")
		}
	},
}

// branchNotObject reports a branch other than an object.
var branchNotObject = &provider.Rule{
	Name:   "branch_not_object",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a branch of anyOf is an object, not true or false`,
	Evidence: []string{
		"moonshot/response_format/5b6204febf7d",
		// Near misses.
		"moonshot/response_format/0bba48d4f0f6",
	},
	Check: func(p *provider.Pass) {
		if union := p.Node.Get("anyOf"); union != nil && !allOf(union.Elements, isObject) {
			report(p, "schema in anyOf must be an object", "anyOf")
		}
	},
}

func isObject(value *schema.Node) bool { return value.Kind == schema.Object }

// enumSize reports an enum with too few or too many values.
var enumSize = &provider.Rule{
	Name:   "enum_size",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `enum has 1 to 1,000 values`,
	Evidence: []string{
		"moonshot/response_format/28f8cc131140",
		// Near misses.
		"moonshot/response_format/07a5db094bd9",
	},
	Check: func(p *provider.Pass) {
		enum := p.Node.Get("enum")
		switch {
		case enum == nil:
		case len(enum.Elements) == 0:
			report(p, "enum array cannot be empty", "enum")
		case len(enum.Elements) > mostValues:
			report(p, fmt.Sprintf("enum array cannot have more than %d items", mostValues), "enum")
		}
	},
}

// enumWithoutType reports an enum without a type.
var enumWithoutType = &provider.Rule{
	Name:   "enum_without_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `enum has a type beside it, which is a string or a list`,
	Evidence: []string{
		"moonshot/response_format/3868bc5de0f3",
		// Near misses.
		"moonshot/response_format/07a5db094bd9",
	},
	Check: func(p *provider.Pass) {
		value := p.Node.Get("type")
		switch {
		case !p.Node.Has("enum"):
		case value == nil:
			report(p, "type is not defined")
		case value.Kind != schema.String && value.Kind != schema.Array:
			report(p, "invalid type value")
		}
	},
}

// enumTypes reports an enum beside several types.
var enumTypes = &provider.Rule{
	Name:   "enum_types",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `beside enum there is one type, or one and null`,
	Evidence: []string{
		"moonshot/response_format/3b5d1e322556",
		// Near misses.
		"moonshot/response_format/07a5db094bd9",
	},
	Check: func(p *provider.Pass) {
		types := typesOf(p.Node)
		isNull := func(value *schema.Node) bool { return value.Is("null") }
		switch {
		case !p.Node.Has("enum") || len(types) < 2:
		case len(types) > 2 || !slices.ContainsFunc(types, isNull):
			report(p, "when type is array and enum is specified, currently only 2 types are supported, one must be null, and the other can be string/integer/number/boolean")
		case allOf(types, isNull):
			report(p, "invalid type combination with enum:  + null")
		}
	},
}

// enumValue reports a value of an enum that is not of its type.
var enumValue = &provider.Rule{
	Name:   "enum_value",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a value of enum is of the type beside it`,
	Evidence: []string{
		"moonshot/response_format/b0d5cf724a5c",
		// Near misses.
		"moonshot/response_format/07a5db094bd9",
	},
	Check: func(p *provider.Pass) {
		enum := p.Node.Get("enum")
		if enum == nil {
			return
		}
		types := p.Node.Types()
		p.Charge(len(enum.Elements))
		for _, value := range enum.Elements {
			if words := misfit(value, types); words != "" {
				report(p, words, "enum")
				return
			}
		}
	},
}

// misfit returns the validator's words about a value that is of none of the types, or "". The types are
// tried in order.
func misfit(value *schema.Node, types []string) string {
	for _, name := range types {
		isNumber := value.Kind == schema.Number
		switch {
		case name == "integer" && (!isNumber || !value.IsInteger()):
			return "not a valid integer"
		case name == "number" && !isNumber:
			return "not a valid number"
		case value.IsOf(name):
			return ""
		}
	}
	return fmt.Sprintf("enum value (%v) does not match any type in %v", decoded(value), types)
}

// decoded returns the value as the validator, which is written in Go, decodes it.
func decoded(value *schema.Node) any {
	var read any
	if err := json.Unmarshal(value.JSON(), &read); err != nil {
		return value.Text // a number beyond the range of float64
	}
	return read
}

// propertyName reports a property with the name of a keyword.
var propertyName = &provider.Rule{
	Name:   "property_name",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `a property is not named $defs, $ref, anyOf, required or additionalProperties

The validator visits properties in no particular order, so the message names any of several.`,
	Evidence: []string{
		"moonshot/response_format/19b1917594f9",
		// Near misses.
		"moonshot/response_format/b3d7c5a53fd6",
	},
	Check: func(p *provider.Pass) {
		for _, member := range objectOf(p.Node, "properties") {
			switch member.Key {
			case "$defs", "$ref", "anyOf", "required", "additionalProperties":
				report(p, "property name '"+member.Key+"' is reserved for JSON Schema keywords", "properties")
			}
		}
	},
}

// propertyNotObject reports a property whose schema is not an object.
var propertyNotObject = &provider.Rule{
	Name:   "property_not_object",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `the schema of a property is an object, not true or false`,
	Evidence: []string{
		"moonshot/chat/08ff540db695",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		for _, member := range objectOf(p.Node, "properties") {
			if !isObject(member.Value) {
				report(p, "property schema for '"+member.Key+"' must be an object", "properties")
			}
		}
	},
}

// requiredName reports a required name other than a string.
var requiredName = &provider.Rule{
	Name:   "required_name",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `required names strings`,
	Source: source,
	Check: func(p *provider.Pass) {
		isString := func(value *schema.Node) bool { return value.Kind == schema.String }
		if required := p.Node.Get("required"); required != nil && !allOf(required.Elements, isString) {
			report(p, "items in required array must be strings", "required")
		}
	},
}

// branchRequires reports a branch with required and without properties.
var branchRequires = &provider.Rule{
	Name:   "branch_requires",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  relaxed,
	Doc: `a branch of anyOf that has required has properties

Moonshot's own endpoint was measured to accept it without on 2026-09-21.`,
	Source: source,
	Check: func(p *provider.Pass) {
		if requiresAlone(p) {
			reportUndeclared(p)
		}
	},
}

// requiresAlone reports whether a schema is a branch with required and without
// properties.
func requiresAlone(p *provider.Pass) bool {
	parts := in(p).parts
	return len(parts) > 0 && strings.HasPrefix(parts[len(parts)-1], "anyOf{") && p.Node.Has("required") && !p.Node.Has("properties")
}

// requiredUndeclared reports a required name that the properties beside it lack.
var requiredUndeclared = &provider.Rule{
	Name:   "required_undeclared",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `required names properties that are declared beside it

The validator's later documentation says that they need not be. Whether the server follows it,
and since when, is known of branches only.`,
	Evidence: []string{
		"moonshot/response_format/e0fb73550c7f",
		// Near misses.
		"moonshot/response_format/b3d7c5a53fd6",
	},
	Check: func(p *provider.Pass) {
		if !requiresAlone(p) {
			reportUndeclared(p)
		}
	},
}

// reportUndeclared reports the first required name that is not declared.
func reportUndeclared(p *provider.Pass) {
	required := p.Node.Get("required")
	if required == nil {
		return
	}
	p.Charge(len(required.Elements) + len(objectOf(p.Node, "properties")))
	isDeclared := schema.Among(p.Node.Get("properties").Keys())
	for _, name := range required.Elements {
		if !isDeclared(name.Text) {
			report(p, "required property '"+name.Text+"' is not defined in properties", "required")
			return
		}
	}
}

// typeKind reports a type that is neither a string nor a list.
var typeKind = &provider.Rule{
	Name:   "kind_of_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `the value of type is a string or a list of strings`,
	Evidence: []string{
		"moonshot/response_format/fe195b0180bd",
		// Near misses.
		"moonshot/response_format/fd9373a0c0b3",
	},
	Check: func(p *provider.Pass) {
		if value := p.Node.Get("type"); value != nil && value.Kind != schema.String && value.Kind != schema.Array {
			report(p, "type must be string or array of strings")
		}
	},
}

// unionConflict reports a keyword both beside a union and in a branch.
var unionConflict = &provider.Rule{
	Name:   "union_conflict",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc:    `a keyword is not both beside anyOf and in a branch of it, except for title and description`,
	Evidence: []string{
		"moonshot/chat/df9923479212",
		// Near misses.
		"moonshot/chat/e31a532feddd",
	},
	Check: func(p *provider.Pass) {
		union := p.Node.Get("anyOf")
		if union == nil {
			return
		}
		isBeside := schema.Among(p.Node.Keys())
		for _, branch := range union.Elements {
			p.Charge(1 + len(branch.Members))
			if both := conflicts(branch, isBeside, "anyOf"); len(both) > 0 {
				report(p, "conflicting keywords found in anyOf with parent: keywords ("+strings.Join(both, ", ")+
					") are defined on the parent schema and inside anyOf; remove them from the parent or from anyOf branches")
				return
			}
		}
	},
}

// conflicts returns the keywords of a schema that are also beside the keyword that has the schema,
// sorted and without annotations.
func conflicts(node *schema.Node, isBeside func(string) bool, keyword string) []string {
	var both []string
	for _, member := range node.Members {
		if member.Key != keyword && !isAnnotation(member.Key) && isBeside(member.Key) {
			both = append(both, member.Key)
		}
	}
	slices.Sort(both)
	return both
}
