package versions

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestBounds: a version is there on the day on which one that follows it in its major is.
func TestBounds(t *testing.T) {
	t.Parallel()
	got := bounds(map[string]string{
		"created": "2020-01-01T00:00:00Z", "modified": "2026-12-01T00:00:00Z",
		"1.9.0": "2026-05-02T10:00:00Z", "1.10.0": "2025-11-15T10:00:00Z", "1.11.0": "2026-05-02T10:00:00Z",
		"2.0.0": "2025-10-01T10:00:00Z", "1.12.0-beta.1": "2024-01-01T10:00:00Z", "2.0.0-beta.1": "2025-12-01T10:00:00Z",
	})
	want := map[string]provider.Date{
		"1.9.0": "2025-11-15", "1.10.0": "2025-11-15", "1.11.0": "2026-05-02", "2.0.0": "2025-10-01", "1.12.0-beta.1": "2024-01-01", "2.0.0-beta.1": "2025-10-01",
		"created": "2020-01-01", "modified": "2026-12-01",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func parse(t *testing.T, text string) *schema.Node {
	t.Helper()
	node, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func TestInWords(t *testing.T) {
	t.Parallel()
	tool := func(text string) schema.Tool { return schema.Tool{Name: "f", Parameters: parse(t, text)} }
	original := `{"type":"object","properties":{"a":{"type":"string","minLength":1},"b":{"type":["string","null"]},"c":true}}`
	for made, want := range map[string]string{
		original: "",
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{}},"additionalProperties":false}`: "+additionalProperties +anyOf -minLength -type ~properties/c",
		`{"type":"OBJECT","properties":{"a":{"type":"STRING","minLength":"1"},"b":{"type":["string","null"]}}}`:                                        "-properties/c",
	} {
		if got := inWords(arrival.Changes(tool(original), tool(made))); got != want {
			t.Errorf("%s: %q, not %q", made, got, want)
		}
	}
}

func TestTypeOf(t *testing.T) {
	t.Parallel()
	parameters := parse(t, `{"properties":{"a":{"type":"string","enum":["x"],"description":"d"},"b":{"type":["integer","null"],"minimum":1,"maximum":2},"c":true},"required":["b"]}`)
	for name, want := range map[string]string{"a": "string (enum)", "b": "integer,null (maximum minimum), required", "c": "any"} {
		if got := typeOf(parameters.Get("properties").Get(name), isRequired(parameters, name)); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	if long := inBrief(schema.NewString(strings.Repeat("word\n", 60))); len(long) > 150 || !strings.HasSuffix(long, " word … (sha256 85838f0a)") {
		t.Errorf("a long text is %q", long)
	}
	if none := inBrief(nil); none != "says nothing" {
		t.Errorf("no text is %q", none)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	complaint := "file:///home/user/version123/x.js:3\nimport {a} from 'b'\n        ^\nSyntaxError: The module 'b' has no export named 'a'\n    at x\n"
	if got, want := oneLine(thrown(complaint)), "SyntaxError: The module 'b' has no export named 'a'"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	long := errors.New("reading /home/user/version123/node_modules/x/index.js: " + strings.Repeat("é", 300))
	if got := oneLine(long.Error()); !strings.HasPrefix(got, "reading …/index.js: é") || len(got) > 250 {
		t.Errorf("%q", got)
	}
}

// TestImport: reports are appended once, with what became of each tool.
func TestImport(t *testing.T) {
	t.Parallel()
	const report = `{"version":1,"client":"codex","client_version":"0.1.0","surface":"responses","date":"2026-11-22","request":{"path":"/","status":200,"message":""},"tools":[
	{"tool":"a","sent":"a","state":"kept","loss":"exact","changes":[],"refused":[]},
	{"tool":"b","sent":"","state":"missing","loss":"exact","changes":[],"refused":[],"costs":2},
	{"tool":"c","sent":"c","state":"changed","loss":"widens","changes":[{"at":"/parameters/properties/x","loss":"widens","before":{"pattern":"y"}}],"refused":[{"rule":"r","severity":"critical","message":"m","at":""}]}]}
	{"version":1,"summary":{}}`
	records, err := ofReports(strings.NewReader(report), "there")
	if err != nil || len(records) != 1 {
		t.Fatalf("reads %d records: %v", len(records), err)
	}
	want := map[string]string{"a": "kept", "b": "missing in silence, and all tools of its server with it", "c": "refused by the provider: r; -pattern"}
	if diff := cmp.Diff(want, records[0].Facts); diff != "" || records[0].Subject != "@openai/codex" || records[0].Place != "responses" {
		t.Errorf("%s of %s: %s", records[0].Place, records[0].Subject, diff)
	}
	folder := t.TempDir()
	run := &Run{Folder: folder}
	if err := run.append(records[0], records[0]); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "agent.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 2 {
		t.Errorf("%d lines", lines)
	}
	read, err := history.Read(os.DirFS(folder))
	if err != nil || len(read) != 2 {
		t.Fatalf("reads %d records: %v", len(read), err)
	}
	if diff := cmp.Diff(records[0].Facts, read[1].Facts); diff != "" {
		t.Error(diff)
	}
}

// TestSendsNone: that an agent sends no tool is a fact where the agent is known for that. Elsewhere the server may not have
// been ready.
func TestSendsNone(t *testing.T) {
	t.Parallel()
	for report, want := range map[string]string{
		`"client":"cline","client_version":"3.0.57","surface":"gemini"`:     "",
		`"client":"cline","client_version":"3.0.57","surface":"chat"`:       isLate,
		`"client":"cline","client_version":"2.14.0","surface":"chat"`:       "the agent declares no tool, and describes them in the prompt",
		`"client":"codex","client_version":"0.142.5","surface":"responses"`: isLate,
	} {
		line := `{"version":1,` + report + `,"sends_none":true,"request":{"path":"/","status":200,"message":""},"tools":[{"tool":"a","state":"missing","loss":"exact"}]}`
		records, err := ofReports(strings.NewReader(line), "")
		if err != nil || len(records) != 1 {
			t.Fatalf("%s: reads %d records: %v", report, len(records), err)
		}
		if got := records[0]; got.Unmeasured != want || (len(got.Facts) == 1) != (want == "") {
			t.Errorf("%s: %q, with %d facts", report, got.Unmeasured, len(got.Facts))
		}
	}
}

// TestNamed: a name is that of a package or of a version that is listed.
func TestNamed(t *testing.T) {
	t.Parallel()
	subject := subject{Package: "@a/b", Versions: []string{"1.0.0", "1.0.10"}}
	for name, want := range map[string]bool{"@a/b": true, "@a/b@1.0.0": true, "@a/b@1.0.1": false, "@a/bc": false, "@a/b@": false, "b@1.0.0": false} {
		if got := subject.isNamed(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestSubjects: what is listed has all that measuring it needs.
func TestSubjects(t *testing.T) {
	t.Parallel()
	run := &Run{Servers: "../referees/ajv/versions.json", Adapters: "../adapters/npm", GoAdapters: "../adapters/go", Engines: "../referees/engines"}
	all, err := run.subjects()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, subject := range all {
		var needed string
		isAdapter, isEngine := subject.Kind == "sdk" || subject.Kind == "normalizer", subject.Kind == "engine"
		switch isModule := subject.Language == goLanguage; {
		case isAdapter && isModule:
			needed = filepath.Join(run.GoAdapters, subject.Adapter, "main.go")
		case isEngine && isModule:
			needed = filepath.Join(run.Engines, subject.Adapter, "main.go")
		case isAdapter:
			needed = filepath.Join(run.Adapters, subject.Adapter+".js")
		case isEngine:
			needed = filepath.Join(run.Engines, subject.Adapter+".js")
		}
		if needed != "" {
			if _, err := os.Stat(needed); err != nil {
				t.Errorf("%s: %v", subject.Package, err)
			}
		}
		for _, version := range subject.Versions {
			if key := subject.Kind + " " + subject.Package + " " + version; seen[key] {
				t.Errorf("%s is listed twice", key)
			} else {
				seen[key] = true
			}
		}
	}
}

// TestFactsOf: what an engine answers is a fact only if each tool was answered.
func TestFactsOf(t *testing.T) {
	t.Parallel()
	tools := []schema.Tool{
		{Name: "a", Parameters: parse(t, `{"type":"object","properties":{"x":{"type":"string","minLength":1}}}`)},
		{Name: "b", Parameters: parse(t, `{"type":"object"}`)},
	}
	const (
		kept     = `{"id":"a","verdict":"accepted","kept":{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{"x":{"type":"string"}},"required":[]}}}}`
		rejected = `{"id":"b","verdict":"rejected","message":"no\nschema"}`
	)
	got, err := factsOf(tools, []byte(kept+"\n"+rejected))
	if diff := cmp.Diff(map[string]string{"a": "accepted; +required -minLength", "b": "rejected: no schema"}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for answers, want := range map[string]string{
		kept:                                     "the engine answered 1 of 2 questions",
		kept + `{"id":"c","verdict":"accepted"}`: `"c", which was not asked`,
		kept + `{"id":"b","verdict":"crashes","message":"no answer within 20 seconds"}`: errSlow.Error(),
		kept + `{"id":`: "reading what the engine says",
	} {
		if got, err := factsOf(tools, []byte(answers)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", answers, got, err)
		}
	}
}

// TestCopyGo: the sources of an adapter import the module that is measured.
func TestCopyGo(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	const source = `import ("example.com/a/b"; "example.com/c"; "toolproof/example.com/a")`
	if err := os.WriteFile(filepath.Join(from, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	subject := subjectVersion{subject: subject{Package: "example.com/a/v2", As: "example.com/a"}}
	if err := subject.copyGo(from, filepath.Join(to, "cmd")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(to, "cmd", "main.go"))
	if want := `import ("example.com/a/v2/b"; "example.com/c"; "toolproof/example.com/a")`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if err := subject.copyGo(filepath.Join(from, "none"), to); err == nil {
		t.Error("a folder without sources is copied")
	}
}

// TestIsDownload: what go says of downloads is not the reason why a version is not measured.
func TestIsDownload(t *testing.T) {
	t.Parallel()
	said := "go: downloading example.com/a v1.0.0\ngo: downloading example.com/b v1.0.0\nmain.go:1:1: undefined: a\n"
	if got, want := string(isDownload.ReplaceAll([]byte(said), nil)), "main.go:1:1: undefined: a\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
