package schema_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

// visited returns the pointers that Walk visits, in its order.
func visited(node *schema.Node) []string {
	var pointers []string
	node.Walk(func(at schema.Pointer, _ *schema.Node) bool {
		pointers = append(pointers, string(at))
		return true
	})
	return pointers
}

func TestWalk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"true", `true`, []string{""}},
		{"nothing below", `{"type":"string"}`, []string{""}},
		{
			"parents before children, in document order",
			`{"items":{"not":{}},"properties":{"z":{"anyOf":[{},true]},"a":{}}}`,
			[]string{"", "/items", "/items/not", "/properties/z", "/properties/z/anyOf/0", "/properties/z/anyOf/1", "/properties/a"},
		},
		{
			"maps of schemas",
			`{"$defs":{"a":{}},"definitions":{"a":{}},"dependentSchemas":{"a":{}},"patternProperties":{"^a":{}},"properties":{"a":{}}}`,
			[]string{"", "/$defs/a", "/definitions/a", "/dependentSchemas/a", "/patternProperties/^a", "/properties/a"},
		},
		{
			"lists of schemas",
			`{"allOf":[{}],"anyOf":[{}],"oneOf":[{}],"prefixItems":[{},{}]}`,
			[]string{"", "/allOf/0", "/anyOf/0", "/oneOf/0", "/prefixItems/0", "/prefixItems/1"},
		},
		{
			"one schema each",
			`{"additionalItems":{},"additionalProperties":false,"contains":{},"contentSchema":{},"else":{},"if":{},"not":{},` +
				`"propertyNames":{},"then":{},"unevaluatedItems":{},"unevaluatedProperties":true}`,
			[]string{
				"", "/additionalItems", "/additionalProperties", "/contains", "/contentSchema", "/else", "/if", "/not", "/propertyNames",
				"/then", "/unevaluatedItems", "/unevaluatedProperties",
			},
		},
		{"items of draft 7", `{"items":[{},{"not":{}}]}`, []string{"", "/items/0", "/items/1", "/items/1/not"}},
		{"dependencies of draft 7", `{"dependencies":{"a":["b"],"c":{"not":{}},"d":true}}`, []string{"", "/dependencies/c", "/dependencies/c/not", "/dependencies/d"}},
		{
			"properties named like keywords",
			`{"properties":{"const":{"type":"string"},"properties":{"type":"object","properties":{"items":{}}},"$ref":{},"required":true,"enum":{},"default":{"not":{}}}}`,
			[]string{
				"", "/properties/const", "/properties/properties", "/properties/properties/properties/items", "/properties/$ref",
				"/properties/required", "/properties/enum", "/properties/default", "/properties/default/not",
			},
		},
		{"definitions named like keywords", `{"$defs":{"default":{"items":{}},"$defs":{}}}`, []string{"", "/$defs/default", "/$defs/default/items", "/$defs/$defs"}},
		{
			"payloads that look like schemas",
			`{"default":{"properties":{"a":{}}},"const":{"items":{}},"enum":[{"not":{}}],"examples":[{"anyOf":[{}]}],"example":{"items":{}},` +
				`"required":["properties"],"dependentRequired":{"a":["items"]},"discriminator":{"mapping":{"items":"x"}},"xml":{"items":{}},` +
				`"externalDocs":{"items":{}},"$vocabulary":{"items":true},"x-schema":{"items":{}},"type":{"items":{}},"description":{"items":{}}}`,
			[]string{""},
		},
		{"escapes in names", `{"properties":{"a/b":{"not":{}},"m~n":{}}}`, []string{"", "/properties/a~1b", "/properties/a~1b/not", "/properties/m~0n"}},
		{"data in the place of a schema", `{"properties":{"a":"string"},"items":5,"anyOf":[null]}`, []string{"", "/properties/a", "/items", "/anyOf/0"}},
		{"data in the place of a map or a list", `{"properties":[{}],"anyOf":{"a":{}},"$defs":"x","allOf":true,"dependencies":[{}]}`, []string{""}},
		{"a list in the place of a schema", `{"not":[{}]}`, []string{"", "/not"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := parse(t, test.text)
			if diff := cmp.Diff(test.want, visited(root)); diff != "" {
				t.Errorf("visited (-want +got):\n%s", diff)
			}
			root.Walk(func(at schema.Pointer, node *schema.Node) bool {
				if root.Find(at) != node {
					t.Errorf("%q does not lead to %s", at, node)
				}
				return true
			})
		})
	}
}

