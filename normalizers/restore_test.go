package normalizers_test

import (
	"testing"

	"toolproof/normalizers"
	"toolproof/schema"
)

func normalize(t *testing.T, pipeline *normalizers.Pipeline, tool schema.Tool) normalizers.Result {
	t.Helper()
	result, err := pipeline.Normalize(t.Context(), tool)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestRestore(t *testing.T) {
	t.Parallel()
	const (
		one    = `{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"]}`
		list   = `{"type": "object", "properties": {"list": {"type": "array", "items": ` + one + `}}, "required": ["list"]}`
		linked = `{"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "required": ["node"], "$defs": {"node":
			{"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}}}`
		branches = `{"type": "object", "properties": {"u": {"anyOf": [
			{"type": "object", "properties": {"kind": {"const": "x"}, "o": {"type": "string"}}, "required": ["kind"]},
			{"type": "object", "properties": {"kind": {"const": "y"}, "o": {"type": ["string", "null"]}}, "required": ["kind"]}]}}, "required": ["u"]}`
		oneBranch = `{"type": "object", "properties": {"u": {"anyOf": [` + one + `, {"type": "string"}]}}, "required": ["u"]}`
		nullable  = `{"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}, "e": {"type": "string", "nullable": true}, "f": {"enum": ["x", null]}},
			"$defs": {"n": {"type": ["string", "null"]}}}`
		byDefault = `{"type": "object", "properties": {"a": {"type": ["string", "null"], "default": null}}}`
		alike     = `{"type": "object", "properties": {"a": {"anyOf": [{"type": "null"},
			{"type": "object", "properties": {"value": {"type": ["string", "null"]}}, "required": ["value"], "additionalProperties": false}]}}}`
		limits = `{"type": "object", "properties": {"u": {"anyOf": [
			{"type": "object", "properties": {"a": {"type": "string", "pattern": "^x"}, "b": {"type": "string", "minLength": 2}}, "required": ["a"]},
			{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}]}}, "required": ["u"]}`
		keywords = `{"type": "object", "properties": {"type": {"type": "string"}, "properties": {"type": "object", "properties": {"anyOf": {"type": "null"}, "$ref": {"type": "string"}}}}}`
		union    = `{"type": "object", "properties": {"u": {"description": "d", "anyOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}]}}}`
	)
	for _, test := range []struct{ name, parameters, arguments, want string }{
		{"nothing to do", one, `{"a": "x", "b": 1}`, `{"a": "x", "b": 1}`},
		{"an optional property", one, `{"a": "x", "b": null}`, `{"a": "x"}`},
		{"a required property", one, `{"a": null, "b": 1}`, `{"a": null, "b": 1}`},
		{"the order stays", one, `{"b": null, "z": 1, "a": "x"}`, `{"z": 1, "a": "x"}`},
		{"numbers keep their spelling", one, `{"a": "x", "b": 1.0}`, `{"a": "x", "b": 1.0}`},
		{"items", list, `{"list": [{"a": "x", "b": null}, {"a": "y", "b": 1}]}`, `{"list": [{"a": "x"}, {"a": "y", "b": 1}]}`},
		{"null among items", list, `{"list": [null, {"a": "x", "b": null}]}`, `{"list": [null, {"a": "x"}]}`},
		{"recursion", linked, `{"node": {"v": null, "next": {"v": 1, "next": {"v": null, "next": null}}}}`, `{"node": {"next": {"v": 1, "next": {}}}}`},
		{"the branch that fits", branches, `{"u": {"kind": "x", "o": null}}`, `{"u": {"kind": "x"}}`},
		{"the other branch accepts null", branches, `{"u": {"kind": "y", "o": null}}`, `{"u": {"kind": "y"}}`},
		{"the other branch says null", branches, `{"u": {"kind": "y", "o": {"value": null}}}`, `{"u": {"kind": "y", "o": null}}`},
		{"no branch fits", branches, `{"u": {"kind": "z", "o": null}}`, `{"u": {"kind": "z", "o": null}}`},
		{"the only branch of the type", oneBranch, `{"u": {"a": 5, "b": null}}`, `{"u": {"a": 5}}`},
		{"a limit tells the branches apart", limits, `{"u": {"a": "y", "b": null}}`, `{"u": {"a": "y", "b": null}}`},
		{"a limit is kept", limits, `{"u": {"a": "x", "b": null}}`, `{"u": {"a": "x"}}`},
		{"null was accepted", nullable, `{"n": null, "e": null, "f": null}`, `{}`},
		{"null itself", nullable, `{"n": {"value": null}, "e": {"value": null}, "f": {"value": null}}`, `{"n": null, "e": null, "f": null}`},
		{"null by default", byDefault, `{"a": null}`, `{"a": null}`},
		{"an object that looks like null itself", alike, `{"a": {"value": null}}`, `{"a": {"value": null}}`},
		{"null itself beside it", alike, `{"a": {"value_": null}}`, `{"a": null}`},
		{"null for absent beside it", alike, `{"a": null}`, `{}`},
		{"an optional union", union, `{"u": null}`, `{}`},
		{"an optional union has a value", union, `{"u": true}`, `{"u": true}`},
		{"names of keywords", keywords, `{"type": null, "properties": {"anyOf": {"value": null}, "$ref": null}}`, `{"properties": {"anyOf": null}}`},
		{"an optional object", keywords, `{"type": "x", "properties": null}`, `{"type": "x"}`},
		{"undeclared names", one, `{"a": "x", "b": null, "c": null}`, `{"a": "x", "c": null}`},
		{"not an object", one, `[null]`, `[null]`},
		{"null", one, `null`, `null`},
		{"a list for an object", list, `{"list": {"a": null, "b": null}}`, `{"list": {"a": null, "b": null}}`},
		{"a wrapped root", `{"type": "string"}`, `{"value": "x"}`, `"x"`},
		{"a wrapped array", `{"type": "array", "items": ` + one + `}`, `{"value": [{"a": "x", "b": null}]}`, `[{"a": "x"}]`},
		{"a wrapped root beside another member", `{"type": "string"}`, `{"value": "x", "more": 1}`, `"x"`},
		{"a wrapped root that is not there", `{"type": "string"}`, `{"more": 1}`, `{"more": 1}`},
		{"a root that is not wrapped", `{"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}`, `{"value": "x"}`, `{"value": "x"}`},
		{"not strict", `{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}}`, `{"a": null}`, `{"a": null}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := normalize(t, normalizers.OpenAIStrict, schema.Tool{Name: "f", Parameters: parse(t, test.parameters)})
			arguments := parse(t, test.arguments)
			got := result.Restore(arguments)
			if want := parse(t, test.want); !schema.Identical(got, want) {
				t.Errorf("got   %s\nwant  %s\nof    %s", got, want, result.Tool.Parameters)
			}
			if !schema.Identical(arguments, parse(t, test.arguments)) {
				t.Errorf("the arguments were changed to %s", arguments)
			}
			if test.arguments == test.want && got != arguments {
				t.Error("what stays the same was copied")
			}
			if again := result.Restore(arguments); !schema.Identical(again, got) {
				t.Errorf("got %s the second time", again)
			}
		})
	}
}

// TestRestoreOfTargets undoes what the targets do that are not strict.
func TestRestoreOfTargets(t *testing.T) {
	t.Parallel()
	const (
		names    = `{"type": "object", "properties": {"a/b": {"type": "string"}, "a_b": {"type": "string"}, "c": {"type": "array", "items": {"type": "object", "properties": {"d[]": {"type": "object", "properties": {"~": {}}}}}}}}`
		nullable = `{"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["string", "null"]}, "c": {"type": "object", "properties": {"d/e": {"type": ["integer", "null"]}}, "required": ["d/e"]}}, "required": ["a", "undeclared"]}`
		null     = `{"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "string"}}, "required": ["a", "b"]}`
		texts    = `{"type": "object", "properties": {"o": {"type": "object"}, "u": {"anyOf": [{"type": "string"}, {"type": "object"}]}, "s": {"type": "string"}, "l": {"type": "array", "items": {"type": "object"}}}}`
	)
	for _, test := range []struct {
		name            string
		pipeline        *normalizers.Pipeline
		given           string
		arguments, want string
	}{
		{"names", normalizers.Anthropic, names, `{"a_b_": "1", "a_b": "2", "c": [{"d__": {"_": 3}}]}`, `{"a/b": "1", "a_b": "2", "c": [{"d[]": {"~": 3}}]}`},
		{"a given name is there already", normalizers.Anthropic, names, `{"a/b": "1", "a_b_": "2"}`, `{"a/b": "1", "a_b_": "2"}`},
		{"null comes back where it was required", normalizers.CodeAssistClaude, nullable, `{"c": {}}`, `{"c": {"d/e": null}, "a": null}`},
		{"null comes back with its name", normalizers.Portable, nullable, `{"a": "x", "c": {}}`, `{"a": "x", "c": {"d/e": null}}`},
		{"what is there stays", normalizers.Portable, nullable, `{"a": "x", "c": {"d_e": 1}}`, `{"a": "x", "c": {"d/e": 1}}`},
		{"a property of null alone", normalizers.CodeAssistClaude, null, `{"b": "x"}`, `{"b": "x", "a": null}`},
		{"text becomes an object", normalizers.GeminiResponse, texts, `{"o": "{\"a\": [1.0]}", "l": ["{}"]}`, `{"o": {"a": [1.0]}, "l": [{}]}`},
		{"text beside a string", normalizers.GeminiResponse, texts, `{"u": "{\"a\": 1}", "s": "{}"}`, `{"u": {"a": 1}, "s": "{}"}`},
		{"text of another type", normalizers.GeminiResponse, texts, `{"o": "[1]", "u": "[1]"}`, `{"o": "[1]", "u": "[1]"}`},
		{"a union that became text", normalizers.GeminiResponse, `{"type": "object", "properties": {"a": {"anyOf": [{"type": "object"}, {"type": "object", "properties": {}}]}}}`, `{"a": "{}"}`, `{"a": {}}`},
		{"an empty name", normalizers.Anthropic, `{"type": "object", "properties": {"": {"type": "string"}}}`, `{"_": "x"}`, `{"": "x"}`},
		{"a string beside text", normalizers.GeminiResponse, texts, `{"u": "{a}", "o": "5"}`, `{"u": "{a}", "o": "5"}`},
		{"the root is text", normalizers.GeminiResponse, `{"type": "object"}`, `"{\"a\": 1}"`, `{"a": 1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := normalize(t, test.pipeline, schema.Tool{Name: "f", Parameters: parse(t, test.given)})
			if got, want := result.Restore(parse(t, test.arguments)), parse(t, test.want); !schema.Identical(got, want) {
				t.Errorf("got   %s\nwant  %s\nof    %s", got, want, result.Tool.Parameters)
			}
		})
	}
}

// TestRestoreDeep walks a union within a union at each of many levels, whose
// branches differ late.
func TestRestoreDeep(t *testing.T) {
	t.Parallel()
	const branch = `{"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "kind": {"const": "%"}}, "required": ["kind"]}`
	of := func(kind string) *schema.Node {
		node := parse(t, branch)
		node.Get("properties").Get("kind").Set("const", schema.NewString(kind))
		return node
	}
	parameters := parse(t, `{"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "required": ["node"], "$defs": {"node": {}}}`)
	parameters.Get("$defs").Get("node").Set("anyOf", schema.NewArray(of("x"), of("y"), of("z")))
	result := normalize(t, normalizers.OpenAIStrict, schema.Tool{Name: "f", Parameters: parameters})
	if !result.Strict {
		t.Fatal(result.Fallback)
	}
	const depth = 200
	last := schema.Member{Key: "kind", Value: schema.NewString("z")}
	arguments, want := schema.NewObject(schema.Member{Key: "next", Value: &schema.Node{}}, last), schema.NewObject(last)
	for range depth {
		arguments = schema.NewObject(schema.Member{Key: "next", Value: arguments}, last)
		want = schema.NewObject(schema.Member{Key: "next", Value: want}, last)
	}
	got := result.Restore(schema.NewObject(schema.Member{Key: "node", Value: arguments})).Get("node")
	if !schema.Identical(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestRestoreWithoutSchema(t *testing.T) {
	t.Parallel()
	arguments := parse(t, `{"a": null}`)
	for _, result := range []normalizers.Result{{}, {Unreported: true}, normalize(t, normalizers.OpenAIStrict, schema.Tool{Name: "f"})} {
		if got := result.Restore(arguments); got != arguments {
			t.Errorf("got %s", got)
		}
		if got := result.Restore(nil); got != nil {
			t.Errorf("got %s of nothing", got)
		}
	}
}

// TestRestoreByLimits has two branches that only a limit tells apart, which strict
// mode cannot say: within it null stands for absent, and beyond it null is null.
func TestRestoreByLimits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ limited, within, beyond string }{
		{`{"type": "string", "pattern": "^x"}`, `"x"`, `"y"`},
		{`{"type": "string", "minLength": 2}`, `"äö"`, `"ä"`},
		{`{"type": "string", "maxLength": 1}`, `"ä"`, `"äö"`},
		{`{"type": "number", "minimum": 1.5}`, `1.5`, `1`},
		{`{"type": "number", "maximum": 1.5}`, `1.5`, `2`},
		{`{"type": "number", "exclusiveMinimum": 1}`, `1.1`, `1`},
		{`{"type": "number", "exclusiveMaximum": 1}`, `0.9`, `1.0`},
		{`{"type": "array", "items": {"type": "integer"}, "minItems": 1}`, `[1]`, `[]`},
		{`{"type": "array", "items": {"type": "integer"}, "maxItems": 1}`, `[1]`, `[1, 2]`},
		{`{"type": "array", "items": {"type": "integer", "maximum": 1}}`, `[1]`, `[2]`},
	} {
		t.Run(test.limited, func(t *testing.T) {
			t.Parallel()
			free := schema.NewObject(schema.Member{Key: "type", Value: parse(t, test.limited).Get("type")})
			if items := parse(t, test.limited).Get("items"); items != nil {
				free.Set("items", parse(t, `{"type": "integer"}`))
			}
			branches := `{"anyOf": [{"type": "object", "properties": {"a": ` + test.limited + `, "b": {"type": "string"}}, "required": ["a"]},
				{"type": "object", "properties": {"a": ` + free.String() + `, "b": {"type": ["string", "null"]}}, "required": ["a", "b"]}]}`
			parameters := parse(t, `{"type": "object", "properties": {"u": `+branches+`}, "required": ["u"]}`)
			result := normalize(t, normalizers.OpenAIStrict, schema.Tool{Name: "f", Parameters: parameters})
			if !result.Strict {
				t.Fatal(result.Fallback)
			}
			for value, want := range map[string]string{
				test.within: `{"u": {"a": ` + test.within + `}}`,
				test.beyond: `{"u": {"a": ` + test.beyond + `, "b": null}}`,
			} {
				if got := result.Restore(parse(t, `{"u": {"a": `+value+`, "b": null}}`)); !schema.Identical(got, parse(t, want)) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}
