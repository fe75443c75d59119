package toolfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// edit is a change of a tool: an object of members for the place of a pointer, of which null removes one.
type edit struct {
	at      schema.Pointer
	members string
}

// edited returns a copy of a declaration after an edit.
func edited(t *testing.T, declaration *schema.Node, edit edit) *schema.Node {
	t.Helper()
	members, err := schema.Parse([]byte(edit.members))
	if err != nil {
		t.Fatal(err)
	}
	after := declaration.Clone()
	place := after.Find(edit.at)
	if place == nil {
		t.Fatalf("there is nothing at %s", edit.at)
	}
	for _, member := range members.Members {
		if member.Value.Kind == schema.Null {
			place.Delete(member.Key)
		} else {
			place.Set(member.Key, member.Value)
		}
	}
	return after
}

// spliced returns a document after the change of its tools. It fails the test if another tool changed or
// an edited one is not as it should be.
func spliced(t *testing.T, document string, change func(int, toolfile.Tool) *schema.Node) (string, error) {
	t.Helper()
	tools, err := toolfile.Read(strings.NewReader(document))
	if err != nil {
		return "", err
	}
	text, err := toolfile.TextOf([]byte(document))
	if err != nil {
		return "", err
	}
	want := make([]*schema.Node, len(tools))
	for i, tool := range tools {
		want[i] = tool.Declaration
		if tool.Err != nil {
			continue
		}
		after := change(i, tool)
		if err := text.Change(tool.Declaration, after); err != nil {
			return "", err
		}
		want[i] = after
	}
	out := text.Bytes()
	after, err := toolfile.Read(bytes.NewReader(out))
	if err != nil || len(after) != len(tools) {
		return string(out), fmt.Errorf("%d tools are %d after it: %w", len(tools), len(after), err)
	}
	for i, tool := range after {
		if !schema.Equal(tool.Declaration, want[i]) {
			return string(out), fmt.Errorf("tool %d became %s, not %s", i, tool.Declaration, want[i])
		}
	}
	return string(out), nil
}

func TestChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before string
		edit   edit
		after  string
	}{
		"a member in place of another": {
			"{\n  \"name\": \"f\",\n  \"inputSchema\": {\n    \"type\": \"object\",\n    \"properties\": { \"a\": { \"const\": \"x\", \"title\": \"t\" } }\n  }\n}\n",
			edit{"/inputSchema/properties/a", `{"const": null, "enum": ["x"]}`},
			"{\n  \"name\": \"f\",\n  \"inputSchema\": {\n    \"type\": \"object\",\n    \"properties\": { \"a\": { \"enum\": [\"x\"], \"title\": \"t\" } }\n  }\n}\n",
		},
		"lines": {
			"{\n\t\"name\": \"f\",\n\t\"inputSchema\": {\n\t\t\"const\": \"x\",\n\t\t\"title\": \"t\"\n\t}\n}",
			edit{"/inputSchema", `{"const": null, "enum": ["x"], "b": {"c": 1}}`},
			"{\n\t\"name\": \"f\",\n\t\"inputSchema\": {\n\t\t\"enum\": [\n\t\t\t\"x\"\n\t\t],\n\t\t\"title\": \"t\",\n\t\t\"b\": {\n\t\t\t\"c\": 1\n\t\t}\n\t}\n}",
		},
		"compact": {
			`{"name":"f","inputSchema":{"type":"object","properties":{"a":{"const":"x","type":"string"}}}}`,
			edit{"/inputSchema/properties/a", `{"const": null, "type": null, "enum": ["x", "y"]}`},
			`{"name":"f","inputSchema":{"type":"object","properties":{"a":{"enum":["x","y"]}}}}`,
		},
		"a comment behind the last member": {
			"{ // a tool\n  \"name\": \"f\",\n  \"inputSchema\": {\n    // the type\n    \"type\": \"object\" // an object\n  }\n}\n",
			edit{"/inputSchema", `{"title": "t", "x": 1}`},
			"{ // a tool\n  \"name\": \"f\",\n  \"inputSchema\": {\n    // the type\n    \"type\": \"object\", // an object\n    \"title\": \"t\",\n    \"x\": 1\n  }\n}\n",
		},
		"the last member goes": {
			"{\"name\": \"f\", \"inputSchema\": {\n    \"type\": \"object\", // an object\n    \"title\": \"t\" /* a title */\n  }\n}\n",
			edit{"/inputSchema", `{"title": null}`},
			"{\"name\": \"f\", \"inputSchema\": {\n    \"type\": \"object\" // an object\n  }\n}\n",
		},
		"a comma behind the last member": {
			"{ // a tool\n  \"name\": \"f\",\n  \"inputSchema\": {\n    \"type\": \"object\",\n  },\n}\n",
			edit{"/inputSchema", `{"title": "t"}`},
			"{ // a tool\n  \"name\": \"f\",\n  \"inputSchema\": {\n    \"type\": \"object\",\n    \"title\": \"t\",\n  },\n}\n",
		},
		"the last member goes with its comma": {
			"{ // a tool\n  \"name\": \"f\", \"inputSchema\": {\"a\": [1, 2,], \"b\": 1,},\n}\n",
			edit{"/inputSchema", `{"b": null}`},
			"{ // a tool\n  \"name\": \"f\", \"inputSchema\": {\"a\": [1, 2,],},\n}\n",
		},
		"the last members of a line go": {
			`{"name": "f", "inputSchema": {"a": 1, "b": 2, "c": 3}}`,
			edit{"/inputSchema", `{"b": null, "c": null}`},
			`{"name": "f", "inputSchema": {"a": 1}}`,
		},
		"the first member goes": {
			`{"name": "f", "inputSchema": { "type": 1, "b": 2, "c": 3 }}`,
			edit{"/inputSchema", `{"type": null}`},
			`{"name": "f", "inputSchema": { "b": 2, "c": 3 }}`,
		},
		"all members go": {
			`{"name": "f", "inputSchema": { "type": 1, "b": 2, "c": 3 }}`,
			edit{"/inputSchema", `{"type": null, "b": null, "c": null}`},
			`{"name": "f", "inputSchema": {}}`,
		},
		"CRLF and a byte order mark": {
			"\xef\xbb\xbf{\r\n  \"name\": \"f\",\r\n  \"inputSchema\": {\r\n    \"type\": \"object\"\r\n  }\r\n}\r\n",
			edit{"/inputSchema", `{"title": "t"}`},
			"\xef\xbb\xbf{\r\n  \"name\": \"f\",\r\n  \"inputSchema\": {\r\n    \"type\": \"object\",\r\n    \"title\": \"t\"\r\n  }\r\n}\r\n",
		},
		"JSON Lines": {
			"{\"id\": \"1\", \"name\": \"f\", \"schema\": {\"type\": \"object\", \"const\": {}}}\n",
			edit{"/schema", `{"const": null, "enum": [{}]}`},
			"{\"id\": \"1\", \"name\": \"f\", \"schema\": {\"type\": \"object\", \"enum\": [{}]}}\n",
		},
		"YAML": {
			"# tools\nname: f\ninputSchema:\n  type: object # an object\n  properties:\n    a:\n      const: x # only x\n      title: T\n  # what is needed\n  required: [a]\n",
			edit{"/inputSchema/properties/a", `{"const": null, "enum": ["x", "no"], "b": {"c": 1}}`},
			"# tools\nname: f\ninputSchema:\n  type: object # an object\n  properties:\n    a:\n      enum: [x, \"no\"] # only x\n      title: T\n      b:\n        c: 1\n  # what is needed\n  required: [a]\n",
		},
		"members of YAML go": {
			"- name: f\n  inputSchema:\n    type: object\n    description: |\n      # no comment\n\n      text\n\n    # a title\n    title: 'it''s'\n- name: g\n  inputSchema: {type: object}\n",
			edit{"/inputSchema", `{"description": null, "title": "u"}`},
			"- name: f\n  inputSchema:\n    type: object\n\n    # a title\n    title: u\n- name: g\n  inputSchema: {type: object}\n",
		},
		"the first member after a dash": {
			"name: f\ninputSchema:\n  anyOf:\n  - const: 1\n    type: integer\n  - type: string\n",
			edit{"/inputSchema/anyOf/0", `{"const": null}`},
			"name: f\ninputSchema:\n  anyOf:\n  - type: integer\n  - type: string\n",
		},
		"elements of YAML": {
			"name: f\ninputSchema:\n  anyOf:\n  - type: integer\n    minimum: 1\n  - type: string",
			edit{"/inputSchema", `{"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}, {"type": "null", "title": "a: b"}]}`},
			"name: f\ninputSchema:\n  anyOf:\n  - type: integer\n    minimum: 1\n  - type: string\n  - type: \"null\"\n    title: 'a: b'",
		},
		"flow YAML": {
			"name: f\ninputSchema: {type: object, # it's an object\n  properties: {a: {const: don't, title: \"}\"}}}\n",
			edit{"/inputSchema/properties/a", `{"const": null, "enum": ["don't"]}`},
			"name: f\ninputSchema: {type: object, # it's an object\n  properties: {a: {enum: [don't], title: \"}\"}}}\n",
		},
		"YAML that becomes empty": {
			"name: f\ninputSchema:\n  type: object\n  properties:\n    a: {type: string}\n",
			edit{"/inputSchema", `{"properties": {}}`},
			"name: f\ninputSchema:\n  type: object\n  properties: {}\n",
		},
		"a scalar that becomes a block": {
			"name: f\ninputSchema:\n  type: object\n  x:\n    y: 1\n  items: true\n",
			edit{"/inputSchema", `{"items": {"type": "string"}}`},
			"name: f\ninputSchema:\n  type: object\n  x:\n    y: 1\n  items:\n    type: string\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := spliced(t, test.before, func(i int, tool toolfile.Tool) *schema.Node {
				if i > 0 {
					return tool.Declaration
				}
				return edited(t, tool.Declaration, test.edit)
			})
			if difference := cmp.Diff(test.after, got); err != nil || difference != "" {
				t.Errorf("%v %s", err, difference)
			}
		})
	}
}

