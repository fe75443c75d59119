package openai

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// today is a day on which the current rules hold.
const today = "2026-11-01"

// read reads JSON as the service receives it.
func read(t testing.TB, text string) *schema.Node {
	t.Helper()
	node, err := schema.ParseWire([]byte(text))
	if err != nil {
		t.Fatalf("ParseWire(%s): %v", text, err)
	}
	return node
}

// answer returns the answer of a surface's model on a day.
func answer(t testing.TB, dialect *provider.Dialect, day provider.Date, declarations ...*schema.Node) provider.Response {
	t.Helper()
	response, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(context.Background(), dialect.Request(declarations))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// declare makes the declaration of a tool f.
func declare(t testing.TB, dialect *provider.Dialect, parameters string) *schema.Node {
	t.Helper()
	return dialect.Declare(schema.Tool{Name: "f", Parameters: read(t, parameters)})
}

// surfaceName returns the name of a surface without the service.
func surfaceName(dialect *provider.Dialect) string {
	_, name, _ := strings.Cut(dialect.Name, "/")
	return name
}

// about returns the beginning of every message about a schema.
func about(dialect *provider.Dialect) string {
	if slices.Contains(answerFormats, dialect) {
		return "Invalid schema for response_format 'f': "
	}
	return "Invalid schema for function 'f': "
}

// answeredPlace is where an answer about a schema points.
type answeredPlace struct{ Param, Code string }

var places = map[string]answeredPlace{
	"chat":                {"tools[0].function.parameters", "invalid_function_parameters"},
	"chat-strict":         {"tools[0].function.parameters", "invalid_function_parameters"},
	"responses":           {"tools[0].parameters", "invalid_function_parameters"},
	"responses-strict":    {"tools[0].parameters", "invalid_function_parameters"},
	"responses-nonstrict": {"tools[0].parameters", "invalid_function_parameters"},
	"response_format":     {"response_format", ""},
	"text_format":         {"text.format.schema", "invalid_json_schema"},
}

var (
	loose           = []*provider.Dialect{Chat, Responses, responsesNonstrict, AzureChat, azureResponses, azureResponsesNonstrict}
	functions       = slices.Concat(loose, strictFunctions)
	looseResponses  = []*provider.Dialect{Responses, responsesNonstrict}
	looseAzure      = []*provider.Dialect{azureResponses, azureResponsesNonstrict}
	plainRoots      = slices.Concat([]*provider.Dialect{Chat, AzureChat}, strictFunctions) // of every model
	strictFunctions = []*provider.Dialect{ChatStrict, responsesStrict, azureChatStrict, azureResponsesStrict}
	answerFormats   = []*provider.Dialect{responseFormat, textFormat, azureResponseFormat, azureTextFormat}
	strict          = slices.Concat(strictFunctions, answerFormats)
	all             = Dialects
)

// closed returns a strict object with the given properties, all of them required.
func closed(properties string, names ...string) string {
	required := schema.NewStrings(names...).String()
	return `{"type":"object","properties":` + properties + `,"required":` + required + `,"additionalProperties":false}`
}

// one returns a strict object with one property, a.
func one(property string) string { return closed(`{"a":`+property+`}`, "a") }

const (
	inA          = "In context=('properties', 'a'), "
	inRoot       = "In context=(), "
	combinator   = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level."
	combinator24 = "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
	noItems      = "array schema missing items."
	noProperties = "object schema missing properties."
	noType       = "schema must have a 'type' key."
	open         = "'additionalProperties' is required to be supplied and to be false."
	missing      = "'required' is required to be supplied and to be an array including every key in properties. Missing '%s'."
	extra        = "'required' is required to be supplied and to be an array including every key in properties. Extra required key '%s' supplied."
	topLevel     = "reference can only point to definitions defined at the top level of the schema."
	remote       = "remote references are not permitted."
	firstKeys    = "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or " +
		"rearranging the properties to ensure the first key is unique."
)

func rootTypeWords(got string) string {
	return `schema must be a JSON Schema of 'type: "object"', got 'type: "` + got + `"'.`
}

func notPermittedWords(keyword string) string { return "'" + keyword + "' is not permitted." }

type row struct {
	name     string
	dialects []*provider.Dialect
	schema   string
	day      provider.Date // empty for today
	want     string        // the words after the name; empty for an acceptance
}

// metaschemaRows are violations of JSON Schema itself.
var metaschemaRows = []row{
	{"null", all, `null`, "", ""},
	{"null for a property", all, one(`null`), "", "None is not of type 'object', 'boolean'."},
	{"string for a property", all, one(`"text"`), "", "'text' is not of type 'object', 'boolean'."},
	{"list for not", loose, `{"type":"object","properties":{"a":{"not":[{}]}}}`, "", "[{}] is not of type 'object', 'boolean'."},
	{"number among anyOf", all, one(`{"anyOf":[5]}`), "", "5 is not of type 'object', 'boolean'."},
	{"boolean for required", all, one(`{"type":"string","required":true}`), "", "True is not of type 'array'."},
	{"number among required", all, `{"type":"object","properties":{},"required":[1.50]}`, "", "1.5 is not of type 'string'."},
	{"list for properties", all, `{"type":"object","properties":[]}`, "", "[] is not of type 'object'."},
	{"null for properties", all, `{"type":"object","properties":null}`, "", "None is not of type 'object'."},
	{"languages for description", all, one(`{"type":"string","description":{"en":"x"}}`), "", "{'en': 'x'} is not of type 'string'."},
	{"string for enum", all, one(`{"type":"string","enum":"x"}`), "", "'x' is not of type 'array'."},
	{"string for minimum", all, one(`{"type":"number","minimum":"0"}`), "", "'0' is not of type 'number'."},
	{"boolean for exclusiveMinimum", all, one(`{"type":"number","exclusiveMinimum":true}`), "", "True is not of type 'number'."},
	{"fraction for minItems", all, one(`{"type":"array","items":{"type":"string"},"minItems":1.5}`), "", "1.5 is not of type 'integer'."},
	{"whole number with a fraction for minItems", all, one(`{"type":"array","items":{"type":"string"},"minItems":1.0}`), "", ""},
	{"number for $ref", all, one(`{"$ref":1}`), "", "1 is not of type 'string'."},
	{"object for anyOf", all, one(`{"anyOf":{}}`), "", "{} is not of type 'array'."},
	{"keyword of OpenAPI", loose, `{"type":"object","properties":{"a":{"type":"string","nullable":"yes","id":5}}}`, "", ""},
	{"unknown keyword", loose, `{"type":"object","properties":{"a":{"type":"string","optional":"yes"}}}`, "", ""},
	{"property named like a keyword", all, closed(`{"required":{"type":"boolean"},"enum":{"type":"string"}}`, "required", "enum"), "", ""},
	{"payload", loose, `{"type":"object","properties":{"a":{"type":"string","default":{"type":5}}},"examples":[{"required":true}]}`, "", ""},
	{"unknown type", all, one(`{"type":"Boolean"}`), "", "'Boolean' is not valid under any of the given schemas."},
	{"upper-case root type", all, `{"type":"OBJECT","properties":{}}`, "", "'OBJECT' is not valid under any of the given schemas."},
	{"unknown type in a list", all, one(`{"type":["string","any"]}`), "", "['string', 'any'] is not valid under any of the given schemas."},
	{"object for a type", all, one(`{"type":{"a":1}}`), "", "{'a': 1} is not valid under any of the given schemas."},
	{"null for a type", all, one(`{"type":null}`), "", "None is not valid under any of the given schemas."},
	{"empty list of types", all, one(`{"type":[]}`), "", "[] is not valid under any of the given schemas."},
	{"type listed twice", all, one(`{"type":["null","null"]}`), "", "['null', 'null'] is not valid under any of the given schemas."},
	{"Unicode property in a pattern", all, one(`{"type":"string","pattern":"^\\p{L}+$"}`), "", `'^\\p{L}+$' is not a 'regex'.`},
	{"name of a group as in JavaScript", all, one(`{"type":"string","pattern":"(?<a>b)"}`), "", `'(?<a>b)' is not a 'regex'.`},
	{"code point as in JavaScript", loose, `{"type":"object","properties":{},"patternProperties":{"a":{},"\\u{61}":{},"[":{}}}`, "", `'\\u{61}' is not a 'regex'.`},
	{"pattern that is not closed", all, one(`{"type":"string","pattern":"(a[b)]"}`), "", `'(a[b)]' is not a 'regex'.`},
	{"pattern that opens nothing", all, one(`{"type":"string","pattern":"a)("}`), "", `'a)(' is not a 'regex'.`},
	{"pattern that repeats nothing", all, one(`{"type":"string","pattern":"a|*"}`), "", `'a|*' is not a 'regex'.`},
	{"pattern that ends in a backslash", all, one(`{"type":"string","pattern":"a\\"}`), "", `'a\\' is not a 'regex'.`},
	{"code point of three digits", all, one(`{"type":"string","pattern":"\\u00e"}`), "", `'\\u00e' is not a 'regex'.`},
	{"look-ahead in a function", loose, one(`{"type":"string","pattern":"^(?!a)(?:b|(?P<c>[^]\\]\\u00e9-]+))(?<!d)\\Z$"}`), "", ""},
	{"property named pattern", all, one(closed(`{"pattern":{"type":"string"}}`, "pattern")), "", ""},
	{"the shallower fault is reported", loose, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"x"}},"b":{"type":"y"}}}`, "", "'y' is not valid under any of the given schemas."},
}

// rootRows are about the root of a schema.
var rootRows = []row{
	{"string", all, `{"type":"string"}`, "", rootTypeWords("string")},
	{"array", all, `{"type":"array","items":{"type":"string"}}`, "", rootTypeWords("array")},
	{"list of types", all, `{"type":["object","null"],"properties":{}}`, "", rootTypeWords("['object', 'null']")},
	{"no type", all, `{"properties":{}}`, "", rootTypeWords("None")},
	{"reference", []*provider.Dialect{Chat, ChatStrict, responseFormat}, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, "", rootTypeWords("None")},
	{"typeless anyOf", slices.Concat(plainRoots, answerFormats), `{"anyOf":[{"type":"object"}]}`, "", rootTypeWords("None")},
	{"typeless anyOf of unknown models", slices.Concat(looseResponses, looseAzure), `{"anyOf":[{"type":"object"}]}`, "", ""},
	{"typeless anyOf before", slices.Concat(looseResponses, looseAzure), `{"anyOf":[{"type":"object"}]}`, "2026-06-24", rootTypeWords("None")},
	{"typeless oneOf on Chat", []*provider.Dialect{responseFormat}, `{"oneOf":[{"type":"object"}]}`, "", rootTypeWords("None")},
	{"typeless oneOf on Responses", []*provider.Dialect{textFormat}, `{"oneOf":[{"type":"object"}]}`, "", inRoot + notPermittedWords("oneOf")},
	{"typeless not on Responses", []*provider.Dialect{textFormat}, `{"not":{"type":"object"}}`, "", "context=(), Unsupported keywords ('not',)."},
	{"remote reference on Responses", []*provider.Dialect{textFormat}, `{"$ref":"https://example.com/a.json"}`, "", inRoot + remote},
	{"remote reference on Chat", []*provider.Dialect{responseFormat}, `{"$ref":"https://example.com/a.json"}`, "", rootTypeWords("None")},

	{"oneOf beside the type", plainRoots, `{"type":"object","properties":{},"oneOf":[{}]}`, "", combinator},
	{"oneOf of unknown models", slices.Concat(looseResponses, looseAzure), `{"type":"object","properties":{},"oneOf":[{}]}`, "", ""},
	{"anyOf beside the type", plainRoots, `{"type":"object","properties":{},"anyOf":[]}`, "", combinator},
	{"anyOf of unknown models", slices.Concat(looseResponses, looseAzure), `{"type":"object","properties":{},"anyOf":[]}`, "", ""},
	{"allOf beside the type", plainRoots, `{"type":"object","properties":{},"allOf":[{}]}`, "", combinator},
	{"allOf of unknown models", slices.Concat(looseResponses, looseAzure), `{"type":"object","properties":{},"allOf":[{}]}`, "", ""},
	{"not beside the type", functions, `{"type":"object","properties":{},"not":{}}`, "", combinator},
	{"enum beside the type", functions, `{"type":"object","properties":{},"enum":[{}]}`, "", combinator},
	{"const beside the type", functions, `{"type":"object","properties":{},"const":{}}`, "", combinator},
	{"the words before", slices.Concat(plainRoots, looseAzure), `{"type":"object","properties":{},"oneOf":[{}]}`, "2026-07-23", combinator24},
	{"the words before models differed", looseResponses, `{"type":"object","properties":{},"oneOf":[{}]}`, "2026-06-24", combinator24},
	{"the day since models differ", looseResponses, `{"type":"object","properties":{},"oneOf":[{}]}`, "2026-06-25", ""},
	{"the words on the day", plainRoots, `{"type":"object","properties":{},"oneOf":[{}]}`, "2026-07-24", combinator},
	{"const before", loose, `{"type":"object","properties":{},"const":{}}`, "2026-07-23", ""},
	{"property named oneOf", loose, `{"type":"object","properties":{"oneOf":{"type":"string"}}}`, "", ""},
	{"if beside the type", loose, `{"type":"object","properties":{},"if":{},"then":{}}`, "", ""},

	{"no properties", functions, `{"type":"object"}`, "", inRoot + noProperties},
	{"no properties, closed", functions, `{"type":"object","additionalProperties":false}`, "", inRoot + noProperties},
	{"no properties in a format", answerFormats, `{"type":"object","additionalProperties":false}`, "", inRoot + noProperties},
	{"empty properties", loose, `{"type":"object","properties":{}}`, "", ""},
	{"empty schema", loose, `{}`, "", ""},
	{"empty schema, strict", strict, `{}`, "", inRoot + open},
	{"empty strict object", strict, closed(`{}`), "", ""},
}

// looseRows are about functions that are not strict.
var looseRows = []row{
	{"array without items", loose, `{"type":"object","properties":{"a":{"type":"array"}}}`, "", inA + noItems},
	{"prefixItems alone", loose, `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{}]}}}`, "", inA + noItems},
	{"empty items", loose, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, "", ""},
	{"array among types", loose, `{"type":"object","properties":{"a":{"type":["string","array"]}}}`, "", "In context=('properties', 'a', 'type', '1'), " + noItems},
	{"array among types with items", loose, `{"type":"object","properties":{"a":{"type":["array","null"],"items":{}}}}`, "", ""},
	{"array below items", loose, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"array"}}}}`, "", "In context=('properties', 'a', 'items'), " + noItems},
	{"array in anyOf", loose, `{"type":"object","properties":{"a":{"anyOf":[{},{"type":"array"}]}}}`, "", "In context=('properties', 'a', 'anyOf', '1'), " + noItems},
	{"array in a definition", loose, `{"type":"object","properties":{},"$defs":{"d":{"type":"array"}}}`, "", "In context=(), " + noItems},
	{"odd name in the context", loose, `{"type":"object","properties":{"it's":{"type":"array"}}}`, "", `In context=('properties', "it's"), ` + noItems},
	{"per cent in the context", loose, `{"type":"object","properties":{"100%d":{"type":"array"}}}`, "", `In context=('properties', '100%d'), ` + noItems},
	{"what only strict refuses", loose, `{"type":"object","properties":{"a":{"oneOf":[{"type":"string","format":"uri"}]},"b":{}},"additionalProperties":true}`, "", ""},
}

