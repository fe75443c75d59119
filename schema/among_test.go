package schema_test

import (
	"fmt"
	"testing"

	"toolproof/schema"
)

func TestValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ a, b string }{
		{"1", "1.0"}, {"100", "1e2"}, {"0", "-0"}, {`{"a": 1, "b": [2]}`, `{"b": [2.0], "a": 1}`}, {"1e99999", "1e99999"}, {`"1"`, `"1"`},
	} {
		for _, others := range []int{0, 5, 100} { // compared one by one, and looked up
			var values schema.Values
			for i := range others {
				if !values.Add(schema.NewString(fmt.Sprint("other", i))) {
					t.Fatalf("the set has other%d already", i)
				}
			}
			if a, b := parse(t, test.a), parse(t, test.b); !values.Add(a) || values.Add(b) || !values.Has(b) || len(values.List()) != others+1 {
				t.Errorf("%s and %s are not one value among %d others", test.a, test.b, others)
			}
			for _, other := range []string{`"x"`, "null", "1.5", `{"a": 1}`, "[1]"} {
				if values.Has(parse(t, other)) {
					t.Errorf("%s is among %d others and %s", other, others, test.a)
				}
			}
		}
	}
}

func TestIndexed(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 3, 100} {
		node := schema.NewObject()
		for i := range size {
			node.Members = append(node.Members, schema.Member{Key: fmt.Sprint("k", i/2)}) // the last duplicate counts
		}
		index := node.Indexed()
		for i := range size + 1 {
			if key := fmt.Sprint("k", i); index(key) != node.Index(key) {
				t.Errorf("of %d: %s is at %d, not %d", size, key, index(key), node.Index(key))
			}
		}
	}
	if index := (*schema.Node)(nil).Indexed(); index("a") != -1 {
		t.Error("a nil node has a member")
	}
}