// TestChangeRefused: what stands in several places, or what no text can be changed for, is left alone.
func TestChangeRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"an alias":  {"- name: f\n  inputSchema: &s\n    type: object\n    const: 1\n- name: g\n  inputSchema: *s\n", "anchor"},
		"a merge":   {"base: &b {const: 1}\nname: f\ndescription: d\ninputSchema:\n  <<: *b\n  type: object\n", "merge key"},
		"a scalar":  {"name: f\ninputSchema:\n  title: &t T\n  const: *t\n", "anchor"},
		"gzip":      {"\x1f\x8b\x08", "compressed"},
		"plain BOM": {"\xef\xbb\xbf{", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := toolfile.TextOf([]byte(test.text))
			if err == nil && test.want != "" {
				tools, problem := toolfile.Read(strings.NewReader(test.text))
				if problem != nil {
					t.Fatal(problem)
				}
				err = text.Change(tools[0].Declaration, edited(t, tools[0].Declaration, edit{"/inputSchema", `{"const": 2}`}))
				if got := string(text.Bytes()); got != test.text {
					t.Errorf("the text became %s", got)
				}
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// mutated returns a copy of a value with some of its parts replaced, removed or added.
func mutated(node *schema.Node, random *rand.Rand) *schema.Node {
	after := node.Clone()
	for range 1 + random.IntN(3) {
		place := after
		for place.Size() > 1 && random.IntN(4) > 0 {
			var values []*schema.Node
			for _, member := range place.Members {
				values = append(values, member.Value)
			}
			values = append(values, place.Elements...)
			place = values[random.IntN(len(values))]
		}
		fresh := []*schema.Node{
			schema.NewString("a: 'b' # \"c\", [d]\n- e"), schema.NewInt(1), schema.NewArray(), schema.NewStrings("x", "null", ""),
			schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(schema.NewObject(), node.Clone())}),
		}[random.IntN(5)]
		switch {
		case place.Kind == schema.Object && random.IntN(2) == 0:
			place.Set("fresh"+strconv.Itoa(random.IntN(3)), fresh)
		case place.Kind == schema.Object && len(place.Members) > 0:
			place.Delete(place.Members[random.IntN(len(place.Members))].Key)
		case place.Kind == schema.Array && len(place.Elements) > 0:
			i := random.IntN(len(place.Elements))
			place.Elements = append(place.Elements[:i:i], place.Elements[i+1:]...)
		case place.Kind == schema.Array:
			place.Elements = append(place.Elements, fresh)
		case place != after:
			*place = *fresh
		}
	}
	return after
}

