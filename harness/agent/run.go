// Package agent runs agents that others wrote against the emulator, and compares the tools
// of an MCP server with what the agent sends of them. Package client has a row for each
// agent.
//
// A run changes nothing of the user's. The agent gets a home and a working directory of its
// own, which are removed afterwards, and an environment with few variables. The server is a
// stand-in that publishes the tools and does nothing when one is called. Where Linux allows
// it, the agent has no network, sees no process of others, and writes to memory only.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/group"
	"toolproof/internal/lazy"
	"toolproof/internal/program"
	"toolproof/internal/version"
)

// ServerCommand and RunCommand are words on the command line of the program that runs
// agents. With ServerCommand and the name of a file with a list of tools it calls
// server.Serve, and with RunCommand it calls Inside.
const (
	ServerCommand = "client-server"
	RunCommand    = "client-run"
)

// Job is one run of an agent.
type Job struct {
	// Client is the name of a row in client.Agents, and Surface the name of one of its surfaces.
	Client, Surface string
	// Program is the path of the agent's program, and Path the variable PATH that it gets.
	Program, Path string
	// Self is the command of the program that runs agents, without ServerCommand or
	// RunCommand.
	Self []string
	// List are the tools as the result of tools/list, and Server is the name of the server.
	List   json.RawMessage
	Server string
	// Version is the version of the program; empty if that is to be found out before the run.
	Version string
	// Search is set if the agent's search for tools is left on.
	Search bool
	// AsOf is the day that the emulator answers for; empty means today.
	AsOf provider.Date
	// Timeout is how long the agent may run.
	Timeout time.Duration
}

// Outcome is the result of a run.
type Outcome struct {
	// Version is that of the npm package that the program belongs to, or else what the program prints; empty if it prints none.
	Version string
	// Requests are the requests that arrived, in order, with their answers.
	Requests []*emulator.Entry
	// ExitCode is the program's exit code, or -1 if the program was ended.
	ExitCode int
	// IsLate is set if the program was ended because it ran longer than Timeout.
	IsLate bool
	Took   time.Duration
	// Output is the end of what the program wrote to its standard output and standard error.
	Output string
	// Isolation is the reason why the agent was not isolated; empty if it was.
	Isolation string
}

// Run runs an agent once. An error means that nothing was learnt about it.
func Run(ctx context.Context, job Job) (Outcome, error) {
	outcome, why, err := program.Apart(ctx, append(slices.Clone(job.Self), RunCommand), job, here)
	outcome.Isolation = why
	return outcome, err
}

// Isolation returns the reason why Run cannot isolate an agent on this system; empty if it can. self
// is as in Job.
func Isolation(ctx context.Context, self []string) string {
	return program.Isolation(ctx, append(slices.Clone(self), RunCommand))
}

// Inside runs the job that it reads, in the process that Run has started, and writes the
// outcome.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	return program.Inside(ctx, in, out, here)
}

// mostRequests is the number of requests of a run that the emulator keeps.
const mostRequests = 200

// here runs an agent in the network of this process.
func here(ctx context.Context, job Job) (outcome Outcome, err error) {
	row := client.AgentNamed(job.Client)
	if row == nil || row.Run.Surface(job.Surface) == nil {
		return Outcome{}, fmt.Errorf("%s has no surface %s", job.Client, job.Surface)
	}
	folder, err := os.MkdirTemp("", "toolproof-client-")
	if err != nil {
		return Outcome{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return Outcome{}, fmt.Errorf("making a folder for the agent: %w", err)
	}
	defer program.RemoveAll(folder)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return Outcome{}, fmt.Errorf("listening for the agent: %w", err)
	}
	provider := emulator.New(emulator.Options{AsOf: job.AsOf, Reply: emulator.ReplyText, Keep: mostRequests})
	server := &http.Server{Handler: provider, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // Close ends it
	defer server.Close()                       //nolint:errcheck // no client is left to serve

	list := filepath.Join(folder, "tools.json")
	place := client.Place{
		URL: "http://" + listener.Addr().String(), Home: filepath.Join(folder, "home"), Work: filepath.Join(folder, "work"),
		Server: job.Server, Command: append(append([]string{}, job.Self...), ServerCommand, list), Surface: *row.Run.Surface(job.Surface), Search: job.Search,
	}
	if err := program.Write([]string{place.Home, place.Work}, map[string]string{list: string(job.List)}); err != nil {
		return Outcome{}, err
	}
	environment := program.Environment(place.Home, job.Path)
	of := cmp.Or(job.Version, version.Installed(job.Program, row.Run.Package))
	if of == "" {
		of = aVersion.FindString(start(ctx, place, environment, job, "--version").Output)
	}
	setup, err := setupOf(row, place, of)
	if err != nil {
		return Outcome{}, err
	}
	if err := setup.Write(place.Home); err != nil {
		return Outcome{}, err
	}
	outcome = start(ctx, place, append(environment, setup.Env...), job, setup.Args...)
	outcome.Version, outcome.Requests = of, provider.Requests()
	outcome.Output = strings.ReplaceAll(outcome.Output, folder, "") // the name of the folder differs from run to run
	if outcome.ExitCode == notStarted {
		return Outcome{}, fmt.Errorf("%s does not start: %s", job.Client, outcome.Output)
	}
	return outcome, nil
}

// setupOf returns the setup of a version of a row's agent, with its configurations as text.
func setupOf(row *client.Row, place client.Place, of string) (program.Setup, error) {
	setup := row.Run.SetupOf(place, of)
	files := map[string]string{}
	for name, object := range setup.Files {
		text, err := textOf(name, object)
		if err != nil {
			return program.Setup{}, fmt.Errorf("writing the configuration %s of %s: %w", name, row.Title, err)
		}
		files[name] = text
	}
	return program.Setup{Files: files, Env: setup.Env, Args: setup.Args}, nil
}

// textOf returns the text of a configuration as client.Setup has it.
func textOf(name string, object client.Object) (string, error) {
	if path.Ext(name) == ".toml" {
		text, err := toml.Marshal(object)
		return string(text), err
	}
	text, err := json.MarshalIndent(object, "", "  ")
	return string(text) + "\n", err //nolint:wrapcheck // the caller names the file
}

// aVersion matches a version in what a program prints, without a full stop behind it.
var aVersion = lazy.Compile(`\d+\.\d+(?:[\w.+-]*\w)?`)

// notStarted is the exit code of a program that could not be started.
const notStarted = -2

// start runs the program with arguments, and ends the processes that it leaves behind.
func start(ctx context.Context, place client.Place, environment []string, job Job, arguments ...string) Outcome {
	limited, cancel := context.WithTimeout(ctx, job.Timeout)
	defer cancel()
	command := exec.CommandContext(limited, job.Program, arguments...) //nolint:gosec // the user names the program
	command.Dir, command.Env = place.Work, environment
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	// A process that the program leaves behind may hold the output open: Wait gives up on it.
	command.WaitDelay = time.Second
	var output group.Tail
	command.Stdout, command.Stderr = &output, &output
	begun := time.Now()
	if err := command.Start(); err != nil {
		return Outcome{ExitCode: notStarted, Output: err.Error()}
	}
	_ = command.Wait() // the exit code says how it ended
	_ = group.Kill(command)
	group.EndLeft()
	return Outcome{ExitCode: command.ProcessState.ExitCode(), IsLate: limited.Err() != nil && ctx.Err() == nil, Took: time.Since(begun), Output: output.String()}
}
