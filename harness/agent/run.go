package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/group"
	"toolproof/internal/lazy"
	"toolproof/internal/program"
)

// ServerCommand is the word with which the program that runs clients is to start
// toolserver.Serve: the next argument is the file with the list of tools. RunCommand is
// the one with which it is to start Inside.
const (
	ServerCommand = "client-server"
	RunCommand    = "client-run"
)

// Job is one run of a client.
type Job struct {
	// Client and Surface are names in Clients.
	Client, Surface string
	// Program is the path of the client's program, and Path the variable PATH that it gets.
	Program, Path string
	// Self starts the program that runs clients: a word of above is added.
	Self []string
	// List are the tools, as the result of tools/list, and Server names the server.
	List   json.RawMessage
	Server string
	// AsksVersion has the program asked for its version before the run.
	AsksVersion bool
	// AsOf is the day that the emulator answers for; empty means today.
	AsOf provider.Date
	// Timeout is how long the client may run.
	Timeout time.Duration
}

// Outcome is what a run shows.
type Outcome struct {
	// Version is what the program says of its version; empty where it says nothing.
	Version string
	// Requests are those that came, in their order, with the answers.
	Requests []*emulator.Entry
	// ExitCode is that of the program; -1 where it was ended.
	ExitCode int
	// IsLate is set where it was ended because its time was over.
	IsLate bool
	Took   time.Duration
	// Output is the end of what it wrote to its standard output and standard error.
	Output string
	// Isolation says why the client had a network; empty where it had none.
	Isolation string
}

// Run runs a client once. An error means that nothing was learnt of it.
func Run(ctx context.Context, job Job) (Outcome, error) {
	outcome, network, err := program.Apart(ctx, append(slices.Clone(job.Self), RunCommand), job, here)
	outcome.Isolation = network
	return outcome, err
}

// Inside runs the job that it reads, in the process that Run has made, and writes the
// outcome.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	return program.Inside(ctx, in, out, here)
}

// mostRequests is how many requests of a run are kept.
const mostRequests = 200

// here runs a client in this process's network.
func here(ctx context.Context, job Job) (outcome Outcome, err error) {
	client := Named(job.Client)
	if client == nil || client.Surface(job.Surface) == nil {
		return Outcome{}, fmt.Errorf("%s has no surface %s", job.Client, job.Surface)
	}
	folder, err := os.MkdirTemp("", "toolproof-client-")
	if err != nil {
		return Outcome{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return Outcome{}, fmt.Errorf("making a folder: %w", err)
	}
	defer program.RemoveAll(folder)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return Outcome{}, fmt.Errorf("listening for the client: %w", err)
	}
	provider := emulator.New(emulator.Options{AsOf: job.AsOf, Reply: emulator.ReplyText, Keep: mostRequests})
	server := &http.Server{Handler: provider, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // it ends with Close
	defer server.Close()                       //nolint:errcheck // nobody is served any more

	list := filepath.Join(folder, "tools.json")
	place := Place{
		URL: "http://" + listener.Addr().String(), Home: filepath.Join(folder, "home"), Work: filepath.Join(folder, "work"),
		Server: job.Server, Command: append(append([]string{}, job.Self...), ServerCommand, list), Surface: *client.Surface(job.Surface),
	}
	setup := client.setup(place)
	if err := errors.Join(setup.Write(place.Home), program.Write([]string{place.Work}, map[string]string{list: string(job.List)})); err != nil {
		return Outcome{}, err
	}
	environment := append(program.Environment(place.Home, job.Path), setup.Env...)
	defer program.EndLeft(place.Home)
	said := ""
	if job.AsksVersion {
		said = version.FindString(start(ctx, place, environment, job, "--version").Output)
	}
	outcome = start(ctx, place, environment, job, setup.Args...)
	outcome.Version, outcome.Requests = said, provider.Requests()
	outcome.Output = strings.ReplaceAll(outcome.Output, folder, "") // which is another each time
	if outcome.ExitCode == notStarted {
		return Outcome{}, fmt.Errorf("%s does not start: %s", job.Client, outcome.Output)
	}
	return outcome, nil
}

// version finds a version in what a program says.
var version = lazy.Compile(`\d+\.\d+[\w.+-]*`)

// notStarted is the exit code of a program that could not be started.
const notStarted = -2

// start runs the program with arguments, and ends what is left of it.
func start(ctx context.Context, place Place, environment []string, job Job, arguments ...string) Outcome {
	limited, cancel := context.WithTimeout(ctx, job.Timeout)
	defer cancel()
	command := exec.CommandContext(limited, job.Program, arguments...) //nolint:gosec // the user names the program
	command.Dir, command.Env = place.Work, environment
	group.Prepare(command)
	command.Cancel = func() error { return group.Kill(command) }
	// What is left of it may hold its output open, which is waited for no longer.
	command.WaitDelay = time.Second
	var output program.Tail
	command.Stdout, command.Stderr = &output, &output
	begun := time.Now()
	if err := command.Start(); err != nil {
		return Outcome{ExitCode: notStarted, Output: err.Error()}
	}
	_ = command.Wait() // the exit code says how it ended
	_ = group.Kill(command)
	return Outcome{ExitCode: command.ProcessState.ExitCode(), IsLate: limited.Err() != nil && ctx.Err() == nil, Took: time.Since(begun), Output: output.String()}
}
