package schema_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	// The known answer: printf 'gemini/parameters\nenvelope 1\n[{"name":"f"}]' | sha256sum
	node := parse(t, ` [ { "name" : "\u0066" } ] `)
	const want = "sha256:93f83c84c1b00438497ee95dbd268cf8fa23405e814109375c3d5d4a998061c4"
	if got := node.Digest("gemini/parameters", "envelope 1"); got != want {
		t.Errorf("Digest = %s, want %s", got, want)
	}
	base := parse(t, `{"a":1,"b":[1.0]}`)
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"white space", "{\n \"a\": 1, \"b\": [1.0]}", true},
		{"escapes", `{"\u0061":1,"b":[1.0]}`, true},
		{"order of members", `{"b":[1.0],"a":1}`, false},
		{"spelling of a number", `{"a":1,"b":[1]}`, false},
		{"value", `{"a":2,"b":[1.0]}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if same := parse(t, test.text).Digest() == base.Digest(); same != test.same {
				t.Errorf("same digest: %t, want %t", same, test.same)
			}
		})
	}
	seen := map[string]bool{}
	for _, labels := range [][]string{nil, {""}, {"a"}, {"b"}, {"a", "b"}, {"b", "a"}, {"ab"}} {
		digest := base.Digest(labels...)
		if seen[digest] {
			t.Errorf("labels %q: a digest seen before", labels)
		}
		seen[digest] = true
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, a, b       string
		equal, identical bool
	}{
		{"the same", `{"a":[1,"x",null]}`, `{"a":[1,"x",null]}`, true, true},
		{"order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true, false},
		{"order of elements", `[1,2]`, `[2,1]`, false, false},
		{"integer and float", `1`, `1.0`, true, false},
		{"exponents", `[100,0.5]`, `[1e2,5E-1]`, true, false},
		{"negative zero", `0`, `-0.0`, true, false},
		{"float64 cannot tell these", `9007199254740993`, `9007199254740992`, false, false},
		{"exponents that are not computed", `1e999999`, `10e999998`, false, false},
		{"the same large exponent", `1e999999`, `1e999999`, true, true},
		{"number and string", `1`, `"1"`, false, false},
		{"null and false", `null`, `false`, false, false},
		{"empty object and array", `{}`, `[]`, false, false},
		{"additional member", `{"a":1}`, `{"a":1,"b":1}`, false, false},
		{"other name", `{"a":1}`, `{"b":1}`, false, false},
		{"repeated names", `{"a":1,"a":1}`, `{"a":1,"b":2}`, false, false},
		{"booleans", `true`, `false`, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, errA := schema.ParseWire([]byte(test.a))
			b, errB := schema.ParseWire([]byte(test.b))
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			for range 2 {
				if got := schema.Equal(a, b); got != test.equal {
					t.Errorf("Equal(%s, %s) = %t", a, b, got)
				}
				if got := schema.Identical(a, b); got != test.identical {
					t.Errorf("Identical(%s, %s) = %t", a, b, got)
				}
				a, b = b, a
			}
		})
	}
	if !schema.Equal(nil, nil) || schema.Equal(nil, &schema.Node{}) || !schema.Identical(nil, nil) || schema.Identical(&schema.Node{}, nil) {
		t.Error("no tree equals no tree, and nothing else")
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text    string
		rat     string // empty when it is not computed
		integer bool
		int64   string // empty when it does not fit
	}{
		{"0", "0/1", true, "0"},
		{"-0", "0/1", true, "0"},
		{"1.0", "1/1", true, "1"},
		{"1e2", "100/1", true, "100"},
		{"150e-1", "15/1", true, "15"},
		{"1.5", "3/2", false, ""},
		{"1e-1", "1/10", false, ""},
		{"9223372036854775807", "9223372036854775807/1", true, "9223372036854775807"},
		{"9223372036854775808", "9223372036854775808/1", true, ""},
		{"-9223372036854775808.0", "-9223372036854775808/1", true, "-9223372036854775808"},
		{"1e1001", "", false, ""},
		{"1e-1001", "", false, ""},
		{"1e99999999999999999999", "", false, ""},
		{`"1"`, "", false, ""},
		{"null", "", false, ""},
	} {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			node := parse(t, test.text)
			rat := ""
			if value := node.Rat(); value != nil {
				rat = value.String()
			}
			if rat != test.rat {
				t.Errorf("Rat() = %q, want %q", rat, test.rat)
			}
			if got := node.IsInteger(); got != test.integer {
				t.Errorf("IsInteger() = %t", got)
			}
			fits := ""
			if value, ok := node.Int64(); ok {
				fits = big.NewInt(value).String()
			}
			if fits != test.int64 {
				t.Errorf("Int64() = %q, want %q", fits, test.int64)
			}
		})
	}
	if (*schema.Node)(nil).IsInteger() || (*schema.Node)(nil).Rat() != nil {
		t.Error("no node is a number")
	}
}

func TestIsOf(t *testing.T) {
	t.Parallel()
	for text, types := range map[string][]string{
		`null`: {"null"}, `true`: {"boolean"}, `1`: {"number", "integer"}, `1.5`: {"number"}, `2.0`: {"number", "integer"},
		`"x"`: {"string"}, `[]`: {"array"}, `{}`: {"object"},
	} {
		var got []string
		for _, name := range []string{"null", "boolean", "number", "integer", "string", "array", "object", "STRING", "any", ""} {
			if parse(t, text).IsOf(name) {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(types, got); diff != "" {
			t.Errorf("%s is of (-want +got):\n%s", text, diff)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	node := parse(t, `{"a":1,"b":"x","c":["y",1,"z"]}`)
	node.Set("b", schema.NewString("new"))
	node.Set("d", schema.NewBool(true))
	if got, want := node.String(), `{"a":1,"b":"new","c":["y",1,"z"],"d":true}`; got != want {
		t.Errorf("after Set: %s, want %s", got, want)
	}
	if got := node.Delete("a"); got.String() != "1" || node.Has("a") || node.Delete("a") != nil {
		t.Errorf("Delete gave %s and left %s", got, node)
	}
	if got := node.GetString("b"); got != "new" || node.GetString("c") != "" || node.GetString("none") != "" {
		t.Errorf("GetString = %q", got)
	}
	if diff := cmp.Diff([]string{"y", "z"}, node.Get("c").Strings()); diff != "" {
		t.Errorf("Strings (-want +got):\n%s", diff)
	}
	if !node.Get("d").IsTrue() || node.Get("d").IsFalse() || !node.Get("b").Is("new") || node.Get("c").Is("new") {
		t.Error("IsTrue, IsFalse or Is is wrong")
	}
	var none *schema.Node
	if none.Get("a") != nil || none.Has("a") || none.Strings() != nil || none.IsTrue() || none.IsFalse() || none.Is("") || none.Size() != 0 || none.Clone() != nil {
		t.Error("a nil node has a member, an element or a value")
	}
}

// TestClone checks that a clone prints alike, shares nothing that can change, and knows the
// node it was cloned from, also as a clone of a clone.
func TestClone(t *testing.T) {
	t.Parallel()
	node := parse(t, `{"properties":{"a":{"enum":["x",1]}},"required":["a"],"empty":{},"none":[]}`)
	before := node.String()
	clone := node.Clone()
	again := clone.Clone()
	for _, pointer := range []schema.Pointer{"", "/properties", "/properties/a/enum/1", "/required/0", "/empty", "/none"} {
		origin := node.Find(pointer)
		if clone.Find(pointer).From != origin || again.Find(pointer).From != origin {
			t.Errorf("%q: From is not the original", pointer)
		}
		if clone.Find(pointer) == origin || clone.Find(pointer).Position != origin.Position {
			t.Errorf("%q: not a copy with its place", pointer)
		}
	}
	clone.Set("new", schema.NewInt(1))
	clone.Get("properties").Delete("a")
	clone.Get("required").Elements[0] = schema.NewString("b")
	clone.Get("empty").Set("new", schema.NewInt(1))
	if node.String() != before || again.String() != before {
		t.Errorf("changed with its clone: %s", node)
	}
	if node.Size() != 10 {
		t.Errorf("Size() = %d, want 10", node.Size())
	}
}

func TestPositionString(t *testing.T) {
	t.Parallel()
	if got := (schema.Position{}).String(); got != "-" || (schema.Position{}).IsKnown() {
		t.Errorf("the zero Position is %q", got)
	}
	if got := (schema.Position{Line: 3, Column: 14}).String(); got != "3:14" {
		t.Errorf("String() = %q", got)
	}
}

func TestToolNode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		tool schema.Tool
		want string
	}{
		{"name alone", schema.Tool{Name: "f"}, `{"name":"f"}`},
		{"everything", schema.Tool{Name: "f", Description: schema.NewString("d"), Parameters: schema.NewObject()}, `{"name":"f","description":"d","parameters":{}}`},
		{"odd description", schema.Tool{Description: &schema.Node{}}, `{"name":"","description":null}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.tool.Node().String(); got != test.want {
				t.Errorf("Node() = %s, want %s", got, test.want)
			}
		})
	}
}

