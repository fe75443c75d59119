package merge_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolproof/internal/seeded"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// TestMain draws the same cases in every run.
func TestMain(m *testing.M) { os.Exit(seeded.Run(m)) }

// work is a rewrite of schemas that refer to definitions. What is spilled is in a
// description at once, and moves with it.
type work struct{ definitions *schema.Node }

func (work) Charge(int) {}

func (work) New(members ...schema.Member) *schema.Node { return schema.NewObject(members...) }

func (work) Clone(node *schema.Node) *schema.Node { return node.Clone() }

func (work) MoveSpills(*schema.Node, *schema.Node) {}

func (work) SpillAt(node *schema.Node, member schema.Member) {
	text := fmt.Sprintf("{%s: %s}", member.Key, member.Value)
	node.Set("description", schema.NewString(merge.Descriptions(node.GetString("description"), text)))
}

func (w work) Content(node *schema.Node) *schema.Node {
	name := node.Reference()
	switch {
	case name == "":
		return node
	case w.definitions.Get(name) == nil:
		return nil
	default:
		return w.definitions.Get(name).Clone()
	}
}

// merged returns the one schema that the two become, and what that loses.
func merged(a, b *schema.Node) (*schema.Node, rewrite.Loss) {
	both := merge.Intersection{Work: work{}}
	result := a.Clone()
	both.Into(result, b.Clone())
	return result, both.Loss
}

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func TestMerged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b, want string
		loss       rewrite.Loss
	}{
		// Types.
		{`{"type": "number"}`, `{"type": "integer"}`, `{"type": "integer"}`, rewrite.Exact},
		{`{"type": "integer"}`, `{"type": "number"}`, `{"type": "integer"}`, rewrite.Exact},
		{`{"type": ["string", "number"]}`, `{"type": ["integer", "null"]}`, `{"type": "integer"}`, rewrite.Exact},
		{`{"type": ["integer", "string"]}`, `{"type": ["number", "string"]}`, `{"type": ["integer", "string"]}`, rewrite.Exact},
		{`{"type": ["number", "integer"]}`, `{"type": "integer"}`, `{"type": "integer"}`, rewrite.Exact},
		{`{"type": ["number", "integer"]}`, `{"type": "number"}`, `{"type": ["number", "integer"]}`, rewrite.Exact},
		{`{"type": "string"}`, `{"type": "integer"}`, `{"type": "string", "description": "{type: \"integer\"}"}`, rewrite.Widens},
		{`{"minimum": 1}`, `{"type": "number"}`, `{"type": "number", "minimum": 1}`, rewrite.Exact},
		// Objects.
		{`{"properties": {"a": {"type": "number"}}}`, `{"properties": {"a": {"type": "integer"}, "b": {}}}`, `{"properties": {"a": {"type": "integer"}, "b": {}}}`, rewrite.Exact},
		{`{"required": ["a", "b"]}`, `{"required": ["b", "c"]}`, `{"required": ["a", "b", "c"]}`, rewrite.Exact},
		{
			`{"properties": {"a": {}}, "additionalProperties": false}`, `{"properties": {"b": {}}}`,
			`{"properties": {"a": {}, "b": {}}, "additionalProperties": false}`, rewrite.Widens,
		},
		{
			`{"properties": {"b": {}}}`, `{"properties": {"a": {}}, "additionalProperties": false}`,
			`{"properties": {"b": {}, "a": {}}, "additionalProperties": false}`, rewrite.Widens,
		},
		{
			`{"properties": {"a": {}}, "additionalProperties": {"type": "string"}}`, `{"properties": {"b": {}}}`,
			`{"properties": {"a": {}, "b": {}}, "additionalProperties": {"type": "string"}}`, rewrite.Widens,
		},
		{
			`{"properties": {"a": {}}, "additionalProperties": false}`, `{"properties": {"a": {"type": "string"}}}`,
			`{"properties": {"a": {"type": "string"}}, "additionalProperties": false}`, rewrite.Exact,
		},
		{
			`{"properties": {"a": {}}, "additionalProperties": true}`, `{"properties": {"b": {}}}`,
			`{"properties": {"a": {}, "b": {}}, "additionalProperties": true}`, rewrite.Exact,
		},
		{`{"additionalProperties": false}`, `{"additionalProperties": {"type": "string"}}`, `{"additionalProperties": false}`, rewrite.Exact},
		{`{"additionalProperties": {"type": "string"}}`, `{"additionalProperties": false}`, `{"additionalProperties": false}`, rewrite.Exact},
		{`{"properties": {"a": true}}`, `{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": {"type": "string"}}}`, rewrite.Exact},
		{`{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": false}}`, `{"properties": {"a": false}}`, rewrite.Exact},
		{`{"properties": {"a": false}}`, `{"properties": {"a": {"type": "string"}}}`, `{"properties": {"a": false}}`, rewrite.Exact},
		{`{"unevaluatedProperties": false}`, `{"properties": {"a": {}}}`, `{"unevaluatedProperties": false, "properties": {"a": {}}}`, rewrite.Widens},
		// Values and bounds.
		{`{"enum": [1, 2, 3]}`, `{"enum": [3, 2.0, 5]}`, `{"enum": [2, 3]}`, rewrite.Exact},
		{`{"enum": [1]}`, `{"enum": [2]}`, `{"enum": [1], "description": "{enum: [2]}"}`, rewrite.Widens},
		{`{"enum": [1, "a"]}`, `{"type": "string"}`, `{"type": "string", "enum": ["a"]}`, rewrite.Exact},
		{`{"minimum": 1, "maximum": 9}`, `{"minimum": 2, "maximum": 8}`, `{"minimum": 2, "maximum": 8}`, rewrite.Exact},
		{`{"minimum": 2, "maximum": 8}`, `{"minimum": 1, "maximum": 9}`, `{"minimum": 2, "maximum": 8}`, rewrite.Exact},
		{`{"multipleOf": 4}`, `{"multipleOf": 2}`, `{"multipleOf": 4}`, rewrite.Exact},
		{`{"multipleOf": 2}`, `{"multipleOf": 4}`, `{"multipleOf": 4}`, rewrite.Exact},
		{`{"multipleOf": 2}`, `{"multipleOf": 3}`, `{"multipleOf": 2, "description": "{multipleOf: 3}"}`, rewrite.Widens},
		{`{"uniqueItems": false}`, `{"uniqueItems": true}`, `{"uniqueItems": true}`, rewrite.Exact},
		{`{"pattern": "a"}`, `{"pattern": "b"}`, `{"pattern": "a", "description": "{pattern: \"b\"}"}`, rewrite.Widens},
		// Arrays and combinations.
		{`{"items": {"type": "number"}}`, `{"items": {"type": "integer"}}`, `{"items": {"type": "integer"}}`, rewrite.Exact},
		{`{"prefixItems": [{}], "items": false}`, `{"minItems": 1}`, `{"prefixItems": [{}], "items": false, "minItems": 1}`, rewrite.Widens},
		{`{"not": {"const": 1}}`, `{"not": {"const": 2}}`, `{"not": {"anyOf": [{"const": 1}, {"const": 2}]}}`, rewrite.Exact},
		{
			`{"anyOf": [{"type": "string"}, {"type": "number"}]}`, `{"anyOf": [{"type": "integer"}, {"type": "null"}]}`,
			`{"anyOf": [{"type": "integer"}]}`, rewrite.Exact,
		},
		{`{"then": {"minimum": 2}}`, `{"if": {"minimum": 1}}`, `{"if": {"minimum": 1}}`, rewrite.Exact},
	} {
		got, loss := merged(parse(t, test.a), parse(t, test.b))
		if !schema.Identical(got, parse(t, test.want)) || loss != test.loss {
			t.Errorf("%s and %s are %s, %s\nexpected %s, %s", test.a, test.b, got, loss, test.want, test.loss)
		}
	}
}

