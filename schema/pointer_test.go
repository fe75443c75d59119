package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

// document is the example of RFC 6901, section 5, with more odd names.
const document = `{
	"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8,
	"~1": 9, "0": {"00": "x"}, "é": [[1, [2]]], "~01": 10, "-": 11
}`

// TestPointer converts both ways, from tokens to the pointer and from the pointer to tokens and
// value.
func TestPointer(t *testing.T) {
	t.Parallel()
	root := parse(t, document)
	for _, test := range []struct {
		pointer schema.Pointer
		tokens  []string
		value   string
	}{
		{"/foo", []string{"foo"}, `["bar","baz"]`},
		{"/foo/0", []string{"foo", "0"}, `"bar"`},
		{"/", []string{""}, "0"},
		{"/a~1b", []string{"a/b"}, "1"},
		{"/c%d", []string{"c%d"}, "2"},
		{"/e^f", []string{"e^f"}, "3"},
		{"/g|h", []string{"g|h"}, "4"},
		{`/i\j`, []string{`i\j`}, "5"},
		{`/k"l`, []string{`k"l`}, "6"},
		{"/ ", []string{" "}, "7"},
		{"/m~0n", []string{"m~n"}, "8"},
		{"/~01", []string{"~1"}, "9"},
		{"/~001", []string{"~01"}, "10"},
		{"/-", []string{"-"}, "11"},
		{"/0/00", []string{"0", "00"}, `"x"`},
		{"/é/0/1/0", []string{"é", "0", "1", "0"}, "2"},
	} {
		t.Run(string(test.pointer), func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.tokens, test.pointer.Tokens()); diff != "" {
				t.Errorf("Tokens() (-want +got):\n%s", diff)
			}
			var made schema.Pointer
			for _, token := range test.tokens {
				made = made.Child(token)
			}
			if made != test.pointer {
				t.Errorf("Child makes %q", made)
			}
			value := root.Find(test.pointer)
			if value.String() != test.value {
				t.Errorf("Find = %s, want %s", value, test.value)
			}
			if found := root.Pointers(map[*schema.Node]bool{value: true}); found[value] != test.pointer {
				t.Errorf("Pointers = %q", found[value])
			}
		})
	}
}

func TestPointerToTheWhole(t *testing.T) {
	t.Parallel()
	root := parse(t, document)
	if root.Find("") != root || schema.Pointer("").Tokens() != nil {
		t.Error("the empty pointer is not the whole document")
	}
	if found := root.Pointers(map[*schema.Node]bool{root: true}); len(found) != 1 || found[root] != "" {
		t.Errorf("Pointers = %v", found)
	}
}

func TestPointerLeadsNowhere(t *testing.T) {
	t.Parallel()
	root := parse(t, document)
	for name, pointer := range map[string]schema.Pointer{
		"no such member":               "/bar",
		"below a missing member":       "/bar/x",
		"below a scalar":               "/a~1b/x",
		"below a string":               "/foo/0/0",
		"index past the end":           "/foo/2",
		"the element after the last":   "/foo/-",
		"negative index":               "/foo/-1",
		"index with a sign":            "/foo/+1",
		"index with a leading zero":    "/foo/01",
		"index in words":               "/foo/one",
		"index beyond integers":        "/foo/99999999999999999999",
		"name in an array":             "/foo/length",
		"empty token in an array":      "/foo/",
		"no slash at the front":        "foo",
		"fragment of a URL":            "#/foo",
		"slash at the end of a member": "/0/00/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if value := root.Find(pointer); value != nil {
				t.Errorf("Find(%q) = %s", pointer, value)
			}
		})
	}
	if value := (*schema.Node)(nil).Find("/a"); value != nil {
		t.Errorf("Find in no tree = %s", value)
	}
}

func TestPointerElement(t *testing.T) {
	t.Parallel()
	if got := schema.Pointer("/a").Element(12); got != "/a/12" {
		t.Errorf("Element(12) = %q", got)
	}
}

func TestPointerUnder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pointer, parent schema.Pointer
		want            bool
	}{
		{"/a/b", "/a", true},
		{"/a", "/a", true},
		{"/a", "", true},
		{"", "", true},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"", "/a", false},
		{"/a~1b", "/a", false},
	} {
		if got := test.pointer.Under(test.parent); got != test.want {
			t.Errorf("%q under %q: %t", test.pointer, test.parent, got)
		}
	}
}

func TestPointersSkipsOtherNodes(t *testing.T) {
	t.Parallel()
	root := parse(t, `{"a":[{"b":1},{"b":1}],"c/d":{"~":2}}`)
	first, second, odd := root.Find("/a/0/b"), root.Find("/a/1/b"), root.Find("/c~1d/~0")
	stranger := schema.NewInt(1)
	got := root.Pointers(map[*schema.Node]bool{first: true, second: true, odd: true, stranger: true})
	want := map[*schema.Node]schema.Pointer{first: "/a/0/b", second: "/a/1/b", odd: "/c~1d/~0"}
	if len(got) != len(want) {
		t.Errorf("found %d places, want %d", len(got), len(want))
	}
	for node, pointer := range want {
		if got[node] != pointer {
			t.Errorf("%s at %q, want %q", node, got[node], pointer)
		}
	}
}

func FuzzPointer(f *testing.F) {
	for _, seed := range [][2]string{{"a", "b"}, {"", ""}, {"a/b", "m~n"}, {"~1", "~01"}, {"0", "-"}, {"é\xff", "//~~"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, outer, inner string) {
		pointer := schema.Pointer("").Child(outer).Child(inner)
		if diff := cmp.Diff([]string{outer, inner}, pointer.Tokens()); diff != "" {
			t.Fatalf("tokens of %q (-want +got):\n%s", pointer, diff)
		}
		leaf := schema.NewInt(1)
		root := schema.NewObject(schema.Member{Key: outer, Value: schema.NewObject(schema.Member{Key: inner, Value: leaf})})
		if root.Find(pointer) != leaf {
			t.Fatalf("%q does not lead to the value in %s", pointer, root)
		}
		if found := root.Pointers(map[*schema.Node]bool{leaf: true}); found[leaf] != pointer {
			t.Fatalf("Pointers gives %q, Child gave %q", found[leaf], pointer)
		}
		if !pointer.Under(schema.Pointer("").Child(outer)) {
			t.Fatalf("%q is not under its parent", pointer)
		}
		// Any text may be used as a pointer.
		_ = root.Find(schema.Pointer(outer + inner))
	})
}
