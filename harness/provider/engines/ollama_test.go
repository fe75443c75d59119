package engines_test

import (
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

// says asks a model about tools of these parameters, and takes a message apart again.
func says(t *testing.T, dialect *provider.Dialect, day provider.Date, parameters ...string) provider.Response {
	t.Helper()
	tools := make([]schema.Tool, len(parameters))
	for i, text := range parameters {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		tools[i] = schema.Tool{Name: fmt.Sprintf("f%d", i), Parameters: node}
	}
	request := dialect.Encode(tools)
	response, err := (&provider.Model{Dialect: dialect, AsOf: day}).Send(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Verdict == provider.Accepted {
		return response
	}
	read, err := dialect.Classify(response.Status, dialect.Render(response))
	if err != nil || read.Message != response.Message || read.Verdict != response.Verdict {
		t.Errorf("%s: read as %+v, %v", response.Message, read, err)
	}
	finding := response.Findings[0]
	places := dialect.Locate(response, request.Declarations)
	if len(places) != 1 || places[0].At != finding.At || places[0].Declaration != finding.Declaration {
		t.Errorf("%s: found at %+v, want %s of %d", response.Message, places, finding.At, finding.Declaration)
	}
	return response
}

// TestOllamaWords holds the words of encoding/json against those of the server's own code,
// release 0.13.5 with properties in a map, and 0.17.4.
func TestOllamaWords(t *testing.T) {
	t.Parallel()
	const (
		begin      = "json: cannot unmarshal "
		root       = " into Go struct field ToolFunctionParameters.tools.function.parameters."
		property   = " into Go struct field ToolProperty.tools.function.parameters."
		newest     = provider.Date("2026-03-01")
		withoutMap = provider.Date("2026-01-01")
	)
	for _, test := range []struct {
		day      provider.Date
		want, at string
		tools    []string
	}{
		{newest, begin + "bool into Go struct field ToolFunction.tools.function.parameters of type api.ToolFunctionParameters", "/parameters", []string{`true`}},
		{newest, begin + "array" + root + "type of type string", "/parameters/type", []string{`{"type":["object"]}`}},
		{newest, begin + "number" + root + "required of type string", "/parameters/required/1", []string{`{"required":["a",1]}`}},
		{newest, begin + "number 1e400" + root + "items of type float64", "/parameters/items/a/0", []string{`{"items":{"a":[1e400]}}`}},
		{newest, begin + "string" + root + "properties.enum of type []interface {}", "/parameters/properties/a/enum", []string{`{"properties":{"a":{"enum":"b"}}}`}},
		{newest, begin + "number" + root + "properties.type of type string", "/parameters/properties/a/type/1", []string{`{"properties":{"a":{"type":["string",1]}}}`}},
		{newest, begin + "object" + root + "properties.anyOf.type of type []string", "/parameters/properties/a/anyOf/0/type", []string{`{"properties":{"a":{"anyOf":[{"type":{}}]}}}`}},
		{newest, begin + "bool" + root + "properties.properties of type api.ToolProperty", "/parameters/properties/a/properties/b", []string{`{"properties":{"a":{"properties":{"b":true}}}}`}},
		{newest, "Value looks like object, but can't find closing '}' symbol", "/parameters/properties", []string{`{"properties":["a"]}`}},
		// What ends the decoding counts before what came earlier, also in another tool.
		{newest, begin + "number" + root + "properties of type api.ToolProperty", "/parameters/properties/a", []string{`{"type":1}`, `{"properties":{"a":5}}`}},
		{newest, begin + "number" + root + "type of type string", "/parameters/type", []string{`{"type":1}`, `{"required":true}`}},
		{withoutMap, begin + "array" + root + "properties of type map[string]api.ToolProperty", "/parameters/properties", []string{`{"properties":["a"]}`}},
		{withoutMap, begin + "number" + property + "properties.description of type string", "/parameters/properties/a/description", []string{`{"properties":{"a":{"description":1}}}`}},
		{withoutMap, begin + "number" + root + "type of type string", "/parameters/type", []string{`{"type":1,"properties":{"a":5}}`}},
		{withoutMap, begin + "bool" + property + "properties.type of type []string", "/parameters/properties/a/type", []string{`{"type":1,"properties":{"a":{"type":true}}}`}},
	} {
		got := says(t, engines.OllamaChat, test.day, test.tools...)
		if got.Message != test.want || got.Status != 400 || string(got.Findings[0].At) != test.at {
			t.Errorf("%s on %s:\ngot  %d %s at %v\nwant 400 %s at %s", test.tools, test.day, got.Status, got.Message, got.Findings, test.want, test.at)
		}
	}
}

// TestOllamaKeeps holds what is kept of unusual values that are no errors.
func TestOllamaKeeps(t *testing.T) {
	t.Parallel()
	const none = provider.Date("")
	for _, test := range []struct {
		day               provider.Date
		given, kept, lost string
	}{
		{none, `null`, `{"type":"","properties":null}`, ""},
		{none, `{"TYPE":"object","Properties":{"a":{"Type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		{
			none, `{"type":"object","properties":{"b":{"type":null},"a":{"type":["string"]},"c":null},"required":[]}`,
			`{"type":"object","properties":{"b":{"type":""},"a":{"type":"string"},"c":{}}}`, "",
		},
		{
			none, `{"type":"object","$defs":{"b":{"const":12345678901234567890},"a":1.0}}`,
			`{"type":"object","$defs":{"a":1,"b":{"const":12345678901234567000}},"properties":null}`, "",
		},
		{
			none, `{"type":"object","properties":{"a":{"enum":[],"description":"","properties":{}}}}`,
			`{"type":"object","properties":{"a":{"properties":{}}}}`, "/parameters/properties/a/enum",
		},
		{
			"2025-11-01", `{"type":"object","properties":{"b":{},"a":{"properties":{"c":{}}}}}`, `{"type":"object","required":null,"properties":{"a":{},"b":{}}}`,
			"/parameters/properties/a/properties",
		},
		{"2025-09-10", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","required":null,"properties":{"a":{"type":null,"description":""}}}`, ""},
	} {
		response := says(t, engines.OllamaChat, test.day, test.given)
		var lost []string
		for _, finding := range response.Ignored {
			lost = append(lost, string(finding.At))
		}
		if response.Verdict != provider.Accepted || strings.Join(lost, " ") != test.lost {
			t.Errorf("%s: %s %s, lost %q, want %q", test.given, response.Verdict, response.Message, lost, test.lost)
		}
		node, err := schema.Parse([]byte(test.given))
		if err != nil {
			t.Fatal(err)
		}
		day := test.day
		if day == "" {
			day = provider.Today()
		}
		declared := engines.OllamaChat.Declare(schema.Tool{Name: "f", Parameters: node})
		before := declared.String()
		if kept := engines.OllamaChat.SchemaOf(engines.OllamaChat.Echo(declared, day)); kept.String() != test.kept {
			t.Errorf("%s:\nkept %s\nwant %s", test.given, kept, test.kept)
		}
		if declared.String() != before {
			t.Errorf("the echo changed its argument: %s", declared)
		}
	}
}

// TestOllamaFormat holds the errors of a format, which have the status 500.
func TestOllamaFormat(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`true`:                                `invalid format: "true"; expected "json" or a valid JSON Schema object at /parameters`,
		`"json"`:                              "",
		`null`:                                "",
		`{"type":"object"}`:                   "",
		`{"properties":{"a":{"title":"b"}}}`:  "invalid JSON schema in format at /parameters/properties/a",
		`{"properties":{"a":{"$ref":1}}}`:     "invalid JSON schema in format at /parameters/properties/a/$ref",
		`{"type":"string","pattern":"^\\w$"}`: "failed to load model vocabulary required for format at /parameters/pattern",
	} {
		response := says(t, engines.OllamaFormat, "", given)
		got := ""
		if response.Verdict == provider.Rejected {
			got = response.Message + " at " + string(response.Findings[0].At)
		}
		if got != want || want != "" && response.Status != 500 {
			t.Errorf("%s: %d %s, want %s", given, response.Status, got, want)
		}
	}
}

// TestOllamaAnswersOfOthers: an answer that is about no declaration teaches nothing.
func TestOllamaAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{
		`{"error":"model 'm' not found"}`: 404, `{"error":"json: cannot unmarshal string into Go struct field ChatRequest.messages of type []api.Message"}`: 400,
		`{"error":{"message":"[] is too short - 'messages'","type":"invalid_request_error"}}`: 400, `not json`: 400,
	} {
		if read, err := engines.OllamaChat.Classify(status, []byte(body)); err == nil {
			t.Errorf("%s is read as %+v", body, read)
		}
	}
	const words = "json: cannot unmarshal array into Go struct field ToolFunctionParameters.tools.function.parameters.type of type string"
	read, err := engines.OllamaChat.Classify(400, []byte(`{"error":{"message":"`+words+`","type":"invalid_request_error"}}`))
	if err != nil || read.Message != words {
		t.Errorf("the error of Chat Completions is read as %+v, %v", read, err)
	}
}

// TestOllamaHostile: what is lost far below the root is reported, or the budget is exceeded.
func TestOllamaHostile(t *testing.T) {
	t.Parallel()
	node, err := schema.ParseWire([]byte(longWay(strings.ReplaceAll(wide(5000), "{}", `{"type":"string","description":"d"}`) + `,"lost":{"format":"x"}`)))
	if err != nil {
		t.Fatal(err)
	}
	request := engines.OllamaChat.Encode([]schema.Tool{{Name: "f", Parameters: node}})
	response, err := (&provider.Model{Dialect: engines.OllamaChat}).Send(t.Context(), request)
	if err != nil || len(response.Ignored) != 1 || !strings.HasSuffix(string(response.Ignored[0].At), "/lost/format") {
		t.Errorf("%d are lost, %v", len(response.Ignored), err)
	}
	engines.OllamaChat.Locate(provider.Response{Message: "json: cannot unmarshal"}, request.Declarations)
}
