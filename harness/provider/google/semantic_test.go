package google

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/provider"
	"toolproof/schema"
)

const (
	typeMissingWords = "must be specified when not using one_of, any_of or all_of fields"
	onlyArray        = "field predicate failed: $type == Type.ARRAY"
	onlyObject       = "only allowed for OBJECT type"
	onlyString       = "only allowed for STRING type"
	undefined        = "property is not defined"
	nonEmpty         = "should be non-empty for OBJECT type"
	formats          = "only 'enum' and 'date-time' are supported for STRING type"
	nameNow          = "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
	nameBefore       = "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or dashes (-), with a maximum length of 64."
	formatNoEnum     = "should be non-empty for STRING type with enum format"
)

// TestSemantic compares each line of an answer: the place below parameters, and the
// words. An empty list means that both stages accept.
func TestSemantic(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, parameters string
		day              provider.Date // empty for today
		want             []string
	}{
		{"empty object", `{"type":"object"}`, "", nil},
		{"empty properties", `{"type":"OBJECT","properties":{},"required":[]}`, "", nil},
		{"empty properties below", `{"type":"OBJECT","properties":{"a":{"type":"OBJECT","properties":{}}}}`, "", nil},
		{"empty properties in 2024", `{"type":"object","properties":{}}`, "2024-08-01", []string{".properties: " + nonEmpty}},
		{"empty properties on the last day", `{"type":"object","properties":{"a":{"type":"object"}}}`, "2025-03-31", []string{".properties[a].properties: " + nonEmpty}},
		{"empty properties since", `{"type":"object","properties":{"a":{"type":"object"}}}`, "2025-04-01", nil},

		{"no type", `{"type":"object","properties":{"a":{"description":"x"}}}`, "", []string{".properties[a].type: " + typeMissingWords}},
		{"no type at the root", `{}`, "", []string{".type: " + typeMissingWords}},
		{"unspecified type", `{"type":"TYPE_UNSPECIFIED"}`, "", []string{".type: " + typeMissingWords}},
		{"number zero for a type", `{"type":0}`, "", []string{".type: " + typeMissingWords}},
		{"undeclared number for a type", `{"type":99}`, "", []string{".type: " + typeMissingWords}},
		{"null for a type", `{"type":null}`, "", []string{".type: " + typeMissingWords}},
		{"numbers for types", `{"type":6,"properties":{"a":{"type":"5","items":{"type":1}}}}`, "", nil},
		{"anyOf for a type", `{"anyOf":[{"type":"STRING"},{"type":"NULL"}]}`, "", nil},
		{"anyOf with siblings that need no type", `{"anyOf":[{"type":"STRING"}],"description":"x","nullable":true,"title":"t","default":null}`, "", nil},
		{"empty anyOf", `{"anyOf":[]}`, "", []string{".type: " + typeMissingWords}},
		{"anyOf in 2024", `{"anyOf":[{"type":"STRING"}]}`, "2025-03-31", []string{".type: must be specified"}},
		{"anyOf since", `{"anyOf":[{"type":"STRING"}]}`, "2025-04-01", nil},
		{"a branch without a type", `{"anyOf":[{"type":"STRING"},{"description":"x"}]}`, "", []string{".any_of[1].type: " + typeMissingWords}},
		{"one branch without a list", `{"any_of":{"description":"x"}}`, "", []string{".any_of[0].type: " + typeMissingWords}},
		{"null among branches", `{"anyOf":[null,{"description":"x"}]}`, "", []string{".any_of[0].type: " + typeMissingWords}},

		{"array without items", `{"type":"ARRAY"}`, "", []string{".items: missing field."}},
		{"array with empty items", `{"type":"array","items":{}}`, "", []string{".items: missing field."}},
		{"array with null for items", `{"type":"array","items":null}`, "", []string{".items: missing field."}},
		{"items below items", `{"type":"array","items":{"type":"array"}}`, "", []string{".items.items: missing field."}},
		{
			"two arrays in document order", `{"type":"object","properties":{"z":{"type":"array"},"a":{"type":"array"}}}`, "",
			[]string{".properties[z].items: missing field.", ".properties[a].items: missing field."},
		},
		{"items on an object", `{"type":"object","items":{"type":"string"}}`, "", []string{".items: " + onlyArray}},
		{"empty items on a string", `{"type":"string","items":{}}`, "", []string{".items: " + onlyArray}},
		{
			"items beside anyOf", `{"type":"object","properties":{"l":{"anyOf":[{"type":"array"}],"items":{"type":"string"}}}}`, "",
			[]string{".properties[l].items: " + onlyArray, ".properties[l].any_of[0].items: missing field."},
		},
		{"items without a type", `{"items":{"type":"string"}}`, "", []string{".items: " + onlyArray}},

		{"properties on a string", `{"type":"string","properties":{"a":{"type":"string"}}}`, "", []string{".properties: " + onlyObject}},
		{
			"properties, required and propertyOrdering on a string", `{"type":"string","properties":{"a":{"type":"string"}},"required":["a"],"propertyOrdering":["a"]}`, "",
			[]string{".properties: " + onlyObject, ".required: " + onlyObject, ".property_ordering: " + onlyObject},
		},
		{
			"properties beside anyOf", `{"anyOf":[{"type":"object"}],"properties":{"a":{"type":"array"}}}`, "",
			[]string{".properties: " + onlyObject, ".properties[a].items: missing field."},
		},
		{"empty required on a string", `{"type":"string","required":[]}`, "", nil},

		{"required without a property", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b","c"]}`, "", []string{".required[1]: " + undefined, ".required[2]: " + undefined}},
		{"required without properties", `{"type":"object","required":["a"]}`, "", []string{".required[0]: " + undefined}},
		{"one name without a list", `{"type":"object","required":"a"}`, "", []string{".required[0]: " + undefined}},
		{"null among the names", `{"type":"object","required":[null,"a"]}`, "", []string{".required[0]: " + undefined}},
		{"ordering without a property", `{"type":"object","properties":{"a":{"type":"string"}},"property_ordering":["b","a"]}`, "", []string{".property_ordering[0]: " + undefined}},
		{"property named required", `{"type":"object","properties":{"required":{"type":"string"}},"required":["required"]}`, "", nil},

		{"enum on an integer", `{"type":"integer","enum":["1"]}`, "", []string{".enum: " + onlyString}},
		{"enum without a type", `{"type":"object","properties":{"m":{"enum":["a"]}}}`, "", []string{".properties[m].enum: " + onlyString}},
		{"enum on a string", `{"type":"string","enum":["a"]}`, "", nil},
		{"one value without a list", `{"type":"integer","enum":"a"}`, "", []string{".enum: " + onlyString}},
		{"empty enum", `{"type":"integer","enum":[]}`, "", nil},
		{"empty strings in an enum", `{"type":"string","enum":["","a",""]}`, "", []string{".enum[0]: cannot be empty", ".enum[2]: cannot be empty"}},
		{"enum format without an enum", `{"type":"string","format":"enum"}`, "", []string{".enum: " + formatNoEnum}},
		{"enum format without an enum before", `{"type":"string","format":"enum"}`, "2026-08-19", nil},
		{"enum format without an enum on the day", `{"type":"string","format":"enum"}`, "2026-08-20", []string{".enum: " + formatNoEnum}},
		{"enum format with an enum", `{"type":"string","format":"enum","enum":["a"]}`, "", nil},

		{"odd format", `{"type":"string","format":"cuid"}`, "", nil},
		{"odd format before", `{"type":"string","format":"uri"}`, "2025-10-14", []string{".format: " + formats}},
		{"odd format on the day", `{"type":"string","format":"uri"}`, "2025-10-15", nil},
		{"date-time before", `{"type":"string","format":"date-time"}`, "2025-10-14", nil},
		{"format of a number before", `{"type":"number","format":"odd"}`, "2025-10-14", nil},

		{"property without a name", `{"type":"object","properties":{"":{"type":"string"}}}`, "", []string{".properties[]: key cannot be empty"}},
		{"odd names of properties", `{"type":"object","properties":{"a b/c":{"type":"array"}}}`, "", []string{".properties[a b/c].items: missing field."}},
		{"properties named like fields", `{"type":"object","properties":{"type":{"type":"string"},"items":{"type":"string"},"enum":{"type":"string"}}}`, "", nil},
		{"payload that looks like a schema", `{"type":"object","default":{"type":"ARRAY"},"example":{"enum":[""]}}`, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			day := test.day
			if day == "" {
				day = today
			}
			dialect := GeminiParameters
			response := answer(t, dialect, day, dialect.Request([]*schema.Node{function("f", wire(t, test.parameters))}))
			want := ""
			for _, line := range test.want {
				want += "* GenerateContentRequest.tools[0].function_declarations[0].parameters" + line + "\n"
			}
			if diff := cmp.Diff(want, response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if (response.Verdict == provider.Rejected) != (want != "") || len(response.Findings) != len(test.want) {
				t.Errorf("%s with %d findings", response.Verdict, len(response.Findings))
			}
		})
	}
}

