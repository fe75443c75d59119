package schema_test

import (
	"strings"
	"testing"

	"toolproof/schema"
)

// TestResolve resolves references. A title marks each schema; the reference stands in the
// schema at a pointer.
func TestResolve(t *testing.T) {
	t.Parallel()
	const compound = `{"$id": "https://example.com/a/root.json", "title": "root", "properties": {"p": {}}, "$defs": {
		"x": {"title": "root x", "$anchor": "x"},
		"e": {"$id": "b/e.json", "title": "e", "properties": {"p": {}}, "$defs": {
			"x": {"title": "e x", "$anchor": "x"},
			"f": {"$id": "f.json", "title": "f", "properties": {"p": {}}, "$defs": {"x": {"title": "f x"}}}}},
		"g": {"$id": "urn:example:g", "title": "g", "properties": {"p": {}}, "$defs": {"a~b/c": {"title": "odd"}, "ü": {"title": "letter"}}},
		"p": {"title": "payloads", "const": {"$id": "const.json", "$anchor": "c"}, "default": {"$id": "default.json"},
			"enum": [{"$anchor": "m"}], "unknown": {"$id": "unknown.json"}, "properties": {"$id": {"title": "a property"}}},
		"t": {"$dynamicAnchor": "t", "title": "t"},
		"again": {"$anchor": "x", "title": "too late"}}}`
	const root, e, f, g = "/properties/p", "/$defs/e/properties/p", "/$defs/e/$defs/f/properties/p", "/$defs/g/properties/p"
	const draft4 = `{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://example.com/root.json", "title": "root", "properties": {
		"p": {"id": "e.json", "title": "e", "properties": {"p": {}}, "definitions": {"x": {"title": "e x"}, "y": {"id": "#y", "title": "e y"}}},
		"q": {"$ref": "e.json", "id": "q.json", "title": "q", "properties": {"p": {}}},
		"r": {"$id": "r.json", "title": "r", "properties": {"p": {}}}},
		"definitions": {"x": {"title": "root x"}}}`
	const undated = `{"id": "http://example.com/root.json", "title": "root", "properties": {"p": {"id": "#p", "title": "p"}},
		"definitions": {"x": {"id": "x.json", "title": "x", "properties": {"p": {}}}, "y": {"title": "y"}, "z": true, "text": "z"}}`
	const draft7 = `{"$schema": "http://json-schema.org/draft-07/schema#", "title": "root", "definitions": {"a": {"$id": "#a", "title": "a"},
		"b": {"$id": "b.json#c", "title": "b", "properties": {"p": {}}}, "d": {"$ref": "b.json", "$id": "d.json", "properties": {"p": {}}}}}`
	for _, test := range []struct{ document, from, reference, title string }{
		{compound, root, "#", "root"},
		{compound, root, "", ""},
		{compound, root, "root.json", "root"},
		{compound, root, "#/$defs/x", "root x"},
		{compound, root, "#x", "root x"},
		{compound, root, "#t", "t"},
		{compound, root, "b/e.json", "e"},
		{compound, root, "./b/../b/e.json#", "e"},
		{compound, root, "/a/b/e.json#/$defs/x", "e x"},
		{compound, root, "https://example.com/a/b/e.json#x", "e x"},
		{compound, root, "b/f.json", "f"},
		{compound, root, "f.json", ""},
		{compound, root, "urn:example:g#/$defs/a~0b~1c", "odd"},
		{compound, root, "urn:example:g#/$defs/%C3%BC", "letter"},
		{compound, root, "urn:example:g#/$defs/ü", "letter"},
		{compound, root, "https://example.com/elsewhere.json", ""},
		{compound, root, "#/nowhere", ""},
		{compound, root, "#nowhere", ""},
		{compound, root, "#c", ""},
		{compound, root, "#m", ""},
		{compound, root, "const.json", ""},
		{compound, root, "default.json", ""},
		{compound, root, "unknown.json", ""},
		{compound, root, "%zz", ""},
		{compound, root, "#/$defs/p/properties/$id", "a property"},
		{compound, root, "#/$defs/e/$defs/f/$defs/x", "f x"},
		{compound, e, "#", "e"},
		{compound, e, "#/$defs/x", "e x"},
		{compound, e, "#x", "e x"},
		{compound, e, "#t", ""},
		{compound, e, "f.json#/$defs/x", "f x"},
		{compound, e, "../root.json#x", "root x"},
		{compound, f, "#/$defs/x", "f x"},
		{compound, f, "#x", ""},
		{compound, f, "e.json#x", "e x"},
		{compound, g, "#", "g"},
		{draft4, "/properties/p/properties/p", "#/definitions/x", "e x"},
		{draft4, "/properties/p/properties/p", "#y", "e y"},
		{draft4, "/properties/p", "root.json#/definitions/x", "root x"},
		{draft4, "/properties/q/properties/p", "#/definitions/x", "root x"},
		{draft4, "/properties/r/properties/p", "#/definitions/x", "root x"},
		{draft4, "", "r.json", "r"},
		{undated, "", "http://example.com/root.json#/definitions/y", "y"},
		{undated, "", "#p", "p"},
		{undated, "/definitions/x/properties/p", "#/definitions/y", "y"},
		{undated, "", "#/definitions/text", ""},
		{draft7, "", "#a", "a"},
		{draft7, "", "b.json#c", "b"},
		{draft7, "/definitions/b/properties/p", "#c", "b"},
		{draft7, "/definitions/d/properties/p", "#", "root"},
	} {
		node, err := schema.Parse([]byte(test.document))
		if err != nil {
			t.Fatal(err)
		}
		from := node.Find(schema.Pointer(test.from))
		if from == nil {
			t.Fatalf("%s leads nowhere", test.from)
		}
		if got := schema.NewResources(node).Resolve(from, test.reference).GetString("title"); got != test.title {
			t.Errorf("%q at %q leads to %q, not %q", test.reference, test.from, got, test.title)
		}
	}
}