// parts draws a schema of keywords of which any two can meet.
func parts(depth int) *rapid.Generator[*schema.Node] {
	texts := func(texts ...string) func(*rapid.T) *schema.Node {
		return func(t *rapid.T) *schema.Node {
			node, err := schema.Parse([]byte(rapid.SampledFrom(texts).Draw(t, "value")))
			if err != nil {
				t.Fatal(err)
			}
			return node
		}
	}
	below := func(t *rapid.T) *schema.Node {
		if depth == 0 {
			return texts(`true`, `{}`, `{"type":"integer"}`, `{"type":"number"}`, `{"const":1}`)(t)
		}
		return parts(depth-1).Draw(t, "below")
	}
	list := func(t *rapid.T) *schema.Node {
		return schema.NewArray(rapid.SliceOfN(rapid.Custom(below), 1, 3).Draw(t, "list")...)
	}
	named := func(t *rapid.T) *schema.Node {
		node := schema.NewObject()
		for range rapid.IntRange(1, 2).Draw(t, "count") {
			node.Set(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), below(t))
		}
		return node
	}
	keywords := []struct {
		name string
		draw func(*rapid.T) *schema.Node
	}{
		{"type", texts(`"integer"`, `"number"`, `["number","string"]`, `["integer","null"]`, `"object"`, `"array"`, `["object","array"]`)},
		{"enum", texts(`[1,2,1.5]`, `[1,"a",null]`, `["a","b"]`, `[{"a":1},[1]]`)},
		{"minimum", texts(`0`, `1`, `1.5`)},
		{"maximum", texts(`1`, `2`)},
		{"exclusiveMinimum", texts(`0`, `1`)},
		{"multipleOf", texts(`1`, `2`, `0.5`, `3`)},
		{"minLength", texts(`1`, `2`)},
		{"minItems", texts(`1`, `2`)},
		{"maxItems", texts(`1`, `2`)},
		{"uniqueItems", texts(`true`, `false`)},
		{"required", texts(`["a"]`, `["b"]`, `["a","b"]`)},
		{"properties", named},
		{"additionalProperties", texts(`true`, `false`, `{"type":"integer"}`)},
		{"items", below},
		{"prefixItems", list},
		{"contains", below},
		{"not", below},
		{"if", below},
		{"then", below},
		{"anyOf", list},
		{"oneOf", list},
	}
	return rapid.Custom(func(t *rapid.T) *schema.Node {
		node := schema.NewObject()
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			keyword := rapid.SampledFrom(keywords).Draw(t, "keyword")
			node.Set(keyword.name, keyword.draw(t))
		}
		return node
	})
}

