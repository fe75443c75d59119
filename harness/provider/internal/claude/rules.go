package claude

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// Rules judge each schema that is compiled. The first rule that reports ends the
// judgement of the request.
var Rules = []*provider.Rule{
	circularReference, undefinedReference, referenceBesideType, emptySchema, notKeyword, oneOf, unionSiblings, typeMissing, booleanSubschema,
	minItems, unsupportedKeywords, additionalPropertiesTrue, additionalProperties, tupleItems, minItemsBefore, format, enumType,
}

// circularReference reports a definition that refers to itself.
var circularReference = &provider.Rule{
	Name:   "circular_reference",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc:    `no definition leads back to itself`,
	Evidence: []string{
		"anthropic/tools-strict/e588f2e67033",
		"anthropic/output_format/786d790b05ad",
		// Near misses.
		"anthropic/tools-strict/d81e034ba088",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		if p.Node != s.root {
			return
		}
		if names := (&circle{place: s, pass: p, depth: map[*schema.Node]int{}}).find(s.root, ""); names != nil {
			refuse(p, "Invalid schema: Circular reference detected in schema definitions: "+strings.Join(names, " -> ")+
				". Self-referencing or mutually-referencing definitions are not supported.")
		}
	},
}

// undefinedReference reports a reference to a definition that the schema does not have.
var undefinedReference = &provider.Rule{
	Name:   "undefined_reference",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `a reference into $defs leads to a definition

How a reference to another place of the schema, or into another document, is judged is not
known.`,
	Evidence: []string{
		"anthropic/tools-strict/fb6295b71e67",
		"bedrock/converse-strict/8127855d207f",
		// Near misses.
		"anthropic/tools-strict/d81e034ba088",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.GetString("$ref")
		if !strings.HasPrefix(reference, "#/$defs/") {
			return
		}
		if _, target := placeOf(p).target(p.Node); target == nil {
			refuse(p, "Invalid schema: Reference to non-existent definition: "+reference)
		}
	},
}

// referenceBesideType reports a root that has both a reference and a type.
var referenceBesideType = &provider.Rule{
	Name:   "reference_beside_type",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `a reference at the root has no type beside it

The refusal was measured. Its words are not known: the model uses those about siblings of a
union.`,
	Source: "https://github.com/0xPlaygrounds/rig/pull/2296 (live, 2026-08-12), without the words",
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		if p.Node == s.root && p.Node.Has("$ref") && p.Node.Has("type") {
			refuse(p, "For '$ref', 'type' is not supported")
		}
	},
}

// emptySchema reports a schema that takes any value.
var emptySchema = &provider.Rule{
	Name:   "empty_schema",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc:    `no schema is empty`,
	Evidence: []string{
		"anthropic/output_format/d53a3f0ff5bf",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		if len(p.Node.Members) == 0 {
			refuse(p, "Empty schema ({}) that accepts any JSON value is not supported. Please specify a concrete type.")
		}
	},
}

// notKeyword reports not.
var notKeyword = &provider.Rule{
	Name:   "not",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc:    `not is not supported`,
	Evidence: []string{
		"anthropic/output_format/1144eb0d75c7",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("not") {
			refuse(p, "Schema keyword 'not' is not supported")
		}
	},
}

// oneOf reports oneOf.
var oneOf = &provider.Rule{
	Name:   "one_of",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc:    `oneOf, in place of anyOf, fails the request`,
	Evidence: []string{
		"anthropic/output_format/5b7f206918a2",
		"anthropic/output_format/335ea075576c",
		// Near misses.
		"anthropic/output_format/9afed3b4c431",
	},
	Check: func(p *provider.Pass) {
		if p.Node.Has("oneOf") {
			refuse(p, "Schema type 'oneOf' is not supported")
		}
	},
}

// isAnnotation reports whether a schema of any type may have the keyword. Keywords of JSON Schema
// that assert nothing count as accepted, even those that no request is known to have tried.
func isAnnotation(keyword string) bool {
	switch keyword {
	case "title", "description", "default", "enum", "const", "examples", "definitions", "deprecated", "readOnly", "writeOnly":
		return true
	default:
		return strings.HasPrefix(keyword, "$")
	}
}

// unionSiblings reports keywords beside a union.
var unionSiblings = &provider.Rule{
	Name:   "union_siblings",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `beside anyOf or allOf there are only annotations, enum and const

The message names anyOf in both cases.`,
	Evidence: []string{
		"anthropic/output_format/e6540669a94f",
		// Near misses.
		"anthropic/output_format/9afed3b4c431",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("anyOf") && !p.Node.Has("allOf") {
			return
		}
		var beside []string
		for _, member := range p.Node.Members {
			if member.Key != "anyOf" && member.Key != "allOf" && !isAnnotation(member.Key) {
				beside = append(beside, member.Key)
			}
		}
		if len(beside) > 0 {
			slices.Sort(beside)
			refuse(p, "For 'anyOf', '"+strings.Join(beside, ", ")+"' is not supported")
		}
	},
}

