package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

var console = regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/verify ([^\n]*)\n(.*?)```")

// TestReadme runs the examples of the README: they are to show real output.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := console.FindAllStringSubmatch(string(readme), -1)
	if len(examples) < 2 {
		t.Fatalf("the README has %d examples, expected at least 2", len(examples))
	}
	for _, example := range examples {
		var out, errs bytes.Buffer
		run(t.Context(), strings.Fields(example[1]), strings.NewReader(""), &out, &errs)
		if got := out.String() + errs.String(); got != example[2] {
			t.Errorf("verify %s prints\n%s\nand the README says\n%s", example[1], got, example[2])
		}
	}
}

// TestReadmeOfLibrary holds the README's program against the example that is run.
func TestReadmeOfLibrary(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("normalizers/toopenai/readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(readme), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	if !found || !strings.Contains(strings.ReplaceAll(string(example), "\n\t", "\n"), program) {
		t.Errorf("the example that is run has no such program\n%s", program)
	}
}
