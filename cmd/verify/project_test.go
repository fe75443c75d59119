package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/project"
)

// TestConfigPage reads the examples of docs/config.md as toolproof.json: the reader takes
// them, and so does the published schema.
func TestConfigPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	compiled := clitest.CompileSchema(t, "../../docs/schema/toolproof.schema.json")
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) < 2 {
		t.Fatalf("the page has %d examples, expected at least 2", len(examples))
	}
	for _, example := range examples {
		clitest.Validate(t, compiled, example[1], "docs/config.md")
		if _, err := project.Read(strings.NewReader(string(example[1])), project.Name, cli.ProjectNames()); err != nil {
			t.Errorf("docs/config.md: %v\n%s", err, example[1])
		}
	}
	for _, member := range compiled.Properties {
		if member.Description == "" {
			t.Errorf("a member of toolproof.json has no description for editors: %s", member.Location)
		}
	}
	for name := range compiled.Properties {
		if !strings.Contains(string(page), "\n| `"+name+"` |") {
			t.Errorf("docs/config.md does not describe %s", name)
		}
	}
}

// TestProjectLines checks the result lines of a run that lets findings pass, and those of one
// that no longer does, by the published schema. A report of them says the same.
func TestProjectLines(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/result.schema.json")
	folder := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write("tools.json", `[{"name": "f", "parameters": {"type": "object", "properties": {"a": {"const": 1}, "b": {"type": ["string", "null"]}}}}]`)
	const ignores = `{"sources": ["tools.json"], "targets": ["gemini"], "severity": {"not_repeating": "warning"}, "ignore": [
		{"tool": "f", "rule": "unknown_name", "reason": "known to us", "until": "DAY"}, {"tool": "g", "rule": "unknown_name", "reason": "gone", "until": "DAY"}]}`
	for day, test := range map[string]struct {
		code  int
		wants []string
	}{
		"9999-12-31": {cli.CodeConforms, []string{`"waived":{"reason":"known to us","until":"9999-12-31"}`, `"level":"warning"`, `"problem":"unused"`, `"excused":1`}},
		"2020-01-31": {cli.CodeFails, []string{`"problem":"expired"`, `"problem":"unused"`, `"level":"warning"`}},
	} {
		name := write(day+".json", strings.ReplaceAll(ignores, "DAY", day))
		out, _ := clitest.Output(t, run, "", test.code, "check", "--json", "--config", name)
		for line := range strings.Lines(out) {
			clitest.Validate(t, compiled, []byte(line), day)
		}
		for _, want := range test.wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the lines lack %s:\n%s", day, want, out)
			}
		}
		again, _ := clitest.Output(t, run, out, test.code, "report", "--json", "-")
		if again != out {
			t.Errorf("%s: the report says\n%s\nand the run\n%s", day, again, out)
		}
	}
}

// TestWatchProject: a check of toolproof.json is done again when that file changes, or one
// that it names.
func TestWatchProject(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tools.json", `{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"const": 1}}}}`)
	write("toolproof.json", `{"sources": ["tools.json"], "targets": ["openai"]}`)
	s := &session{&cli.Session{}}
	name := filepath.Join(folder, "toolproof.json")
	state := func() string {
		text, err := s.state(t.Context(), s.sourcesToWatch(t.Context(), name), nil)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := state()
	if state() != first {
		t.Error("nothing changed, and the state is another")
	}
	write("tools.json", `{"name": "f", "inputSchema": {"type": "object"}}`)
	second := state()
	write("toolproof.json", `{"sources": ["tools.json", "more.json"]}`)
	third := state()
	write("more.json", `{}`)
	fourth := state()
	write("toolproof.json", `{"sources":`)
	fifth := state()
	for i, pair := range [][2]string{{first, second}, {second, third}, {third, fourth}, {fourth, fifth}} {
		if pair[0] == pair[1] {
			t.Errorf("change %d is not seen", i+1)
		}
	}
}
