package openai

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// strictRules judge each subschema of a strict schema. The first that reports
// ends the judgement, so that their order is the validator's.
var strictRules = []*provider.Rule{
	UnsupportedKeywords, RemoteReference, ReferenceKeywords, ReferenceTarget, NotPermitted, NotPermittedBefore,
	TypeKey, ArrayItemsStrict, Format, AdditionalProperties, ObjectProperties, RequiredMissing, RequiredExtra, SharedFirstKey,
}

// strictFunctionRules are the rules of a strict function, which is not allowed
// what a response format is.
var strictFunctionRules = slices.Concat([]*provider.Rule{LengthNotPermitted}, strictRules)

// ArrayItems reports an array without items in a schema that is not strict.
var ArrayItems = &provider.Rule{
	Name:   "array_items",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `an array has items

That holds for functions that are not strict too; prefixItems does not count. A list
of types that has array among them counts as an array, and the place then names the
entry of the list.`,
	Check: func(p *provider.Pass) {
		if !p.Node.Has("items") {
			reportArrays(p)
		}
	},
}

// ArrayItemsStrict is ArrayItems where each type of a list is taken for a schema
// of its own, so that items beside the list does not help.
var ArrayItemsStrict = &provider.Rule{
	Name:   "array_items",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `an array has items

Each type of a list is taken for a schema of its own, so that ["array", "null"]
fails also beside items; anyOf with the two is accepted.`,
	Check: func(p *provider.Pass) {
		if !p.Node.Has("items") || p.Node.Get("type").Kind == schema.Array {
			reportArrays(p)
		}
	},
}

// reportArrays reports a node of type array, or the entry array of its types.
func reportArrays(p *provider.Pass) {
	value := p.Node.Get("type")
	if value.Is("array") {
		reportIn(p, "array schema missing items.")
		return
	}
	if value == nil || value.Kind != schema.Array {
		return
	}
	for i, name := range value.Elements {
		if name.Is("array") {
			s := p.Subject.(*place) //nolint:forcetypeassert // the package's own type
			s.context = append(s.context, "type", strconv.Itoa(i))
			reportIn(p, "array schema missing items.")
			s.context = s.context[:len(s.context)-2]
			return
		}
	}
}

// UnsupportedKeywords reports not, and what stands beside it.
var UnsupportedKeywords = &provider.Rule{
	Name:   "unsupported_keywords",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `not is not supported

It has words of its own, which also tell the other unsupported keywords beside it.`,
	Check: func(p *provider.Pass) {
		if !p.Node.Has("not") {
			return
		}
		var present []string
		for _, keyword := range []string{"allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"} {
			if p.Node.Has(keyword) {
				present = append(present, keyword)
			}
		}
		s := p.Subject.(*place) //nolint:forcetypeassert // the package's own type
		report(p, "context=%s, Unsupported keywords %s.", s.In(), (&place{context: present}).In())
	},
}

// RemoteReference reports a reference that leaves the document.
var RemoteReference = &provider.Rule{
	Name:   "remote_reference",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a reference stays within the schema`,
	Check: func(p *provider.Pass) {
		if reference := p.Node.Get("$ref"); reference != nil && !strings.HasPrefix(reference.Text, "#") {
			reportIn(p, "remote references are not permitted.")
		}
	},
}

// ReferenceKeywords reports keywords beside a reference.
var ReferenceKeywords = &provider.Rule{
	Name:   "reference_keywords",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a reference stands alone, even without a description`,
	Check: func(p *provider.Pass) {
		if !p.Node.Has("$ref") || len(p.Node.Members) == 1 {
			return
		}
		var beside []string
		for _, member := range p.Node.Members {
			if member.Key != "$ref" {
				beside = append(beside, pythonString(member.Key))
			}
		}
		slices.Sort(beside)
		s := p.Subject.(*place) //nolint:forcetypeassert // the package's own type
		report(p, "context=%s, $ref cannot have keywords {%s}.", s.In(), strings.Join(beside, ", "))
	},
}

