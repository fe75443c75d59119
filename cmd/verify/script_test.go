package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/clitest"
	"toolproof/harness/agent"
	"toolproof/internal/group"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case agent.RunCommand, agent.ServerCommand, group.GuardCommand, "wrap": // what a test's own process starts
			main()
		case "gemini-of-tests":
			beGemini()
			os.Exit(0)
		}
	}
	testscript.Main(m, map[string]func(){"verify": main, "toolproof": main, "normalizer": beNormalizer, clitest.Shell: func() { clitest.BeShell(run) }, "toolserver": beToolServer, "gemini": beGemini, "client": beClient})
}

// TestScripts runs the program as a user does.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Scripts(t, "testdata/script", "verify")
}
