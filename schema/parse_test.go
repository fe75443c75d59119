package schema_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/schema"
)

// parse reads a document that must be valid.
func parse(t testing.TB, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return node
}

// TestParseKeeps checks that a document prints as it was written but for white space and
// needless escapes.
func TestParseKeeps(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"order of members", `{"b": 1, "a": 2, "c": 3}`, `{"b":1,"a":2,"c":3}`},
		{"order of members below", `{"properties": {"z": {}, "a": {}}}`, `{"properties":{"z":{},"a":{}}}`},
		{"number with a fraction of zero", `1.0`, `1.0`},
		{"number with an exponent", `[1e2, 1E+2, 1e-05]`, `[1e2,1E+2,1e-05]`},
		{"negative zero", `-0`, `-0`},
		{"number beyond float64", `123456789012345678901234567890.5e999999`, `123456789012345678901234567890.5e999999`},
		{"number beyond int64", `9223372036854775808`, `9223372036854775808`},
		{"constants", `[true, false, null]`, `[true,false,null]`},
		{"empty object, array and string", `[{}, [], ""]`, `[{},[],""]`},
		{"white space of all kinds", " \t\r\n{ \"a\"\n:\t1 }\r\n", `{"a":1}`},
		{"empty name", `{"": 1}`, `{"":1}`},
		{"needless escapes", `"\u0061\/\u00e9"`, `"a/é"`},
		{"needed escapes", `"\"\\\b\f\n\r\t\u0000\u001f"`, `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"characters that HTML escapes", `"<&>"`, `"<&>"`},
		{"surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"escaped name", `{"\u0024ref": 1}`, `{"$ref":1}`},
		{"names that differ in case", `{"a": 1, "A": 2}`, `{"a":1,"A":2}`},
		{"line separator in a string", "\"\u2028\"", "\"\u2028\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			node := parse(t, test.text)
			if diff := cmp.Diff(test.want, node.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
			if again := parse(t, node.String()); !schema.Identical(node, again) {
				t.Errorf("read again: %s", again)
			}
			indented, err := schema.Parse(node.Indented())
			if err != nil || !schema.Identical(node, indented) {
				t.Errorf("indented: %v: %s", err, node.Indented())
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       error
		at         string
		detail     string // a part of it
	}{
		{"nothing", "", schema.ErrNotJSON, "1:1", "ends too early"},
		{"white space alone", " \n ", schema.ErrNotJSON, "2:2", "ends too early"},
		{"open object", "{", schema.ErrNotJSON, "1:2", "ends too early"},
		{"open array", "[1,\n2", schema.ErrNotJSON, "2:2", "ends too early"},
		{"open string", "\n\"abc", schema.ErrNotJSON, "2:5", "ends too early"},
		{"open escape", `"a\`, schema.ErrNotJSON, "1:4", "ends too early"},
		{"half a word", "[nul", schema.ErrNotJSON, "1:5", "ends too early"},
		{"half a number", "[1.", schema.ErrNotJSON, "1:4", "ends too early"},
		{"misspelt word", "[tru]", schema.ErrNotJSON, "1:5", "literal true"},
		{"not a number", "NaN", schema.ErrNotJSON, "1:1", "invalid character"},
		{"plus sign", "+1", schema.ErrNotJSON, "1:1", "invalid character"},
		{"leading zero", "01", schema.ErrNotJSON, "1:2", "after the end"},
		{"single quotes", "{'a': 1}", schema.ErrNotJSON, "1:2", "invalid character"},
		{"name without quotes", "{\n  a: 1}", schema.ErrNotJSON, "2:3", "invalid character"},
		{"number for a name", "{1: 2}", schema.ErrNotJSON, "1:2", "must be a string"},
		{"comment", "{} // no", schema.ErrNotJSON, "1:4", "after the end"},
		{"comma at the end of an object", "{\"a\": 1,\n\n}", schema.ErrNotJSON, "1:8", "invalid character ','"},
		{"comma at the end of an array", "[\n1,\n]", schema.ErrNotJSON, "2:2", "invalid character ','"},
		{"two commas", "{\"a\":1,\n  ,\"b\":2}", schema.ErrNotJSON, "2:3", "invalid character ','"},
		{"no comma", "[1\n,\n\n2 3]", schema.ErrNotJSON, "4:3", "after array element"},
		{"no colon", "{\"a\"\n1}", schema.ErrNotJSON, "2:1", "after object name"},
		{"wrong bracket", "[}", schema.ErrNotJSON, "1:2", "invalid character"},
		{"byte order mark", "\ufeff{}", schema.ErrNotJSON, "1:1", "invalid character"},
		{"line break in a string", "\"a\n  b\"", schema.ErrNotJSON, "1:3", "in string"},
		{"line break in a name", "{\n\"a\n\": 1}", schema.ErrNotJSON, "2:3", "in string"},
		{"tab in a string", "[\n \"a\tb\"]", schema.ErrNotJSON, "2:4", "in string"},
		{"unknown escape", `"\x"`, schema.ErrNotJSON, "1:2", "escape"},
		{"lone high surrogate", `{"a": "\ud800"}`, schema.ErrNotJSON, "1:8", "surrogate"},
		{"lone low surrogate", "[\n\"ab\\udc00\"]", schema.ErrNotJSON, "2:4", "surrogate"},
		{"high surrogate before a letter", `"\ud800\u0041"`, schema.ErrNotJSON, "1:2", "surrogate"},
		{"text after the value", "{}\n {}", schema.ErrNotJSON, "2:2", "after the end"},
		{"bracket after the value", "{\"a\":1}}", schema.ErrNotJSON, "1:8", "after the end"},
		{"duplicate name", "{\n  \"a\": 1,\n  \"a\": 2}", schema.ErrDuplicateName, "3:3", "a"},
		{"duplicate name below", `{"a": {"b": 1, "b": 2}}`, schema.ErrDuplicateName, "1:16", "b"},
		{"duplicate name, escaped once", `{"a": 1, "\u0061": 2}`, schema.ErrDuplicateName, "1:10", "a"},
		{"duplicate name with a slash", `{"a/b": 1, "a/b": 2}`, schema.ErrDuplicateName, "1:12", "a/b"},
		{"duplicate empty name", `{"": 1, "": 2}`, schema.ErrDuplicateName, "1:9", ""},
		{"invalid byte", "{\"a\":\n \xff}", schema.ErrInvalidUTF8, "2:2", "0xff"},
		{"invalid byte in a string", "\"é\n\n\"\"\xc3\"", schema.ErrInvalidUTF8, "3:3", "0xc3"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", schema.ErrInvalidUTF8, "1:2", "0xed"},
		{"overlong UTF-8", "\"\xc0\xaf\"", schema.ErrInvalidUTF8, "1:2", "0xc0"},
		{"one level too deep", strings.Repeat("[", schema.MaxDepth+1), schema.ErrTooDeep, "1:1001", "1000"},
		{"one object too deep", strings.Repeat("[\n", schema.MaxDepth) + "{}", schema.ErrTooDeep, "1001:1", "1000"},
		{"one value too many", "[\n" + strings.Repeat("1,", schema.MaxValues-1) + "\n1]", schema.ErrTooLarge, "3:1", "500000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			node, err := schema.Parse([]byte(test.text))
			var syntax *schema.SyntaxError
			if node != nil || !errors.As(err, &syntax) || !errors.Is(err, test.want) {
				t.Fatalf("Parse = %s, %v; want a *SyntaxError that is %v", node, err, test.want)
			}
			if got := syntax.Position.String(); got != test.at {
				t.Errorf("at %s, want %s", got, test.at)
			}
			if !strings.Contains(syntax.Detail, test.detail) {
				t.Errorf("detail %q, want a part %q", syntax.Detail, test.detail)
			}
			if !strings.HasPrefix(err.Error(), test.at+": "+test.want.Error()) {
				t.Errorf("Error() = %q", err)
			}
		})
	}
}

