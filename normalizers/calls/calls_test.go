package calls_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolproof/normalizers"
	"toolproof/normalizers/calls"
	"toolproof/schema"
	"toolproof/schema/instance"
)

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("parsing %s: %v", text, err)
	}
	return node
}

// declared returns the tools of a request for a pipeline, each of a name and a schema.
func declared(t *testing.T, pipeline *normalizers.Pipeline, tools ...schema.Tool) *calls.Tools {
	t.Helper()
	results, err := pipeline.NormalizeAll(t.Context(), tools...)
	if err != nil {
		t.Fatal(err)
	}
	known, err := calls.Of(t.Context(), results...)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

func TestRestore(t *testing.T) {
	t.Parallel()
	const (
		forecast = `{"type": "object", "properties": {"city": {"type": "string", "minLength": 1}, "days": {"type": "integer"}}, "required": ["city"], "additionalProperties": false}`
		filter   = `{"type": "object", "properties": {"list": {"type": "array", "items": {"type": "object", "properties": {"a/b": {"type": "string"}}, "required": ["a/b"]}}}}`
		nullable = `{"type": "object", "properties": {"limit": {"type": ["integer", "null"]}, "page": {"type": ["integer", "null"]}}, "required": ["limit"]}`
		flags    = `{"type": "object", "properties": {"a": {"type": "string", "required": true}, "b": {"type": "float"}}}`
		union    = `{"type": "object", "properties": {"u": {"oneOf": [
			{"type": "object", "properties": {"kind": {"const": "x"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
			{"type": "object", "properties": {"kind": {"const": "y"}}, "required": ["kind"]}, {"type": "string"}]}}}`
	)
	for _, test := range []struct {
		name      string
		pipeline  *normalizers.Pipeline
		schema    string
		arguments string
		want      string
		problems  []instance.Problem
	}{
		{"null for absent", normalizers.OpenAIStrict, forecast, `{"city": "Rome", "days": null}`, `{"city": "Rome"}`, nil},
		{"no arguments", normalizers.OpenAI, `{"type": "object", "properties": {}}`, ` `, `{}`, nil},
		{"names below", normalizers.Anthropic, filter, `{"list": [{"a_b": "x"}]}`, `{"list": [{"a/b": "x"}]}`, nil},
		{"absent for null", normalizers.CodeAssistClaude, nullable, `{"page": 1}`, `{"page": 1, "limit": null}`, nil},
		{"a wrapped root", normalizers.OpenAI, `{"type": "string"}`, `{"value": "x"}`, `"x"`, nil},
		{"no parameters", normalizers.OpenAI, "", `{"a": 1}`, `{"a": 1}`, nil},
		{
			"several problems in order", normalizers.Gemini, forecast, `{"z": 1, "days": "3", "city": ""}`, `{"z": 1, "days": "3", "city": ""}`,
			[]instance.Problem{{At: "", Message: "additional properties 'z' not allowed"}, {At: "/city", Message: "minLength: got 0, want 1"}, {At: "/days", Message: "got string, want integer"}},
		},
		{
			"a place is of the arguments as given", normalizers.Anthropic, filter, `{"list": [{"a_b": 5}]}`, `{"list": [{"a/b": 5}]}`,
			[]instance.Problem{{At: "/list/0/a~1b", Message: "got number, want string"}},
		},
		{
			"the branch that is meant", normalizers.Gemini, union, `{"u": {"kind": "x", "n": "1"}}`, `{"u": {"kind": "x", "n": "1"}}`,
			[]instance.Problem{{At: "/u/n", Message: "got string, want integer"}},
		},
		{
			"no branch", normalizers.Gemini, union, `{"u": 1}`, `{"u": 1}`,
			[]instance.Problem{{At: "/u", Message: "none of the 3 forms that are allowed here"}},
		},
		{
			"a schema with flags and types of a program", normalizers.Gemini, flags, `{"b": "x"}`, `{"b": "x"}`,
			[]instance.Problem{{At: "", Message: "missing property 'a'"}, {At: "/b", Message: "got string, want number"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool := schema.Tool{Name: "f/g"}
			if test.schema != "" {
				tool.Parameters = parse(t, test.schema)
			}
			call, err := declared(t, test.pipeline, tool).Restore("f_g", test.arguments)
			if call.Tool.Name != "f/g" || call.Unchecked != "" || !schema.Identical(call.Arguments, parse(t, test.want)) {
				t.Errorf("got %s of %q, unchecked %q, want %s", call.Arguments, call.Tool.Name, call.Unchecked, test.want)
			}
			var invalid *calls.ArgumentsError
			if len(test.problems) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.As(err, &invalid) || invalid.Tool != "f/g" {
				t.Fatalf("got the error %v", err)
			}
			if got, want := fmt.Sprint(invalid.Problems), fmt.Sprint(test.problems); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	tools := declared(t, normalizers.Gemini, schema.Tool{Name: "f", Parameters: parse(t, `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}`)})
	var unknown *calls.UnknownToolError
	if _, err := tools.Restore("g", `{}`); !errors.As(err, &unknown) || unknown.Name != "g" || err.Error() != `no tool is called "g"` {
		t.Errorf("got the error %v of a tool that is none", err)
	}
	for text, want := range map[string]error{
		`{"a":`:                    schema.ErrNotJSON,
		`{"a": 1, "a": 2}`:         schema.ErrDuplicateName,
		strings.Repeat("[", 1_001): schema.ErrTooDeep,
		"{\"a\": \"\xff\"}":        schema.ErrInvalidUTF8,
	} {
		var syntax *schema.SyntaxError
		if _, err := tools.Restore("f", text); !errors.As(err, &syntax) || !errors.Is(err, want) {
			t.Errorf("%.20q: got the error %v, want %v", text, err, want)
		}
	}
	arguments := schema.NewObject()
	for i := range 12 {
		arguments.Set(fmt.Sprintf("m%02d", i), schema.NewInt(i))
	}
	const first, last = "invalid arguments for f:\n/m00: got number, want string\n", "\n/m09: got number, want string\n2 more"
	if _, err := tools.Restore("f", arguments.String()); err == nil || !strings.HasPrefix(err.Error(), first) || !strings.HasSuffix(err.Error(), last) {
		t.Errorf("got the error %v", err)
	}
}

// TestPatternsCostThemselves has patterns that Go's engine does not read: one of ECMAScript judges, and
// one of nobody leaves the other properties judged, and is said.
func TestPatternsCostThemselves(t *testing.T) {
	t.Parallel()
	const tool = `{"type": "object", "properties": {"a": {"type": "string", "pattern": "%s"}, "n": {"type": "integer"}}}`
	for _, test := range []struct{ pattern, arguments, problem, unchecked string }{
		{"^(?!x)", `{"a": "y", "n": 1}`, "", ""},
		{"^(?!x)", `{"a": "x", "n": 1}`, "/a", ""},
		{"^(?!x)", `{"a": "y", "n": "not a number"}`, "/n", ""},
		{`(a)\\1`, `{"a": "ab"}`, "/a", ""},
		{"(x", `{"a": "y", "n": 1}`, "", "(x"},
		{"(x", `{"a": "y", "n": "not a number"}`, "/n", "(x"},
		{`x"}, "o": {"properties": {` + properties(10_000) + `}}, "p": {"type": "string`, `{"n": "not a number"}`, "", "subschemas"},
	} {
		known := declared(t, normalizers.Gemini, schema.Tool{Name: "f", Parameters: parse(t, fmt.Sprintf(tool, test.pattern))})
		call, err := known.Restore("f", test.arguments)
		var invalid *calls.ArgumentsError
		if errors.As(err, &invalid) != (test.problem != "") || invalid != nil && string(invalid.Problems[0].At) != test.problem {
			t.Errorf("%s of %s: %v", test.arguments, test.pattern, err)
		}
		if (call.Unchecked != "") != (test.unchecked != "") || !strings.Contains(call.Unchecked, test.unchecked) {
			t.Errorf("%s of %s: unchecked %q", test.arguments, test.pattern, call.Unchecked)
		}
	}
}

// properties are the members of an object of so many properties.
func properties(count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d": {}`, i)
	}
	return strings.Join(names, ",")
}

// TestSlowPattern has a pattern that takes time that doubles with each letter.
func TestSlowPattern(t *testing.T) {
	t.Parallel()
	const slow = `{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?=b|(a+)+$)(a+)+$"}}}`
	known := declared(t, normalizers.Gemini, schema.Tool{Name: "f", Parameters: parse(t, slow)})
	if _, err := known.Restore("f", `{"a": "`+strings.Repeat("a", 60)+`!"}`); !errors.Is(err, instance.ErrTooManySteps) {
		t.Errorf("got %v", err)
	}
}

// TestHostileArguments has a union that leads to itself twice, of which each level of
// the arguments doubles the work.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	const branch = `{"type": "object", "properties": {"kind": {"const": "%s"}, "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"}}, "required": ["kind"]}`
	parameters := parse(t, `{"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"oneOf": [`+
		fmt.Sprintf(branch, "and")+","+fmt.Sprintf(branch, "or")+","+fmt.Sprintf(branch, "xor")+`]}}}`)
	deep := `{"kind": "none"}`
	for range 200 {
		deep = `{"kind": "xor", "left": ` + deep + `}`
	}
	wide := `{"node": {"kind": "or", "left": [` + strings.Repeat(`{"kind": "or"},`, 100_000) + `1]}}`
	for _, pipeline := range []*normalizers.Pipeline{normalizers.OpenAIStrict, normalizers.Gemini, normalizers.Portable} {
		tools := declared(t, pipeline, schema.Tool{Name: "f", Parameters: parameters})
		// The steps of the validator are what is bounded: 3^200 branches end after so many.
		if _, err := tools.Restore("f", `{"node": `+deep+`}`); !errors.Is(err, instance.ErrTooManySteps) {
			t.Errorf("%s: deep: got the error %v", pipeline.Name(), err)
		}
		var invalid *calls.ArgumentsError
		if _, err := tools.Restore("f", wide); !errors.As(err, &invalid) || len(invalid.Problems) != 1 || invalid.Problems[0].At != "/node/left" {
			t.Errorf("%s: wide: got the error %v", pipeline.Name(), err)
		}
	}
}

// TestSameNames has tools that get one name: each call comes back to its own.
func TestSameNames(t *testing.T) {
	t.Parallel()
	given := []string{"a b", "a_b", "a/b", "f", "f", "f"}
	tools := make([]schema.Tool, len(given))
	for i, name := range given {
		tools[i] = schema.Tool{Name: name, Parameters: parse(t, fmt.Sprintf(`{"type": "object", "properties": {"p%d": {"type": "string"}}}`, i))}
	}
	for _, pipeline := range normalizers.Pipelines {
		results, err := pipeline.NormalizeAll(t.Context(), tools...)
		if err != nil {
			t.Fatal(err)
		}
		known, err := calls.Of(t.Context(), results...)
		if err != nil {
			t.Fatalf("%s: %v", pipeline.Name(), err)
		}
		for i, result := range results {
			call, err := known.Restore(result.Tool.Name, `{}`)
			if err != nil || call.Tool.Name != given[i] || call.Tool.Parameters != tools[i].Parameters {
				t.Errorf("%s: %q came back as %q, %v", pipeline.Name(), result.Tool.Name, call.Tool.Name, err)
			}
			if isRenamed := result.Tool.Name != given[i]; isRenamed && len(result.Changes) == 0 {
				t.Errorf("%s: %q became %q in silence", pipeline.Name(), given[i], result.Tool.Name)
			}
		}
		if results[1].Tool.Name != "a_b" || results[3].Tool.Name != "f" {
			t.Errorf("%s: a name that fits became %q, another %q", pipeline.Name(), results[1].Tool.Name, results[3].Tool.Name)
		}
	}
	alone, err := normalizers.Gemini.Normalize(t.Context(), tools[3])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := calls.Of(t.Context(), alone, alone); err == nil || !strings.Contains(err.Error(), `two tools are called "f"`) {
		t.Errorf("got the error %v of two tools of one name", err)
	}
}

// TestMend: arguments are mended only where the given tool refuses what came and accepts what it becomes.
func TestMend(t *testing.T) {
	t.Parallel()
	const (
		mixed = `{"type": "object", "properties": {"o": {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false}, "t": {"type": ["string", "object"]},
			"u": {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "boolean"}]}, "s": {"type": "string"}}, "required": ["s"]}`
		open = `{"type": "object", "properties": {"a/b": {"type": "string"}}, "required": ["a_b"]}`
	)
	for _, test := range []struct{ schema, arguments, want, problem string }{
		{mixed, `{"s": "1", "t": "{}", "o": {"n": 1}}`, `{"s": "1", "t": "{}", "o": {"n": 1}}`, ""},
		{mixed, `{"s": "x", "o": "{\"n\": 1}", "t": "{}"}`, `{"s": "x", "o": {"n": 1}, "t": "{}"}`, ""},
		{mixed, `{"s": "x", "o": "{\"n\": \"1\"}"}`, `{"s": "x", "o": {"n": 1}}`, ""},
		{mixed, `{"s": "x", "o": "\"{}\""}`, "", "/o: got string, want object"},
		{mixed, `{"s": "x", "o": "{\"m\": 1}"}`, "", "/o: got string, want object"},
		{mixed, `{"s": "x", "u": "[1]", "o": null}`, `{"s": "x", "u": [1]}`, ""},
		{mixed, `{"s": "x", "u": ["1", 2]}`, `{"s": "x", "u": [1, 2]}`, ""},
		{mixed, `{"s": null}`, "", "/s: got null, want string"},
		{mixed, `{"s": 1}`, "", "/s: got number, want string"},
		{mixed, `"{\"s\": \"x\"}"`, `{"s": "x"}`, ""},
		{open, `{"a_b": "x"}`, `{"a_b": "x"}`, ""}, // the restored name would not be taken
	} {
		tools := declared(t, normalizers.Anthropic, schema.Tool{Name: "t", Parameters: parse(t, test.schema)})
		call, err := tools.Mend("t", test.arguments)
		switch {
		case test.problem == "" && (err != nil || !schema.Equal(call.Arguments, parse(t, test.want))):
			t.Errorf("%s becomes %s, %v; want %s", test.arguments, call.Arguments, err, test.want)
		case test.problem != "" && (err == nil || err.Error() != "invalid arguments for t:\n"+test.problem):
			t.Errorf("%s becomes %s, %v; want the problem %s", test.arguments, call.Arguments, err, test.problem)
		}
	}
	tools := declared(t, normalizers.Anthropic, schema.Tool{Name: "t", Parameters: parse(t, `{"type": "object", "properties": {"a/b": {"type": "string"}}}`)})
	if got := tools.Misread("t", `{"a_b": 1}`); len(got) != 1 || got[0].At != "/a_b" {
		t.Errorf("the problems are %v", got)
	}
	if got := tools.Misread("t", `{"a_b": "x"}`); len(got) > 0 {
		t.Errorf("the problems are %v", got)
	}
}
