package main

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestDependabot checks that Dependabot watches every module and package of the repository.
func TestDependabot(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../.github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	found := 0
	err = fs.WalkDir(os.DirFS("../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{"node_modules", ".git", "testdata", "scratch"}, entry.Name()):
			return fs.SkipDir
		case entry.Name() != "go.mod" && entry.Name() != "package.json":
			return nil
		}
		found++
		if folder := path.Join("/", path.Dir(name)); !slices.Contains(lines, "      - "+folder) {
			t.Errorf("%s is not in .github/dependabot.yml: add %s", name, folder)
		}
		return nil
	})
	if err != nil || found < 5 {
		t.Errorf("%d modules and packages: %v", found, err)
	}
}
