package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/live/remote"
	"toolproof/harness/live/sdk"
	"toolproof/lab/gateway"
	"toolproof/lab/scan"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "gateway-of-tests" {
		fmt.Fprintln(os.Stderr, serveGateway(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && (os.Args[1] == gateway.RunCommand || os.Args[1] == scan.RunCommand) { // started by a process of a test
		main()
	}
	cli.Called("verify-lab", "verify-lab")
	testscript.Main(withClients{m}, map[string]func(){"verify-lab": main, "verify-live": beLive, clitest.Shell: beShell})
}

// TestScripts runs the program as a maintainer does.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Scripts(t, "testdata/script", "verify-lab", clitest.Build(t, "../verify"))
}

// TestWorkflows runs the shell steps of the workflows that maintainers run.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	clitest.Workflows(t, "testdata/workflows", clitest.Build(t, "../verify"))
}

// beShell runs the program again and again, with the official clients in its process.
func beShell() {
	ask.StartLive = liveHere
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
	ask.StartLive = liveHere
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
