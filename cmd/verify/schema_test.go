package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/fixtures"
	"toolproof/harness/drift"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/recordings"
)

// forms has one document of each form, with many things to say about the tools.
var forms = map[string]string{
	"mcp":       `{"tools": [{"name": "f", "inputSchema": {"$schema": "x", "type": "object", "properties": {"a": {"const": 1}, "b": {"type": ["string", "null"]}}}}]}`,
	"chat":      `[{"type": "function", "function": {"name": "a b", "description": {"en": "x"}, "parameters": {"anyOf": [{"type": "object"}, {"type": "object", "required": ["q"]}]}}}]`,
	"responses": `{"tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}, "strict": true}, {"type": "web_search"}]}`,
	"gemini":    `{"tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {"": {"type": "STRING"}}}}]}]}`,
	"anthropic": `[{"name": "f", "input_schema": {"type": "object", "additionalProperties": {"type": "string"}}}]`,
	"bare":      `{"type": "object", "properties": {"a/b~c": {"exclusiveMinimum": 1}, "t": {"type": "array", "items": [{"type": "string"}]}}}`,
	"lines":     "{\"id\": \"1\", \"name\": \"f\", \"schema\": true}\n{\"id\": \"2\", \"name\": \"g\", \"schema\": {\"allOf\": [{\"$ref\": \"#\"}]}}\n{\"name\": 3}\n{\n[]\n",
	"twice":     `{"tools": [{"name": "f", "inputSchema": {"type": "object", "properties": {}}}, {"name": "f", "inputSchema": {"type": "object", "properties": {}}}]}`,
	"half":      `{"tools": [{"name": "f"}, {"na`,
	"request":   `{"model": "gpt-4o", "surprise": 1, "messages": [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "c", "content": "42"}], "max_tokens": 9, "max_completion_tokens": 9}`,
	"words":     "hello",
	"empty":     "",
}

// someFixtures is the pattern of the fixtures that a sweep is about: all of them. Short tests
// take one of 14, those of all folders whose name ends with d; make whole takes all.
func someFixtures() string {
	if testing.Short() {
		return "*d"
	}
	return "*"
}

// TestResultLines checks that what the program writes is what it publishes.
func TestResultLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/result.schema.json")
	check := func(t *testing.T, out string) {
		t.Helper()
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		for _, line := range lines {
			clitest.Validate(t, compiled, []byte(line), "result line")
		}
		for i, line := range lines {
			if isLast := strings.Contains(line, `{"version":1,"summary":`); isLast != (i == len(lines)-1) {
				t.Errorf("line %d of %d: the summary is the last line, and no other one is", i+1, len(lines))
			}
		}
	}
	for name, document := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, words := range []string{
				"check --json --requests --normalized -", "check --json --requests --target=all -", "check --json --fail-on=advice -",
				"advise --json -", "advise --json --rule=all --target=ollama,portable -",
			} {
				var out, errs bytes.Buffer
				code := run(context.Background(), strings.Fields(words), strings.NewReader(document), &out, &errs)
				check(t, out.String())
				var last struct {
					Summary struct {
						Conforms bool `json:"conforms"`
					} `json:"summary"`
				}
				if err := json.Unmarshal(out.Bytes()[bytes.LastIndexByte(bytes.TrimSpace(out.Bytes()), '\n')+1:], &last); err != nil {
					t.Fatal(err)
				}
				if last.Summary.Conforms != (code == cli.CodeConforms) {
					t.Errorf("conforms is %t, and the exit code %d", last.Summary.Conforms, code)
				}
			}
		})
	}
	t.Run("fixtures", func(t *testing.T) {
		t.Parallel()
		var out, errs bytes.Buffer
		run(context.Background(), []string{"--json", "--requests", "--fixture", someFixtures()}, strings.NewReader(""), &out, &errs)
		check(t, out.String())
		if !strings.Contains(out.String(), `"side":"raw"`) {
			t.Errorf("there is no result of a fixture: %s", errs.String())
		}
	})
}

