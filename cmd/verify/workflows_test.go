package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/clitest"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// TestWorkflows runs the shell steps of the workflows as they stand there. The scripts
// know the folder of the repository as $ROOT, and an emulator of the providers, and of
// those of 2024, as $EMULATOR and $EMULATOR_THEN; what a step asks of GitHub is a program
// in the script.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "git", "make", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the steps are for a machine that has %s: %v", program, err)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/workflows",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("SCRIPTS", filepath.Join(root, ".github", "scripts"))
			for name, day := range map[string]provider.Date{"EMULATOR": "", "EMULATOR_THEN": "2024-06-01"} {
				server := httptest.NewServer(emulator.New(emulator.Options{AsOf: day}))
				env.Defer(server.Close)
				env.Setenv(name, server.URL)
			}
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(filepath.ListSeparator)+env.Getenv("PATH"))
			return clitest.BuildEnvironment(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ends": clitest.Ends},
	})
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
