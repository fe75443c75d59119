package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"toolproof/internal/project"
)

// TestConfigPage reads the examples of docs/config.md as toolproof.json: the reader takes
// them, and so does the published schema.
func TestConfigPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	compiled := compileSchema(t, "../../docs/"+projectSchemaFile)
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) < 2 {
		t.Fatalf("the page has %d examples, expected at least 2", len(examples))
	}
	for _, example := range examples {
		validate(t, compiled, example[1], "docs/config.md")
		if _, err := project.Read(strings.NewReader(string(example[1])), project.Name, projectNames()); err != nil {
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
	s := &session{}
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