func TestParseCapsThemselves(t *testing.T) {
	t.Parallel()
	parse(t, strings.Repeat("[", schema.MaxDepth)+strings.Repeat("]", schema.MaxDepth))
	parse(t, "["+strings.Repeat("1,", schema.MaxValues-2)+"1]")
}

// TestPositions checks the position of each value and name, as line:column.
func TestPositions(t *testing.T) {
	t.Parallel()
	text := "{\n\t\"é\" : [ 1,\r\n  {\"b\":null} ],\n\"c\"\n:\n\"x\\n\" }"
	node := parse(t, text)
	got := map[string]string{"": node.Position.String()}
	for _, pointer := range []schema.Pointer{"/é", "/é/0", "/é/1", "/é/1/b", "/c"} {
		got[string(pointer)] = node.Find(pointer).Position.String()
	}
	for i, member := range node.Members {
		got["name "+member.Key] = node.Members[i].Position.String()
	}
	want := map[string]string{
		"": "1:1", "/é": "2:9", "/é/0": "2:11", "/é/1": "3:3", "/é/1/b": "3:8", "/c": "6:1",
		"name é": "2:2", "name c": "4:1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
}

// TestParseAt checks positions in a document embedded in another.
func TestParseAt(t *testing.T) {
	t.Parallel()
	start := schema.Position{Line: 7, Column: 20}
	node, err := schema.ParseAt([]byte("{\"a\":\n 1}"), start)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[schema.Pointer]string{"": "7:20", "/a": "8:2"} {
		if got := node.Find(pointer).Position.String(); got != want {
			t.Errorf("%q at %s, want %s", pointer, got, want)
		}
	}
	if got := node.Members[0].Position.String(); got != "7:21" {
		t.Errorf("name at %s, want 7:21", got)
	}
	for text, want := range map[string]string{"{\"a\":}": "7:25", "{\n\"a\":}": "8:5", "\"\xff": "7:21"} {
		_, err := schema.ParseAt([]byte(text), start)
		var syntax *schema.SyntaxError
		if !errors.As(err, &syntax) || syntax.Position.String() != want {
			t.Errorf("ParseAt(%q): %v, want it at %s", text, err, want)
		}
	}
}

// TestParseWire checks that ParseWire keeps duplicate names and refuses all else that Parse
// refuses.
func TestParseWire(t *testing.T) {
	t.Parallel()
	text := `{"a":1,"b":{"c":1,"c":2},"a":3}`
	node, err := schema.ParseWire([]byte(text))
	if err != nil || node.String() != text {
		t.Fatalf("ParseWire = %s, %v", node, err)
	}
	if got := node.Get("a").Text; got != "3" {
		t.Errorf("Get takes %s, want the last of the duplicates", got)
	}
	for text, want := range map[string]error{"\"\xff\"": schema.ErrInvalidUTF8, "{": schema.ErrNotJSON, `"\ud800"`: schema.ErrNotJSON} {
		if _, err := schema.ParseWire([]byte(text)); !errors.Is(err, want) {
			t.Errorf("ParseWire(%q): %v, want %v", text, err, want)
		}
	}
}

// TestMarshal checks that a tree can be a field of a type that encoding/json reads and writes.
func TestMarshal(t *testing.T) {
	t.Parallel()
	type document struct {
		Schema *schema.Node   `json:"schema"`
		All    []*schema.Node `json:"all"`
	}
	text := `{"schema":{"b":1.0,"a":[true,null]},"all":[{"type":"object"},"x",2]}`
	var read document
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(read)
	if err != nil || string(written) != text {
		t.Errorf("Marshal = %s, %v", written, err)
	}
	err = json.Unmarshal([]byte(`{"schema":{"a":1,"a":2}}`), &read)
	if !errors.Is(err, schema.ErrDuplicateName) {
		t.Errorf("a duplicate name: %v", err)
	}
}

func TestPrintOfTreesMadeByPrograms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		node *schema.Node
		want string
	}{
		{"no tree", nil, "<none>"},
		{"zero node", &schema.Node{}, "null"},
		{"invalid UTF-8", schema.NewString("a\xffb"), "\"a\ufffdb\""},
		{"invalid UTF-8 in a name", schema.NewObject(schema.Member{Key: "\xff", Value: schema.NewInt(-5)}), "{\"\ufffd\":-5}"},
		{"numbers", schema.NewArray(schema.NewInt(0), schema.NewNumber("1.50")), "[0,1.50]"},
		{"booleans", schema.NewArray(schema.NewBool(true), schema.NewBool(false)), "[true,false]"},
		{"strings", schema.NewStrings("a", "<b>"), `["a","<b>"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.node.String(); got != test.want {
				t.Errorf("String() = %s, want %s", got, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object","properties":{"a":{"type":"string","enum":["x",""]}},"required":["a"]}`,
		`[1.0,-0,1e400,"\ud83d\ude00","\u0000",true,null,{}]`, `{"a":1,"a":2}`, "{\"a\":\n,}", "\"\xff\"", `"\ud800"`, "[[[[[[[[", "1 2", "", "\"a\nb\"",
		"[1,\n\n]", "{\"\u2028\":\"\\/\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		node, err := schema.Parse(data)
		if err != nil {
			var syntax *schema.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("not a *SyntaxError: %v", err)
			}
			lines := strings.Split(string(data), "\n")
			line, column := int(syntax.Position.Line), int(syntax.Position.Column)
			if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1])+1 {
				t.Fatalf("no such place: %v", err)
			}
			if !json.Valid(data) {
				return
			}
			for _, known := range []error{schema.ErrDuplicateName, schema.ErrInvalidUTF8, schema.ErrTooDeep, schema.ErrTooLarge} {
				if errors.Is(err, known) {
					return
				}
			}
			if !strings.Contains(syntax.Detail, "surrogate") {
				t.Fatalf("refused JSON: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted what is not JSON: %q", data)
		}
		text := node.JSON()
		again, err := schema.Parse(text)
		if err != nil {
			t.Fatalf("reading what was printed: %v\n%s", err, text)
		}
		if !schema.Identical(node, again) || !schema.Equal(node, again) || string(again.JSON()) != string(text) {
			t.Fatalf("printed %s and then %s", text, again)
		}
		if node.Size() != again.Size() || node.Digest() != again.Digest() {
			t.Fatalf("another size or digest: %s", text)
		}
		wire, err := schema.ParseWire(data)
		if err != nil || !schema.Identical(node, wire) {
			t.Fatalf("ParseWire = %s, %v", wire, err)
		}
		clone := node.Clone()
		if !schema.Identical(node, clone) {
			t.Fatalf("clone of %s is %s", text, clone)
		}
	})
}
