package google

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// semanticRules are the rules of the semantic stage. An answer may name one schema several times,
// because each rule judges each schema.
var semanticRules = slices.Concat(nameRules, []*provider.Rule{
	keyEmpty, typeMissingAlways, typeMissing, propertiesEmpty, propertiesOnlyObject, requiredUndefined,
	itemsOnlyArray, itemsMissing, enumOnlyString, enumMemberEmpty, enumFormatEmpty, formatBefore, format,
})

// nameRules judge the name of a function declaration.
var nameRules = []*provider.Rule{nameWithoutColon, name}

// responseRules are the rules of the semantic stage for response schemas, which were measured to
// accept an enum of another type than STRING.
var responseRules = []*provider.Rule{
	keyEmpty, typeMissingAlways, typeMissing, propertiesEmptyInResponse, propertiesOnlyObject, requiredUndefined,
	itemsOnlyArray, itemsMissing, enumMemberEmpty, enumFormatEmpty, formatBefore, format,
}

// onSchema makes the check of a rule from a check of a schema.
func onSchema(check func(*provider.Pass, *typed)) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if decoded, ok := p.Subject.(*typed); ok {
			check(p, decoded)
		}
	}
}

// reportField reports a violation of a field, such as "items", of the schema of the pass.
func reportField(p *provider.Pass, field, message string) {
	location := string(p.Location) + "." + field
	p.Report(provider.Finding{Message: location + ": " + message, Location: location})
}

// isName reports whether a name is valid for a function: it begins with a letter or an underscore,
// consists of letters, digits and the other characters, and has at most so many of them.
func isName(name, others string, most int) bool {
	return name != "" && len(name) <= most && strings.IndexByte("0123456789.:-", name[0]) < 0 && provider.OfLetters(name, others)
}

// The characters of names beside letters and digits, and the largest length.
const (
	withoutColon = "_.-"
	withColon    = "_.:-"
	longestName  = 64
)

// nameWithoutColon is the form of name before colons were allowed.
var nameWithoutColon = &provider.Rule{
	Name:   "name_without_colon",
	Effect: provider.Rejects,
	Stage:  semantic,
	Until:  "2025-09-25",
	Doc: `a function name without colons, of up to 64 characters

Colons were allowed by 2025-09-25.`,
	Evidence: []string{
		"gemini/parameters/4d4075b0394f",
		// Near misses.
		"gemini/parameters/93f83c84c1b0",
	},
	Check: func(p *provider.Pass) {
		if d, ok := p.Subject.(*declaration); ok && !isName(d.name, withoutColon, longestName) {
			reportField(p, "name", "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), "+
				"underscores (_), dots (.) or dashes (-), with a maximum length of 64.")
		}
	},
}

// name reports a function name outside the grammar.
var name = &provider.Rule{
	Name:   "name",
	Effect: provider.Rejects,
	Stage:  semantic,
	Since:  "2025-09-25",
	Doc:    `a function name that does not start with a letter or _, has more than letters, digits, _ . : - or is longer than 64 characters fails the request`,
	Evidence: []string{
		"gemini/parameters/a6119a65fcf3",
		// Near misses.
		"gemini/parameters/16d046c58d46",
	},
	Check: func(p *provider.Pass) {
		if d, ok := p.Subject.(*declaration); ok && !isName(d.name, withColon, longestName) {
			reportField(p, "name", "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), "+
				"underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.")
		}
	},
}

// keyEmpty reports a property without a name.
var keyEmpty = &provider.Rule{
	Name:   "key_empty",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc:    `a property without a name fails the request`,
	Source: "measured on Code Assist, which has the same validator, 2026-09-05: " + omnigateway,
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if properties := decoded.fields[fieldProperties]; properties != nil && properties.Has("") {
			reportField(p, "properties[]", "key cannot be empty")
		}
	}),
}

// omnigateway is the address of published measurements of the validator.
const omnigateway = "https://github.com/harismawan/omnigateway/blob/089f867db7224c017e53c6b9cad29f016e26674c/docs/superpowers/specs/2026-09-05-antigravity-provider-design.md"

// typeMissingAlways is the form of typeMissing before any_of could replace a type.
var typeMissingAlways = &provider.Rule{
	Name:   "type_missing_always",
	Effect: provider.Rejects,
	Stage:  semantic,
	Until:  "2025-04-01",
	Doc: `a schema without a type fails the request

Until 2025-04 the rule held beside any_of too.`,
	Source: "the wording of 2024, without an exception for any_of; docs/providers.md#google-messages",
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ == "" && !decoded.needsType() {
			reportField(p, "type", "must be specified")
		}
	}),
}

// typeMissing reports a schema without type and any_of.
var typeMissing = &provider.Rule{
	Name:   "type_missing",
	Effect: provider.Rejects,
	About:  "type",
	Stage:  semantic,
	Since:  "2025-04-01",
	Doc: `a schema without type and without any_of fails the request

TYPE_UNSPECIFIED counts as no type. If another field needs a type, the answer names only that
field: it had one line for an enum without a type.`,
	Evidence: []string{
		"gemini/parameters/0dc8be7fb82a",
		// Near misses.
		"gemini/parameters/fc83080e2981",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ == "" && decoded.fields[fieldAnyOf] == nil && !decoded.needsType() {
			reportField(p, "type", "must be specified when not using one_of, any_of or all_of fields")
		}
	}),
}

