package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/cmd/internal/clitest"
)

// TestHistory validates each line of the history by its schema, and checks that each line names its own file and that the
// files together stay below their bound.
func TestHistory(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/history.schema.json")
	files, err := filepath.Glob("../../docs/history/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no history: %v", err)
	}
	size := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
		kind := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		for line := range strings.Lines(string(text)) {
			clitest.Validate(t, compiled, []byte(line), name)
			if !strings.Contains(line, `"kind":"`+kind+`"`) {
				t.Errorf("%s has a line of another kind: %.100s", name, line)
			}
		}
	}
	if most := 2 << 20; size > most {
		t.Errorf("the history has %d bytes", size)
	}
}
