package normalizers_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"toolproof/lab/hostile"
	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// sized are schemas beyond a limit of Moonshot's, with what is left of each, what goes,
// and the loss, for Moonshot.
var sized = []struct {
	name       string
	parameters func() *schema.Node
	has, lacks string
	loss       rewrite.Loss
}{
	{"a spilled value", func() *schema.Node {
		return properties(schema.Member{Key: "a", Value: object(
			`"type": "object", "default": {"$ref": "x", "text": "` + strings.Repeat("x", 130_000) + `"}`)},
			schema.Member{Key: "b", Value: object(`"type": "string", "description": "short"`)})
	}, `"a":{"type":"object"}`, "xxx", rewrite.Exact},
	{"properties in what goes before", func() *schema.Node {
		return properties(schema.Member{Key: "a", Value: schema.NewObject(
			schema.Member{Key: "type", Value: schema.NewString("object")},
			schema.Member{Key: "not", Value: many("n", 100_000)})},
			schema.Member{Key: "b", Value: many("p", 130_000)})
	}, `"p0":{}`, "not", rewrite.Both},
	{"objects that are emptied", func() *schema.Node { return nest(11) }, `"a"`, "", rewrite.Both},
	{"definitions in a chain", func() *schema.Node { return hostile.Named("definitions_in_a_chain").Make(5_000) }, `"properties":{"a":{}}`, "$ref", rewrite.Both},
	{"values at the root", func() *schema.Node {
		root := properties(schema.Member{Key: "a", Value: object(`"type": "integer"`)})
		root.Set("enum", schema.NewArray(values(1_001)...))
		return root
	}, `"a":{"type":"integer"}`, `"enum"`, rewrite.Widens},
	{"values that leave no room", func() *schema.Node {
		return properties(schema.Member{Key: "a", Value: schema.NewObject(
			schema.Member{Key: "type", Value: schema.NewString("string")},
			schema.Member{Key: "default", Value: schema.NewArray(values(70)...)},
			schema.Member{Key: "enum", Value: schema.NewStrings(words(29_001)...)})})
	}, `"a":{"type":"string"`, `"w0"`, rewrite.Widens},
	{"branches", func() *schema.Node {
		var branches []*schema.Node
		for i := range 501 {
			branches = append(branches, object(`"type": "string", "pattern": "^`+strconv.Itoa(i)+`$"`))
		}
		return properties(schema.Member{Key: "a", Value: schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(branches...)})})
	}, `"^500$"`, "", rewrite.Exact},
}

func properties(members ...schema.Member) *schema.Node {
	return schema.NewObject(
		schema.Member{Key: "type", Value: schema.NewString("object")},
		schema.Member{Key: "properties", Value: schema.NewObject(members...)},
	)
}

// object reads the members of an object.
func object(members string) *schema.Node {
	node, err := schema.Parse([]byte("{" + members + "}"))
	if err != nil {
		panic(err)
	}
	return node
}

// many has properties of any value, whose JSON has so many bytes.
func many(name string, size int) *schema.Node {
	var members []schema.Member
	for i := 0; size > 0; i++ {
		members = append(members, schema.Member{Key: name + strconv.Itoa(i), Value: schema.NewObject()})
		size -= len(`"":{},`) + len(members[i].Key)
	}
	return properties(members...)
}

// nest has two properties of each of so many levels.
func nest(levels int) *schema.Node {
	if levels == 0 {
		return object(`"type": "object", "properties": {"a": {"type": "string"}}`)
	}
	return properties(schema.Member{Key: "a", Value: nest(levels - 1)}, schema.Member{Key: "b", Value: nest(levels - 1)})
}

func values(count int) []*schema.Node {
	list := make([]*schema.Node, count)
	for i := range list {
		list[i] = object(`"a": ` + strconv.Itoa(i))
	}
	return list
}

func words(count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = "w" + strconv.Itoa(i)
	}
	return list
}

// TestFitSize holds the limits of Moonshot's validator where descriptions are written late,
// and where what goes lies in what went before.
func TestFitSize(t *testing.T) {
	t.Parallel()
	const most = 120_000
	for _, of := range sized {
		for _, pipeline := range []*normalizers.Pipeline{normalizers.Moonshot, normalizers.Portable} {
			t.Run(of.name+" for "+pipeline.Name(), func(t *testing.T) {
				t.Parallel()
				tool := schema.Tool{Name: "f", Parameters: of.parameters()}
				result, err := pipeline.Normalize(t.Context(), tool)
				if err != nil {
					t.Fatal(err)
				}
				text := result.Tool.Parameters.JSON()
				if len(text) > most {
					t.Errorf("%d bytes are left", len(text))
				}
				isPortable := pipeline == normalizers.Portable // which says some of it otherwise
				if !isPortable && !bytes.Contains(text, []byte(of.has)) {
					t.Errorf("%s is gone: %.300s", of.has, text)
				}
				if !isPortable && of.lacks != "" && bytes.Contains(text, []byte(of.lacks)) {
					t.Errorf("%s is left: %.300s", of.lacks, text)
				}
				result.Tool.Parameters.Each(func(node *schema.Node) bool {
					for keyword, limit := range map[string]int{"enum": 1_000, "anyOf": 500} {
						if list := node.Get(keyword); list != nil && len(list.Elements) > limit {
							t.Errorf("%s has %d elements", keyword, len(list.Elements))
						}
					}
					return true
				})
				again, err := pipeline.Normalize(t.Context(), result.Tool)
				if err != nil || !schema.Identical(again.Tool.Node(), result.Tool.Node()) {
					t.Errorf("a second run changes it: %v", err)
				}
				if !isPortable && result.Loss() != of.loss {
					t.Errorf("the loss is %s", result.Loss())
				}
			})
		}
	}
}
