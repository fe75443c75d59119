package anthropic

import (
	"context"
	"encoding/json"
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

var (
	tools    = []*provider.Dialect{Tools, ToolsStrict}
	grammars = []*provider.Dialect{ToolsStrict, outputFormat}
)

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

// prefix returns the beginning of every message of the grammar.
func prefix(dialect *provider.Dialect) string {
	if dialect == outputFormat {
		return "output_config.format.schema: "
	}
	return "tools.0.custom: "
}

// closed returns an object with the given properties, all of them required.
func closed(properties string, names ...string) string {
	return `{"type":"object","properties":` + properties + `,"required":` + schema.NewStrings(names...).String() + `,"additionalProperties":false}`
}

// one returns a closed object with one property, a.
func one(property string) string { return closed(`{"a":`+property+`}`, "a") }

// row is a schema with the service's message; empty if it accepts.
type row struct{ name, schema, message string }

const (
	invalid = "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). " +
		"Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview."
	combinator = "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
	noType     = "tools.0.custom.input_schema.type: Field required"
	otherType  = "tools.0.custom.input_schema.type: Input should be 'object'"
	badKey     = "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
	noShape    = "tools.0.custom.input_schema: Input does not match the expected shape."
)

// declarationRows are judged alike for every tool.
var declarationRows = []row{
	{"true", `true`, noShape},
	{"null", `null`, noShape},
	{"empty", `{}`, noType},
	{"reference alone", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`, noType},
	{"union alone", `{"anyOf":[{"type":"object"}]}`, noType},
	{"array", `{"type":"array"}`, otherType},
	{"list of types", `{"type":["object","null"]}`, otherType},
	{"allOf", `{"type":"object","allOf":[{"required":["a"]}]}`, combinator},
	{"oneOf and a bad key", `{"type":"object","oneOf":[{}],"properties":{"a b":{}}}`, badKey},
	{"key of 65", `{"type":"object","properties":{"` + strings.Repeat("a", 65) + `":{"type":"string"}}}`, badKey},
	{"key without a letter", `{"type":"object","properties":{"":{"type":"string"}}}`, badKey},
	{"property that is a word", `{"type":"object","properties":{"a":"string"}}`, invalid},
	{"unknown type", `{"type":"object","properties":{"a":{"type":"any"}}}`, invalid},
	{"type in upper case", `{"type":"object","properties":{"a":{"type":"STRING"}}}`, invalid},
	{"type twice", `{"type":"object","properties":{"a":{"type":["null","null"]}}}`, invalid},
	{"no types", `{"type":"object","properties":{"a":{"type":[]}}}`, invalid},
	{"required of a property", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`, invalid},
	{"required twice", `{"type":"object","properties":{},"required":["a","a"]}`, invalid},
	{"tuple of draft 7", `{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`, invalid},
	{"bound of draft 4", `{"type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, invalid},
	{"negative length", `{"type":"object","properties":{"a":{"type":"string","minLength":-1}}}`, invalid},
	{"multiple of nothing", `{"type":"object","properties":{"a":{"type":"number","multipleOf":0e999999999}}}`, invalid},
	{"union of nothing", `{"type":"object","properties":{"a":{"anyOf":[]}}}`, invalid},
	{"enum that is no list", `{"type":"object","properties":{"a":{"enum":"x"}}}`, invalid},
	{"fault in a definition", `{"type":"object","$defs":{"A":{"type":"any"}}}`, invalid},
	{"dependentRequired", `{"type":"object","dependentRequired":{"a":[1]}}`, invalid},
}

// looseRows are accepted in a tool that is not strict.
var looseRows = []row{
	{"object alone", `{"type":"object"}`, ""},
	{"no properties", `{"type":"object","properties":{},"required":[]}`, ""},
	{"key with a dot", `{"type":"object","properties":{"a.b-c_d":{"type":"string"}}}`, ""},
	{"odd key below the root", `{"type":"object","properties":{"a":{"type":"object","properties":{"b c":{"type":"string"}}}}}`, ""},
	{"empty subschema", `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, ""},
	{"boolean subschema", `{"type":"object","properties":{"a":true}}`, ""},
	{"union below the root", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`, ""},
	{"recursion", `{"type":"object","properties":{"a":{"$ref":"#"}}}`, ""},
	{"foreign keywords", `{"type":"object","properties":{"a":{"type":"string","nullable":"yes","x-a":1,"additionalItems":5}}}`, ""},
	{"a keyword as a property", `{"type":"object","properties":{"required":{"type":"boolean"},"items":{"type":"string"}}}`, ""},
	{"data is no schema", `{"type":"object","properties":{"a":{"const":{"type":"any"},"default":{"required":true}}}}`, ""},
	{"numbers beyond computing", `{"type":"object","properties":{"a":{"type":"number","multipleOf":1e999999999,"minimum":-1e999999999}}}`, ""},
}

const (
	open  = "For 'object' type, 'additionalProperties' must be explicitly set to false"
	empty = "Empty schema ({}) that accepts any JSON value is not supported. Please specify a concrete type."
)

func circular(names string) string {
	return "Invalid schema: Circular reference detected in schema definitions: " + names +
		". Self-referencing or mutually-referencing definitions are not supported."
}

// grammarRows are judged alike in strict tools and output formats. The messages lack the
// prefix.
var grammarRows = []row{
	{"optional property", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, ""},
	{"no properties", closed(`{}`), ""},
	{"string with all it may have", one(`{"type":"string","minLength":1,"maxLength":9,"pattern":"a","format":"uri","title":"A","default":"a","examples":["a"]}`), ""},
	{"enum without a type", one(`{"enum":["a",1,null]}`), ""},
	{"const without a type", one(`{"const":"a"}`), ""},
	{"enum of integers", one(`{"type":"integer","enum":[1,2]}`), ""},
	{"list of types", one(`{"type":["string","null"]}`), ""},
	{"union with annotations", one(`{"anyOf":[{"type":"string"},{"type":"null"}],"title":"A","default":null}`), ""},
	{"allOf", one(`{"allOf":[{"type":"string"},{"enum":["a"]}]}`), ""},
	{"minItems 1.0", one(`{"type":"array","items":{"type":"string"},"minItems":1.0}`), ""},
	{"chain of references", `{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"string"}},` + one(`{"$ref":"#/$defs/A"}`)[1:], ""},
	{"circle that nothing leads to", `{"$defs":{"A":{"$ref":"#/$defs/A"}},` + one(`{"type":"string"}`)[1:], ""},
	{"reference to nothing", one(`{"$ref":"#/$defs/A"}`), "Invalid schema: Reference to non-existent definition: #/$defs/A"},
	{"reference to no property", one(`{"$ref":"#/properties/b"}`), ""},
	{"minItems before maxItems", one(`{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":5}`), "For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: [2, 5])"},
	{"definition twice", `{"$defs":{"A":{"type":"string"}},` + closed(`{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"}}`, "a", "b")[1:], ""},

	{"open root", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, open},
	{
		"additionalProperties true", `{"type":"object","properties":{},"additionalProperties":true}`,
		"For 'object' type, 'additionalProperties: true' is not supported. Please set 'additionalProperties' to false",
	},
	{"open items", one(`{"type":"array","items":{"type":"object","properties":{}}}`), open},
	{"open branch", one(`{"anyOf":[{"type":"null"},{"type":"object"}]}`), open},
	{"object or null, open", one(`{"type":["object","null"],"properties":{}}`), open},
	{"open definition", `{"$defs":{"A~/ B":{"type":"object"}},` + one(`{"$ref":"#/$defs/A~0~1%20B"}`)[1:], open},
	{"map", `{"type":"object","additionalProperties":{"type":"string"}}`, "For 'object' type, 'additionalProperties: object' is not supported. Please set 'additionalProperties' to false"},
	{"empty property", one(`{}`), empty},
	{"empty items", one(`{"type":"array","items":{}}`), empty},
	{"boolean property", one(`false`), "For 'object' type, property 'properties' is not supported"},
	{"boolean items", one(`{"type":"array","items":true}`), "For 'array' type, property 'items' is not supported"},
	{"not", one(`{"type":"string","not":{"const":"x"}}`), "Schema keyword 'not' is not supported"},
	{"oneOf", one(`{"oneOf":[{"type":"string"}]}`), "Schema type 'oneOf' is not supported"},
	{"type beside a union", one(`{"type":"string","anyOf":[{"type":"string"}]}`), "For 'anyOf', 'type' is not supported"},
	{
		"type missing", one(`{"description":"it's \"a\"","nullable":true,"x":[1.50,null]}`),
		`Invalid schema: Schema type is missing for schema: {'description': 'it\'s "a"', 'nullable': True, 'x': [1.5, None]}`,
	},
	{"bounds", one(`{"type":"integer","maximum":1,"minimum":0}`), "For 'integer' type, properties maximum, minimum are not supported"},
	{"uniqueItems", one(`{"type":"array","items":{"type":"string"},"uniqueItems":true}`), "For 'array' type, property 'uniqueItems' is not supported"},
	{"keyword of another type", one(`{"type":"string","items":{"type":"string"}}`), "For 'string' type, property 'items' is not supported"},
	{"if and then", one(`{"type":"object","properties":{},"additionalProperties":false,"if":{},"then":{}}`), "For 'object' type, property 'if' is not supported"},
	{"vendor keyword", one(`{"type":"object","properties":{},"additionalProperties":false,"x-a":{}}`), "For 'object' type, property 'x-a' is not supported"},
	{"minItems 2", one(`{"type":"array","items":{"type":"string"},"minItems":2}`), "For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: [2, ∞])"},
	{"format", one(`{"type":"string","format":"phone"}`), "For 'string' type, format 'phone' is not supported"},
	{"null in an enum of strings", one(`{"type":"string","enum":["a",null]}`), "Invalid schema: Enum value 'None' does not match declared type 'string'"},
	{"enum beside a list of types", one(`{"type":["string","null"],"enum":["a"]}`), "Invalid schema: Enum value 'a' does not match declared type '['string', 'null']'"},
	{"root refers to itself", one(`{"$ref":"#"}`), circular("# -> #")},
	{"definition refers to itself", `{"$defs":{"A":{"type":"array","items":{"$ref":"#/$defs/A"}}},` + one(`{"$ref":"#/$defs/A"}`)[1:], circular("A -> A")},
	{
		"circle of three", `{"definitions":{"A":{"$ref":"#/definitions/B"},"B":{"allOf":[{"$ref":"#/definitions/C"}]},"C":{"$ref":"#/definitions/A"}},` + one(`{"$ref":"#/definitions/B"}`)[1:],
		circular("B -> C -> A -> B"),
	},
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	check := func(dialects []*provider.Dialect, rows []row, prefix func(*provider.Dialect) string) {
		for _, dialect := range dialects {
			for _, test := range rows {
				t.Run(dialect.Name+"/"+test.name, func(t *testing.T) {
					t.Parallel()
					want := test.message
					if want != "" {
						want = prefix(dialect) + want
					}
					if got := answer(t, dialect, today, declare(t, dialect, test.schema)); got.Message != want {
						t.Errorf("%s\ngot  %s\nwant %s", test.schema, got.Message, want)
					}
				})
			}
		}
	}
	bare := func(*provider.Dialect) string { return "" }
	check(tools, declarationRows, bare)
	check([]*provider.Dialect{Tools}, looseRows, bare)
	check(grammars, grammarRows, prefix)
	check([]*provider.Dialect{outputFormat}, []row{
		{"root that is an array", `{"type":"array","items":{"type":"string"}}`, ""},
		{"root without a type", `{"anyOf":[{"type":"string"}]}`, ""},
		{"oneOf at the root", `{"oneOf":[{"type":"string"}]}`, "Schema type 'oneOf' is not supported"},
		{
			"siblings at the root", one(`{"type":"string"}`)[:len(one(`{"type":"string"}`))-1] + `,"$defs":{},"allOf":[{"anyOf":[{}]}]}`,
			"For 'anyOf', 'additionalProperties, properties, required, type' is not supported",
		},
	}, prefix)
}

// TestNames checks the grammar and the length of names on days of change.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		day     provider.Date
		message string
	}{
		{"a-b_C9", today, ""},
		{"", today, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
		{"a.b", today, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"},
		{"a.b", "2025-03-07", "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'"},
		{strings.Repeat("a", 128), today, ""},
		{strings.Repeat("a", 129), today, "String should have at most 128 characters"},
		{strings.Repeat("a", 65), "2025-07-07", "String should have at most 64 characters"},
		{strings.Repeat("a", 64), "2025-07-07", ""},
	} {
		for _, dialect := range tools {
			want := test.message
			if want != "" {
				want = "tools.0.custom.name: " + want
			}
			declaration := dialect.Declare(schema.Tool{Name: test.name, Parameters: read(t, closed(`{}`))})
			if got := answer(t, dialect, test.day, declaration); got.Message != want {
				t.Errorf("%s, %q as of %s: got %q, want %q", dialect.Name, test.name, test.day, got.Message, want)
			}
		}
	}
}

// TestTools judges several tools together.
func TestTools(t *testing.T) {
	t.Parallel()
	named := func(dialect *provider.Dialect, parameters string, n int) []*schema.Node {
		var declarations []*schema.Node
		for i := range n {
			declarations = append(declarations, dialect.Declare(schema.Tool{Name: fmt.Sprint("f", i), Parameters: read(t, parameters)}))
		}
		return declarations
	}
	properties := func(property string, n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf(`"p%d":%s`, i, property))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	optional := func(n int) string {
		return `{"type":"object","properties":` + properties(`{"type":"string"}`, n) + `,"additionalProperties":false}`
	}
	unions := func(property string, n int) string {
		object := read(t, optional(n))
		object.Set("properties", read(t, properties(property, n)))
		object.Set("required", schema.NewStrings(object.Get("properties").Keys()...))
		return object.String()
	}
	const nullable = `{"type":["string","null"]}`
	tooMany := func(n int) string {
		return fmt.Sprintf("Schemas contains too many parameters with union types (%d parameters with type arrays or anyOf). This causes exponential compilation cost. "+
			"Reduce the number of nullable or union-typed parameters (limit: 16 parameters with unions).", n)
	}
	const tooComplex = "Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas."
	strict := ToolsStrict
	for _, test := range []struct {
		name         string
		dialect      *provider.Dialect
		declarations []*schema.Node
		message      string
	}{
		{"two of one name", Tools, slices.Concat(named(Tools, closed(`{}`), 2), named(Tools, closed(`{}`), 1)), "tools: Tool names must be unique."},
		{"many that are not strict", Tools, named(Tools, closed(`{}`), 200), ""},
		{"20 strict", strict, named(strict, closed(`{}`), 20), ""},
		{
			"21 strict", strict, named(strict, closed(`{}`), 21),
			"Too many strict tools (21). The maximum number of strict tools supported is 20. Try reducing the number of tools marked as strict.",
		},
		{"12 times two optional", strict, named(strict, optional(2), 12), ""},
		{
			"13 times two optional", strict, named(strict, optional(2), 13),
			"Schemas contains too many optional parameters (26), which would make grammar compilation inefficient. " +
				"Reduce the number of optional parameters in your tool schemas (limit: 24).",
		},
		{"24 optional in one", strict, named(strict, optional(24), 1), tooComplex},
		{"23 optional in one", strict, named(strict, optional(23), 1), ""},
		{"16 times one union", strict, named(strict, unions(nullable, 1), 16), ""},
		{"17 times one union", strict, named(strict, unions(nullable, 1), 17), tooMany(17)},
		{"16 unions in one", strict, named(strict, unions(`{"anyOf":[{"type":"string"},{"type":"null"}]}`, 16), 1), tooComplex},
		{"17 unions in a format", outputFormat, named(outputFormat, unions(nullable, 17), 1), tooMany(17)},
		{"24 optional in a format", outputFormat, named(outputFormat, optional(24), 1), ""},
		{"the guilty one", strict, append(named(strict, closed(`{}`), 2), declare(t, strict, `{"type":"object"}`)), "tools.2.custom: " + open},
		{
			"a later one is reported before the grammar of an earlier", strict, append(named(strict, `{"type":"object"}`, 1), declare(t, strict, `{}`)),
			"tools.1.custom.input_schema.type: Field required",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := answer(t, test.dialect, today, test.declarations...); got.Message != test.message {
				t.Errorf("got  %s\nwant %s", got.Message, test.message)
			}
		})
	}
	haiku := &provider.Model{Dialect: strict, AsOf: today, ModelName: "claude-haiku-4-5"}
	if response, err := haiku.Send(t.Context(), strict.Request(named(strict, optional(24), 1))); err != nil || response.Verdict != provider.Accepted {
		t.Errorf("24 optional in one for Haiku 4.5: %s, %v; nothing is known of it", response.Message, err)
	}
	request := strict.Request(append(named(strict, closed(`{}`), 1), declare(t, strict, `{"type":"object"}`)))
	request.Indices = []int{2, 5}
	response, err := (&provider.Model{Dialect: strict, AsOf: today}).Send(t.Context(), request)
	if want := "tools.5.custom: " + open; err != nil || response.Message != want {
		t.Errorf("among others: %s, %v; want %s", response.Message, err, want)
	}
	without := Tools.Declare(schema.Tool{Name: "f"})
	if got := answer(t, Tools, today, without); got.Message != "tools.0.custom.input_schema: Field required" {
		t.Errorf("without a schema: %s", got.Message)
	}
}

// TestDays checks words that have changed.
func TestDays(t *testing.T) {
	t.Parallel()
	format := outputFormat
	fewest := one(`{"type":"array","items":{"type":"string"},"minItems":6}`)
	inBeta := schema.NewObject(schema.Member{Key: "output_format", Value: declare(t, format, fewest)})
	for _, test := range []struct {
		dialect     *provider.Dialect
		day         provider.Date
		declaration *schema.Node
		message     string
	}{
		{format, "2025-11-28", declare(t, format, `{"type":"object"}`), "output_format.schema: " + open},
		{format, "2026-01-28", declare(t, format, fewest), "output_format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported"},
		{format, "2026-01-29", declare(t, format, fewest), "output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported"},
		{format, "2026-06-30", inBeta, "output_format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported"},
		{format, today, inBeta, "output_format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported (got: [6, ∞])"},
		{Tools, "2025-09-09", declare(t, Tools, `{"type":"object","properties":5}`), strings.Replace(invalid, "platform.claude.com/docs/en/agents-and-tools/tool-use/overview", "docs.anthropic.com/en/docs/tool-use", 1)},
		{Tools, "2026-05-29", declare(t, Tools, `{"type":"object","properties":5}`), strings.Replace(invalid, "platform.claude.com/docs/en/agents-and-tools/tool-use/overview", "docs.claude.com/en/docs/tool-use", 1)},
	} {
		if got := answer(t, test.dialect, test.day, test.declaration); got.Message != test.message {
			t.Errorf("as of %s\ngot  %s\nwant %s", test.day, got.Message, test.message)
		}
	}
}

// TestPlaces checks that findings point at the value in question.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dialect *provider.Dialect
		schema  string
		at      schema.Pointer
	}{
		{Tools, `{"type":"object","properties":{"a":{"anyOf":[{"type":"any"}]}}}`, "/parameters/properties/a/anyOf/0/type"},
		{Tools, `{"type":"object","properties":{"a b":{}}}`, "/parameters/properties/a b"},
		{ToolsStrict, one(`{"type":"array","items":{"type":"object"}}`), "/parameters/properties/a/items"},
		{outputFormat, `{"$defs":{"A":{}},` + one(`{"$ref":"#/$defs/A"}`)[1:], "/parameters/$defs/A"},
	} {
		got := answer(t, test.dialect, today, declare(t, test.dialect, test.schema))
		if len(got.Findings) != 1 || got.Findings[0].At != test.at || got.Findings[0].Node == nil {
			t.Errorf("%s: %+v, want it at %s", test.schema, got.Findings, test.at)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	parameters := closed(`{}`)
	const head = `{"model":"{model}","max_tokens":1,"messages":[{"role":"user","content":"hi"}],`
	for _, test := range []struct {
		dialect     *provider.Dialect
		declaration *schema.Node
		want        string
	}{
		{Tools, declare(t, Tools, parameters), `"tools":[{"name":"f","input_schema":` + parameters + `}]}`},
		{ToolsStrict, declare(t, ToolsStrict, parameters), `"tools":[{"name":"f","input_schema":` + parameters + `,"strict":true}]}`},
		{outputFormat, declare(t, outputFormat, parameters), `"output_config":{"format":{"type":"json_schema","schema":` + parameters + `}}}`},
		{outputFormat, read(t, `{"output_format":{"type":"json_schema","schema":{}}}`), `"output_format":{"type":"json_schema","schema":{}}}`},
	} {
		if diff := cmp.Diff(head+test.want, test.dialect.Request([]*schema.Node{test.declaration}).Body.String()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", test.dialect.Name, diff)
		}
	}
	refused := answer(t, Tools, today, declare(t, Tools, `{}`))
	want := `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.input_schema.type: Field required"},"request_id":"req_011C00000000000000000000"}`
	if diff := cmp.Diff(want, string(Tools.Render(refused))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestClassify tells answers about a declaration from those that say nothing about one.
func TestClassify(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status        int
		kind, message string
		about         bool
	}{
		{400, "invalid_request_error", "tools.18.custom.name: String should have at most 128 characters", true},
		{400, "invalid_request_error", "tools.0.custom.input_schema.properties: Property keys should match pattern", true},
		{400, "invalid_request_error", "tools.0.custom: For 'object' type, property 'properties' is not supported", true},
		{400, "invalid_request_error", "tools: Tool names must be unique.", true},
		{400, "invalid_request_error", "output_format.schema: For 'integer' type, property 'minimum' is not supported", true},
		{400, "invalid_request_error", "output_config.format.schema: Schema type 'oneOf' is not supported", true},
		{400, "invalid_request_error", "The compiled grammar is too large, which would cause performance issues.", true},
		{400, "invalid_request_error", "tools.0.custom.defer_loading: Extra inputs are not permitted", false},
		{400, "invalid_request_error", "output_format: Extra inputs are not permitted", false},
		{400, "invalid_request_error", "'claude-3-5-haiku' does not support output format.", false},
		{400, "invalid_request_error", "messages.2.content.0.tool_result.content.0.document.source: Input tag 'file' found", false},
		{400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", false},
		{401, "authentication_error", "invalid x-api-key", false},
		{404, "not_found_error", "model: claude-3-sonnet-20240229", false},
		{429, "rate_limit_error", "tools.0.custom: too often", false},
		{529, "overloaded_error", "Overloaded", false},
	} {
		message, err := json.Marshal(test.message)
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Appendf(nil, `{"type":"error","error":{"type":%q,"message":%s}}`, test.kind, message)
		response, err := Tools.Classify(test.status, body)
		if (err == nil) != test.about || test.about && (response.Verdict != provider.Rejected || response.Message != test.message) {
			t.Errorf("%d %q: %+v, %v", test.status, test.message, response, err)
		}
	}
	if response, err := Tools.Classify(200, []byte(`{}`)); err != nil || response.Verdict != provider.Accepted {
		t.Errorf("an acceptance: %+v, %v", response, err)
	}
	if _, err := Tools.Classify(503, []byte(`<html>`)); err == nil {
		t.Error("a page of HTML is read")
	}
}

// FuzzModel gives the models any JSON as a schema. They must not panic, must answer the
// same twice and point into their input, and their answers must be readable.
func FuzzModel(f *testing.F) {
	for _, rows := range [][]row{declarationRows, looseRows, grammarRows} {
		for _, seed := range rows {
			f.Add(seed.schema, "f")
		}
	}
	f.Add(`{"type":"object","properties":{"":{"anyOf":[null,[{}],"x"]}},"required":[["a"]],"$ref":"#/properties/"}`, "a b")
	f.Fuzz(func(t *testing.T, text, name string) {
		parameters, err := schema.ParseWire([]byte(text))
		if err != nil {
			return
		}
		_, err = schema.Parse([]byte(text))
		duplicates := err != nil
		for _, dialect := range Dialects {
			tool := schema.Tool{Name: name, Parameters: parameters}
			declaration := dialect.Declare(tool)
			before := declaration.String()
			for _, day := range []provider.Date{"2025-03-01", "2026-01-01", today} {
				response := answer(t, dialect, day, declaration)
				if again := answer(t, dialect, day, declaration); again.Message != response.Message {
					t.Fatalf("%s answers twice:\n%s\n%s", dialect.Name, response.Message, again.Message)
				}
				for _, finding := range response.Findings {
					// With repeated names a pointer leads to the last of them.
					isThere := finding.Declaration < 0 || duplicates || finding.At == "/name" || tool.Node().Find(finding.At) == finding.Node
					if finding.Rule == nil || !finding.Rule.InForce(day, "") || !isThere {
						t.Fatalf("%s: an odd finding: %+v", dialect.Name, finding)
					}
				}
				read, err := dialect.Classify(response.Status, dialect.Render(response))
				if err != nil || read.Verdict != response.Verdict {
					t.Fatalf("%s: Classify = %+v, %v", dialect.Name, read, err)
				}
			}
			if declaration.String() != before {
				t.Fatalf("%s: the declaration was changed", dialect.Name)
			}
		}
	})
}
