package seeded_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// TestEveryDrawIsSeeded finds each package whose tests draw cases: its TestMain must call Run.
func TestEveryDrawIsSeeded(t *testing.T) {
	t.Parallel()
	draws, isSeeded := map[string]bool{}, map[string]bool{}
	module := os.DirFS("../..")
	err := fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || len(entry.Name()) > 1 && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(module, name)
		folder := path.Dir(name)
		draws[folder] = draws[folder] || bytes.Contains(text, []byte("\t\"pgregory.net/rapid\"\n"))
		isSeeded[folder] = isSeeded[folder] || bytes.Contains(text, []byte("os.Exit(seeded.Run(m))"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for folder := range draws {
		if !draws[folder] {
			continue
		}
		if count++; !isSeeded[folder] {
			t.Errorf("%s: the tests draw other cases in each run: call seeded.Run in TestMain", folder)
		}
	}
	if count == 0 {
		t.Error("no package draws cases")
	}
}
