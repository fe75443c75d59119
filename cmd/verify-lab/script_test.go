package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/lab/gateway"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "gateway-of-tests" {
		fmt.Fprintln(os.Stderr, serveGateway(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == gateway.RunCommand { // started by a process of a test
		main()
	}
	cli.ProgramName = "verify-lab"
	testscript.Main(m, map[string]func(){"verify-lab": main, clitest.Shell: func() { clitest.BeShell(run) }})
}

// TestScripts runs the program as a maintainer does.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Scripts(t, "testdata/script", "verify-lab", clitest.Build(t, "../verify"))
}