// TestFlipLines checks every kind of line of a comparison.
func TestFlipLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/flip.schema.json")
	folder := t.TempDir()
	const state = `{"version":1,"id":"","tool":%q,"source":"t","line":1,"target":"gemini","dialect":"gemini/parameters","status":"pass","error":"",` +
		`"normalized":{"verdict":%q,"evidence":"predicted","findings":%s,"tool":{"name":"f"},"strict":false,"fallback":"","loss":%q,"changes":[]}}`
	const finding = `[{"rule":"r","severity":"critical","message":"no","at":"","line":0,"col":0}]`
	const end = `{"version":1,"summary":{"tools":1,"read":1,"judged":1,"targets":{},"evidence":{},"conforms":true}}`
	const lost = `{"version":1,"id":"","tool":"lost","source":"t","line":1,"target":"gemini","dialect":"gemini/parameters","status":"inconclusive","error":"no route"}`
	var names []string
	for name, lines := range map[string][]string{
		"old": {fmt.Sprintf(state, "flips", "accepted", "[]", "exact"), fmt.Sprintf(state, "lost", "accepted", "[]", "exact"), fmt.Sprintf(state, "gone", "accepted", "[]", "exact"), end},
		"new": {fmt.Sprintf(state, "flips", "rejected", finding, "both"), lost, fmt.Sprintf(state, "new", "accepted", "[]", "exact"), end},
	} {
		name = filepath.Join(folder, name)
		names = append(names, name)
		if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names) // new, old
	out, _ := clitest.Output(t, run, "", cli.CodeFails, "compare", "--json", names[1], names[0])
	for line := range strings.Lines(out) {
		clitest.Validate(t, compiled, []byte(line), "flip line")
	}
	for _, what := range []string{"normalized", "loss", "gone", "new", "inconclusive", "summary"} {
		if !strings.Contains(out, `"`+what+`"`) {
			t.Errorf("there is no line of %s:\n%s", what, out)
		}
	}
}

// TestDifferenceLines checks the lines of the example of docs/diff.md, in both directions.
func TestDifferenceLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/diff.schema.json")
	const older, newer = "../../docs/diff-old.json", "../../docs/diff-new.json"
	for _, names := range [][]string{{older, newer}, {newer, older}} {
		out, _ := clitest.Output(t, run, "", cli.CodeFails, "diff", "--json", names[0], names[1])
		for line := range strings.Lines(out) {
			clitest.Validate(t, compiled, []byte(line), "difference line")
		}
		if !strings.Contains(out, `"summary"`) {
			t.Errorf("there is no summary:\n%s", out)
		}
	}
}

// TestModelOf: of a fixture as it is given the model is asked about the tools of the fixture,
// and of a tool that no fixture has it says nothing.
func TestModelOf(t *testing.T) {
	t.Parallel()
	ask := modelOf(t.Context())
	for name, want := range map[string]provider.Verdict{"no-such-fixture": "", "gemini-description-object": provider.Rejected, "property-named-const": provider.Accepted} {
		if got := ask(verdict.Result{Dialect: "gemini/parameters", Kind: &verdict.Fixture{ID: name}}, drift.Raw); got != want {
			t.Errorf("%s: the model says %q, want %q", name, got, want)
		}
	}
}

func TestMinimizedTool(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/minimized.schema.json")
	out, _ := clitest.Output(t, run, forms["mcp"], cli.CodeConforms, "minimize", "--json", "--target", "gemini/parameters", "-")
	clitest.Validate(t, compiled, []byte(out), "verify minimize --json")
}

