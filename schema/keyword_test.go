package schema_test

import (
	"slices"
	"strings"
	"testing"

	"toolproof/schema"
)

func TestNameSetIsExactForKeywords(t *testing.T) {
	t.Parallel()
	keywords := slices.Collect(schema.Keywords())
	for _, keyword := range keywords {
		set, class := schema.NameSet{}.With(keyword)
		if class == schema.Unknown || class != schema.ClassOf(keyword) {
			t.Errorf("%s is of class %d", keyword, class)
		}
		for _, other := range keywords {
			names := schema.NamesOf(other)
			if isSame := other == keyword; set.Overlaps(names) != isSame || set.SurelyOverlaps(names) != isSame || set.Includes(names) != isSame {
				t.Errorf("the set of %s and %s", keyword, other)
			}
		}
	}
	all := schema.NamesOf(keywords...)
	for _, name := range []string{"", "x", "x-order", "propertie", "propertiess", "Type", "typ", strings.Repeat("a", 300), "\xff"} {
		if schema.ClassOf(name) != schema.Unknown || schema.TypeOf(name) != "" {
			t.Errorf("%q is taken for a keyword", name)
		}
		set := all.Union(schema.NamesOf(name))
		if all.Overlaps(schema.NamesOf(name)) || !set.Overlaps(schema.NamesOf(name)) || all.Includes(set) || !set.Includes(all) {
			t.Errorf("%q is lost among the keywords", name)
		}
		if set.SurelyOverlaps(schema.NamesOf(name)) {
			t.Errorf("%q is said to be there for sure", name)
		}
	}
}

func TestHashTellsTreesApart(t *testing.T) {
	t.Parallel()
	texts := []string{
		`null`, `true`, `false`, `0`, `1`, `1.0`, `""`, `"a"`, `"ab"`, `[]`, `{}`, `[[]]`, `[{}]`, `["a","b"]`, `["b","a"]`, `["ab"]`,
		`{"a":"b"}`, `{"b":"a"}`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"a":{"b":1}}`, `{"a":[1]}`, `{"a":{},"b":1}`, `{"a":{"b":1},"c":2}`, `{"a":{"b":1,"c":2}}`,
	}
	seen := map[uint64]string{}
	for _, text := range texts {
		first, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if hash := first.Clone().Hash(); hash != first.Hash() {
			t.Errorf("%s: a copy has another hash", text)
		}
		if other, taken := seen[first.Hash()]; taken {
			t.Errorf("%s has the hash of %s", text, other)
		}
		seen[first.Hash()] = text
	}
}

// TestHeldIn compares HeldIn and IsSchema with Subschemas.
func TestHeldIn(t *testing.T) {
	t.Parallel()
	values := []string{`true`, `"a"`, `{}`, `{"a": {}, "b": ["c"], "d": true}`, `[]`, `[{}, true]`}
	for keyword := range schema.Keywords() {
		for _, text := range values {
			value, err := schema.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			node := schema.NewObject(schema.Member{Key: keyword, Value: value})
			var want, got []*schema.Node
			for place := range node.Subschemas() {
				want = append(want, place.Node())
			}
			switch class := schema.ClassOf(keyword); class.HeldIn(value) {
			case schema.Nothing:
			case schema.Itself:
				got = append(got, value)
			case schema.Elements:
				got = value.Elements
			case schema.Members:
				for _, member := range value.Members {
					if class.IsSchema(member.Value) {
						got = append(got, member.Value)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s: %v, and Subschemas has %v", keyword, text, got, want)
			}
		}
	}
}