// typeMissing reports a schema without a type.
var typeMissing = &provider.Rule{
	Name:   "type_missing",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `a schema without a type fails the request

An enum, a const, a reference or a union replaces it.`,
	Evidence: []string{
		"anthropic/output_format/02398fede4cd",
		// Near misses.
		"anthropic/tools-strict/73ca0c337c02",
	},
	Check: func(p *provider.Pass) {
		if slices.ContainsFunc([]string{"type", "enum", "const", "$ref", "anyOf", "allOf"}, p.Node.Has) {
			return
		}
		refuse(p, "Invalid schema: Schema type is missing for schema: "+python.Value(p.Node))
	},
}

// booleanSubschema reports a property or an item whose schema is true or false.
var booleanSubschema = &provider.Rule{
	Name:   "boolean_subschema",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `no schema is true or false

The message blames the keyword that has it.`,
	Evidence: []string{
		"anthropic/tools-strict/371fcd293e6e",
		// Near misses.
		"anthropic/tools-strict/6d9893c0ce5d",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		for below := range p.Node.Subschemas() {
			if below.Node().Kind != schema.Bool {
				continue
			}
			switch {
			case below.Keyword == "properties" && slices.Contains(s.types, "object"):
				refuse(p, "For 'object' type, property 'properties' is not supported")
				return
			case below.Keyword == "items" && below.Index < 0 && slices.Contains(s.types, "array"):
				refuse(p, "For 'array' type, property 'items' is not supported")
				return
			}
		}
	},
}

// isSupported reports whether a schema of the type may have the keyword. The provider does not
// report then and else, because it reports if.
func isSupported(typeName, keyword string) bool {
	if isAnnotation(keyword) {
		return true
	}
	switch keyword {
	case "type", "then", "else", "format":
		return true
	case "properties", "required", "additionalProperties":
		return typeName == "object"
	case "items", "minItems":
		return typeName == "array"
	case "minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType":
		return typeName == "string"
	default:
		return false
	}
}

// unsupportedKeywords reports keywords that the type does not have.
var unsupportedKeywords = &provider.Rule{
	Name:   "unsupported_keywords",
	Effect: provider.Rejects,
	About:  provider.OtherKeywords,
	Stage:  grammar,
	Doc: `a keyword that is not for its type fails the request

Objects may have properties, required and additionalProperties, arrays items and minItems,
strings lengths, pattern and format, and numbers none. Keywords of another type, and unknown
ones, fail. For a list of types the message names the first type with such a keyword. What
boolean and null may have is not known.`,
	Evidence: []string{
		"anthropic/output_format/8673d28b65e3",
		"anthropic/output_format/0e2aabb6f809",
		"anthropic/output_format/b55824043163",
		"anthropic/output_format/d873847d1dce",
		"anthropic/output_format/96f459702328",
		"anthropic/output_format/600a7a7ed2aa",
		"anthropic/output_format/27d3999c343f",
		"anthropic/output_format/335541d7578c",
		"anthropic/output_format/c75f681a2a64",
		"anthropic/output_format/d96bf63de91e",
		"anthropic/output_format/0952c3866665",
		"bedrock/converse-strict/ee8ddce9cab7",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		if p.Node.Has("anyOf") || p.Node.Has("allOf") || p.Node.Has("$ref") {
			return
		}
		for _, typeName := range s.types {
			if !slices.Contains([]string{"object", "array", "string", "integer", "number"}, typeName) {
				continue
			}
			var unsupported []string
			for _, member := range p.Node.Members {
				if !isSupported(typeName, member.Key) {
					unsupported = append(unsupported, member.Key)
				}
			}
			slices.Sort(unsupported)
			switch len(unsupported) {
			case 0:
			case 1:
				refuse(p, "For '"+typeName+"' type, property '"+unsupported[0]+"' is not supported")
				return
			default:
				refuse(p, "For '"+typeName+"' type, properties "+strings.Join(unsupported, ", ")+" are not supported")
				return
			}
		}
	},
}

// additionalPropertiesTrue reports an object with additionalProperties true.
var additionalPropertiesTrue = &provider.Rule{
	Name:   "additional_properties_true",
	Effect: provider.Rejects,
	About:  "additionalProperties",
	Stage:  grammar,
	Doc: `an object with additionalProperties true fails the request

An object without additionalProperties is refused in other words.`,
	Evidence: []string{
		"anthropic/output_format/cd29a4b672a5",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		if slices.Contains(s.types, "object") && p.Node.Get("additionalProperties").IsTrue() {
			refuse(p, "For 'object' type, 'additionalProperties: true' is not supported. Please set 'additionalProperties' to false")
		}
	},
}

