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
