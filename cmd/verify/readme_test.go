package main

import (
	"bytes"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/cmd/internal/cli"
)

var console = regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/verify ([^\n]*)\n(.*?)```")

// TestReadme runs the examples of the README, docs/live.md and docs/diff.md: they are to show real
// output. The README stays short.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(readme))); words > 1200 {
		t.Errorf("the README has %d words, and newcomers read 1,200: write more on a page of docs/", words)
	}
	live, err := os.ReadFile("docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	diff, err := os.ReadFile("docs/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := console.FindAllStringSubmatch(string(readme)+string(live)+string(diff), -1)
	if len(examples) < 5 {
		t.Fatalf("there are %d examples, expected at least 5", len(examples))
	}
	for _, example := range examples {
		var out, errs bytes.Buffer
		run(t.Context(), strings.Fields(example[1]), strings.NewReader(""), &out, &errs)
		if got := out.String() + errs.String(); got != example[2] {
			t.Errorf("verify %s prints\n%s\nand the page says\n%s", example[1], got, example[2])
		}
	}
}

// TestPageOfLibrary holds the programs of docs/library.md against the examples that are run.
func TestPageOfLibrary(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	rest := string(page)
	for _, file := range []string{"readme_test.go", "example_option_test.go"} {
		example, err := os.ReadFile("normalizers/toopenai/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, program, found := strings.Cut(rest, "```go\n")
		program, rest, _ = strings.Cut(program, "```")
		if !found || !strings.Contains(strings.ReplaceAll(string(example), "\n\t", "\n"), program) {
			t.Errorf("%s, which is run, has no such program\n%s", file, program)
		}
	}
}

// rowOf is the first cell of a row of a table of Markdown, in code.
var rowOf = regexp.MustCompile("(?m)^\\| `([^`]+)`")

// TestTables holds the tables of docs/commands.md against the program, and that of
// docs/architecture.md against the tree: each lists all, and nothing else.
func TestTables(t *testing.T) {
	t.Chdir("../..")
	firstCells := func(page, heading string) []string {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, section, found := strings.Cut(string(text), heading)
		if !found {
			t.Fatalf("%s has no %q", page, heading)
		}
		section, _, _ = strings.Cut(section, "\n## ")
		var cells []string
		for _, row := range rowOf.FindAllStringSubmatch(section, -1) {
			cells = append(cells, row[1])
		}
		slices.Sort(cells)
		return cells
	}
	commands := []string{"verify"}
	for _, command := range newRoot(&session{&cli.Session{}}).Commands() {
		if command.GroupID != "" {
			commands = append(commands, "verify "+command.Name())
		}
	}
	var shown []string
	for _, cell := range firstCells("docs/commands.md", "# Commands") {
		words := strings.Fields(cell)
		shown = append(shown, strings.Join(words[:min(2, len(words))], " "))
	}
	slices.Sort(commands)
	if difference := cmp.Diff(commands, shown); difference != "" {
		t.Errorf("docs/commands.md has other commands (+) than the program (-): give each a row: %s", difference)
	}
	formats := formatNames()
	slices.Sort(formats)
	if difference := cmp.Diff(formats, firstCells("docs/commands.md", "## Formats")); difference != "" {
		t.Errorf("docs/commands.md has other formats (+) than the program (-): give each a row: %s", difference)
	}
	for heading, folder := range map[string]string{"## The core": ".", "## The lab": "lab", "## The harness": "harness"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		var folders []string
		for _, entry := range entries {
			if name := entry.Name(); entry.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains([]string{"site", "dist", "scratch", "testdata"}, name) || heading == "## The lab" && name == "site" {
				folders = append(folders, path.Join(folder, name)+"/")
			}
		}
		slices.Sort(folders)
		if difference := cmp.Diff(folders, firstCells("docs/architecture.md", heading)); difference != "" {
			t.Errorf("%s of docs/architecture.md has other folders (+) than the tree (-): give each a row: %s", heading, difference)
		}
	}
}
