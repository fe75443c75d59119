package client

import (
	"bytes"
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
	"strings"
	"sync"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/normalizers/group"
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
	// AsOf is the day that the emulator answers for; empty means today.
	AsOf provider.Date
	// Timeout is how long the client may run.
	Timeout time.Duration
}

// Outcome is what a run shows.
type Outcome struct {
	// Version is what the program says of its version; empty where it says nothing.
	Version string
	// Exchanges are the requests with a body that came, in their order, and the answers.
	Exchanges []Exchange
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

// Exchange is a request to the emulator and the answer.
type Exchange struct {
	Path   string // of the URL
	Body   []byte
	Status int
	Answer []byte
}

// Run runs a client once. An error means that nothing was learnt of it.
func Run(ctx context.Context, job Job) (Outcome, error) {
	outcome, why := isolated(ctx, job)
	if why == nil || ctx.Err() != nil {
		return outcome, ctx.Err()
	}
	var failed *runError
	if errors.As(why, &failed) {
		return Outcome{}, failed
	}
	outcome, err := here(ctx, job)
	outcome.Isolation = why.Error()
	return outcome, err
}

// runError is an error of a run, and not of what is around it.
type runError struct{ text string }

func (e *runError) Error() string { return e.text }

// inside is what Inside writes.
type inside struct {
	Outcome Outcome
	Error   string // of the run
	Around  string // of what is around it
}

// Inside runs the job that it reads, inside of what isolated has made, and writes the
// outcome.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	var job Job
	var said inside
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	if err := openLoopback(); err != nil {
		said.Around = err.Error()
	} else if said.Outcome, err = here(ctx, job); err != nil {
		said.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(said)
}

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
		return Outcome{}, err
	}
	defer removeAll(folder)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return Outcome{}, fmt.Errorf("listening for the client: %w", err)
	}
	recorder := &recorder{next: emulator.New(emulator.Options{AsOf: job.AsOf})}
	server := &http.Server{Handler: recorder, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // it ends with Close
	defer server.Close()                       //nolint:errcheck // nobody is served any more

	list := filepath.Join(folder, "tools.json")
	place := Place{
		URL: "http://" + listener.Addr().String(), Home: filepath.Join(folder, "home"), Work: filepath.Join(folder, "work"),
		Server: job.Server, Command: append(append([]string{}, job.Self...), ServerCommand, list), Surface: *client.Surface(job.Surface),
	}
	setup := client.setup(place)
	if err := write(place, setup, list, job.List); err != nil {
		return Outcome{}, err
	}
	environment := append(environment(place, job), setup.Env...)
	defer endLeft(place.Home)
	asked := start(ctx, place, environment, job, "--version")
	outcome = start(ctx, place, environment, job, setup.Args...)
	outcome.Version, outcome.Exchanges = version.FindString(asked.Output), recorder.taken()
	if outcome.ExitCode == notStarted {
		return Outcome{}, fmt.Errorf("%s does not start: %s", job.Client, outcome.Output)
	}
	return outcome, nil
}

// version finds a version in what a program says.
var version = lazy.Compile(`\d+\.\d+[\w.+-]*`)

// removeAll removes a folder, in which a process that has just been ended may write a last
// time.
func removeAll(folder string) {
	for range 10 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// write makes the folders and files of a run.
func write(place Place, setup Setup, list string, tools []byte) error {
	const private, folders = 0o600, 0o700
	for _, folder := range []string{place.Home, place.Work, filepath.Join(place.Home, "tmp")} {
		if err := os.MkdirAll(folder, folders); err != nil {
			return err
		}
	}
	files := map[string]string{list: string(tools)}
	for name, text := range setup.Files {
		files[filepath.Join(place.Home, filepath.FromSlash(name))] = text
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), folders); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), private); err != nil {
			return err
		}
	}
	return nil
}

// environment is all that a client gets of one, besides what its row adds.
func environment(place Place, job Job) []string {
	return []string{
		"PATH=" + job.Path, "HOME=" + place.Home, "USERPROFILE=" + place.Home, "TMPDIR=" + filepath.Join(place.Home, "tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	}
}

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
	var output tail
	command.Stdout, command.Stderr = &output, &output
	begun := time.Now()
	if err := command.Start(); err != nil {
		return Outcome{ExitCode: notStarted, Output: err.Error()}
	}
	_ = command.Wait() // the exit code says how it ended
	_ = group.Kill(command)
	return Outcome{ExitCode: command.ProcessState.ExitCode(), IsLate: limited.Err() != nil && ctx.Err() == nil, Took: time.Since(begun), Output: output.String()}
}

// tail keeps the end of what is written.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

func (t *tail) Write(text []byte) (int, error) {
	const most = 64 << 10
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(text), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
}

// recorder keeps what is asked and answered.
type recorder struct {
	next http.Handler

	mutex     sync.Mutex
	exchanges []Exchange
	size      int
}

// The most that is kept of a run.
const (
	maxExchanges = 200
	maxKept      = 64 << 20
	maxAnswer    = 64 << 10 // of one answer
)

func (r *recorder) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, emulator.MaxBody+1))
	if err != nil {
		return // the client is gone, or sends without an end
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	heard := &hearing{ResponseWriter: writer, status: http.StatusOK}
	at := r.begin(Exchange{Path: request.URL.Path, Body: body})
	r.next.ServeHTTP(heard, request)
	r.end(at, heard)
}

// begin keeps a request and returns its place; -1 where no more are kept.
func (r *recorder) begin(exchange Exchange) int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(exchange.Body) == 0 || len(r.exchanges) == maxExchanges || r.size+len(exchange.Body) > maxKept {
		return -1
	}
	r.size += len(exchange.Body)
	r.exchanges = append(r.exchanges, exchange)
	return len(r.exchanges) - 1
}

func (r *recorder) end(at int, heard *hearing) {
	if at < 0 {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.exchanges[at].Status, r.exchanges[at].Answer = heard.status, heard.text
}

func (r *recorder) taken() []Exchange {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]Exchange{}, r.exchanges...)
}

// hearing keeps the status and the beginning of an answer.
type hearing struct {
	http.ResponseWriter

	status int
	text   []byte
}

func (h *hearing) WriteHeader(status int) {
	h.status = status
	h.ResponseWriter.WriteHeader(status)
}

func (h *hearing) Write(text []byte) (int, error) {
	if room := maxAnswer - len(h.text); room > 0 {
		h.text = append(h.text, text[:min(room, len(text))]...)
	}
	return h.ResponseWriter.Write(text) //nolint:wrapcheck // it stands in for the writer
}

// Unwrap is for http.ResponseController.
func (h *hearing) Unwrap() http.ResponseWriter { return h.ResponseWriter }
