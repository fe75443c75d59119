package construct_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/construct"
	"toolproof/lab/hostile"
	"toolproof/schema"
)

// TestOf checks that Of names each construct of a schema once, without names and bounds, and
// looks into no data.
func TestOf(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"minimum":2,"type":"integer"}},"required":["a"]}`: `
			type object at the root; properties of object at the root; type integer in properties;
			minimum of integer in properties; required of object at the root`,
		`{"type":["string","null"],"minLength":1,"enum":["a",null]}`: `
			type string or null (a list) at the root; minLength of string at the root; enum of string (of several kinds) at the root`,
		`{"type":"integer","enum":[1,2],"const":"a","default":1}`: `
			type integer at the root; enum of integer at the root; const of integer (string) at the root; default of integer at the root`,
		`{"type":"STRING","format":"uuid","default":{"minimum":1},"x-a":1,"x-b":2}`: `
			type string (in capitals) at the root; format of string (uuid) at the root; default of string (object) at the root;
			a name that is no keyword of string at the root`,
		`{"additionalProperties":false,"items":[true],"properties":{"type":{}}}`: `
			additionalProperties without a type (false) at the root; items without a type (a list) at the root; the schema (true) in items;
			properties without a type at the root; the schema (empty) in properties`,
		`{"$ref":"#","definitions":{"d":{"$ref":"http://x"}},"$defs":{"d":{"$ref":"#/$defs/d"}}}`: `
			$ref without a type (to the root) at the root; definitions without a type at the root; $ref without a type (to another resource) in $defs;
			$defs without a type at the root; $ref without a type in $defs`,
		`{"type":7,"pattern":"(?!a)","minLength":"1","required":[],"not":{"pattern":"a"}}`: `
			type another type (number) at the root; pattern of another type (looks around) at the root;
			minLength of another type (string) at the root; required of another type (empty) at the root;
			not of another type (a schema) at the root; pattern without a type in not`,
	} {
		node, err := schema.Parse([]byte(given))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, found := range construct.Of(node) {
			got = append(got, found.String())
		}
		wanted := strings.Split(strings.Join(strings.Fields(want), " "), "; ")
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}

// TestDepth checks that levels of values count, and branches of a union do not.
func TestDepth(t *testing.T) {
	t.Parallel()
	nested := func(levels int, before, after string) bool {
		node, err := schema.Parse([]byte(strings.Repeat(before, levels) + `{}` + strings.Repeat(after, levels)))
		if err != nil {
			t.Fatal(err)
		}
		found := construct.Of(node)
		return found[len(found)-1].Keyword == construct.Depth
	}
	if nested(5, `{"items":`, `}`) || !nested(6, `{"items":`, `}`) || nested(9, `{"anyOf":[`, `]}`) {
		t.Error("more than 5 levels of items are deep, and branches are no levels")
	}
}

// TestHostile checks that the number of constructs is bounded for any schema.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, shape := range hostile.Cases {
		if found := construct.Of(shape.Make(shape.Small)); len(found) > 500 {
			t.Errorf("%s has %d constructs", shape.Name, len(found))
		}
	}
}
