package instance_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"toolproof/lab/corpus"
	"toolproof/schema"
	"toolproof/schema/instance"
)

func parse(t testing.TB, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return node
}

func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema      string
		accepted, refused []string
	}{
		{"empty", `{}`, []string{`null`, `1`, `{"a":[]}`}, nil},
		{"true", `true`, []string{`null`}, nil},
		{"false", `false`, nil, []string{`null`, `{}`}},
		{"object", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, []string{`{"a":"x"}`, `{"a":"x","b":1}`}, []string{`{}`, `{"a":1}`, `[]`}},
		{"closed object", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, []string{`{}`, `{"a":1}`}, []string{`{"b":1}`}},
		{"property named like a keyword", `{"properties":{"type":{"type":"string"},"nullable":{"type":"boolean"}}}`, []string{`{"type":"x","nullable":true}`}, []string{`{"type":1}`, `{"nullable":null}`}},
		{"numbers without loss", `{"const":9007199254740993}`, []string{`9007199254740993`, `9007199254740993.0`}, []string{`9007199254740992`}},
		{"whole numbers", `{"type":"integer"}`, []string{`1`, `1.0`, `1e2`, `1e400`}, []string{`1.5`, `"1"`}},
		{"multiples of a tenth", `{"multipleOf":0.1}`, []string{`0.3`, `1.1`}, []string{`0.35`}},
		{"definitions", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, []string{`"x"`}, []string{`1`}},
		{"recursion", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, []string{`{"next":{"next":{}}}`}, []string{`{"next":{"x":1}}`}},
		{"tuple of 2020-12", `{"prefixItems":[{"type":"string"}],"items":false}`, []string{`["x"]`, `[]`}, []string{`[1]`, `["x",1]`}},
		{"tuple of draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, []string{`["x"]`}, []string{`[1]`, `["x",1]`}},
		{"tuple of an unnamed draft", `{"items":[{"type":"string"}],"additionalItems":false}`, []string{`["x"]`, `[]`}, []string{`[1]`, `["x",1]`}},
		{"dependencies of 2020-12", `{"dependencies":{"a":["b"],"c":{"minProperties":3},"d":true}}`, []string{`{"a":1,"b":2}`, `{"d":1}`}, []string{`{"a":1}`, `{"c":1}`}},
		{"name required twice", `{"required":["a","a"]}`, []string{`{"a":1}`}, []string{`{}`}},
		{"format says nothing", `{"type":"string","format":"date-time"}`, []string{`"no date"`}, nil},
		{"pattern of JavaScript", `{"pattern":"^[ \\u002Da-z]\\u0041$"}`, []string{`"-A"`, `"zA"`}, []string{`"--"`, `"A"`, `"UA"`}},
		{"class of no characters", `{"pattern":"^[]a]$"}`, nil, []string{`"a"`, `"]"`, `"a]"`}},
		{"class of all characters", `{"pattern":"^[^]a$"}`, []string{`"]a"`, `"\na"`}, []string{`"a"`}},
		{"class that is named in Go alone", `{"pattern":"^[[:alpha:]]$"}`, []string{`"[]"`, `":]"`, `"a]"`}, []string{`"a"`, `"b]"`}},
		{"backslashes in a class", `{"pattern":"^[\\]\\u005b[:a:\\[]$"}`, []string{`"]"`, `"["`, `":"`}, []string{`"\\"`, `"b"`}},
		{"backslash before a letter u", `{"pattern":"^\\\\u002D$"}`, []string{`"\\u002D"`}, []string{`"-"`}},
		{"unknown keyword", `{"type":"string","optional":true,"x-order":1}`, []string{`"x"`}, []string{`1`}},

		{"upper-case types", `{"type":"OBJECT","properties":{"a":{"type":"ARRAY","items":{"type":"INTEGER"}}}}`, []string{`{"a":[1]}`}, []string{`{"a":["x"]}`, `[]`}},
		{"mixed-case type", `{"type":"String"}`, []string{`"x"`}, []string{`1`}},
		{"upper-case type in a payload", `{"const":{"type":"OBJECT"}}`, []string{`{"type":"OBJECT"}`}, []string{`{"type":"object"}`}},
		{"nullable", `{"type":"STRING","nullable":true}`, []string{`"x"`, `null`}, []string{`1`}},
		{"nullable as the proto takes it", `{"type":"STRING","nullable":"true"}`, []string{`"x"`, `null`}, []string{`1`}},
		{"not nullable", `{"type":"STRING","nullable":false}`, []string{`"x"`}, []string{`null`}},
		{"nullable without a type", `{"nullable":true,"minLength":2}`, []string{`null`, `"xx"`, `1`}, []string{`"x"`}},
		{"nullable beside a list of types", `{"type":["string","null"],"nullable":true}`, []string{`null`, `"x"`}, []string{`1`}},
		{"nullable enum", `{"type":"STRING","enum":["a"],"nullable":true}`, []string{`"a"`, `null`}, []string{`"b"`, `1`}},
		{"nullable enum with null", `{"type":"STRING","enum":["a",null],"nullable":true}`, []string{`"a"`, `null`}, []string{`"b"`}},
		{"nullable const", `{"const":1,"nullable":true}`, []string{`1`, `null`}, []string{`2`}},
		{"nullable union", `{"anyOf":[{"type":"STRING"},{"type":"INTEGER"}],"nullable":true}`, []string{`"x"`, `1`, `null`}, []string{`1.5`}},
		{"nullable below and above", `{"type":"OBJECT","nullable":true,"properties":{"a":{"type":"ARRAY","items":{"type":"STRING","nullable":true},"nullable":true}}}`, []string{`null`, `{"a":null}`, `{"a":[null,"x"]}`}, []string{`{"a":[1]}`}},
		{"nullable below a nullable union", `{"anyOf":[{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true}}}],"nullable":true}`, []string{`null`, `{"a":null}`}, []string{`{"a":1}`}},
		{"nullable reference", `{"$ref":"#/$defs/a","nullable":true,"$defs":{"a":{"type":"STRING"}}}`, []string{`null`, `"x"`}, []string{`1`}},
		{"reference through a nullable object", `{"properties":{"a":{"type":"OBJECT","nullable":true,"properties":{"b":{"type":"STRING"}}},"c":{"$ref":"#/properties/a/properties/b"}}}`, []string{`{"a":null,"c":"x"}`}, []string{`{"c":1}`}},
		{"nullable in a payload", `{"default":{"nullable":true},"type":"string"}`, []string{`"x"`}, []string{`null`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			node := parse(t, test.schema)
			compiled, err := instance.Compile(node)
			if err != nil {
				t.Fatal(err)
			}
			for _, instance := range test.accepted {
				if !compiled.Accepts(parse(t, instance)) {
					t.Errorf("refuses %s", instance)
				}
			}
			for _, instance := range test.refused {
				if compiled.Accepts(parse(t, instance)) {
					t.Errorf("accepts %s", instance)
				}
			}
			if node.String() != parse(t, test.schema).String() {
				t.Errorf("the schema was changed: %s", node)
			}
		})
	}
}