// additionalProperties reports an object that is not closed.
var additionalProperties = &provider.Rule{
	Name:   "additional_properties",
	Effect: provider.Rejects,
	About:  "additionalProperties",
	Stage:  grammar,
	Doc:    `an object without additionalProperties false fails the request`,
	Evidence: []string{
		"anthropic/output_format/33c1ee598f80",
		"anthropic/output_format/47a48e891c8e",
		"anthropic/output_format/cbd2ca923887",
		"anthropic/output_format/56417f32845c",
		"anthropic/tools-strict/cab85023f823",
		"bedrock/converse-strict/909bf53359e8",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		value := p.Node.Get("additionalProperties")
		switch {
		case !slices.Contains(s.types, "object"), value.IsFalse():
		case value != nil && value.Kind == schema.Object:
			refuse(p, "For 'object' type, 'additionalProperties: object' is not supported. Please set 'additionalProperties' to false")
		default:
			refuse(p, "For 'object' type, 'additionalProperties' must be explicitly set to false")
		}
	},
}

// tupleItems reports items that are a list.
var tupleItems = &provider.Rule{
	Name:   "tuple_items",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc:    `items is one schema`,
	Evidence: []string{
		"anthropic/output_format/e95367be076a",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		if items := p.Node.Get("items"); items != nil && items.Kind == schema.Array {
			refuse(p, "Array types must be specified with a single object schema for 'items'")
		}
	},
}

// rangeNamed is the first day on which a message about minItems was seen to name the range.
const rangeNamed = "2026-07-01"

// minItemsBefore is minItems in the words of before July 2026.
var minItemsBefore = &provider.Rule{
	Name:   "min_items_before_2026_07",
	Effect: provider.Rejects,
	Stage:  grammar,
	Until:  rangeNamed,
	Doc:    `minItems is 0 or 1`,
	Evidence: []string{
		"anthropic/output_format/23f46a2dcf23",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		if _, isOther := otherMinItems(p.Node); isOther {
			refuse(p, "For 'array' type, 'minItems' values other than 0 or 1 are not supported")
		}
	},
}

// minItems reports a minItems other than 0 and 1.
var minItems = &provider.Rule{
	Name:   "min_items",
	Effect: provider.Rejects,
	About:  "minItems",
	Stage:  grammar,
	Since:  rangeNamed,
	Doc: `minItems is 0 or 1

Since July 2026 the message names the range of minItems and maxItems, and comes before that
about maxItems.`,
	Evidence: []string{
		"anthropic/tools-strict/5e8f1f67dedf",
		"anthropic/output_format/1d47d449cb3b",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		least, isOther := otherMinItems(p.Node)
		if !isOther || !slices.Contains(placeOf(p).types, "array") {
			return
		}
		most := "∞"
		if value := p.Node.Get("maxItems"); value != nil {
			most = value.String()
		}
		refuse(p, "For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: ["+least+", "+most+"])")
	},
}

// otherMinItems returns minItems, and whether it is a number other than 0 and 1.
func otherMinItems(node *schema.Node) (least string, isOther bool) {
	value := node.Get("minItems")
	if value == nil || value.Kind != schema.Number {
		return "", false
	}
	n, ok := value.Int64()
	return value.Text, !ok || n != 0 && n != 1
}

// format reports an unknown format of a string.
var format = &provider.Rule{
	Name:   "format",
	Effect: provider.Rejects,
	About:  "format",
	Stage:  grammar,
	Doc:    `the format of a string is one of a list`,
	Evidence: []string{
		"anthropic/output_format/9ca731f01f9e",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		s := placeOf(p)
		value := p.Node.Get("format")
		if value == nil || value.Kind != schema.String || !slices.Contains(s.types, "string") {
			return
		}
		switch value.Text {
		case "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid":
		default:
			refuse(p, "For 'string' type, format '"+value.Text+"' is not supported")
		}
	},
}

// enumType reports a member of an enum that is not of the declared type.
var enumType = &provider.Rule{
	Name:   "enum_type",
	Effect: provider.Rejects,
	Stage:  grammar,
	Doc: `the members of an enum are of the declared type

No value has a list of types, so that enum and such a list exclude each other.`,
	Evidence: []string{
		"anthropic/output_format/acc516f11941",
		// Near misses.
		"anthropic/output_format/f16dd3ee92c6",
	},
	Check: func(p *provider.Pass) {
		enum, declared := p.Node.Get("enum"), p.Node.Get("type")
		if enum == nil || declared == nil {
			return
		}
		for _, value := range enum.Elements {
			if declared.Kind == schema.String && isOfType(value, declared.Text) {
				continue
			}
			refuse(p, "Invalid schema: Enum value '"+python.Text(value)+"' does not match declared type '"+python.Text(declared)+"'")
			return
		}
	},
}

// isOfType reports whether a value is of a type of scalars. It returns true for other types.
func isOfType(value *schema.Node, typeName string) bool {
	switch typeName {
	case "string", "integer", "number", "boolean", "null":
		return value.IsOf(typeName)
	default:
		return true
	}
}