func TestResourcesOfNothing(t *testing.T) {
	t.Parallel()
	if got := schema.NewResources(nil).Resolve(nil, "#/$defs/a"); got != nil {
		t.Errorf("a reference in no schema leads to %s", got)
	}
	node := schema.NewObject(schema.Member{Key: "definitions", Value: schema.NewObject(schema.Member{Key: "a", Value: schema.NewBool(true)})})
	resources := schema.NewResources(node)
	if got := resources.Resolve(schema.NewObject(), "#/definitions/a"); !got.IsTrue() {
		t.Errorf("from a schema that came later the reference leads to %s", got)
	}
	if got := resources.Absolute(node, "a.json#/b"); !strings.HasSuffix(got, "/a.json#/b") {
		t.Errorf("the whole URI is %s", got)
	}
}

func TestIsDynamic(t *testing.T) {
	t.Parallel()
	const text = `{"$id": "root", "$dynamicAnchor": "node", "properties": {
		"several": {"$dynamicRef": "#node"}, "one": {"$dynamicRef": "#leaf"}, "plain": {"$dynamicRef": "#plain"},
		"pointer": {"$dynamicRef": "#/$defs/tree"}, "static": {"$ref": "#node"}, "recursive": {"$recursiveRef": "#"}},
		"$defs": {"tree": {"$id": "tree", "$dynamicAnchor": "node", "$recursiveAnchor": true,
			"properties": {"recursive": {"$recursiveRef": "#"}}},
			"other": {"$id": "other", "$recursiveAnchor": true},
			"leaf": {"$dynamicAnchor": "leaf"}, "plain": {"$anchor": "plain"}, "more": {"$id": "more", "$dynamicAnchor": "plain"},
			"most": {"$id": "most", "$dynamicAnchor": "plain"}}}`
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	resources := schema.NewResources(node)
	for at, want := range map[schema.Pointer]bool{
		"/properties/several": true, "/properties/one": false, "/properties/plain": false, "/properties/pointer": false,
		"/properties/static": false, "/properties/recursive": false, "/$defs/tree/properties/recursive": true,
	} {
		if got := resources.IsDynamic(node.Find(at)); got != want {
			t.Errorf("%s is dynamic: %t", at, got)
		}
	}
}