// documents are texts in which tools are changed at random.
var documents = []string{
	`{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": "x"}, "b": {"enum": [1, null]}}}}`,
	"// a tool\n{\n  \"name\": \"f\", /* x */ \"inputSchema\": {\n    // y\n    \"required\": [ \"a\" /* z */ ],\n \"type\": \"object\" }\n}\n",
	"[{\"name\": \"f\",\n\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"g\"}]",
	"{ // a tool, \n  \"name\": \"f\",\n  \"inputSchema\": {\n    \"required\": [\"a\", \"b\",],\n    \"type\": \"object\", // ,\n    \"properties\": {\"a\": {\"const\": \"x\" , }, /* , */},\n  },\n}\n",
	"{\"name\": \"f\", \"inputSchema\": {\"a\":[{},{}]}}\n{\"name\": \"g\", \"inputSchema\": {\"type\":\"string\"}}\n",
	"- name: f\n  inputSchema:\n    type: object\n    required:\n    - a\n    - b # c\n    properties: {a: {type: string}, 'b': {}}\n- name: g\n",
	"name: f\ninputSchema:\n  description: >\n    folded\n    text\n\n\n  anyOf:\n    - {type: string}\n    -\n      type: array\n      items: {}\n    - - 1\n      - 2\n",
}

// changed changes the parameters of the tools of a document at random, and says what is wrong with it.
func changed(t *testing.T, document string, seed uint64) (string, error) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	return spliced(t, document, func(_ int, tool toolfile.Tool) *schema.Node {
		parameters := tool.Declaration.Get("inputSchema")
		if parameters == nil {
			return tool.Declaration
		}
		after := tool.Declaration.Clone()
		after.Set("inputSchema", mutated(parameters, random))
		return after
	})
}

func TestChangeAtRandom(t *testing.T) {
	t.Parallel()
	const seeds = 500
	for _, document := range documents {
		for seed := range uint64(seeds) {
			if out, err := changed(t, document, seed); err != nil {
				t.Fatalf("%s\nbecame with %d\n%s\n%v", document, seed, out, err)
			}
		}
	}
}

// FuzzChange holds that a changed document has the changed tools and no other change, or that the change
// is refused. YAML has ways to write a value that only reading it again can tell.
func FuzzChange(f *testing.F) {
	for _, text := range documents {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, document string, seed uint64) {
		const longest = 10_000
		if _, err := toolfile.Read(strings.NewReader(document)); err != nil || len(document) > longest {
			return
		}
		isYAML := strings.IndexAny(strings.TrimLeft(document, "\ufeff \r\n\t"), "{[/") != 0
		if out, err := changed(t, document, seed); err != nil && out != "" && !isYAML {
			t.Fatalf("%s\nbecame\n%s\n%v", document, out, err)
		}
	})
}