// TestDeepTrees uses everything that recurses on a tree of the greatest depth.
func TestDeepTrees(t *testing.T) {
	t.Parallel()
	levels := schema.MaxDepth
	node := parse(t, strings.Repeat(`{"not":`, levels)+"true"+strings.Repeat("}", levels))
	if got := len(visited(node)); got != levels+1 {
		t.Errorf("visited %d places", got)
	}
	if clone := node.Clone(); !schema.Equal(node, clone) || !schema.Identical(node, clone) || clone.Size() != levels+1 {
		t.Error("the clone differs")
	}
}

// TestCloneSharesNoRoom appends to two clones of an emptied list: neither may have what was
// appended to the other.
func TestCloneSharesNoRoom(t *testing.T) {
	t.Parallel()
	object := schema.NewObject(schema.Member{Key: "a", Value: schema.NewBool(true)})
	object.Delete("a")
	array := schema.NewStrings("a")
	array.Elements = array.Elements[:0]
	one, other := object.Clone(), object.Clone()
	one.Set("b", schema.NewInt(1))
	other.Set("c", schema.NewInt(2))
	if got := one.String() + other.String(); got != `{"b":1}{"c":2}` {
		t.Errorf("the objects are %s", got)
	}
	one, other = array.Clone(), array.Clone()
	one.Elements = append(one.Elements, schema.NewInt(1))
	other.Elements = append(other.Elements, schema.NewInt(2))
	if got := one.String() + other.String(); got != `[1][2]` {
		t.Errorf("the arrays are %s", got)
	}
}