func TestFunctionNames(t *testing.T) {
	t.Parallel()
	letters := strings.Repeat("a", 64)
	for _, test := range []struct {
		name string
		day  provider.Date
		want string // the words; empty when the name is accepted
	}{
		{"f", today, ""},
		{"_f.g-h:i9", today, ""},
		{letters, today, ""},
		{letters + "a", today, nameNow},
		{"", today, nameNow},
		{"9f", today, nameNow},
		{"-f", today, nameNow},
		{"a b", today, nameNow},
		{"größe", today, nameNow},
		{"a\n", today, nameNow},
		{"a/b", today, nameNow},
		{"a:b", "2025-09-25", ""},
		{"a:b", "2025-09-24", nameBefore},
		{"a.b-c", "2025-09-24", ""},
		{"a b", "2025-09-24", nameBefore},
		{"a b", "2025-09-25", nameNow},
	} {
		t.Run(fmt.Sprintf("%s of %s", test.name, test.day), func(t *testing.T) {
			t.Parallel()
			dialect := GeminiParameters
			response := answer(t, dialect, test.day, dialect.Request([]*schema.Node{function("another", nil), function(test.name, nil)}))
			want := ""
			if test.want != "" {
				want = "* GenerateContentRequest.tools[0].function_declarations[1].name: " + test.want + "\n"
			}
			if diff := cmp.Diff(want, response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestStages checks that each stage hides the later ones.
func TestStages(t *testing.T) {
	t.Parallel()
	array := `{"type":"array"}`
	for _, test := range []struct {
		name         string
		declarations []*schema.Node
		want         string
	}{
		{
			"parse hides semantic",
			[]*schema.Node{function("a b", wire(t, array)), function("f", wire(t, `{"const":1}`))},
			`Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[1].parameters': Cannot find field.`,
		},
		{
			"semantic judges every declaration",
			[]*schema.Node{function("a", wire(t, array)), function("a", wire(t, `{"enum":["x"]}`))},
			"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n" +
				"* GenerateContentRequest.tools[0].function_declarations[1].parameters.enum: only allowed for STRING type\n",
		},
		{"a function declared twice", []*schema.Node{function("a", nil), function("b", nil), function("a", nil)}, "Duplicate function declaration found: a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dialect := GeminiParameters
			response := answer(t, dialect, today, dialect.Request(test.declarations))
			if diff := cmp.Diff(test.want, response.Message); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNumberOfFunctions(t *testing.T) {
	t.Parallel()
	const most = 512
	var declarations []*schema.Node
	for i := range most {
		declarations = append(declarations, function(fmt.Sprint("f", i), nil))
	}
	dialect := VertexParameters
	if response := answer(t, dialect, today, dialect.Request(declarations)); response.Verdict != provider.Accepted {
		t.Errorf("%d functions: %s", most, response.Message)
	}
	declarations = append(declarations, function("one_more", nil))
	response := answer(t, dialect, today, dialect.Request(declarations))
	const want = "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified."
	if response.Message != want {
		t.Errorf("message %q, want %q", response.Message, want)
	}
	dialect = GeminiParameters // whether it has a limit is unknown
	if response := answer(t, dialect, today, dialect.Request(declarations)); response.Verdict != provider.Accepted {
		t.Errorf("%d functions: %s", len(declarations), response.Message)
	}
}

// TestSemanticPlaces checks that a finding points at the member of the tool, however the
// tool spells its name.
func TestSemanticPlaces(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]schema.Pointer{
		`{"type":"object","properties":{"a/b":{"type":"array"}}}`: "/parameters/properties/a~1b",
		`{"type":"array","items":{"type":"array"}}`:               "/parameters/items",
		`{"anyOf":[{"type":"array"}]}`:                            "/parameters/anyOf/0",
		`{"any_of":[null,{"type":"array"}]}`:                      "/parameters/any_of/1",
		`{"any_of":{"type":"array"}}`:                             "/parameters/any_of",
	} {
		declaration := function("f", wire(t, parameters))
		response := answer(t, GeminiParameters, today, GeminiParameters.Request([]*schema.Node{declaration}))
		if len(response.Findings) != 1 {
			t.Errorf("%s: %d findings", parameters, len(response.Findings))
			continue
		}
		finding := response.Findings[0]
		if finding.At != want || declaration.Find(finding.At) != finding.Node || finding.Position != finding.Node.Position {
			t.Errorf("%s: at %q, position %s; want %q", parameters, finding.At, finding.Position, want)
		}
	}
}

// TestEnvelope checks the body of an answer, and that reading returns what was written.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, parameters, want string }{
		{"accepted", `{"type":"object"}`, `{}`},
		{
			"parse stage, with details", `{"$id":"x","type":"string"}`,
			`{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"$id\" at 'tools[0].function_declarations[0].parameters': Cannot find field.",` +
				`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[` +
				`{"field":"tools[0].function_declarations[0].parameters","description":"Invalid JSON payload received. Unknown name \"$id\" at 'tools[0].function_declarations[0].parameters': Cannot find field."}]}]}}`,
		},
		{
			"semantic stage, without details", `{"type":"array"}`,
			`{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field.\n","status":"INVALID_ARGUMENT"}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dialect := GeminiParameters
			response := answer(t, dialect, today, dialect.Request([]*schema.Node{function("f", wire(t, test.parameters))}))
			body := dialect.Render(response)
			if diff := cmp.Diff(wire(t, test.want).String(), wire(t, string(body)).String()); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			read, err := dialect.Classify(response.Status, body)
			if err != nil || read.Verdict != response.Verdict || read.Message != response.Message {
				t.Errorf("Classify = %+v, %v", read, err)
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
		{"depth", 400, `{"error":{"code":400,"message":"FunctionDeclaration 'f' in the request exceeds the maximum allowed nesting depth.","status":"INVALID_ARGUMENT"}}`, true},
		{"one tool without a list", 400, `{"error":{"message":"Invalid value at 'tools.function_declarations[1].parameters'"}}`, true},
		{"no key", 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, false},
		{"no such model", 404, `{"error":{"code":404,"message":"models/x is not found for API version v1beta, or is not supported for generateContent.","status":"NOT_FOUND"}}`, false},
		{"too many requests", 429, `{"error":{"code":429,"message":"GenerateContentRequest.tools quota","status":"RESOURCE_EXHAUSTED"}}`, false},
		{"JSON mode", 400, `{"error":{"code":400,"message":"JSON mode is not enabled for models/gemini-2.5-flash-image","status":"INVALID_ARGUMENT"}}`, false},
		{"cut off", 400, `{"error":{"code":400,"mess`, false},
		{"a page of HTML", 502, `<html></html>`, false},
		{"nothing", 400, ``, false},
		{"a list", 400, `[]`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			response, err := GeminiParameters.Classify(test.status, []byte(test.body))
			if (err == nil) != test.about || test.about && response.Verdict != provider.Rejected {
				t.Errorf("Classify = %+v, %v", response, err)
			}
		})
	}
	if response, err := GeminiParameters.Classify(200, []byte(`{"candidates":[]}`)); err != nil || response.Verdict != provider.Accepted {
		t.Errorf("an acceptance: %+v, %v", response, err)
	}
}

// FuzzModel gives the model any JSON as parameters. It must not panic, must give the same
// answer twice and point into its input, and its answer must be readable.
func FuzzModel(f *testing.F) {
	for _, row := range publishedRows {
		f.Add(row.parameters, "f")
	}
	for _, row := range furtherRows {
		f.Add(row.parameters, "a:b")
	}
	f.Add(`{"type":"object","properties":{"":{"anyOf":[null,{"type":"array"},[{"items":{}}]]}},"required":[["a"]]}`, "")
	f.Fuzz(func(t *testing.T, text, name string) {
		parameters, err := schema.ParseWire([]byte(text))
		if err != nil {
			return
		}
		_, err = schema.Parse([]byte(text))
		duplicates := err != nil
		dialect := GeminiParameters
		declarations := []*schema.Node{function("first", nil), function(name, parameters), function(name, parameters.Clone())}
		request := dialect.Request(declarations)
		before := request.Body.String()
		for _, day := range []provider.Date{"2024-06-01", "2025-06-01", today} {
			response := answer(t, dialect, day, request)
			if again := answer(t, dialect, day, request); again.Message != response.Message || len(again.Findings) != len(response.Findings) {
				t.Fatalf("answers twice:\n%s\n%s", response.Message, again.Message)
			}
			for _, finding := range response.Findings {
				if finding.Rule == nil || finding.Message == "" || !finding.Rule.InForce(day, "") {
					t.Fatalf("an odd finding: %+v", finding)
				}
				// With repeated names a pointer leads to the last of them.
				if finding.Declaration >= 0 && !duplicates && declarations[finding.Declaration].Find(finding.At) != finding.Node {
					t.Fatalf("%q does not lead to %s", finding.At, finding.Node)
				}
			}
			body := dialect.Render(response)
			read, err := dialect.Classify(response.Status, body)
			switch {
			case err != nil:
				t.Fatalf("Classify: %v\n%s", err, body)
			case read.Verdict != response.Verdict:
				t.Fatalf("read as %s\n%s", read.Verdict, body)
			}
			if cut := body[:len(body)/2]; response.Verdict == provider.Rejected && !bytes.Equal(cut, body) {
				if _, err := dialect.Classify(response.Status, cut); err == nil {
					t.Fatalf("half an answer is read: %s", cut)
				}
			}
		}
		if request.Body.String() != before {
			t.Fatal("the request was changed")
		}
	})
}