// strictRows are about each subschema of a strict schema.
var strictRows = []row{
	{"open object", strict, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "", inRoot + open},
	{"additionalProperties true", strict, `{"type":"object","properties":{},"additionalProperties":true}`, "", inRoot + open},
	{"open object below", strict, one(`{"type":"object","properties":{}}`), "", inA + open},
	{"open object in items", strict, one(`{"type":"array","items":{"type":"object","properties":{}}}`), "", "In context=('properties', 'a', 'items'), " + open},
	{"open object in anyOf", strict, one(`{"anyOf":[{"type":"null"},{"type":"object","properties":{}}]}`), "", "In context=('properties', 'a', 'anyOf', '1'), " + open},
	{"open object in a definition", strict, `{"$defs":{"d":{"type":"object","properties":{}}},"type":"object","properties":{},"additionalProperties":false}`, "", inRoot + open},
	{"no properties below", strict, one(`{"type":"object","additionalProperties":false}`), "", inA + noProperties},
	{"optional property", strict, closed(`{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"}}`, "a"), "", inRoot + fmt.Sprintf(missing, "b")},
	{"no required", strict, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "", inRoot + fmt.Sprintf(missing, "a")},
	{"required without a property", strict, closed(`{"a":{"type":"string"}}`, "a", "b"), "", inRoot + fmt.Sprintf(extra, "b")},
	{"dictionary that is required", strict, one(`{"type":"object","additionalProperties":{"type":"string"}}`), "", inRoot + fmt.Sprintf(extra, "a")},
	{"dictionary that is not required", strict, closed(`{"a":{"type":"object","additionalProperties":{"type":"string"}}}`), "", ""},
	{"children before what their parent requires", strict, closed(`{"a":{"type":"array"}}`), "", inA + noItems},
	{"the outer of open objects", strict, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{}}}}}}`, "", inRoot + open},
	{"the outer of open objects below", strict, one(`{"type":"array","items":{"type":"object","properties":{"b":{"type":"object","properties":{}}}}}`), "", "In context=('properties', 'a', 'items'), " + open},
	{"an open parent before its children", strict, `{"type":"object","properties":{"a":{"type":"array"}}}`, "", inRoot + open},
	{"a keyword that is not permitted before an open parent", strict, `{"type":"object","properties":{"a":{"allOf":[]}}}`, "", inA + notPermittedWords("allOf")},
	{"the deepest of optional properties", strict, closed(`{"a":` + closed(`{"b":`+closed(`{"c":{"type":"string"}}`)+`}`) + `}`), "", "In context=('properties', 'a', 'properties', 'b'), " + fmt.Sprintf(missing, "c")},
	{"open object or null", strictFunctions, one(`{"type":["object","null"]}`), "", "In context=('properties', 'a', 'type', '0'), " + open},
	{"null or open object", strictFunctions, one(`{"type":["null","object"],"additionalProperties":true}`), "", "In context=('properties', 'a', 'type', '1'), " + open},
	{"dictionary or null", strict, one(`{"type":["object","null"],"additionalProperties":{"type":"string"}}`), "", ""},
	{"open object or null in a format", answerFormats, one(`{"type":["object","null"]}`), "", ""},

	{"no type", strict, one(`{"description":"x"}`), "", inA + noType},
	{"empty schema", strict, one(`{}`), "", inA + noType},
	{"empty schema of a map in a format", answerFormats, one(`{"type":"object","additionalProperties":{}}`), "", "In context=('properties', 'a', 'additionalProperties'), " + noType},
	{
		"text in a branch of null",
		[]*provider.Dialect{responsesStrict},
		one(`{"anyOf":[{"type":"string","enum":["b"]},{"type":"null","enum":["b"]}]}`), "",
		"context=('properties', 'a', 'anyOf', '1'), enum value b does not validate against {'type': 'null'}.",
	},
	{"const without a type", strict, one(`{"const":"x"}`), "", inA + noType},
	{"enum without a type", strict, one(`{"enum":["x"]}`), "", inA + noType},
	{"const with a type", strict, one(`{"type":"string","const":"x"}`), "", ""},
	{"anyOf for a type", strict, one(`{"anyOf":[{"type":"string"},{"type":"null"}],"description":"x"}`), "", ""},
	{"list of types", strict, one(`{"type":["string","null"]}`), "", ""},

	{"array without items", strict, one(`{"type":"array"}`), "", inA + noItems},
	{"array or null", strictFunctions, one(`{"type":["array","null"]}`), "", "In context=('properties', 'a', 'type', '0'), " + noItems},
	{"array or null in a format", answerFormats, one(`{"type":["array","null"]}`), "", ""},
	{
		"array or null with items, as one report has it",
		[]*provider.Dialect{ChatStrict},
		one(`{"type":["array","null"],"items":{"type":"string"}}`), "",
		"In context=('properties', 'a', 'type', '0'), " + noItems,
	},
	{
		"array or null with items", slices.DeleteFunc(slices.Clone(strict), func(d *provider.Dialect) bool { return d == ChatStrict }),
		one(`{"type":["array","null"],"items":{"type":"string"}}`), "", "",
	},
	{"array or null as anyOf", strict, one(`{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`), "", ""},
	{"items without a type beside anyOf", strict, one(`{"anyOf":[{"type":"string"}],"items":{"type":"string"}}`), "", ""},

	{"format outside the list", strict, one(`{"type":"string","format":"uri"}`), "", inA + "'uri' is not a valid format."},
	{
		"format of a string or null", strictFunctions, one(`{"type":["null","string"],"format":"phone"}`), "",
		"In context=('properties', 'a', 'type', '1'), 'phone' is not a valid format.",
	},
	{"format of a string or null in a format", answerFormats, one(`{"type":["string","null"],"format":"phone"}`), "", ""},
	{"format on the list", strict, one(`{"type":"string","format":"uuid"}`), "", ""},
	{"format of a number", strict, one(`{"type":"integer","format":"int64"}`), "", ""},
	{"format in the spring of 2025", strict, one(`{"type":"string","format":"uuid"}`), "2025-05-31", inA + notPermittedWords("format")},
	{"format in the summer of 2025", strict, one(`{"type":"string","format":"uuid"}`), "2025-06-01", ""},

	{"not", strict, one(`{"not":{"type":"string"}}`), "", "context=('properties', 'a'), Unsupported keywords ('not',)."},
	{
		"not and others", strict, one(`{"if":{},"then":{},"not":{"type":"string"},"allOf":[{}]}`), "",
		"context=('properties', 'a'), Unsupported keywords ('allOf', 'not', 'if', 'then').",
	},
	{"keyword inside one that is not permitted", strict, one(`{"oneOf":[{"type":"array"}]}`), "", inA + notPermittedWords("oneOf")},
	{"the first keyword is named", strict, one(`{"type":"string","uniqueItems":true,"contains":{}}`), "", inA + notPermittedWords("uniqueItems")},
	{"property named oneOf", strict, closed(`{"oneOf":{"type":"string"}}`, "oneOf"), "", ""},
	{"payload with oneOf", strict, one(`{"type":"string","default":{"oneOf":1}}`), "", ""},

	{"remote reference", strict, one(`{"$ref":"https://example.com/a.json"}`), "", inA + remote},
	{"reference to a file", strict, one(`{"$ref":"a.json#/$defs/b"}`), "", inA + remote},
	{"reference with siblings", strict, one(`{"title":"t","$ref":"#","description":"x"}`), "", "context=('properties', 'a'), $ref cannot have keywords {'description', 'title'}."},
	{"reference into properties", strict, closed(`{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}`, "a", "b"), "", "In context=('properties', 'b'), " + topLevel},
	{"reference to no definition", strict, one(`{"$ref":"#/$defs/b"}`), "", inA + topLevel},
	{"reference to an anchor", strict, one(`{"$ref":"#b"}`), "", inA + topLevel},
	{"reference without a slash", strict, `{"$defs":{"b":{"type":"string"}},` + one(`{"$ref":"#$defs/b"}`)[1:], "", inA + topLevel},
	{"reference to a definition", strict, `{"$defs":{"b/c":{"type":"string"}},` + one(`{"$ref":"#/$defs/b~1c"}`)[1:], "", ""},
	{"reference to a definition of draft 7", strict, `{"definitions":{"b":{"type":"string"}},` + one(`{"$ref":"#/definitions/b"}`)[1:], "", ""},
	{"reference to the root", strict, one(`{"$ref":"#"}`), "", ""},
	{"definition that refers to itself", strict, `{"$defs":{"n":` + one(`{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}`) + `},` + one(`{"$ref":"#/$defs/n"}`)[1:], "", ""},

	{"lengths in a function", []*provider.Dialect{ChatStrict}, one(`{"type":"string","minLength":1}`), "", inA + notPermittedWords("minLength")},
	{"lengths where no report is", []*provider.Dialect{responsesStrict, azureChatStrict, azureResponsesStrict}, one(`{"type":"string","minLength":1}`), "", ""},
	{"lengths in a format", answerFormats, one(`{"type":"string","minLength":1,"maxLength":2}`), "", ""},
	{"lengths in the spring of 2025", strict, one(`{"type":"string","maxLength":2}`), "2025-05-31", inA + notPermittedWords("maxLength")},

	{
		"objects that begin alike", []*provider.Dialect{responseFormat}, one(`{"anyOf":[` + one(`{"type":"string"}`) + `,` + one(`{"type":"number"}`) + `]}`), "2025-05-31", inA + firstKeys,
	},
	{"objects that begin alike elsewhere", slices.Concat(strictFunctions, answerFormats[1:]), one(`{"anyOf":[` + one(`{"type":"string"}`) + `,` + one(`{"type":"number"}`) + `]}`), "2025-05-31", ""},
	{"objects that begin alike since", strict, one(`{"anyOf":[` + one(`{"type":"string"}`) + `,` + one(`{"type":"number"}`) + `]}`), "2025-06-01", ""},
	{"objects that begin differently", strict, one(`{"anyOf":[` + one(`{"type":"string"}`) + `,` + closed(`{"b":{"type":"string"}}`, "b") + `]}`), "2025-05-31", ""},
}

// keywordRows have a row for each keyword that is, or was, not permitted.
func keywordRows() []row {
	var rows []row
	for keyword, value := range map[string]string{
		"oneOf": `[]`, "allOf": `[]`, "uniqueItems": `true`, "contains": `{}`, "minContains": `1`, "maxContains": `1`, "propertyNames": `{}`,
		"minProperties": `1`, "maxProperties": `1`, "if": `{}`, "then": `{}`, "else": `{}`, "dependentRequired": `{}`, "dependentSchemas": `{}`,
		"unevaluatedProperties": `false`, "unevaluatedItems": `false`,
	} {
		rows = append(rows, row{keyword, strict, one(`{"type":"string","` + keyword + `":` + value + `}`), "", inA + notPermittedWords(keyword)})
	}
	for keyword, value := range map[string]string{
		"default": `1`, "pattern": `"a"`, "minimum": `1`, "maximum": `1`, "exclusiveMinimum": `1`, "exclusiveMaximum": `1`, "multipleOf": `1`,
		"minItems": `1`, "maxItems": `1`,
	} {
		property := one(`{"type":"string","` + keyword + `":` + value + `}`)
		rows = append(rows,
			row{keyword + " before", strict, property, "2025-05-31", inA + notPermittedWords(keyword)},
			row{keyword + " since", strict, property, "2025-06-01", ""})
	}
	for _, keyword := range []string{"$schema", "$comment", "title", "description", "deprecated", "patternProperties", "prefixItems", "examples", "x-order"} {
		value := map[string]string{"deprecated": `true`, "patternProperties": `{}`, "prefixItems": `[]`, "examples": `[]`}[keyword]
		if value == "" {
			value = `"x"`
		}
		rows = append(rows, row{keyword, strict, one(`{"type":"string","` + keyword + `":` + value + `}`), "", ""})
	}
	return rows
}

// TestUnionAtRootByModel: on Responses the model decides whether a union is accepted at
// the root.
func TestUnionAtRootByModel(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]provider.Verdict{
		"gpt-4o": provider.Rejected, "gpt-3.5-turbo": provider.Rejected, "o4-mini": provider.Rejected,
		"gpt-5.4-mini": provider.Accepted, "gpt-5": provider.Accepted, "": provider.Accepted, "my-deployment": provider.Accepted,
	} {
		for _, dialect := range slices.Concat(looseResponses, looseAzure) {
			for _, parameters := range []string{`{"anyOf":[{"type":"object"}]}`, `{"type":"object","properties":{},"allOf":[{}]}`} {
				asking := provider.Model{Dialect: dialect, AsOf: today, ModelName: model}
				response, err := asking.Send(t.Context(), dialect.Request([]*schema.Node{declare(t, dialect, parameters)}))
				if err != nil || response.Verdict != want {
					t.Errorf("%s with %q: %s, %v; want %s", dialect.Name, model, response.Verdict, err, want)
				}
			}
		}
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for group, rows := range map[string][]row{
		"metaschema": metaschemaRows, "root": rootRows, "loose": looseRows, "strict": strictRows, "keywords": keywordRows(), "limits": limitRows(),
	} {
		for _, test := range rows {
			for _, dialect := range test.dialects {
				t.Run(group+"/"+test.name+"/"+dialect.Name, func(t *testing.T) {
					t.Parallel()
					day := test.day
					if day == "" {
						day = today
					}
					response := answer(t, dialect, day, declare(t, dialect, test.schema))
					if test.want == "" {
						if response.Verdict != provider.Accepted || response.Status != 200 || response.Message != "" {
							t.Errorf("%s, status %d: %s", response.Verdict, response.Status, response.Message)
						}
						return
					}
					if diff := cmp.Diff(about(dialect)+test.want, response.Message); diff != "" {
						t.Errorf("message (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(places[surfaceName(dialect)], answeredPlace{response.Param, response.Code}); diff != "" {
						t.Errorf("place (-want +got):\n%s", diff)
					}
					if response.Verdict != provider.Rejected || response.Status != 400 || len(response.Findings) != 1 {
						t.Errorf("%s, status %d, %d findings", response.Verdict, response.Status, len(response.Findings))
					}
				})
			}
		}
	}
}

// nested returns a strict object with the given number of levels.
func nested(levels int) string {
	text := closed(`{}`)
	for range levels - 1 {
		text = one(text)
	}
	return text
}

// wide returns a strict object with the given number of properties.
func wide(properties int) string {
	members, names := make([]string, properties), make([]string, properties)
	for i := range properties {
		names[i] = fmt.Sprint("p", i)
		members[i] = `"` + names[i] + `":{"type":"string"}`
	}
	return closed("{"+strings.Join(members, ",")+"}", names...)
}

// lookaroundRows are about patterns with look-around.
var lookaroundRows = []row{
	{"look-ahead", []*provider.Dialect{textFormat}, one(`{"type":"array","items":{"type":"string","pattern":"(?=a)"}}`), "", "properties.a.items.pattern"},
	{"look-behind", []*provider.Dialect{textFormat}, one(`{"type":"string","pattern":"(?<!a)b"}`), "", "properties.a.pattern"},
	{"look-ahead before", []*provider.Dialect{textFormat}, one(`{"type":"string","pattern":"(?=a)"}`), "2026-08-04", ""},
	{"look-ahead on Chat", []*provider.Dialect{responseFormat}, one(`{"type":"string","pattern":"(?=a)"}`), "", ""},
	{"group", []*provider.Dialect{textFormat}, one(`{"type":"string","pattern":"(?:a)"}`), "", ""},
}

// TestLookaround checks the words of a refusal that names no format.
func TestLookaround(t *testing.T) {
	t.Parallel()
	for _, test := range lookaroundRows {
		for _, dialect := range test.dialects {
			want, where := "", answeredPlace{}
			if test.want != "" {
				want, where = "Invalid JSON schema: regex lookaround is not supported.\nFound at $."+test.want+".", places["text_format"]
			}
			day := test.day
			if day == "" {
				day = today
			}
			response := answer(t, dialect, day, declare(t, dialect, test.schema))
			if response.Message != want || (answeredPlace{response.Param, response.Code}) != where {
				t.Errorf("%s on %s: %+v", test.name, dialect.Name, response)
			}
		}
	}
}

// enums returns a strict object with two enums of the given numbers of values.
func enums(first, second int) string {
	values := func(count int) string {
		listed := make([]string, count)
		for i := range listed {
			listed[i] = fmt.Sprint("v", i)
		}
		return `{"type":"string","enum":` + schema.NewStrings(listed...).String() + `}`
	}
	return closed(`{"a":`+values(first)+`,"b":`+values(second)+`}`, "a", "b")
}

func tooManyValues(most, count int) string {
	return fmt.Sprintf("Expected at most %d enum values in total within a single schema when using structured outputs, but received %d. "+
		"Consider reducing the number of enums, or use 'strict: false' to opt out of structured outputs.", most, count)
}

func limitRows() []row {
	const most = 5000
	return []row{
		{"10 levels", strict, nested(10), "", ""},
		{"11 levels", strict, nested(11), "", "11 levels of nesting exceeds limit of 10."},
		{"13 levels", strict, nested(13), "", "13 levels of nesting exceeds limit of 10."},
		{"11 levels, not strict", loose, nested(11), "", ""},
		{"10 levels with unions and arrays between", strict, one(`{"anyOf":[{"type":"array","items":` + nested(9) + `}]}`), "", ""},
		{"11 levels with unions and arrays between", strict, one(`{"anyOf":[{"type":"array","items":` + nested(10) + `}]}`), "", "11 levels of nesting exceeds limit of 10."},
		{"5 levels before", strict, nested(5), "2025-07-17", ""},
		{"6 levels before", strict, nested(6), "2025-07-17", "6 levels of nesting exceeds limit of 5."},
		{"6 levels after", strict, nested(6), "2025-07-18", ""},
		{"100 properties in 2024", strict, wide(100), "2024-11-06", ""},
		{"101 properties in 2024", strict, wide(101), "2024-11-06", "101 parameters exceeds limit of 100."},
		{"101 properties after", strict, wide(101), "2024-11-07", ""},
		{"500 values of enums in 2024", strict, enums(250, 250), "2024-12-31", ""},
		{"501 values of enums in 2024", strict, enums(250, 251), "2024-12-31", tooManyValues(500, 501)},
		{"1,000 values of enums", strict, enums(1, 999), "", ""},
		{"1,001 values of enums", strict, enums(2, 999), "", tooManyValues(1000, 1001)},
		{"5,000 properties", []*provider.Dialect{ChatStrict}, wide(most), "", ""},
		{"5,001 properties", []*provider.Dialect{ChatStrict}, wide(most + 1), "", "5001 parameters exceeds limit of 5000."},
		{"5,001 properties on two levels", []*provider.Dialect{textFormat}, one(wide(most)), "", "5001 parameters exceeds limit of 5000."},
	}
}

// TestSchemaTypes checks the answer to a schema that is not an object, which names the
// member of the request.
func TestSchemaTypes(t *testing.T) {
	t.Parallel()
	path := func(dialect *provider.Dialect) string {
		if surfaceName(dialect) == "response_format" {
			return "response_format.json_schema.schema"
		}
		return places[surfaceName(dialect)].Param
	}
	for value, found := range map[string]string{`true`: "a boolean", `"x"`: "a string", `5`: "a number", `[]`: "an array"} {
		for _, dialect := range all {
			response := answer(t, dialect, today, declare(t, dialect, value))
			want := "Invalid type for '" + path(dialect) + "': expected an object, but got " + found + " instead."
			if response.Message != want || response.Param != path(dialect) || response.Code != "invalid_type" {
				t.Errorf("%s, %s: %q, param %q, code %q; want %q", dialect.Name, value, response.Message, response.Param, response.Code, want)
			}
		}
	}
}

func isOnAzure(dialect *provider.Dialect) bool { return strings.HasPrefix(dialect.Name, "azure/") }

// memberPath returns what stands between a tool and its members in the path of a place.
func memberPath(dialect *provider.Dialect) string {
	if strings.HasPrefix(surfaceName(dialect), "responses") {
		return ""
	}
	return "function."
}

func TestNames(t *testing.T) {
	t.Parallel()
	const (
		pattern = "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
		tooLong = "string too long. Expected a string with maximum length %d, but got a string with length %d instead."
	)
	letters := strings.Repeat("a", 200)
	for _, test := range []struct {
		name string
		day  provider.Date
		want string
		code string
	}{
		{"f_9-A", today, "", ""},
		{"9", today, "", ""},
		{"a.b", today, pattern, "invalid_value"},
		{"a b", today, pattern, "invalid_value"},
		{"", today, pattern, "invalid_value"},
		{"größe", today, pattern, "invalid_value"},
		{"a\n", today, pattern, "invalid_value"},
		{letters[:64], "2026-09-30", "", ""},
		{letters[:65], "2026-09-30", fmt.Sprintf(tooLong, 64, 65), "string_above_max_length"},
		{letters[:65], "2026-10-01", "", ""},
		{letters[:128], today, "", ""},
		{letters[:129], today, fmt.Sprintf(tooLong, 128, 129), "string_above_max_length"},
	} {
		for _, dialect := range slices.DeleteFunc(slices.Clone(functions), isOnAzure) {
			t.Run(fmt.Sprintf("%.20q of %d on %s/%s", test.name, len(test.name), test.day, dialect.Name), func(t *testing.T) {
				t.Parallel()
				first := dialect.Declare(schema.Tool{Name: "first", Parameters: read(t, closed(`{}`))})
				response := answer(t, dialect, test.day, first, dialect.Declare(schema.Tool{Name: test.name, Parameters: read(t, closed(`{}`))}))
				want, param := "", ""
				if test.want != "" {
					param = "tools[1]." + memberPath(dialect) + "name"
					want = "Invalid '" + param + "': " + test.want
				}
				if diff := cmp.Diff(want, response.Message); diff != "" {
					t.Errorf("message (-want +got):\n%s", diff)
				}
				if response.Param != param || response.Code != test.code {
					t.Errorf("param %q, code %q", response.Param, response.Code)
				}
			})
		}
	}
}

func TestNumberOfTools(t *testing.T) {
	t.Parallel()
	const most = 128
	for _, dialect := range functions {
		tools := slices.Repeat([]*schema.Node{dialect.Declare(schema.Tool{Name: "f", Parameters: read(t, closed(`{}`))})}, most+1)
		if response := answer(t, dialect, today, tools[:most]...); response.Verdict != provider.Accepted {
			t.Errorf("%s: %d tools: %s", dialect.Name, most, response.Message)
		}
		response := answer(t, dialect, today, tools...)
		const want = "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead."
		if response.Message != want || response.Param != "tools" || response.Code != "array_above_max_length" {
			t.Errorf("%s: %q, param %q, code %q", dialect.Name, response.Message, response.Param, response.Code)
		}
	}
}

// TestFirstViolationAlone checks the order of the stages and of the declarations.
func TestFirstViolationAlone(t *testing.T) {
	t.Parallel()
	tool := func(name, parameters string) *schema.Node {
		return ChatStrict.Declare(schema.Tool{Name: name, Parameters: read(t, parameters)})
	}
	for _, test := range []struct {
		name         string
		declarations []*schema.Node
		want, param  string
	}{
		{
			"a name before every schema",
			[]*schema.Node{tool("a", `{"type":"string"}`), tool("b c", `{}`)},
			"Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "tools[1].function.name",
		},
		{
			"one declaration after the other",
			[]*schema.Node{tool("a", closed(`{}`)), tool("b", one(`{"type":"array"}`)), tool("c", `{"type":5}`)},
			"Invalid schema for function 'b': " + inA + noItems, "tools[1].function.parameters",
		},
		{
			"the metaschema before the root",
			[]*schema.Node{tool("a", `{"type":"array","items":{"required":true}}`)},
			"Invalid schema for function 'a': True is not of type 'array'.", "tools[0].function.parameters",
		},
		{
			"the root before what lies below",
			[]*schema.Node{tool("a", `{"type":"array"}`)},
			"Invalid schema for function 'a': " + rootTypeWords("array"), "tools[0].function.parameters",
		},
		{
			"subschemas before the limits",
			[]*schema.Node{tool("a", one(`{"anyOf":[`+nested(12)+`,{"type":"array"}]}`))},
			"Invalid schema for function 'a': In context=('properties', 'a', 'anyOf', '1'), " + noItems, "tools[0].function.parameters",
		},
		{
			"no parameters",
			[]*schema.Node{ChatStrict.Declare(schema.Tool{Name: "a"})},
			"Invalid schema for function 'a': " + inRoot + open, "tools[0].function.parameters",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response := answer(t, ChatStrict, today, test.declarations...)
			if response.Message != test.want || response.Param != test.param {
				t.Errorf("%q, param %q; want %q, param %q", response.Message, response.Param, test.want, test.param)
			}
		})
	}
}

// TestPlaces checks where a finding points: from the tool, and into the file.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, dialect := range strict {
		parameters := "{\"type\": \"object\", \"additionalProperties\": false,\n \"properties\": {\"a/b\": {\"anyOf\": [\n  {\"type\": \"array\"}]}}}"
		response := answer(t, dialect, today, declare(t, dialect, parameters))
		finding := response.Findings[0]
		if finding.At != "/parameters/properties/a~1b/anyOf/0" || finding.Position.String() != "3:3" || finding.Declaration != 0 {
			t.Errorf("%s: at %q, position %s, declaration %d", dialect.Name, finding.At, finding.Position, finding.Declaration)
		}
	}
}

// TestEnvelopes checks the bodies of requests and of answers.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dialect              *provider.Dialect
		at                   schema.Pointer
		declaration, refusal string
	}{
		{
			Chat, "/tools/0/function", `{"name":"f","description":"d","parameters":{"type":"string"}}`,
			`{"error":{"message":"Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",` +
				`"type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
		},
		{
			ChatStrict, "/tools/0/function", `{"name":"f","description":"d","parameters":{"type":"string"},"strict":true}`,
			`{"error":{"message":"Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",` +
				`"type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`,
		},
		{
			responseFormat, "/response_format/json_schema", `{"name":"f","description":"d","schema":{"type":"string"},"strict":true}`,
			`{"error":{"message":"Invalid schema for response_format 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",` +
				`"type":"invalid_request_error","param":"response_format","code":null}}`,
		},
		{
			textFormat, "/text/format", `{"type":"json_schema","name":"f","description":"d","schema":{"type":"string"},"strict":true}`,
			`{"error":{"message":"Invalid schema for response_format 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'.",` +
				`"type":"invalid_request_error","param":"text.format.schema","code":"invalid_json_schema"}}`,
		},
	} {
		t.Run(test.dialect.Name, func(t *testing.T) {
			t.Parallel()
			tool := schema.Tool{Name: "f", Description: schema.NewString("d"), Parameters: read(t, `{"type":"string"}`)}
			request := test.dialect.Encode([]schema.Tool{tool})
			if diff := cmp.Diff(test.declaration, request.Body.Find(test.at).String()); diff != "" {
				t.Errorf("declaration (-want +got):\n%s", diff)
			}
			response := answer(t, test.dialect, today, request.Declarations...)
			body := test.dialect.Render(response)
			if diff := cmp.Diff(read(t, test.refusal).String(), read(t, string(body)).String()); diff != "" {
				t.Errorf("refusal (-want +got):\n%s", diff)
			}
			again, err := test.dialect.Classify(response.Status, body)
			if err != nil || again.Verdict != response.Verdict || again.Message != response.Message || again.Param != response.Param || again.Code != response.Code {
				t.Errorf("Classify = %+v, %v", again, err)
			}
		})
	}
}

// TestClassify tells answers about a declaration from those that say nothing about one.
func TestClassify(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status int
		body   string
		about  bool
	}{
		{"message without a param", 400, `{"error":{"message":"Invalid schema for function 'f': 'x' is not of type 'array'.","type":"invalid_request_error","param":null,"code":"invalid_function_parameters"}}`, true},
		{"param of a tool", 400, `{"error":{"message":"Missing required parameter: 'tools[0].name'.","param":"tools[0].name","code":"missing_required_parameter"}}`, true},
		{"too many tools", 400, `{"error":{"message":"Invalid 'tools': array too long.","param":"tools","code":"array_above_max_length"}}`, true},
		{"type of a schema", 400, `{"error":{"message":"Invalid type for 'response_format.json_schema.schema'","param":"response_format.json_schema.schema","code":"invalid_type"}}`, true},
		{"tools that a model does not take", 400, `{"error":{"message":"Deep research models only support the 'web_search_preview', 'code_interpreter', 'mcp', and 'file_search' tools.","param":"tools","code":null}}`, false},
		{"format that a model does not take", 400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","param":"response_format","code":null}}`, false},
		{"other parameters", 400, `{"error":{"message":"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.","param":"max_tokens","code":"invalid_parameter_combination"}}`, false},
		{"messages", 400, `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages","param":"messages","code":null}}`, false},
		{"no key", 401, `{"error":{"message":"Incorrect API key provided: test.","code":"invalid_api_key"}}`, false},
		{"no tools at all", 404, `{"error":{"message":"tools is not supported in this model.","param":null,"code":null}}`, false},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached","param":"tools[0]","code":"rate_limit_exceeded"}}`, false},
		{"cut off", 400, `{"error":{"message":"Invalid sch`, false},
		{"a page of HTML", 503, `<html></html>`, false},
		{"nothing", 400, ``, false},
	} {
		for _, dialect := range all {
			t.Run(test.name+"/"+dialect.Name, func(t *testing.T) {
				t.Parallel()
				response, err := dialect.Classify(test.status, []byte(test.body))
				if (err == nil) != test.about || test.about && response.Verdict != provider.Rejected {
					t.Errorf("Classify = %+v, %v", response, err)
				}
			})
		}
	}
	for _, dialect := range all {
		if response, err := dialect.Classify(200, []byte(`{"choices":[]}`)); err != nil || response.Verdict != provider.Accepted {
			t.Errorf("%s: an acceptance: %+v, %v", dialect.Name, response, err)
		}
	}
}

// FuzzModel gives the models any JSON as a schema. They must not panic, must answer the
// same twice and point into their input, and their answers must be readable.
func FuzzModel(f *testing.F) {
	for _, rows := range [][]row{metaschemaRows, rootRows, looseRows, strictRows, keywordRows()} {
		for _, seed := range rows {
			f.Add(seed.schema, "f")
		}
	}
	f.Add(`{"type":"object","properties":{"":{"anyOf":[null,[{}],"x"]}},"required":[["a"]]}`, "a b")
	f.Fuzz(func(t *testing.T, text, name string) {
		parameters, err := schema.ParseWire([]byte(text))
		if err != nil {
			return
		}
		_, err = schema.Parse([]byte(text))
		duplicates := err != nil
		for _, dialect := range all {
			tool := schema.Tool{Name: name, Parameters: parameters}
			declaration := dialect.Declare(tool)
			before := declaration.String()
			for _, day := range []provider.Date{"2024-06-01", "2026-01-01", today} {
				response := answer(t, dialect, day, declaration)
				again := answer(t, dialect, day, declaration)
				if again.Message != response.Message || again.Param != response.Param || again.Code != response.Code {
					t.Fatalf("%s answers twice:\n%s\n%s", dialect.Name, response.Message, again.Message)
				}
				if len(response.Findings) > 1 {
					t.Fatalf("%s: more than one finding", dialect.Name)
				}
				for _, finding := range response.Findings {
					// With repeated names a pointer leads to the last of them.
					if finding.Rule == nil || !finding.Rule.InForce(day, "") || !duplicates && tool.Node().Find(finding.At) != finding.Node && finding.At != "/name" {
						t.Fatalf("%s: an odd finding: %+v", dialect.Name, finding)
					}
				}
				body := dialect.Render(response)
				read, err := dialect.Classify(response.Status, body)
				if err != nil || read.Verdict != response.Verdict || read.Param != response.Param || read.Code != response.Code {
					t.Fatalf("%s: Classify = %+v, %v\n%s", dialect.Name, read, err, body)
				}
				if cut := body[:len(body)/2]; response.Verdict == provider.Rejected && !bytes.Equal(cut, body) {
					if _, err := dialect.Classify(response.Status, cut); err == nil {
						t.Fatalf("%s: half an answer is read: %s", dialect.Name, cut)
					}
				}
			}
			if dialect.Echo != nil {
				for _, day := range []provider.Date{"2025-06-01", "2026-01-01", today} {
					if echo := dialect.Echo(declaration, day); !schema.Identical(echo, dialect.Echo(declaration, day)) {
						t.Fatalf("%s echoes twice: %s", dialect.Name, echo)
					}
				}
			}
			if declaration.String() != before {
				t.Fatalf("%s: the declaration was changed", dialect.Name)
			}
		}
	})
}