// TestWith checks that With leaves the object as it was.
func TestWith(t *testing.T) {
	t.Parallel()
	object := schema.NewObject(schema.Member{Key: "a", Value: schema.NewBool(true)}, schema.Member{Key: "b", Value: schema.NewBool(false)})
	changed, extended := object.With("a", schema.NewInt(1)), object.With("c", schema.NewInt(2))
	if got, want := object.String()+changed.String()+extended.String(), `{"a":true,"b":false}{"a":1,"b":false}{"a":true,"b":false,"c":2}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMostBytes checks the bound where nearly all bytes are punctuation and where nearly all
// are escaped.
func TestMostBytes(t *testing.T) {
	t.Parallel()
	const many = 1000
	for _, text := range []string{
		`null`, `{}`, `[]`, `""`, `-1.5e300`, `{"":null}`, `{"a":{"b":[true,false]}}`,
		"[" + strings.Repeat("null,", many) + "null]",
		"[" + strings.Repeat("{},", many) + "[]]",
		`"` + strings.Repeat(`\u0001`, many) + `"`,
		`{"` + strings.Repeat(`\u001f`, many) + `":""}`,
	} {
		node, err := schema.ParseWire([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if written, most := len(node.JSON()), node.MostBytes(); written > most {
			t.Errorf("%.20s has %d bytes, and at most %d", text, written, most)
		}
	}
}
