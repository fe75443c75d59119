package toolfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"toolproof/harness/toolfile"
	"toolproof/internal/bounded"
	"toolproof/schema"
)

// linesOf describes what Read returns for a document: for each tool its line, id and name, or
// its error; then the errors of the document.
func linesOf(text string) []string {
	tools, err := toolfile.Read(strings.NewReader(text))
	var lines []string
	for _, tool := range tools {
		if tool.Err != nil {
			lines = append(lines, fmt.Sprintf("%d! %v", tool.Line, tool.Err))
			continue
		}
		lines = append(lines, fmt.Sprintf("%d %s%s %s", tool.Line, tool.ID, tool.Name, tool.Parameters))
	}
	if err != nil {
		lines = append(lines, strings.Split(err.Error(), "\n")...)
	}
	if other := foldedOtherwise([]byte(text)); other != "" {
		lines = append(lines, other)
	}
	return lines
}

// foldedOtherwise returns the name of a tool that changes when it is folded and unfolded, or
// "".
func foldedOtherwise(text []byte) string {
	tools, err := toolfile.Read(bytes.NewReader(text))
	folded, foldedErr := toolfile.Reader{Folds: true}.Read(bytes.NewReader(text))
	if len(tools) != len(folded) || fmt.Sprint(err) != fmt.Sprint(foldedErr) {
		return fmt.Sprintf("%d tools (%v), and %d when they are folded (%v)", len(tools), err, len(folded), foldedErr)
	}
	for i, tool := range tools {
		if folded[i].Declaration != nil && tool.Request == 0 && tool.Size() < toolfile.MostFolded && bytes.HasPrefix(text, []byte("{\"")) && bytes.Contains(text, []byte("}\n{")) {
			return fmt.Sprintf("the tool of line %d is not folded", tool.Line)
		}
		whole := folded[i].Unfolded()
		at := tool.Pointer("/parameters")
		isSame := whole.Name == tool.Name && whole.ID == tool.ID && whole.Line == tool.Line && whole.Request == tool.Request &&
			folded[i].Name == tool.Name && folded[i].ID == tool.ID && folded[i].Line == tool.Line && folded[i].Request == tool.Request &&
			folded[i].Size() == tool.Size() && fmt.Sprint(whole.Err) == fmt.Sprint(tool.Err) && fmt.Sprint(folded[i].Err) == fmt.Sprint(tool.Err) &&
			whole.Pointer("/parameters") == at && whole.IsBare() == tool.IsBare() && reflect.DeepEqual(whole.Declaration, tool.Declaration)
		if !isSame || whole.Parameters != nil && whole.Declaration.Find(at) != whole.Parameters || (whole.Description == nil) != (tool.Description == nil) {
			return fmt.Sprintf("the tool of line %d is another one when it is folded", tool.Line)
		}
	}
	return ""
}

func TestForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"mcp":         {`{"tools": [{"name": "f", "inputSchema": {"type": "object"}}, {"name": "g"}]}`, []string{`1 f {"type":"object"}`, "1 g <none>"}},
		"mcp call":    {`{"id": 1, "result": {"tools": [{"name": "f", "inputSchema": {}}]}}`, []string{"1 f {}"}},
		"chat":        {`[{"type": "function", "function": {"name": "f", "parameters": {}}}]`, []string{"1 f {}"}},
		"chat single": {`{"type": "function", "function": {"name": "f", "parameters": {}}}`, []string{"1 f {}"}},
		"responses":   {`[{"type": "function", "name": "f", "parameters": {}, "strict": true}]`, []string{"1 f {}"}},
		"anthropic":   {`[{"name": "f", "input_schema": {}}, {"type": "custom", "name": "g", "input_schema": {}}]`, []string{"1 f {}", "1 g {}"}},
		"gemini":      {`{"functionDeclarations": [{"name": "f", "parameters": {}}]}`, []string{"1 f {}"}},
		"gemini tools": {
			`{"tools": [{"function_declarations": [{"name": "f", "parametersJsonSchema": {}}]}, {"functionDeclarations": [{"name": "g"}], "googleSearch": {}}]}`,
			[]string{"1 f {}", "1 g <none>"},
		},
		"namespace": {
			`{"input": "hi", "tools": [{"type": "namespace", "name": "n", "description": "d", "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "custom", "name": "free"}]}, {"type": "function", "name": "g"}]}`,
			[]string{"1 f {}", "1 g <none>"},
		},
		"search that the client executes": {
			`{"input": "hi", "tools": [{"type": "tool_search", "execution": "client", "parameters": {"type": "object"}}, {"type": "tool_search"}]}`,
			[]string{"1 tool_search {\"type\":\"object\"}"},
		},
		"namespace alone": {`[{"name": "n", "tools": [{"type": "function", "name": "f"}], "type": "namespace"}]`, []string{"1 f <none>"}},
		"lines":           {"{\"id\": \"a\", \"name\": \"f\", \"schema\": {}}\n\n{\"id\": \"b\", \"name\": \"g\", \"schema\": true}\n", []string{"1 af {}", "3 bg true"}},
		"line of list":    {"[{\"name\": \"f\"}]\n{\"tools\": [{\"name\": \"g\"}]}", []string{"1 f <none>", "2 g <none>"}},
		"values":          {"{\n\"name\": \"f\"\n}\n{\n\"name\": \"g\"\n}\n", []string{"1 f <none>", "4 g <none>"}},
		"bare":            {`{"type": "object"}`, []string{`1 f {"type":"object"}`}},
		"bare, no type":   {`{"properties": {"name": {}}}`, []string{`1 f {"properties":{"name":{}}}`}},
		"bare, named":     {`{"$schema": "http://json-schema.org/draft-07/schema#", "name": "n"}`, []string{`1 f {"$schema":"http://json-schema.org/draft-07/schema#","name":"n"}`}},
		"byte order":      {"\ufeff{\"type\": \"object\"}", []string{`1 f {"type":"object"}`}},
		"null schema":     {`{"name": "f", "parameters": null}`, []string{"1 f null"}},
		"built in": {
			`[{"type": "web_search"}, {"googleSearch": {}}, {"type": "bash_20250124", "name": "bash"}, {"type": "custom", "name": "free", "format": {}}, {"name": "f"}]`,
			[]string{"1 f <none>"},
		},
		"schemas in a list": {`[{"type": "OBJECT"}, {"not": {}}]`, []string{`1 f {"type":"OBJECT"}`, `1 f {"not":{}}`}},
		"commented":         {"[ // tools, all of them\n{\"name\": \"f\", \"parameters\": {\"enum\": [1, 2,], /* , */ }, },\n]", []string{`2 f {"enum":[1,2]}`}},
		"none":              {`{"tools": []}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, linesOf(test.text), test.want)
		})
	}
}

func equal(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	const deep = 10_000
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"empty":          {" \n", []string{"reading tools: the document is empty"}},
		"words":          {"hello", []string{`this is text that begins with "hello", not tools: tools are JSON or YAML; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md`}},
		"scalar":         {`"x"`, []string{`this is text that begins with "\"x\"", not tools: tools are JSON or YAML; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md`}},
		"not UTF-8":      {"\xff", []string{"this is text that begins with \"\ufffd\", not tools: tools are JSON or YAML; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md"}},
		"UTF-16":         {"\xff\xfe{\x00}\x00", []string{"reading tools: the document is UTF-16: save it as UTF-8"}},
		"no tool":        {`{"error": {"code": 1}, "id": 7}`, []string{`this is an object, not tools: it has no name and no keyword of JSON Schema, its members are "error", "id"; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md`}},
		"empty object":   {`{}`, []string{"this is an object, not tools: it has no name and no keyword of JSON Schema, its members are none; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md"}},
		"an error type":  {`{"type": "error", "error": {}}`, []string{`this is an object, not tools: it has no name and no keyword of JSON Schema, its members are "type", "error"; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md`}},
		"tools by name":  {`{"tools": {"f": {}}}`, []string{"this is an object with tools by name, not tools: the member tools must be a list, whose entries have their names inside"}},
		"name no string": {`{"name": 1, "parameters": {}}`, []string{"this is an object, not tools: it has no name; verify check -- COMMAND checks the tools that COMMAND prints, see docs/export.md"}},
		"element":        {`[17, {"name": "f"}]`, []string{"1! 1:2: not a tool: it is of type number", "1 f <none>"}},
		"half a tool":    {"{\"tools\": [\n{\"name\": \"f\"},\n{\"na", []string{"2 f <none>", "3! 3:5: not JSON: the document ends too early"}},
		"half a list":    {"{\"tools\": [\n{\"name\": \"f\"},\n", []string{"2 f <none>", "3:1: not JSON: the document ends too early"}},
		"half an object": {"{\"tools\": [\n{\"name\": \"f\"}]", []string{"2 f <none>", "2:15: not JSON: the document ends too early"}},
		"half a member":  {"{\"tools\": [\n{\"name\": \"f\"}], \"next\": [1", []string{"2 f <none>", "2:27: not JSON: the document ends inside next"}},
		"half a result":  {`{"result": {"tools": [{"name": "f"}]`, []string{"1 f <none>", "1:37: not JSON: the document ends too early"}},
		"half, lines":    {"{\"name\": \"f\"}\n{\"name\": \"g", []string{"1 f <none>", "2! 2:12: not JSON: the document ends too early"}},
		"fault in first": {"{\"name\": \"f\"\n{\"name\": \"g\"}\n", []string{"1! 1:13: not JSON: the document ends too early", "2 g <none>"}},
		"duplicate":      {`[{"name": "f", "name": "g"}, {"name": "h"}]`, []string{"1! 1:16: duplicate member name: name", "1 h <none>"}},
		"two lists":      {`{"tools": [{"name": "f"}], "tools": [{"name": "g"}]}`, []string{"1 f <none>", "1 g <none>", "1:28: duplicate member name: tools"}},
		"UTF-8":          {"[{\"name\": \"f\xff\"}, {\"name\": \"g\"}]", []string{"1! 1:13: invalid UTF-8: byte 0xff", "1 g <none>"}},
		"no comma":       {`[{"name": "f"} {"name": "g"}]`, []string{"1 f <none>", "1 g <none>", "1:16: not JSON: a comma is missing before this"}},
		"comma too many": {`[{"name": "f"},, {"name": "g"},]`, []string{
			"1 f <none>", "1 g <none>", "1:16: not JSON: a comma stands where a value should", "1:32: not JSON: a comma stands before the end",
		}},
		"wrong bracket": {`{"tools": [{"name": "f"}}`, []string{"1 f <none>", "1:25: not JSON: the list of tools should go on or end here", "1:26: not JSON: the document ends too early"}},
		"bad neighbour": {`{"tools": [{"name": "f"}], "next": tru}`, []string{"1 f <none>", "1:39: not JSON: the document ends too early"}},
		"bad member":    {`{"tools": [{"name": "f"}], next: 1}`, []string{"1 f <none>", "1:28: not JSON: a member should begin here"}},
		"no value":      {`{"tools": [{"name": "f"}], "next"}`, []string{"1 f <none>", "1:28: not JSON: the member has no value"}},
		"more after":    {"{\n\"name\": \"f\"\n}\nDone.", []string{"1 f <none>", "4:1: not a tool: tools are an object or a list, and this begins with 'D'"}},
		"deep": {
			"[{\"name\": \"f\"},\n" + strings.Repeat("[", deep) + strings.Repeat("]", deep) + ",\n{\"name\": \"g\"}]",
			[]string{"1 f <none>", "2! 2:1001: nested too deep: more than 1000 levels", "3 g <none>"},
		},
		"deep results": {strings.Repeat(`{"result": `, deep) + "1" + strings.Repeat("}", deep), []string{"1! 1:11001: nested too deep: more than 1000 levels"}},
		"deep lists": {
			strings.Repeat(`[{"functionDeclarations": `, deep) + "[]" + strings.Repeat("}]", deep),
			[]string{"1:106: nested too deep: more than 4 lists of tools inside one another"},
		},
		"deep cut": {strings.Repeat("[", deep), []string{"1! 1:1002: nested too deep: more than 1000 levels"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, linesOf(test.text), test.want)
		})
	}
}

func TestManyFaults(t *testing.T) {
	t.Parallel()
	const faults, shown = 1000, 20
	if got := linesOf("[" + strings.Repeat(",", faults) + "]"); len(got) != shown {
		t.Errorf("%d faults are named", len(got))
	}
}

// TestErrorsAre checks that errors.Is tells the cause of an error.
func TestErrorsAre(t *testing.T) {
	t.Parallel()
	tools, err := toolfile.Read(strings.NewReader(`{"tools": [{"name": "f", "name": "g"}], "a": 1, "a": 2`))
	if len(tools) != 1 || !errors.Is(tools[0].Err, schema.ErrDuplicateName) {
		t.Errorf("the tools are %v", tools)
	}
	if !errors.Is(err, schema.ErrDuplicateName) || !errors.Is(err, schema.ErrNotJSON) {
		t.Errorf("the error is %v", err)
	}
}

// TestPointer checks that pointers lead from the tool into its declaration.
func TestPointer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]map[schema.Pointer]schema.Pointer{
		`{"name": "f", "inputSchema": {"type": "object"}}`:                                        {"/parameters/type": "/inputSchema/type", "/name": "/name", "": ""},
		`{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}`:       {"/parameters/type": "/function/parameters/type", "/name": "/function/name"},
		`{"type": "object", "properties": {"parameters": {"type": "string"}}, "required": ["x"]}`: {"/parameters/properties/parameters": "/properties/parameters", "/parameters": ""},
	} {
		tools, err := toolfile.Read(strings.NewReader(text))
		if err != nil || len(tools) != 1 {
			t.Fatalf("%s: %d tools, %v", text, len(tools), err)
		}
		for from, to := range want {
			got := tools[0].Pointer(from)
			if got != to {
				t.Errorf("%s: %q leads to %q and not to %q", text, from, got, to)
			}
			if tools[0].Declaration.Find(got) == nil {
				t.Errorf("%s: there is nothing at %q", text, got)
			}
			isParameter := from.Under("/parameters")
			if back, ok := tools[0].Within(to); ok != isParameter || ok && back != from {
				t.Errorf("%s: %q leads back to %q, %t", text, to, back, ok)
			}
		}
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "{\"name\": \"tool%d\"}\n", i*i)
	}
	whole := compressed(t, text.String())
	tools, err := toolfile.Read(bytes.NewReader(whole))
	if len(tools) != 1000 || err != nil {
		t.Errorf("%d tools, %v", len(tools), err)
	}
	tools, err = toolfile.Read(bytes.NewReader(whole[:len(whole)*2/3]))
	if len(tools) < 100 || err == nil || err.Error() != "reading tools: decompressing: unexpected EOF" {
		t.Errorf("half a file: %d tools, %v", len(tools), err)
	}
	tools, err = toolfile.Read(strings.NewReader("\x1f\x8bno"))
	if len(tools) != 0 || err == nil || err.Error() != "reading tools: decompressing: unexpected EOF" {
		t.Errorf("no gzip: %d tools, %v", len(tools), err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the line is dead") }

func TestBadReader(t *testing.T) {
	t.Parallel()
	if _, err := toolfile.Read(broken{}); err == nil || err.Error() != "reading tools: the line is dead" {
		t.Errorf("the error is %v", err)
	}
}

// TestLarge checks that a document of 10 MB is read completely.
func TestLarge(t *testing.T) {
	t.Parallel()
	const tools, width = 2000, 5000
	line := `{"name": "f", "description": "` + strings.Repeat("x", width) + "\"}\n"
	read, err := toolfile.Read(strings.NewReader(strings.Repeat(line, tools)))
	if len(read) != tools || err != nil {
		t.Errorf("%d tools, %v", len(read), err)
	}
}

// FuzzRead checks that Read does not panic, that every tool is either understood or has an
// error with a position, and that no tool is lost silently: a document with neither tools nor
// an error is an empty list.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"tools": [{"name": "f", "inputSchema": {"type": "object"}}]}`, `[{"type": "function", "function": {"name": "f", "parameters": {}}}, {"type": "x"}]`,
		`{"tools": [{"functionDeclarations": [{"name": "f"}]}]}`, "{\"name\": \"f\"}\n{\"name\": \"g\"\n", `{"result": {"tools": [{}]}}`, `{"type": "object"`,
		"[{\"a\": \"\xff\"},,]", `{"a" 1, "tools": [}`, "\x1f\x8b", "\ufeff[]", `{"tools": [{"name": "f"}}`, `{"":"\`, "[[", "{\n}\n{", "\n\n1",
		"tools:\n- name: f\n  inputSchema: &a {é: *b}\n- <<: *a\n", "a: &a [*a]", "// x\n{/* y */\"name\": \"f\"}", "[a]\nb = 1\n", "{\"\":\"\"}\n{0", "- \u2028a: 0x1", "--- {}\n--- {\"name\": f}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tools, err := toolfile.Read(bytes.NewReader(text))
		lines := bytes.Count(text, []byte{'\n'}) + 1
		for _, tool := range tools {
			var syntax *schema.SyntaxError
			switch {
			case bytes.HasPrefix(text, []byte{0x1f, 0x8b}): // lines are counted in the decompressed text
			case tool.Line < 1 || tool.Line > lines:
				t.Errorf("line %d of %d", tool.Line, lines)
			case tool.Err != nil && !errors.As(tool.Err, &syntax):
				t.Errorf("the error has no place: %v", tool.Err)
			case tool.Err != nil && (int(syntax.Position.Line) < tool.Line || int(syntax.Position.Line) > lines || syntax.Position.Column < 1):
				t.Errorf("the error is at %s of a tool at line %d of %d", syntax.Position, tool.Line, lines)
			}
			if tool.Parameters != nil && (tool.Declaration == nil || tool.Declaration.Find(tool.Pointer("/parameters")) != tool.Parameters) {
				t.Errorf("the parameters are not at %s", tool.Pointer("/parameters"))
			}
		}
		_, isForeign := errors.AsType[*toolfile.ForeignError](err)
		if parsed, bad := schema.Parse(text); bad == nil && err != nil && parsed.Kind >= schema.Array && !isForeign {
			t.Errorf("good JSON is an error: %v", err)
		}
		if len(tools) > 0 && isForeign {
			t.Errorf("%d tools, and %v", len(tools), err)
		}
		if other := foldedOtherwise(text); other != "" {
			t.Error(other)
		}
	})
}

// TestTooManyTools has documents of a few kilobytes with more tools than one may have. Where the number
// is seen before any tool is read, the memory is a small multiple of the text.
func TestTooManyTools(t *testing.T) { //nolint:paralleltest // it measures allocations
	const perByte = 20
	for name, test := range map[string]struct {
		text      string
		isBounded bool
	}{
		"numbers":    {"[" + strings.Repeat("1,", 5_000_000) + "1]", true},
		"tools":      {`{"tools": [` + strings.Repeat(`{"name":"f"},`, 1_000_000) + `{"name":"f"}]}`, true},
		"many lists": {strings.Repeat(`[`+strings.Repeat("1,", 150_000)+"1]\n", 2), false},
		"lines":      {strings.Repeat("{\"name\":\"f\"}\n", toolfile.MaxTools+1), false},
	} {
		var compressed bytes.Buffer
		writer := gzip.NewWriter(&compressed)
		if _, err := io.WriteString(writer, test.text); err != nil || writer.Close() != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tools, err := toolfile.Reader{Folds: true}.Read(&compressed)
		runtime.ReadMemStats(&after)
		if len(tools) > 0 || !errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), "more than 200000 tools: split the document") {
			t.Errorf("%s: %d tools: %v", name, len(tools), err)
		}
		if taken := int(after.TotalAlloc - before.TotalAlloc); test.isBounded && taken > perByte*len(test.text) {
			t.Errorf("%s: %d bytes take %d", name, len(test.text), taken)
		}
	}
}

// TestRequest distinguishes tools that are sent together from those that stand alone.
func TestRequest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		`{"tools": [{"name": "f"}, {"name": 3}, {"name": "g"}]}`:                                 {1, 1, 1},
		`[{"functionDeclarations": [{"name": "f"}]}, {"functionDeclarations": [{"name": "g"}]}]`: {1, 1},
		`[{"type": "function", "function": {"name": "f", "parameters": {}}}]`:                    {1},
		"{\"name\": \"f\"}\n{\"name\": \"g\"}\n":                                                 {0, 0},
		"[{\"name\": \"f\"}]\n{\"name\": \"g\"}\n[{\"name\": \"h\"}, {\"name\": \"i\"}]\n":       {1, 0, 3, 3},
		`[{"id": "1", "name": "f", "schema": {}}, {"name": "g", "schema": {}}]`:                  {0, 0},
		`[{"type": "object", "properties": {}}, {"type": "object", "properties": {}}]`:           {0, 0},
		`{"name": "f", "inputSchema": {}}`:                                                       {0},
	} {
		tools, _ := toolfile.Read(strings.NewReader(text))
		got := make([]int, len(tools))
		for i, tool := range tools {
			got[i] = tool.Request
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the requests are %v, want %v", text, got, want)
		}
	}
}

// TestGoogleMembers reads the members that only Google's declarations have, and near misses.
func TestGoogleMembers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}, "response": {"type": "string"}}]}`:          `{"response":{"type":"string"}}`,
		`{"tools": [{"function_declarations": [{"name": "f", "behavior": "BLOCKING", "response_json_schema": true}]}]}`:        `{"behavior":"BLOCKING","response_json_schema":true}`,
		`{"name": "f", "parametersJsonSchema": {"type": "object"}, "response": {"type": "string"}}`:                            `{"response":{"type":"string"}}`,
		`{"name": "f", "parameters": {"type": "object"}, "description": "d", "response": {"type": "string"}}`:                  ``, // a note of its author
		`{"tools": [{"name": "f", "inputSchema": {"type": "object"}, "behavior": "BLOCKING"}]}`:                                ``,
		`{"tools": [{"functionDeclarations": [{"name": "f"}]}, {"name": "f", "description": "d", "response": {"type": "x"}}]}`: ``,
	} {
		tools, err := toolfile.Read(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		if members := tools[len(tools)-1].Members; members != nil {
			got = members.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