var values = []string{
	`null`, `true`, `0`, `1`, `2`, `1.5`, `3`, `4`, `""`, `"a"`, `"b"`, `"abc"`, `[]`, `[1]`, `[1,1]`, `[1,2]`, `["a"]`, `[null,1.5]`, `[1,"a",2]`,
	`{}`, `{"a":1}`, `{"a":1.5}`, `{"a":"a"}`, `{"b":1}`, `{"a":1,"b":2}`, `{"a":2,"b":"a"}`, `{"c":1}`, `{"a":1,"c":"x"}`, `{"a":{"a":1}}`,
}

// TestMergedMeansBoth holds what two schemas become against instances: it accepts what
// both accept, unless it says otherwise.
func TestMergedMeansBoth(t *testing.T) {
	t.Parallel()
	var instances []*schema.Node
	for _, text := range values {
		instances = append(instances, parse(t, text))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts(1).Draw(t, "a"), parts(1).Draw(t, "b")
		first, failsA := instance.Compile(a)
		second, failsB := instance.Compile(b)
		got, loss := merged(a, b)
		both, err := instance.Compile(got)
		if failsA != nil || failsB != nil || err != nil {
			t.Fatalf("no schema: %v, %v, %v", failsA, failsB, err)
		}
		for _, value := range instances {
			want, is := first.Accepts(value) && second.Accepts(value), both.Accepts(value)
			if want && !is && loss&rewrite.Narrows == 0 || is && !want && loss&rewrite.Widens == 0 {
				t.Errorf("%s and %s are %s, %s: %s is accepted: %t", a, b, got, loss, value, is)
			}
		}
	})
}