func TestWalkPassesOver(t *testing.T) {
	t.Parallel()
	var got []string
	parse(t, `{"properties":{"a":{"items":{}},"b":{"items":{}}}}`).Walk(func(at schema.Pointer, _ *schema.Node) bool {
		got = append(got, string(at))
		return at != "/properties/a"
	})
	if diff := cmp.Diff([]string{"", "/properties/a", "/properties/b", "/properties/b/items"}, got); diff != "" {
		t.Errorf("visited (-want +got):\n%s", diff)
	}
	if got := visited(nil); got != nil {
		t.Errorf("no schema: visited %v", got)
	}
}

func TestSubschemas(t *testing.T) {
	t.Parallel()
	root := parse(t, `{"properties":{"a":{},"b":{}},"items":[{},{}],"not":{},"dependencies":{"a":["x"],"b":{}}}`)
	var got [][]string
	for place := range root.Subschemas() {
		got = append(got, place.Tokens())
	}
	want := [][]string{{"properties", "a"}, {"properties", "b"}, {"items", "0"}, {"items", "1"}, {"not"}, {"dependencies", "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	for stop := range want {
		seen := 0
		for range root.Subschemas() {
			if seen++; seen > stop {
				break
			}
		}
		if seen != stop+1 {
			t.Errorf("stopped after %d places, want %d", seen, stop+1)
		}
	}
}

// TestPlaceReplaces stores another schema in each place.
func TestPlaceReplaces(t *testing.T) {
	t.Parallel()
	root := parse(t, `{"properties":{"a":{}},"items":[{}],"not":{},"anyOf":[{}]}`)
	for place := range root.Subschemas() {
		*place.Slot = schema.NewBool(true)
		if !place.Node().IsTrue() {
			t.Errorf("%v: Node() = %s", place.Tokens(), place.Node())
		}
	}
	if got := root.String(); got != `{"properties":{"a":true},"items":[true],"not":true,"anyOf":[true]}` {
		t.Errorf("now %s", got)
	}
}

// TestKeywords checks the class and the type of every keyword of draft-07, 2020-12 and OpenAPI.
func TestKeywords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		class    schema.Class
		typeName string
		keywords []string
	}{
		{schema.OneSchema, "", []string{
			"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not", "propertyNames", "then",
			"unevaluatedItems", "unevaluatedProperties",
		}},
		{schema.SchemaOrList, "", []string{"items"}},
		{schema.SchemaList, "array", []string{"allOf", "anyOf", "oneOf", "prefixItems"}},
		{schema.SchemaMap, "object", []string{"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}},
		{schema.SchemaOrNamesMap, "object", []string{"dependencies"}},
		{schema.Data, "", []string{"const", "default", "type", "discriminator", "example", "externalDocs", "xml"}},
		{schema.Data, "array", []string{"enum", "examples", "required", "propertyOrdering"}},
		{schema.Data, "object", []string{"$vocabulary", "dependentRequired"}},
		{schema.Data, "boolean", []string{"$recursiveAnchor", "deprecated", "nullable", "readOnly", "uniqueItems", "writeOnly"}},
		{schema.Data, "number", []string{"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}},
		{schema.Data, "integer", []string{
			"maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength", "minProperties",
		}},
		{schema.Data, "string", []string{
			"$anchor", "$comment", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "$ref", "$schema", "contentEncoding",
			"contentMediaType", "description", "format", "id", "pattern", "title",
		}},
		{schema.Unknown, "", []string{"", "Type", "any_of", "x-order", "optional", "values", "defs", "ref"}},
	} {
		for _, keyword := range test.keywords {
			if got := schema.ClassOf(keyword); got != test.class {
				t.Errorf("ClassOf(%q) = %d, want %d", keyword, got, test.class)
			}
			if got := schema.TypeOf(keyword); got != test.typeName {
				t.Errorf("TypeOf(%q) = %q, want %q", keyword, got, test.typeName)
			}
		}
	}
}

// TestOnlyClassesWithSchemasAreWalked compares Walk with ClassOf: Walk visits the value of a
// keyword exactly if the class of the keyword holds subschemas.
func TestOnlyClassesWithSchemasAreWalked(t *testing.T) {
	t.Parallel()
	const marked = `{"a":{"title":"mark"}}`
	for _, keyword := range []string{"properties", "$defs", "not", "items", "anyOf", "const", "default", "enum", "examples", "required", "type", "x-mine"} {
		value := marked
		if schema.ClassOf(keyword) == schema.SchemaList {
			value = "[" + marked + "]"
		}
		var titles []string
		parse(t, `{"`+keyword+`":`+value+`}`).Walk(func(at schema.Pointer, _ *schema.Node) bool {
			if at != "" {
				titles = append(titles, keyword)
			}
			return true
		})
		holds := schema.ClassOf(keyword) != schema.Data && schema.ClassOf(keyword) != schema.Unknown
		if slices.Contains(titles, keyword) != holds {
			t.Errorf("%s: visited %t, holds subschemas %t", keyword, !holds, holds)
		}
	}
}