// propertiesEmpty reports an object without properties, as it was until 2025.
var propertiesEmpty = &provider.Rule{
	Name:   "properties_empty",
	Effect: provider.Rejects,
	Stage:  semantic,
	Until:  "2025-04-01",
	Doc: `an object without properties failed the request

Reported since 2024-06. In recordings from 2025-04-16 on such objects are accepted, at
the root and below.`,
	Evidence: []string{
		"gemini/parameters/45ce844eb7f5",
		// Near misses.
		"gemini/parameters/d3b5c704d1f5",
	},
	Check: onSchema(reportPropertiesEmpty),
}

// propertiesEmptyInResponse reports an object without properties in a response schema.
var propertiesEmptyInResponse = &provider.Rule{
	Name:   "properties_empty_in_response",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `an object without properties in a response schema fails the request

This was still so on 2025-12-18, when parameters could have such objects.`,
	Evidence: []string{
		"gemini/responseSchema/959c3c60ea1b",
		// Near misses.
		"gemini/responseSchema/1d38308ab86e",
	},
	Check: onSchema(reportPropertiesEmpty),
}

func reportPropertiesEmpty(p *provider.Pass, decoded *typed) {
	if decoded.typ == "OBJECT" && decoded.fields[fieldProperties] == nil {
		reportField(p, "properties", "should be non-empty for OBJECT type")
	}
}

// propertiesOnlyObject reports fields of objects in a schema of another type.
var propertiesOnlyObject = &provider.Rule{
	Name:   "properties_only_object",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `properties, required and propertyOrdering are for type OBJECT alone

A schema without a type is not of that type, also one with any_of.`,
	Evidence: []string{
		"gemini/parameters/42a46f848b2f",
		"gemini/parameters/cd0421865786",
		// Near misses.
		"gemini/parameters/fc83080e2981",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ == "OBJECT" {
			return
		}
		for _, field := range []struct {
			number int
			name   string
		}{{fieldProperties, "properties"}, {fieldRequired, "required"}, {fieldPropertyOrdering, "property_ordering"}} {
			if decoded.fields[field.number] != nil {
				reportField(p, field.name, "only allowed for OBJECT type")
			}
		}
	}),
}

// requiredUndefined reports names that properties lacks.
var requiredUndefined = &provider.Rule{
	Name:   "required_undefined",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc:    `required and propertyOrdering name properties that the schema has`,
	Source: "https://github.com/google-gemini/gemini-cli/issues/1494 (2025-06-25); Antigravity: https://github.com/lbjlaq/Antigravity-Manager/issues/187 (2025-12-30)",
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ != "OBJECT" {
			return
		}
		isDefined := schema.Among(decoded.fields[fieldProperties].Keys())
		for i, name := range decoded.list(fieldRequired) {
			if !isDefined(name.Text) {
				reportField(p, "required["+strconv.Itoa(i)+"]", "property is not defined")
			}
		}
		for i, name := range decoded.list(fieldPropertyOrdering) {
			if !isDefined(name.Text) {
				reportField(p, "property_ordering["+strconv.Itoa(i)+"]", "property is not defined")
			}
		}
	}),
}

// itemsOnlyArray reports items in a schema of another type.
var itemsOnlyArray = &provider.Rule{
	Name:   "items_only_array",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `items is for type ARRAY alone

A schema without a type is not of that type, also one with any_of.`,
	Evidence: []string{
		"gemini/parameters/a28e4aa0cb76",
		"gemini/parameters/bc910e490838",
		// Near misses.
		"gemini/parameters/fc83080e2981",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.fields[fieldItems] != nil && decoded.typ != "ARRAY" {
			reportField(p, "items", "field predicate failed: $type == Type.ARRAY")
		}
	}),
}

// itemsMissing reports an array without items.
var itemsMissing = &provider.Rule{
	Name:   "items_missing",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `an array without items fails the request

An empty schema counts as missing.`,
	Evidence: []string{
		"gemini/parameters/590521a3ffb2",
		"gemini/parameters/c62f1f5ac26b",
		// Near misses.
		"gemini/parameters/95cdcd341309",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if items := decoded.fields[fieldItems]; decoded.typ == "ARRAY" && (items == nil || len(items.Members) == 0) {
			reportField(p, "items", "missing field.")
		}
	}),
}

// enumOnlyString reports an enum in a schema of another type.
var enumOnlyString = &provider.Rule{
	Name:   "enum_only_string",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc: `enum is for type STRING alone; a schema without a type is not of that type

Seen on Code Assist since 2026-01-27, and unknown there before.`,
	Evidence: []string{
		"gemini/parameters/ec3b06389582",
		"codeassist/parameters/1b091ebdfa77",
		"codeassist/parameters/c31ce1a54761",
		// Near misses.
		"gemini/parameters/1c77c850922a",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if len(decoded.list(fieldEnum)) > 0 && decoded.typ != "STRING" {
			reportField(p, "enum", "only allowed for STRING type")
		}
	}),
}

