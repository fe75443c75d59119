package instance_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolproof/schema"
	"toolproof/schema/instance"
)

func compiled(t *testing.T, text string) *instance.Schema {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	result, err := instance.Compile(node)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func problemsOf(t *testing.T, compiled *instance.Schema, instance string) string {
	t.Helper()
	node, err := schema.Parse([]byte(instance))
	if err != nil {
		t.Fatal(err)
	}
	problems, err := compiled.Problems(node)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, problem := range problems {
		fmt.Fprintf(&text, "%s: %s\n", problem.At, problem.Message)
	}
	return text.String()
}

func TestProblems(t *testing.T) {
	t.Parallel()
	const nullable = `{"type": "object", "properties": {"a": {"type": "STRING", "nullable": true, "enum": ["x"]}, "b": {"anyOf": [{"type": "object", "required": ["c"]}, {"type": "null"}]}}}`
	for _, test := range []struct{ name, schema, instance, want string }{
		{"valid", nullable, `{"a": null, "b": {"c": 1}}`, ""},
		{"the branch of the type", nullable, `{"b": {}}`, "/b: missing property 'c'\n"},
		{"no branch of the type", nullable, `{"b": 1}`, "/b: none of the 2 forms that are allowed here\n"},
		{"bounds that are not allowed themselves", `{"items": {"exclusiveMinimum": 0, "exclusiveMaximum": 1.5}}`, `[0, 1, 1.5]`, "/0: exclusiveMinimum: got 0, want more than 0\n/2: exclusiveMaximum: got 1.5, want less than 1.5\n"},
		{"two branches", `{"oneOf": [{"type": "integer"}, {"type": "number"}]}`, `1`, ": 'oneOf' failed, subschemas 0, 1 matched\n"},
		{
			"places are escaped and in order", `{"additionalProperties": false, "properties": {"a/b": {"type": "integer"}, "~": {"type": "integer"}}}`, `{"~": "", "z": 1, "a/b": "", "y": 1}`,
			": additional properties 'y', 'z' not allowed\n/a~1b: got string, want integer\n/~0: got string, want integer\n",
		},
		{
			"each refused name has its place",
			`{"properties": {"a": {"propertyNames": {"maxLength": 2}}, "b": {"items": {"propertyNames": {"pattern": "^x"}}}, "c": {"type": "integer"}}}`,
			`{"a": {"long": 1}, "b": [{}, {"y": 1}], "c": ""}`,
			"/a: invalid propertyName 'long'\n/b/1: invalid propertyName 'y'\n/c: got string, want integer\n",
		},
		{"draft 4 has no propertyNames", `{"$schema": "http://json-schema.org/draft-04/schema#", "propertyNames": {"maxLength": 1}}`, `{"long": 1}`, ""},
		{"a problem found twice is reported once", `{"allOf": [{"required": ["a"]}, {"required": ["a"]}]}`, `{}`, ": missing property 'a'\n"},
		{"draft 7", `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "integer"}}, "items": {"$ref": "#/definitions/a"}}`, `[1, "2"]`, "/1: got string, want integer\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			of := compiled(t, test.schema)
			for range 5 { // the validator ranges over maps
				if got := problemsOf(t, of, test.instance); got != test.want {
					t.Errorf("got\n%swant\n%s", got, test.want)
				}
			}
		})
	}
}

// TestProblemsTakeBoundedTime validates with a recursive union, where each level doubles the
// work.
func TestProblemsTakeBoundedTime(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"} {
		of := compiled(t, `{"$schema": "`+dialect+`", "anyOf": [{"properties": {"a": {"$ref": "#"}}, "required": ["x"]}, {"properties": {"a": {"$ref": "#"}}, "required": ["y"]}]}`)
		const deep = 60
		node, err := schema.Parse([]byte(strings.Repeat(`{"a":`, deep) + "{}" + strings.Repeat("}", deep)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := of.Problems(node); !errors.Is(err, instance.ErrTooManySteps) {
			t.Errorf("%s: got the error %v", dialect, err)
		}
		if accepts, err := of.AcceptsWithin(node); accepts || !errors.Is(err, instance.ErrTooManySteps) {
			t.Errorf("%s: accepts is %v with the error %v", dialect, accepts, err)
		}
		if accepts, err := of.AcceptsWithin(parse(t, `{"x": 1}`)); !accepts || err != nil {
			t.Errorf("%s: accepts is %v with the error %v after it", dialect, accepts, err)
		}
		if got := problemsOf(t, of, `{"x": 1}`); got != "" {
			t.Errorf("%s: got %s after it", dialect, got)
		}
	}
}
