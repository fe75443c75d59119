package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/clitest"
	"toolproof/harness/agent"
	"toolproof/harness/live/remote"
	"toolproof/harness/live/sdk"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case agent.RunCommand, agent.ServerCommand: // what a test's own process starts
			main()
		case "gemini-of-tests":
			beGemini()
			os.Exit(0)
		}
	}
	testscript.Main(withClients{m}, map[string]func(){"verify": main, "toolproof": main, "verify-live": beLive, "normalizer": beNormalizer, clitest.Shell: beShell, "toolserver": beToolServer, "gemini": beGemini})
}

// TestScripts runs the program as a user does.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Scripts(t, "testdata/script", "verify")
}

// beShell runs the program again and again, with the official clients in its process.
func beShell() {
	startLive = liveHere
	clitest.BeShell(run)
}

// beLive is the program verify-live.
func beLive() {
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, sdk.Clients{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// withClients are tests that have the official clients in their own process.
type withClients struct{ *testing.M }

func (w withClients) Run() int {
	startLive = liveHere
	return w.M.Run()
}

// liveHere is verify-live in this process, behind pipes as those of another program.
func liveHere(io.Writer) (*remote.Clients, error) {
	calls, in := io.Pipe()
	out, results := io.Pipe()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	go func() {
		err := remote.Serve(context.Background(), calls, results, sdk.Clients{Transport: transport})
		transport.CloseIdleConnections() // as the end of the program does
		_ = results.CloseWithError(err)
	}()
	return remote.Reach(in, out, func() error { return nil }), nil
}