// enumMemberEmpty reports an empty string among the allowed values.
var enumMemberEmpty = &provider.Rule{
	Name:   "enum_member_empty",
	Effect: provider.Rejects,
	Stage:  semantic,
	Doc:    `an enum has no empty string`,
	Evidence: []string{
		"codeassist/parameters/c31ce1a54761",
		// Near misses.
		"codeassist/parameters/e025e17e4be4",
	},
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		for i, value := range decoded.list(fieldEnum) {
			if value.Is("") {
				reportField(p, "enum["+strconv.Itoa(i)+"]", "cannot be empty")
			}
		}
	}),
}

// enumFormatEmpty reports format enum without an enum.
var enumFormatEmpty = &provider.Rule{
	Name:   "enum_format_empty",
	Effect: provider.Rejects,
	Stage:  semantic,
	Since:  "2026-08-20",
	Models: []string{"!gemini-1*", "!gemini-2*"},
	Doc: `a string of format enum needs an enum

Seen with models of the third generation; earlier ones accept it.`,
	Source: "https://github.com/elastic/kibana/pull/286302 (2026-08-20)",
	Check: onSchema(func(p *provider.Pass, decoded *typed) {
		if decoded.typ == "STRING" && decoded.fields[fieldFormat].Is("enum") && len(decoded.list(fieldEnum)) == 0 {
			reportField(p, "enum", "should be non-empty for STRING type with enum format")
		}
	}),
}

// formatBefore is format in the words of before the spring of 2025.
var formatBefore = &provider.Rule{
	Name:   "format_before_2025_04",
	Effect: provider.Rejects,
	Stage:  semantic,
	Until:  formatReworded,
	Doc: `a string had no format but enum

These words were seen in 2024, and today's first on 2025-04-21. Whether date-time was refused
in between is not known. Google's own types for JavaScript allow it since 2025-03-04:
https://github.com/google-gemini/deprecated-generative-ai-js/pull/369.`,
	Evidence: []string{
		"gemini/parameters/1e8854aef4a6",
		// Near misses.
		"gemini/parameters/ef3973abf64d",
	},
	Check: checkFormat("only 'enum' is supported for STRING type"),
}

// formatReworded is the day on which words that name date-time were first seen, in
// https://github.com/confluentinc/mcp-confluent/issues/20.
const formatReworded = "2025-04-21"

// format reports a format of a string other than enum and date-time, which was refused
// until any format was allowed.
var format = &provider.Rule{
	Name:   "format",
	Effect: provider.Rejects,
	Stage:  semantic,
	Since:  formatReworded,
	Until:  "2025-10-15",
	Doc: `a string had no formats but enum and date-time

The proto has allowed any format since 2025-10-15. In recordings of 2026 an undefined format
was accepted.`,
	Evidence: []string{
		"gemini/parameters/e6286e992687",
		"gemini/parameters/1014ee50e110",
		// Near misses.
		"gemini/parameters/ef3973abf64d",
	},
	Check: checkFormat("only 'enum' and 'date-time' are supported for STRING type"),
}

func checkFormat(words string) func(*provider.Pass) {
	return onSchema(func(p *provider.Pass, decoded *typed) {
		format := decoded.fields[fieldFormat]
		if decoded.typ == "STRING" && format != nil && !slices.Contains([]string{"", "enum", "date-time"}, format.Text) {
			reportField(p, "format", words)
		}
	})
}

// limits is the stage that judges the list of declarations. It reports the first violation.
var limits = &provider.Stage{
	Name:   "limits",
	Shared: "one list of functions, whatever field has their schemas; Code Assist and the endpoint like OpenAI's answered in the same words",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		visitor.Visit(&provider.Pass{Request: request, Declaration: -1, Location: []byte("tools[0].function_declarations")})
	},
}

// limitRules are the rules of the limits stage. That the Gemini API limits the number of functions, as
// Vertex AI and Code Assist do, is unknown.
var limitRules = []*provider.Rule{duplicateFunction}

// duplicateFunction reports two declarations of one name.
var duplicateFunction = &provider.Rule{
	Name:   "duplicate_function",
	Effect: provider.Rejects,
	Stage:  limits,
	Doc: `a function is declared once in a request

Code Assist refused it too, on 2026-09-05. Whether Vertex AI does is unknown.`,
	Evidence: []string{
		"gemini/parameters/0ad2e9dd6956",
		"gemini-openai/chat/ce4ddbf70e03",
		// Near misses.
		"gemini/parameters/16d046c58d46",
	},
	Check: func(p *provider.Pass) {
		seen := make(map[string]bool, len(p.Request.Declarations))
		for i, node := range p.Request.Declarations {
			name := node.GetString("name")
			if seen[name] {
				p.Declaration, p.Node, p.At = i, node.Get("name"), []byte("/name")
				p.Reportf("Duplicate function declaration found: %s", name)
				return
			}
			seen[name] = true
		}
	},
}