// TestOriginalAndNormalized validates the same instances against both forms of a schema, as the
// harness does.
func TestOriginalAndNormalized(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, original, normalized string
		instances                  []string
		widened, narrowed          []string // instances on which the two differ
	}{
		{
			"the same in Google's form",
			`{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"enum":["x"],"type":"string"}},"required":["a"]}`,
			`{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true},"b":{"enum":["x"],"type":"STRING"}},"required":["a"]}`,
			[]string{`{"a":null}`, `{"a":"x","b":"x"}`, `{}`, `{"a":1}`, `{"a":"x","b":"y"}`},
			nil, nil,
		},
		{
			"a pattern is gone", `{"type":"object","properties":{"a":{"type":"string","pattern":"^x"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`,
			[]string{`{"a":"x"}`, `{"a":"y"}`},
			[]string{`{"a":"y"}`},
			nil,
		},
		{
			"an optional property is required and nullable", `{"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`,
			[]string{`{}`, `{"a":"x"}`, `{"a":null}`, `{"a":"x","b":1}`},
			[]string{`{"a":null}`},
			[]string{`{}`, `{"a":"x","b":1}`},
		},
		{"anything", `true`, `{"type":"STRING"}`, []string{`"x"`, `1`}, nil, []string{`1`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before, errBefore := instance.Compile(parse(t, test.original))
			after, errAfter := instance.Compile(parse(t, test.normalized))
			if errBefore != nil || errAfter != nil {
				t.Fatal(errBefore, errAfter)
			}
			var widened, narrowed []string
			for _, text := range test.instances {
				instance := parse(t, text)
				switch was, is := before.Accepts(instance), after.Accepts(instance); {
				case is && !was:
					widened = append(widened, text)
				case was && !is:
					narrowed = append(narrowed, text)
				}
			}
			if got, want := strings.Join(widened, " "), strings.Join(test.widened, " "); got != want {
				t.Errorf("widened for %s, want %s", got, want)
			}
			if got, want := strings.Join(narrowed, " "), strings.Join(test.narrowed, " "); got != want {
				t.Errorf("narrowed for %s, want %s", got, want)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no schema":               `"string"`,
		"unknown type":            `{"type":"any"}`,
		"required is a flag":      `{"properties":{"a":{"required":true}}}`,
		"properties is a list":    `{"properties":[]}`,
		"missing definition":      `{"$ref":"#/$defs/a"}`,
		"reference to the web":    `{"$ref":"https://example.com/a.json"}`,
		"reference to a file":     `{"$ref":"file:///etc/passwd"}`,
		"reference to a neighbor": `{"$ref":"other.json"}`,
		"somebody's own dialect":  `{"$schema":"https://example.com/schema","type":"string"}`,
		"unknown draft":           `{"$schema":"http://json-schema.org/draft-99/schema#"}`,
		"no regular expression":   `{"pattern":"("}`,
		"definition of 2020-12":   `{"definitions":{"a":{"enum":false}}}`,
		"dependency of 2020-12":   `{"properties":{"a":{"dependencies":{"b":{"properties":{"c":{"enum":false}}}}}}}`,
		"one name of draft 3":     `{"dependencies":{"a":"b"}}`,
		"property of 2019-09":     `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"minLength":"1"}}}`,
		"dependency of 2019-09":   `{"$schema":"https://json-schema.org/draft/2019-09/schema","dependencies":{"a":{"minLength":"1"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := instance.Compile(parse(t, text)); err == nil || !strings.HasPrefix(err.Error(), "compiling a schema: ") {
				t.Errorf("Compile(%s): %v", text, err)
			}
		})
	}
}

// TestTooLarge: a schema is not compiled if that would take minutes.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for count, want := range map[int]error{7_999: nil, 8_000: instance.ErrTooLarge, 200_000: instance.ErrTooLarge} {
		properties := schema.NewObject()
		for i := range count {
			properties.Members = append(properties.Members, schema.Member{Key: strconv.Itoa(i), Value: schema.NewObject()})
		}
		if _, err := instance.Compile(schema.NewObject(schema.Member{Key: "properties", Value: properties})); !errors.Is(err, want) {
			t.Errorf("%d properties: %v", count, err)
		}
	}
}

func TestNoSchemaAcceptsAnything(t *testing.T) {
	t.Parallel()
	compiled, err := instance.Compile(nil)
	if err != nil || !compiled.Accepts(parse(t, `{"a":1}`)) {
		t.Errorf("no schema: %v", err)
	}
}

// TestOfficialSuite compares Accepts with the answers of JSON Schema's own test suite, which is
// not part of the repository.
func TestOfficialSuite(t *testing.T) {
	t.Parallel()
	judged, refused := 0, map[string]int{}
	for _, group := range corpus.Lines(t, "json_schema_test_suite.jsonl.gz") {
		// The optional part is about formats, which constrain nothing here, and about
		// JavaScript's regular expressions, which Go does not have.
		if strings.HasPrefix(group.GetString("keyword_file"), "optional/") {
			continue
		}
		node := group.Get("schema")
		if group.GetString("draft") == "draft7" && node.Kind == schema.Object && !node.Has("$schema") {
			node = node.Clone()
			node.Set("$schema", schema.NewString("http://json-schema.org/draft-07/schema#"))
		}
		compiled, err := instance.Compile(node)
		if err != nil {
			refused[group.GetString("keyword_file")]++
			continue
		}
		for _, test := range group.Get("tests").Elements {
			judged++
			if got, want := compiled.Accepts(test.Get("data")), test.Get("valid").IsTrue(); got != want {
				t.Errorf("%s, %s: %s is accepted: %t\n%s", group.GetString("id"), test.GetString("description"), test.Get("data"), got, node)
			}
		}
	}
	t.Logf("%d instances; schemas that do not compile, by file: %v", judged, refused)
	const least = 2000
	if judged < least {
		t.Errorf("judged %d instances, want at least %d", judged, least)
	}
}