// ReferenceTarget reports a reference to anything but a definition of the root.
var ReferenceTarget = &provider.Rule{
	Name:   "reference_target",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a reference leads to the root or to a definition of the root`,
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		if reference == nil || reference.Text == "#" {
			return
		}
		s := p.Subject.(*place) //nolint:forcetypeassert // the package's own type
		pointer := schema.Pointer(strings.TrimPrefix(reference.Text, "#"))
		tokens := pointer.Tokens()
		if len(tokens) != 2 || tokens[0] != "$defs" && tokens[0] != "definitions" || s.root.Find(pointer) == nil {
			reportIn(p, "reference can only point to definitions defined at the top level of the schema.")
		}
	},
}

// NotPermitted reports a keyword outside the subset of strict schemas.
var NotPermitted = notPermitted("not_permitted", "", "",
	`a strict schema has no keyword outside the subset

Keywords that were seen to be refused; patternProperties and prefixItems are not
among them.`,
	"oneOf", "allOf", "uniqueItems", "contains", "minContains", "maxContains", "propertyNames", "minProperties", "maxProperties",
	"if", "then", "else", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems")

// NotPermittedBefore reports the keywords that became permitted in 2025.
var NotPermittedBefore = notPermitted("not_permitted_before", "", "2025-06-01",
	`a strict schema had no default, format, pattern, bounds and sizes

Refused in 2024 and until the spring of 2025, supported since the middle of 2025.`,
	"default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
	"minLength", "maxLength")

// LengthNotPermitted reports the lengths of a string in a strict function.
var LengthNotPermitted = notPermitted("length_not_permitted", "2025-06-01", "",
	`a strict function has no minLength and maxLength

Reported for functions at the end of 2025 and in 2026, while recordings have both
accepted in response formats since 2025-08.`,
	"minLength", "maxLength")

func notPermitted(name string, since, until provider.Date, doc string, keywords ...string) *provider.Rule {
	return &provider.Rule{
		Name:   name,
		Effect: provider.Rejects,
		Stage:  Subschemas,
		Since:  since,
		Until:  until,
		Doc:    doc,
		Check: func(p *provider.Pass) {
			for _, member := range p.Node.Members {
				if slices.Contains(keywords, member.Key) {
					reportIn(p, "'%s' is not permitted.", member.Key)
					return
				}
			}
		},
	}
}

// TypeKey reports a subschema without a type.
var TypeKey = &provider.Rule{
	Name:   "type_key",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a strict subschema has a type, unless it is a reference or has anyOf

So fails a const without a type.`,
	Check: func(p *provider.Pass) {
		if !hasAny(p.Node, "type", "$ref", "anyOf") && len(p.Node.Members) > 0 {
			reportIn(p, "schema must have a 'type' key.")
		}
	},
}

// formats are the formats of a string in a strict schema. Source: OpenAI's guide
// to structured outputs, as transcribed in 2026-02; PROVIDERS.md 4.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// Format reports a format of a string outside the list.
var Format = &provider.Rule{
	Name:   "format",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Since:  "2025-06-01",
	Doc: `a format of a string is one of nine

Formats of numbers are not looked at: int64, uint8 and double were accepted.`,
	Check: func(p *provider.Pass) {
		format := p.Node.Get("format")
		if format != nil && isOf(p.Node, "string") && !slices.Contains(formats, format.Text) {
			reportIn(p, "'%s' is not a valid format.", format.Text)
		}
	},
}

// isOf reports whether the type is name or a list with name.
func isOf(node *schema.Node, name string) bool {
	value := node.Get("type")
	return value.Is(name) || slices.Contains(value.Strings(), name)
}

// AdditionalProperties reports an open object.
var AdditionalProperties = &provider.Rule{
	Name:   "additional_properties",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a strict object has additionalProperties false

An empty root stands for an object without it. An object that has nothing but a
schema for additional properties is not named here: it is dropped, and the parent
then has a required key too many.`,
	Check: func(p *provider.Pass) {
		isRoot := p.Subject.(*place).isRoot //nolint:forcetypeassert // the package's own type
		isObject := p.Node.Get("type").Is("object") || isRoot && len(p.Node.Members) == 0
		if isObject && !p.Node.Get("additionalProperties").IsFalse() && (isRoot || !isDictionary(p.Node)) {
			reportIn(p, "'additionalProperties' is required to be supplied and to be false.")
		}
	},
}

// isDictionary reports whether a schema is an object with a schema for additional
// properties and no properties.
func isDictionary(node *schema.Node) bool {
	additional := node.Get("additionalProperties")
	return node.Get("type").Is("object") && !node.Has("properties") && additional != nil && additional.Kind == schema.Object
}

// ObjectProperties reports an object without properties.
var ObjectProperties = &provider.Rule{
	Name:   "object_properties",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a strict object has properties, if only an empty object of them`,
	Check: func(p *provider.Pass) {
		if p.Node.Get("type").Is("object") && !p.Node.Has("properties") && !isDictionary(p.Node) {
			reportIn(p, "object schema missing properties.")
		}
	},
}

