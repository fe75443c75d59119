package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"toolproof/cmd/internal/clitest"
)

// TestWorkflows runs the shell steps of the workflows that users of the action run.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	clitest.Workflows(t, "testdata/workflows")
}

// fileInWorkflow is the name of a file of the repository, or a pattern, as workflows have
// it.
var fileInWorkflow = regexp.MustCompile(`(?m)(?:^|[ "'])([\w.*/-]*[\w*-]\.(?:sum|mod|sh|json))(?:$|[ "'])`)

// TestFilesOfWorkflows: each file that a workflow names is there. A cache that is named
// after a file that is not goes unnoticed.
func TestFilesOfWorkflows(t *testing.T) {
	t.Parallel()
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, workflow := range workflows {
		text, err := os.ReadFile(workflow)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range fileInWorkflow.FindAllStringSubmatch(string(text), -1) {
			named++
			if files, err := doublestar.Glob(os.DirFS("../.."), found[1]); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which is no file: %v", filepath.Base(workflow), found[1], err)
			}
		}
	}
	const least = 20
	if named < least {
		t.Errorf("%d files are named", named)
	}
}