// TestSchemasRefuse checks that the published schemas are strict: what they do not
// describe is wrong.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"result": {
			`{}`, `[]`, `{"version":1,"summary":{}}`,
			`{"version":2,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"pass","error":""}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"passed","error":""}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"error","error":""}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"pass","error":"","more":1}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"pass","error":"","side":"raw"}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"gemini/parameters","status":"pass","error":"","tokens":1}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"gemini","dialect":"","status":"pass","error":""}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"advice","dialect":"gemini/parameters","status":"pass","error":""}`,
			`{"version":1,"id":"","tool":"f","source":"-","line":1,"target":"advice","dialect":"","status":"pass","error":"","advice":[]}`,
		},
		"baseline": {
			`{"source":"a","id":"","tool":"f","target":"gemini","rule":"r"}`,
			`{"source":"a","id":"","tool":"f","target":"gemini","rule":"r","at":"x"}`,
			`{"source":"a","id":"","tool":"f","target":"gemini","rule":"r","at":"","line":1}`,
		},
		"recording": {`{"version":1}`},
		"flip": {
			`{}`, `{"version":1,"summary":{}}`,
			`{"version":1,"what":"raw","id":"","tool":"f","source":"t","target":"gemini","dialect":"gemini/parameters","guilty":"rule"}`,
			`{"version":1,"what":"gone","id":"","tool":"f","source":"t","target":"gemini","dialect":"gemini/parameters","guilty":"us"}`,
		},
		"explore": {`{}`, `{"version":1,"surface":"a/b","rule":"r"}`, `{"version":1,"surface":"a/b","model":"m","cells":1,"seen":0,"accepted":1,"refused":0,"finds":0,"requests":1}`},
		"conformance": {
			`{}`, `{"scenario":"a","api":"chat","outcome":"pass"}`, `{"scenario":"a","api":"messages","outcome":"fail","why":"w"}`,
			`{"scenario":"a","api":"messages","outcome":"silent"}`, `{"scenario":"a","api":"messages","outcome":"pass","why":"w"}`,
		},
		"protocol": {
			`{}`, `{"source":"s","over":"stdio","check":"ping","level":"must","revision":"2025-11-25","outcome":"broken","says":"s","page":"https://a"}`,
			`{"source":"s","over":"sse","check":"ping","level":"must","revision":"2025-11-25","outcome":"kept","says":"s","page":"https://a"}`,
			`{"source":"s","over":"http","check":"session","level":"may","revision":"2025-11-25","outcome":"broken","saw":"w","says":"s","page":"https://a"}`,
		},
		"minimized": {`{}`, `{"version":1,"dialect":"gemini/parameters","rule":"r","message":"m","asks":0,"minimal":true,"tool":{"name":"f"}}`},
		"calibration": {
			`{"dialects":[]}`, `{"dialects":[],"set_aside":{"auth":0}}`, `{"dialects":[],"set_aside":{},"more":1}`,
			`{"dialects":[{"dialect":"a/b","accepted":{"of":1},"refused":{"of":0,"agreed":0},"messages":{"of":0,"exact":0},"disagreements":[]}],"set_aside":{}}`,
		},
	} {
		compiled := clitest.CompileSchema(t, "../../docs/schema/"+name+".schema.json")
		for _, line := range lines {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if compiled.Validate(value) == nil {
				t.Errorf("%s.schema.json lets pass %s", name, line)
			}
		}
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	validateAll(t, recordings.Files, "../../docs/schema/recording.schema.json")
	compiled := clitest.CompileSchema(t, "../../docs/schema/recording.schema.json")
	names, err := fs.Glob(recordings.Files, "*/*/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files of lines: %v", len(names), err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(recordings.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			clitest.Validate(t, compiled, line, name)
		}
	}
}

func TestFixtures(t *testing.T) {
	t.Parallel()
	validateAll(t, fixtures.Files, "../../fixtures/fixture.schema.json")
}

// validateAll checks every file of a tree but the schemas.
func validateAll(t *testing.T, files fs.FS, name string) {
	t.Helper()
	compiled := clitest.CompileSchema(t, name)
	count := 0
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".schema.json") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		clitest.Validate(t, compiled, text, name)
		count++
		return err
	})
	if err != nil || count == 0 {
		t.Fatalf("%d files: %v", count, err)
	}
}

// TestBaselineLines checks a baseline that the program wrote, of all forms.
func TestBaselineLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/baseline.schema.json")
	count := 0
	for form, document := range forms {
		name := filepath.Join(t.TempDir(), form+".jsonl")
		var out, errs bytes.Buffer
		run(context.Background(), []string{"check", "--target", "all", "--write-baseline", name, "-"}, strings.NewReader(document), &out, &errs)
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			clitest.Validate(t, compiled, line, form)
			count++
		}
	}
	if count == 0 {
		t.Error("there are no entries")
	}
}