// RequiredMissing reports an optional property.
var RequiredMissing = &provider.Rule{
	Name:   "required_missing",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc:    `a strict object requires each of its properties; the first that it does not is named`,
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			return
		}
		required := p.Node.Get("required").Strings()
		for _, property := range members(p.Node.Get("properties")) {
			if !slices.Contains(required, property.Key) && !isDictionary(property.Value) {
				reportIn(p, "'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", property.Key)
				return
			}
		}
	},
}

// RequiredExtra reports a required name without a property.
var RequiredExtra = &provider.Rule{
	Name:   "required_extra",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Doc: `a strict object requires nothing that it does not declare

A property that is an object with nothing but a schema for additional properties
does not count as declared.`,
	Check: func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			return
		}
		properties := p.Node.Get("properties")
		for _, name := range p.Node.Get("required").Strings() {
			if property := properties.Get(name); property == nil || isDictionary(property) {
				reportIn(p, "'required' is required to be supplied and to be an array including every key in properties. Extra required key '%s' supplied.", name)
				return
			}
		}
	},
}

// SharedFirstKey reports objects of a union that begin with the same property.
var SharedFirstKey = &provider.Rule{
	Name:   "shared_first_key",
	Effect: provider.Rejects,
	Stage:  Subschemas,
	Until:  "2025-06-01",
	Doc: `the objects of a union began with different properties

Reported in 2024 and 2025.`,
	Check: func(p *provider.Pass) {
		first := map[string]bool{}
		for _, branch := range elements(p.Node.Get("anyOf")) {
			properties := members(branch.Get("properties"))
			if len(properties) == 0 {
				continue
			}
			if first[properties[0].Key] {
				reportIn(p, "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or "+
					"rearranging the properties to ensure the first key is unique.")
				return
			}
			first[properties[0].Key] = true
		}
	},
}

func members(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

func elements(node *schema.Node) []*schema.Node {
	if node == nil {
		return nil
	}
	return node.Elements
}

// limitRules bound the whole of a strict schema.
var limitRules = []*provider.Rule{Depth, PropertyCount}

// WholeSchema is the stage that measures a strict schema. The Subject is a *place.
var WholeSchema = &provider.Stage{Name: "limits", PerDeclaration: true, Walk: Root.Walk}

const (
	maxDepth      = 10
	maxProperties = 5000
)

// Depth reports objects that nest too deep.
var Depth = &provider.Rule{
	Name:   "depth",
	Effect: provider.Rejects,
	Stage:  WholeSchema,
	Doc: `the objects of a strict schema nest 10 levels at most

Combinators do not count. Measured on 2026-06-16: 10 accepted, 11 refused.`,
	Check: func(p *provider.Pass) {
		if depth := objectDepth(p.Node); depth > maxDepth {
			report(p, "%d levels of nesting exceeds limit of %d.", depth, maxDepth)
		}
	},
}

func objectDepth(node *schema.Node) int {
	deepest := 0
	for below := range node.Subschemas() {
		if isLookedInto(below.Keyword) {
			deepest = max(deepest, objectDepth(below.Node()))
		}
	}
	if node.Get("type").Is("object") {
		deepest++
	}
	return deepest
}

// PropertyCount reports too many properties.
var PropertyCount = &provider.Rule{
	Name:   "property_count",
	Effect: provider.Rejects,
	Stage:  WholeSchema,
	Doc:    `a strict schema has 5,000 properties at most`,
	Source: "measured in 2026, without a stable address; OpenAI's guide to structured outputs; PROVIDERS.md 3 and 4",
	Check: func(p *provider.Pass) {
		count := 0
		p.Node.Walk(func(_ schema.Pointer, subschema *schema.Node) bool {
			count += len(members(subschema.Get("properties")))
			return true
		})
		if count > maxProperties {
			report(p, "%d parameters exceeds limit of %d.", count, maxProperties)
		}
	},
}
