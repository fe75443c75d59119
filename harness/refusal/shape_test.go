package refusal_test

import (
	"strings"
	"testing"

	"toolproof/harness/refusal"
)

// TestShape: names, places, numbers and parts of schemas become holes.
func TestShape(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[3].parameters': Cannot find field.`: `Invalid JSON payload received. Unknown name "…" at '…': Cannot find field.`,
		`GenerateContentRequest.tools[0].function_declarations[27].parameters.properties[a].items: missing field.`:                  `GenerateContentRequest.tools[…].items: missing field.`,
		`Invalid schema for function 'f': In context=('properties', 'a'), 'oneOf' is not permitted.`:                                `Invalid schema for function '…': In context=(…), '…' is not permitted.`,
		`tools.7.custom.name: String should have at most 64 characters`:                                                             `tools.….custom.name: String should have at most … characters`,
		"schema at properties.a.items must be a boolean or an object":                                                               "schema at … must be a boolean or an object",
		"schema at top-level must be a boolean or an object":                                                                        "schema at … must be a boolean or an object",
		`Unrecognized schema: {"a":{"b":[1]}}`:                                                                                      "Unrecognized schema: {…}",
		"two\n lines":                                                                                                               "two lines",
		"schema didn't specify the schema":                                                                                          "schema didn't specify the schema", // no quote
		"":                                                                                                                          "",
	} {
		if got := refusal.Shape(message, nil); got != want {
			t.Errorf("%q has the shape\n%q and not\n%q", message, got, want)
		}
	}
	const words = `'a' must have type 'object'`
	if got := refusal.Shape(words, func(index int) bool { return index == 1 }); got != `'…' must have type 'object'` {
		t.Errorf("with its second part kept it is %q", got)
	}
	if parts := refusal.Quoted(words); strings.Join(parts, " ") != "'a' 'object'" {
		t.Errorf("its parts are %q", parts)
	}
}

// TestMerge merges what one rule says about different tools, and keeps other messages
// apart.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b, want string
		alike      bool
	}{
		{"Grammar error: Invalid type: dict", "Grammar error: Invalid type: enum", "Grammar error: Invalid type: …", true},
		{"Circular reference detected: A -> A. It is not supported.", "Circular reference detected: A -> B -> A. It is not supported.", "Circular reference detected: A -> … A. It is not supported.", true},
		{"Request.tools[…].type: must be specified", "Request.config.….type: must be specified", "Request.….type: must be specified", true},
		{"enum must have values", `a keyword "…" is not known here`, "", false},
		{"…", "…", "…", false},
	} {
		got, alike := refusal.Merge(test.a, test.b)
		if alike != test.alike || alike && got != test.want {
			t.Errorf("%q and %q are merged to %q, %t", test.a, test.b, got, alike)
		}
	}
}

// FuzzShape: any text has a shape of one line, which is its own shape if only words are
// left.
func FuzzShape(f *testing.F) {
	for _, text := range []string{"", `a 'b' "c" {d} [e] 1.5`, "…", "\x00\x01", "context=(", "'''", "$.a.b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shape := refusal.Shape(text, func(index int) bool { return index%2 == 0 })
		if strings.ContainsAny(shape, "\n\x00\x01") {
			t.Errorf("%q has the shape %q", text, shape)
		}
		if merged, _ := refusal.Merge(shape, shape); strings.Count(merged, " ") > strings.Count(shape, " ") {
			t.Errorf("%q merges to %q", shape, merged)
		}
	})
}
