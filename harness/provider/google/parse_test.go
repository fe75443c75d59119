package google

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// wire reads JSON as the service receives it.
func wire(t testing.TB, text string) *schema.Node {
	t.Helper()
	node, err := schema.ParseWire([]byte(text))
	if err != nil {
		t.Fatalf("ParseWire(%s): %v", text, err)
	}
	return node
}

// function declares a function with the given parameters.
func function(name string, parameters *schema.Node) *schema.Node {
	return schema.Tool{Name: name, Parameters: parameters}.Node()
}

// only returns a surface with the rules of one stage only.
func only(stage *provider.Stage) *provider.Dialect {
	dialect := *GeminiParameters
	dialect.Rules = slices.DeleteFunc(slices.Clone(dialect.Rules), func(rule *provider.Rule) bool { return rule.Stage != stage })
	return &dialect
}

// answer returns the answer of a surface's model on a day.
func answer(t testing.TB, dialect *provider.Dialect, day provider.Date, request provider.Request) provider.Response {
	t.Helper()
	response, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// today is a day on which the current rules hold.
const today = "2026-11-01"

// The abbreviations of the tables.
var long = strings.NewReplacer(
	"…P", "tools[0].function_declarations[0].parameters",
	"…D", "tools[0].function_declarations[0]",
	"…U", "Invalid JSON payload received. Unknown name",
	"…T", "type.googleapis.com/google.ai.generativelanguage.v1beta.Type",
	"…S", "type.googleapis.com/google.ai.generativelanguage.v1beta.Schema",
)

type parseRow struct {
	name, parameters string
	want             string // the whole message; empty when the stage has nothing to say
}

// publishedRows are the rows of the table docs/providers.md#google-parser-answers: what
// the front end says about a value of parameters, before the message is checked.
var publishedRows = []parseRow{
	{"unknown keyword", `{"type":"OBJECT","additionalProperties":false}`, `…U "additionalProperties" at '…P': Cannot find field.`},
	{"two unknowns", `{"$schema":"x","type":"OBJECT","additionalProperties":false}`, `…U "$schema" at '…P': Cannot find field.` + "\n" +
		`…U "additionalProperties" at '…P': Cannot find field.`},
	{"type array", `{"type":["string","null"]}`, `…U "type" at '…P': Proto field is not repeating, cannot start list.`},
	{"lower-case type", `{"type":"string"}`, ""},
	{"Mixed-case type", `{"type":"String"}`, ""},
	{"type any", `{"type":"any"}`, `Invalid value at '…P.type' (…T), "any"`},
	{"type null (lower)", `{"type":"null"}`, ""},
	{"type NULL", `{"type":"NULL"}`, ""},
	{"type number 1", `{"type":1}`, ""},
	{"type \"1\"", `{"type":"1"}`, ""},
	{"type 99", `{"type":99}`, ""},
	{"type empty", `{"type":""}`, `Invalid value at '…P.type' (…T), ""`},
	{"object where string", `{"type":"STRING","description":{"en":"x"}}`, `Invalid value at '…P' (description), Starting an object on a scalar field`},
	{"number where string", `{"type":"STRING","description":5}`, `Invalid value at '…P.description' (TYPE_STRING), 5`},
	{"integer enum", `{"type":"INTEGER","enum":[1,2]}`, `Invalid value at '…P.enum[0]' (TYPE_STRING), 1` + "\n" +
		`Invalid value at '…P.enum[1]' (TYPE_STRING), 2`},
	{"null in enum", `{"type":"STRING","enum":["a",null]}`, ""},
	{"bool required", `{"type":"STRING","required":true}`, `Invalid value at '…P.required' (TYPE_STRING), true`},
	{"string required", `{"type":"OBJECT","required":"a"}`, ""},
	{"int64 number", `{"type":"ARRAY","minItems":1}`, ""},
	{"int64 string", `{"type":"ARRAY","minItems":"1"}`, ""},
	{"int64 1.0", `{"type":"ARRAY","minItems":1.0}`, ""},
	{"int64 1e2", `{"type":"ARRAY","minItems":1e2}`, ""},
	{"int64 1.5", `{"type":"ARRAY","minItems":1.5}`, `Invalid value at '…P.min_items' (TYPE_INT64), 1.5`},
	{"double as string", `{"type":"NUMBER","minimum":"0"}`, ""},
	{"null scalar", `{"type":"STRING","description":null}`, ""},
	{"null message", `{"type":"ARRAY","items":null}`, ""},
	{"null map value", `{"type":"OBJECT","properties":{"a":null}}`, ""},
	{"null list elem msg", `{"anyOf":[null]}`, ""},
	{"default null", `{"type":"STRING","default":null}`, ""},
	{"default object", `{"type":"OBJECT","default":{"a":[1]}}`, ""},
	{"$ref", `{"$ref":"#/$defs/A"}`, `…U "$ref" at '…P': Cannot find field.`},
	{"snake any_of", `{"any_of":[{"type":"STRING"}],"max_items":2}`, ""},
	{"camel anyOf", `{"anyOf":[{"type":"STRING"}],"maxItems":2}`, ""},
	{"both anyOf any_of", `{"anyOf":[{"type":"STRING"}],"any_of":[{"type":"STRING"}]}`, ""},
	{"duplicate key", `{"type":"STRING","type":"STRING"}`, ""},
	{"duplicate property", `{"type":"OBJECT","properties":{"a":{"type":"STRING"},"a":{"type":"STRING"}}}`, `…U "a" at '…P.properties[0]': Repeated map key: 'a' is already set.`},
	{"bool schema items", `{"type":"ARRAY","items":true}`, `Invalid value at '…P.items' (…S), true`},
	{"items list", `{"type":"ARRAY","items":[{"type":"STRING"}]}`, `…U "items" at '…P': Proto field is not repeating, cannot start list.`},
	{"properties list", `{"type":"OBJECT","properties":[]}`, `Invalid value at '…P' (Map), Cannot bind a list to map for field 'properties'.`},
	{"property = list", `{"type":"OBJECT","properties":{"a":["STRING"]}}`, `Invalid value at '…P.properties[0].value' (Map), Cannot have repeated items ('a') within a map.`},
	{"property = string", `{"type":"OBJECT","properties":{"a":"STRING"}}`, `Invalid value at '…P.properties[0].value' (…S), "STRING"`},
	{"nullable string", `{"type":"STRING","nullable":"true"}`, ""},
	{"enum as object", `{"type":"STRING","enum":{"a":1}}`, `Invalid value at '…P' (enum), Starting an object on a scalar field`},
	{"anyOf as object", `{"anyOf":{"type":"STRING"}}`, ""},
	{"parameters list", `[]`, `…U "parameters" at '…D': Proto field is not repeating, cannot start list.`},
	{"parameters string", `"x"`, `Invalid value at '…P' (…S), "x"`},
}

// furtherRows follow from the same algorithm (docs/providers.md#google-parser).
var furtherRows = []parseRow{
	{"null for parameters", `null`, ""},
	{"empty schema", `{}`, ""},
	{"boolean schema", `true`, `Invalid value at '…P' (…S), true`},
	{"unknown name below an unknown name", `{"not":{"oneOf":[{"const":1}]}}`, `…U "not" at '…P': Cannot find field.`},
	{
		"children before a later name of their parent",
		`{"type":"object","properties":{"a":{"const":1},"b":{"items":{"$ref":"x"}}},"additionalProperties":false}`,
		`…U "const" at '…P.properties[0].value': Cannot find field.` + "\n" +
			`…U "$ref" at '…P.properties[1].value.items': Cannot find field.` + "\n" +
			`…U "additionalProperties" at '…P': Cannot find field.`,
	},
	{"property named like an unknown name", `{"properties":{"const":{"type":"STRING"},"$ref":{"type":"STRING"}}}`, ""},
	{"payload that looks like a schema", `{"default":{"const":1},"example":[{"$ref":"x"}]}`, ""},
	{"list for a free value", `{"default":["a"],"example":[[]]}`, ""},
	{"proto names in the location", `{"anyOf":[{"items":{"x":1}}]}`, `…U "x" at '…P.any_of[0].items': Cannot find field.`},
	{"proto names in the request", `{"any_of":[{"max_items":"x"}]}`, `Invalid value at '…P.any_of[0].max_items' (TYPE_INT64), "x"`},
	{"the name as it was spelt", `{"propertyNames":{},"property_names":{}}`, `…U "propertyNames" at '…P': Cannot find field.` + "\n" + `…U "property_names" at '…P': Cannot find field.`},
	{"one schema for a list has no index", `{"anyOf":{"const":1}}`, `…U "const" at '…P.any_of': Cannot find field.`},
	{"one value for a list has no index", `{"enum":1}`, `Invalid value at '…P.enum' (TYPE_STRING), 1`},
	{"a null takes no index", `{"anyOf":[null,{"const":1}]}`, `…U "const" at '…P.any_of[0]': Cannot find field.`},
	{"a null property takes its index", `{"properties":{"a":null,"b":{"const":1}}}`, `…U "const" at '…P.properties[1].value': Cannot find field.`},
	{"duplicate property after a null", `{"properties":{"a":null,"a":{}}}`, `…U "a" at '…P.properties[0]': Repeated map key: 'a' is already set.`},
	{"duplicate member, first one wrong", `{"description":5,"description":"x"}`, `Invalid value at '…P.description' (TYPE_STRING), 5`},
	{"boolean enum member", `{"enum":["a",true]}`, `Invalid value at '…P.enum[1]' (TYPE_STRING), true`},
	{"object as enum member", `{"enum":[{"a":1}]}`, `Invalid value at '…P.enum' (enum), Starting an object on a scalar field`},
	{"object for type", `{"type":{"a":1}}`, `Invalid value at '…P' (type), Starting an object on a scalar field`},
	{"boolean for type", `{"type":true}`, `Invalid value at '…P.type' (…T), true`},
	{"number with a fraction for type", `{"type":1.5}`, `Invalid value at '…P.type' (…T), 1.5`},
	{"whole number for type, spelt with a fraction", `{"type":1.0}`, ""},
	{"undeclared number in a string for type", `{"type":"99"}`, `Invalid value at '…P.type' (…T), "99"`},
	{"hyphen in type", `{"type":"type-unspecified"}`, ""},
	{"type dict", `{"type":"dict"}`, `Invalid value at '…P.type' (…T), "dict"`},
	{"boolean for int64", `{"minItems":true}`, `Invalid value at '…P.min_items' (TYPE_INT64), true`},
	{"int64 beyond its range", `{"maxItems":9223372036854775808}`, `Invalid value at '…P.max_items' (TYPE_INT64), 9223372036854775808`},
	{"greatest int64 in a string", `{"maxItems":"9223372036854775807"}`, ""},
	{"negative int64", `{"minLength":-1}`, ""},
	{"int64 in hexadecimal", `{"minItems":"0x10"}`, `Invalid value at '…P.min_items' (TYPE_INT64), "0x10"`},
	{"int64 as a quotient", `{"minItems":"4/2"}`, `Invalid value at '…P.min_items' (TYPE_INT64), "4/2"`},
	{"int64 in a string, spelt with a fraction", `{"minItems":"1.0"}`, `Invalid value at '…P.min_items' (TYPE_INT64), "1.0"`},
	{"number beyond int32 for type", `{"type":2147483648}`, `Invalid value at '…P.type' (…T), 2147483648`},
	{"words for int64", `{"minItems":"one"}`, `Invalid value at '…P.min_items' (TYPE_INT64), "one"`},
	{"nothing for int64", `{"minItems":""}`, `Invalid value at '…P.min_items' (TYPE_INT64), ""`},
	{"object for int64", `{"minItems":{}}`, `Invalid value at '…P' (min_items), Starting an object on a scalar field`},
	{"list for int64", `{"minItems":[1]}`, `…U "minItems" at '…P': Proto field is not repeating, cannot start list.`},
	{"boolean for double", `{"maximum":false}`, `Invalid value at '…P.maximum' (TYPE_DOUBLE), false`},
	{"words for double", `{"minimum":"low"}`, `Invalid value at '…P.minimum' (TYPE_DOUBLE), "low"`},
	{"double with an exponent in a string", `{"minimum":"-1.5e3"}`, ""},
	{"number for bool", `{"nullable":1}`, `Invalid value at '…P.nullable' (TYPE_BOOL), 1`},
	{"words for bool", `{"nullable":"perhaps"}`, `Invalid value at '…P.nullable' (TYPE_BOOL), "perhaps"`},
	{"other words for bool", `{"nullable":"No"}`, ""},
	{"list for properties below", `{"items":{"properties":[{}]}}`, `Invalid value at '…P.items' (Map), Cannot bind a list to map for field 'properties'.`},
	{"number for a property", `{"properties":{"a":5}}`, `Invalid value at '…P.properties[0].value' (…S), 5`},
	{"string for items", `{"items":"STRING"}`, `Invalid value at '…P.items' (…S), "STRING"`},
	{"string for anyOf", `{"anyOf":"STRING"}`, `Invalid value at '…P.any_of' (…S), "STRING"`},
	{"string among anyOf", `{"anyOf":[{},"STRING"]}`, `Invalid value at '…P.any_of[1]' (…S), "STRING"`},
	{"boolean for required below", `{"properties":{"a":{"required":true}}}`, `Invalid value at '…P.properties[0].value.required' (TYPE_STRING), true`},
	{"quotes in a name", `{"a\"b":1}`, `…U "a"b" at '…P': Cannot find field.`},
	{"ref of Vertex", `{"ref":"#/defs/a","defs":{}}`, `…U "ref" at '…P': Cannot find field.` + "\n" + `…U "defs" at '…P': Cannot find field.`},
}

func TestParse(t *testing.T) {
	t.Parallel()
	parse := only(parse)
	for _, test := range slices.Concat(publishedRows, furtherRows) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := parse.Request([]*schema.Node{function("f", wire(t, test.parameters))})
			response := answer(t, parse, today, request)
			if diff := cmp.Diff(long.Replace(test.want), response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			verdict, status := provider.Accepted, 200
			if test.want != "" {
				verdict, status = provider.Rejected, 400
			}
			if response.Verdict != verdict || response.Status != status {
				t.Errorf("%s, status %d", response.Verdict, response.Status)
			}
			if lines := strings.Count(test.want, "\n") + 1; test.want != "" && len(response.Findings) != lines {
				t.Errorf("%d findings for %d lines", len(response.Findings), lines)
			}
		})
	}
}