// TestNotMerged holds that a part which cannot be merged leaves the schema as it is, and
// that this is a loss.
func TestNotMerged(t *testing.T) {
	t.Parallel()
	definitions := work{definitions: schema.NewObject(schema.Member{Key: "#/$defs/a", Value: schema.NewObject(schema.Member{Key: "minimum", Value: schema.NewInt(1)})})}
	for _, test := range []struct {
		a, b, want string
		loss       rewrite.Loss
	}{
		{`{"type": "integer"}`, `{"$ref": "#/$defs/a"}`, `{"type": "integer", "minimum": 1}`, rewrite.Exact},
		{`{"$ref": "#/$defs/a"}`, `{"type": "integer"}`, `{"type": "integer", "minimum": 1}`, rewrite.Exact},
		{`{"type": "integer"}`, `{"$ref": "#/$defs/b"}`, `{"type": "integer"}`, rewrite.Widens},
		{`{"$ref": "#/$defs/b"}`, `{"type": "integer"}`, `{"$ref": "#/$defs/b"}`, rewrite.Widens},
		{
			`{"properties": {"a": {"type": "integer"}}}`, `{"properties": {"a": {"$ref": "#/$defs/b"}}}`,
			`{"properties": {"a": {"type": "integer"}}}`, rewrite.Widens,
		},
	} {
		both := merge.Intersection{Work: definitions}
		got := parse(t, test.a)
		isMerged := both.Into(got, parse(t, test.b))
		if !schema.Identical(got, parse(t, test.want)) || both.Loss != test.loss {
			t.Errorf("%s and %s are %s, %s\nexpected %s, %s", test.a, test.b, got, both.Loss, test.want, test.loss)
		}
		if want := !strings.Contains(test.a+test.b, "$defs/b") || strings.Contains(test.a, "properties"); isMerged != want {
			t.Errorf("%s and %s: merged is %t", test.a, test.b, isMerged)
		}
	}
}

func TestUnion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		parts []string
		want  string
	}{
		{[]string{`{"type": "string"}`}, `{"type": "string"}`},
		{[]string{`{"type": "string"}`, `{"type": "string"}`}, `{"type": "string"}`},
		{[]string{`{"type": "string"}`, `true`, `{"type": "integer"}`}, `true`},
		{[]string{`{"enum": [1, 2]}`, `{"const": 3}`, `{"enum": [2, 4]}`}, `{"enum": [1, 2, 3, 4]}`},
		{
			[]string{`{"type": "string", "const": "a"}`, `{"type": "string", "const": "b"}`, `{"type": "integer"}`},
			`{"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "integer"}]}`,
		},
		{
			[]string{`{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `{"type": "integer"}`, `{"type": "array"}`},
			`{"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "integer"}, {"type": "array"}]}`,
		},
		{[]string{`{"enum": [1]}`, `{"enum": [2], "minimum": 2}`}, `{"anyOf": [{"enum": [1]}, {"enum": [2], "minimum": 2}]}`},
	} {
		either := merge.Union{Work: work{}}
		for _, part := range test.parts {
			either.Add(parse(t, part))
		}
		if got := either.Schema(); !schema.Identical(got, parse(t, test.want)) {
			t.Errorf("one of %s is %s, expected %s", test.parts, got, test.want)
		}
	}
}

// TestUnionMeansEither holds what schemas become against instances: it accepts what one
// of them accepts, and nothing else.
func TestUnionMeansEither(t *testing.T) {
	t.Parallel()
	var instances []*schema.Node
	for _, text := range values {
		instances = append(instances, parse(t, text))
	}
	rapid.Check(t, func(t *rapid.T) {
		either := merge.Union{Work: work{}}
		var accepted [64]bool
		for _, part := range rapid.SliceOfN(parts(1), 1, 4).Draw(t, "parts") {
			compiled, err := instance.Compile(part)
			if err != nil {
				t.Fatal(err)
			}
			for i, value := range instances {
				accepted[i] = accepted[i] || compiled.Accepts(value)
			}
			either.Add(part)
		}
		compiled, err := instance.Compile(either.Schema())
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range instances {
			if is := compiled.Accepts(value); is != accepted[i] {
				t.Errorf("%s: %s is accepted: %t", either.Schema(), value, is)
			}
		}
	})
}
