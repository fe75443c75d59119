package clitest

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// Workflows runs scripts with the shell steps of the workflows as they stand there. In a script, $ROOT
// is the folder of the repository, $EMULATOR the URL of an emulator, and $EMULATOR_THEN that of an
// emulator of the providers of 2024. Programs in the script stand in for GitHub.
func Workflows(t *testing.T, folder string, paths ...string) {
	t.Helper()
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
		Dir:                 folder,
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
			for _, path := range append([]string{filepath.Join(env.WorkDir, "bin")}, paths...) {
				env.Setenv("PATH", path+string(filepath.ListSeparator)+env.Getenv("PATH"))
			}
			return BuildEnvironment(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ends": Ends},
	})
}