// TestPublishedRowsAreAll keeps the table from losing rows unnoticed.
func TestPublishedRowsAreAll(t *testing.T) {
	t.Parallel()
	const rows = 46
	if len(publishedRows) != rows {
		t.Errorf("%d rows, docs/providers.md#google-parser-answers has %d", len(publishedRows), rows)
	}
}

// TestParseOfBodies judges whole bodies as clients really send them.
func TestParseOfBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{
			"declarations are counted", `{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b","parameters":{"const":1}}]}]}`,
			`…U "const" at 'tools[0].function_declarations[1].parameters': Cannot find field.`,
		},
		{
			"tools are counted", `{"tools":[{"googleSearch":{}},{"function_declarations":[{"name":"b","parameters":{"const":1}}]}]}`,
			`…U "const" at 'tools[1].function_declarations[0].parameters': Cannot find field.`,
		},
		{
			"one tool without a list has no index", `{"tools":{"functionDeclarations":[{"name":"a"},{"name":"b","parameters":{"type":"enum"}}]}}`,
			`Invalid value at 'tools.function_declarations[1].parameters.type' (…T), "enum"`,
		},
		{
			"one declaration without a list has no index", `{"tools":[{"functionDeclarations":{"name":"a","parameters":{"const":1}}}]}`,
			`…U "const" at 'tools[0].function_declarations.parameters': Cannot find field.`,
		},
		{"unknown name of the request", `{"tool":[]}`, ""}, // which a service can have that no source names yet
		{"unknown name of a tool", `{"tools":[{"functions":[]}]}`, `…U "functions" at 'tools[0]': Cannot find field.`},
		{
			"unknown names of a declaration", `{"tools":[{"functionDeclarations":[{"name":"a","strict":true,"input_schema":{}}]}]}`,
			`…U "strict" at '…D': Cannot find field.` + "\n" + `…U "input_schema" at '…D': Cannot find field.`,
		},
		{
			"OpenAI's form", `{"tools":[{"type":"function","function":{"name":"a"}}]}`,
			`…U "type" at 'tools[0]': Cannot find field.` + "\n" + `…U "function" at 'tools[0]': Cannot find field.`,
		},
		{"description in languages", `{"tools":[{"functionDeclarations":[{"name":"a","description":{"en":"x"}}]}]}`, `Invalid value at '…D' (description), Starting an object on a scalar field`},
		{"number for a name", `{"tools":[{"functionDeclarations":[{"name":7}]}]}`, `Invalid value at '…D.name' (TYPE_STRING), 7`},
		{"any JSON as parametersJsonSchema", `{"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":{"$ref":"#","const":[1]}}]}]}`, ""},
		{"the same field in snake case", `{"tools":[{"functionDeclarations":[{"name":"a","parameters_json_schema":{"oneOf":[true]}}]}]}`, ""},
		{"response schema", `{"generationConfig":{"responseSchema":{"$defs":{}}}}`, `…U "$defs" at 'generation_config.response_schema': Cannot find field.`},
		{
			"a result that is a list", `{"contents":[{"parts":[{"functionResponse":{"name":"a","response":[1]}}]}]}`,
			`…U "response" at 'contents[0].parts[0].function_response': Proto field is not repeating, cannot start list.`,
		},
		{
			"a result that is a text", `{"contents":[{"parts":[{"functionResponse":{"name":"a","response":"x"}}]}]}`,
			`Invalid value at 'contents[0].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "x"`,
		},
		{
			"arguments that are a text", `{"contents":{"parts":[{"functionCall":{"name":"a","args":"{}"}}]}}`,
			`Invalid value at 'contents.parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "{}"`,
		},
		{"any JSON in a result", `{"contents":[{"parts":[{"functionResponse":{"name":"a","response":{"a":[null,{"b":[]}]}}}]}]}`, ""},
		{"unknown name of a part", `{"contents":[{"parts":[{"text":"x","cache_control":{}}]}]}`, `…U "cache_control" at 'contents[0].parts[0]': Cannot find field.`},
		{"unknown name of a content", `{"contents":[{"role":"user","content":"x"}]}`, `…U "content" at 'contents[0]': Cannot find field.`},
		{"unknown name of the instruction", `{"system_instruction":{"parts":[{"type":"text"}]}}`, `…U "type" at 'system_instruction.parts[0]': Cannot find field.`},
		{"object for a text", `{"contents":[{"parts":[{"text":{"a":1}}]}]}`, `Invalid value at 'contents[0].parts[0]' (text), Starting an object on a scalar field`},
		{"text for a part", `{"contents":[{"parts":["x"]}]}`, `Invalid value at 'contents[0].parts[0]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Part), "x"`},
		{"a field that newer sources name", `{"contents":[{"parts":[{"inlineData":{"mimeType":"a/b","data":"","displayName":"x"}}]}]}`, ""},
		{"an enum value that no source names", `{"contents":[{"parts":[{"executableCode":{"language":"RUBY","code":"x"}}]}]}`, ""},
		{"list for tools that is empty", `{"tools":[]}`, ""},
		{"null for tools", `{"tools":null}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request := provider.Request{Dialect: GeminiParameters.Name, Body: wire(t, test.body)}
			response := answer(t, only(parse), today, request)
			if diff := cmp.Diff(long.Replace(test.want), response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParsePlaces checks where a finding points: in the tool, and in the file.
func TestParsePlaces(t *testing.T) {
	t.Parallel()
	parameters := wire(t, "{\n \"properties\": {\n  \"a/b\": {\"type\": [\"x\"], \"anyOf\": [null, {\"const\": 1}]}},\n \"$defs\": {}}")
	dialect := GeminiParameters
	response := answer(t, dialect, today, dialect.Request([]*schema.Node{function("a", nil), function("b", parameters)}))
	type place struct {
		Rule        string
		Declaration int
		At          schema.Pointer
		Position    string
		Location    string
	}
	var got []place
	for _, finding := range response.Findings {
		got = append(got, place{finding.Rule.Name, finding.Declaration, finding.At, finding.Position.String(), finding.Location})
	}
	const below = "tools[0].function_declarations[1].parameters.properties[0].value"
	want := []place{
		{"not_repeating", 1, "/parameters/properties/a~1b/type", "3:11", below},
		{"unknown_name", 1, "/parameters/properties/a~1b/anyOf/1/const", "3:43", below + ".any_of[0]"},
		{"unknown_name", 1, "/parameters/$defs", "4:2", "tools[0].function_declarations[1].parameters"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// TestUnknownNameBefore checks the fields that Schema got on the first day of 2025.
func TestUnknownNameBefore(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, parameters string
		day              provider.Date
		want             string
	}{
		{"title in 2024", `{"type":"OBJECT","title":"x"}`, "2024-09-26", `…U "title" at '…P': Cannot find field.`},
		{"default on the last day", `{"properties":{"a":{"default":null,"title":"x"}}}`, "2024-12-31", `…U "title" at '…P.properties[0].value': Cannot find field.`},
		{"default with a value", `{"properties":{"a":{"default":1}}}`, "2024-12-31", `…U "default" at '…P.properties[0].value': Cannot find field.`},
		{"title since", `{"type":"OBJECT","title":"x","default":{}}`, "2025-01-01", ""},
		{"property named title", `{"properties":{"title":{"type":"STRING"},"default":{"type":"STRING"}}}`, "2024-09-26", ""},
		{"an unknown name beside it", `{"title":"x","examples":[]}`, "2024-09-26", `…U "title" at '…P': Cannot find field.` + "\n" + `…U "examples" at '…P': Cannot find field.`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			parse := only(parse)
			response := answer(t, parse, test.day, parse.Request([]*schema.Node{function("f", wire(t, test.parameters))}))
			if diff := cmp.Diff(long.Replace(test.want), response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}
