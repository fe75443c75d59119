// Package clitest is shared by the tests of both programs. It runs a program as a user does, in
// this process or in one of its own.
package clitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// Program runs a program in this process with arguments and streams and returns its exit code.
type Program func(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int

// Shell is the program that scripts start to run the tested one repeatedly; TestMain gives
// testscript BeShell under this name.
const Shell = "shell"

// Scripts runs the scripts of a folder, in which a user runs the named program. They have four
// commands besides those of testscript: "code 2 check x" runs the program and requires exit
// code 2, "ends 2 other x" does the same with any other program, "ask URL" sends a request, and
// "gzip x" writes x.gz. $EMULATOR is the URL of an emulator, and $ADDR an address that a server
// can listen on. TestMain must let testscript start the program and Shell. The folders in paths
// come first in $PATH.
func Scripts(t *testing.T, folder, program string, paths ...string) {
	t.Helper()
	of := &shells{}
	t.Cleanup(of.end) // after all scripts
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			env.Setenv("TERM", "xterm")
			env.Setenv("GOGC", "400") // short runs need no collection
			for _, path := range paths {
				env.Setenv("PATH", path+string(filepath.ListSeparator)+env.Getenv("PATH"))
			}
			server := httptest.NewServer(emulator.New(emulator.Options{}))
			env.Defer(server.Close)
			env.Setenv("EMULATOR", server.URL)
			env.Setenv("ADDR", freeAddress())
			text, err := os.ReadFile(filepath.Join(folder, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
			env.Values[shellsOf], env.Values[variablesOf], env.Values[programOf] = of, variablesIn(env, string(text)), program
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "ends": Ends, "ask": ask, "gzip": compress},
	})
}

// addresses is the number of addresses that this process has given to scripts.
var addresses atomic.Int64

// freeAddress returns an address on which nobody listens. Systems give its port to nobody who asks for
// any, and no other script of this process gets it.
func freeAddress() string {
	const first, count, step = 20_000, 10_000, 97 // below the ports that systems choose
	for {
		port := first + (step*int64(os.Getpid())+addresses.Add(1))%count
		address := net.JoinHostPort("127.0.0.1", strconv.FormatInt(port, 10))
		if listener, err := net.Listen("tcp", address); err == nil { //nolint:noctx // ends at once
			_ = listener.Close() // nobody has connected
			return address
		}
	}
}

// The keys of a script's values: the shells that run its commands, its variables, and the name
// of the tested program.
const (
	shellsOf    = "shells"
	variablesOf = "variables"
	programOf   = "program"
)

// variables are the names of a script's environment variables, which testscript tells only to
// programs. Those set before the script begins are true.
type variables map[string]bool

// assigned matches the assignments in a line of a script.
var assigned = regexp.MustCompile(`(?m)^(?:\[[^\]]*\] *)*env +(.*)$`)

// variablesIn returns the variables set before a script begins and those that it sets.
func variablesIn(env *testscript.Env, script string) variables {
	names := variables{}
	for _, line := range assigned.FindAllStringSubmatch(script, -1) {
		for assignment := range strings.FieldsSeq(line[1]) {
			name, _, _ := strings.Cut(assignment, "=")
			names[name] = false
		}
	}
	for _, assignment := range env.Vars {
		name, _, _ := strings.Cut(assignment, "=")
		names[name] = true
	}
	return names
}

// now returns the environment at a line of a script, without variables that the script sets to
// nothing.
func (v variables) now(script *testscript.TestScript) []string {
	environment := []string{"PWD=" + script.MkAbs(".")}
	for name, isGiven := range v {
		if value := script.Getenv(name); isGiven || value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// code runs the program and checks its exit code. The scripts share the processes that do so,
// because starting takes most of a run and the embedded data are read only once per process. A
// script that sets HTTPS_PROXY needs a process of its own, because a process looks up the proxy
// only once; that one also starts verify-live, whose clients the others contain. Standard input
// is passed only if an argument is "-", or to rpc.
func code(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 || script.Getenv("HTTPS_PROXY") != "" {
		Ends(script, negated, slices.Insert(arguments, min(1, len(arguments)), script.Value(programOf).(string))) //nolint:forcetypeassert // the setup put it there
		return
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	environment := script.Value(variablesOf).(variables).now(script) //nolint:forcetypeassert // the setup put it there
	request := command{Arguments: arguments[1:], Folder: script.MkAbs("."), Environment: environment}
	if slices.Contains(request.Arguments, "-") || request.Arguments[0] == "rpc" {
		script.Check(script.Exec("cat"))
		request.Input = []byte(script.ReadFile("stdout"))
	}
	answer, err := script.Value(shellsOf).(*shells).run(request) //nolint:forcetypeassert // the setup put it there
	script.Check(err)
	_, outErr := script.Stdout().Write(answer.Out)
	_, errsErr := script.Stderr().Write(answer.Errs)
	script.Check(errors.Join(outErr, errsErr))
	if answer.Code != want {
		script.Fatalf("%s ended with code %d and not %d", script.Value(programOf), answer.Code, want)
	}
}

// command is a request to a shell, and answer its reply. They are lines of JSON.
type (
	command struct {
		Arguments   []string `json:"arguments"`
		Folder      string   `json:"folder"`
		Environment []string `json:"environment"`
		Input       []byte   `json:"input"`
	}
	answer struct {
		Code int    `json:"code"`
		Out  []byte `json:"out"`
		Errs []byte `json:"errs"`
	}
)

// shell is a process that runs the program repeatedly.
type shell struct {
	process *exec.Cmd
	in      io.Closer
	to      *json.Encoder
	from    *json.Decoder
}

// startShell starts a shell as a script starts a program.
func startShell() (*shell, error) {
	process := exec.Command(Shell) //nolint:noctx // it ends with its input
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &shell{process, in, json.NewEncoder(in), json.NewDecoder(out)}, process.Start()
}

// shells holds idle shells.
type shells struct {
	mutex   sync.Mutex
	waiting []*shell
}

// run runs a command in an idle shell or in a new one.
func (s *shells) run(request command) (answer, error) {
	var got answer
	var taken *shell
	var err error
	s.mutex.Lock()
	if last := len(s.waiting) - 1; last >= 0 {
		taken, s.waiting = s.waiting[last], s.waiting[:last]
	}
	s.mutex.Unlock()
	if taken == nil {
		if taken, err = startShell(); err != nil {
			return got, err
		}
	}
	if err := errors.Join(taken.to.Encode(request), taken.from.Decode(&got)); err != nil {
		return got, fmt.Errorf("a shell ended: %w", errors.Join(err, taken.in.Close(), taken.process.Wait()))
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting = append(s.waiting, taken)
	return got, nil
}

// end ends the shells.
func (s *shells) end() {
	for _, waiting := range s.waiting {
		_ = waiting.in.Close()
		_ = waiting.process.Wait()
	}
}

// BeShell reads commands from standard input, runs the program with the arguments, folder and
// environment of each, and writes the answers to standard output.
func BeShell(program Program) {
	debug.SetGCPercent(cli.Seldom) // as in main
	to, from := json.NewEncoder(os.Stdout), json.NewDecoder(os.Stdin)
	for {
		var request command
		if err := from.Decode(&request); err != nil {
			return
		}
		os.Clearenv()
		for _, variable := range request.Environment {
			name, value, _ := strings.Cut(variable, "=")
			_ = os.Setenv(name, value)
		}
		var out, errs bytes.Buffer
		code := cli.CodeBroken
		if err := os.Chdir(request.Folder); err != nil {
			fmt.Fprintln(&errs, err)
		} else {
			code = program(context.Background(), request.Arguments, bytes.NewReader(request.Input), &out, &errs)
		}
		http.DefaultClient.CloseIdleConnections() // as when a process ends
		if err := to.Encode(answer{code, out.Bytes(), errs.Bytes()}); err != nil {
			return
		}
	}
}

// ask sends a request to a server that may just have been started: "ask URL" gets a page, and
// "ask URL FILE" posts a file. It prints the status, the emulator's header and the body. Over
// TLS it trusts only the certificates in the file $SSL_CERT_FILE.
func ask(script *testscript.TestScript, negated bool, arguments []string) {
	const patience = time.Minute // a server may take long to start on a busy machine
	method, body := http.MethodGet, ""
	if len(arguments) > 1 {
		method, body = http.MethodPost, script.ReadFile(arguments[1])
	}
	trusted := x509.NewCertPool()
	if name := script.Getenv("SSL_CERT_FILE"); name != "" {
		trusted.AppendCertsFromPEM([]byte(script.ReadFile(name)))
	}
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}}
	var response *http.Response
	var err error
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		request, wrong := http.NewRequest(method, arguments[0], strings.NewReader(body)) //nolint:noctx // the script has a limit
		script.Check(wrong)
		if response, err = web.Do(request); !errors.Is(err, syscall.ECONNREFUSED) || time.Since(begun) > patience {
			break
		}
	}
	if err == nil {
		fmt.Fprintln(script.Stdout(), response.StatusCode, response.Header.Get(provider.EmulatorHeader))
		_, err = io.Copy(script.Stdout(), response.Body)
		err = errors.Join(err, response.Body.Close())
	}
	if err != nil {
		fmt.Fprintln(script.Stderr(), err)
	}
	if isWrong := err != nil; isWrong != negated {
		script.Fatalf("asking %s: %v", arguments[0], err)
	}
}

// Ends is the script command that runs a program and requires its exit code.
func Ends(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 {
		script.Fatalf("usage: ends NUMBER PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	got := cli.CodeConforms
	if err := script.Exec(arguments[1], arguments[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			script.Fatalf("running %s: %v", arguments[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		script.Fatalf("%s ended with code %d and not %d", arguments[1], got, want)
	}
}

func compress(script *testscript.TestScript, _ bool, arguments []string) {
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, err := writer.Write([]byte(script.ReadFile(arguments[0])))
	script.Check(errors.Join(err, writer.Close()))
	const readable = 0o600
	script.Check(os.WriteFile(script.MkAbs(arguments[0]+".gz"), compressed.Bytes(), readable))
}

// CompileSchema compiles a published schema from its file.
func CompileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// Validate fails the test if a JSON text does not fit a schema. where names the text.
func Validate(t *testing.T, compiled *jsonschema.Schema, text []byte, where string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, text)
	}
}

// Output runs a program in this process with an input, requires its exit code, and returns its
// standard output and standard error.
func Output(t *testing.T, program Program, input string, wantCode int, arguments ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := program(context.Background(), arguments, strings.NewReader(input), &stdout, &stderr); code != wantCode {
		t.Fatalf("%s ended with code %d and not %d: %s", strings.Join(arguments, " "), code, wantCode, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// goOfMachine returns the Go environment variables of this machine that a build needs.
var goOfMachine = sync.OnceValues(func() (variables map[string]string, err error) {
	text, err := exec.CommandContext(context.Background(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY").Output()
	return variables, errors.Join(err, json.Unmarshal(text, &variables))
})

// BuildEnvironment lets a script build Go programs with the caches of this machine.
func BuildEnvironment(env *testscript.Env) error {
	values, err := goOfMachine()
	for name, value := range values {
		env.Setenv(name, value)
	}
	env.Setenv("NO_COLOR", "1")
	env.Setenv("GOGC", "400") // short runs need no collection
	return err
}

// Build builds the program in a package's folder and returns the temporary folder that contains
// it.
func Build(t *testing.T, from string) string {
	t.Helper()
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", folder, from)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v: %s", from, err, out)
	}
	return folder
}

// stuck is an input that reports when it is read and then blocks.
type stuck struct {
	isRead func()
	over   <-chan struct{}
}

func (s stuck) Read([]byte) (int, error) {
	s.isRead()
	<-s.over
	return 0, io.EOF
}

// InterruptedReads runs commands that read a blocking standard input, interrupts them while
// they read, and requires that each ends as inconclusive. There is no timeout; a command that
// does not end keeps the test running.
func InterruptedReads(t *testing.T, program Program, commands [][]string) {
	t.Helper()
	for _, arguments := range commands {
		t.Run(arguments[0], func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			var out, errs bytes.Buffer
			code := program(ctx, arguments, stuck{interrupt, t.Context().Done()}, &out, &errs)
			if code != cli.CodeInconclusive || !strings.Contains(errs.String(), "interrupted") {
				t.Errorf("%s ended with %d: %s", arguments, code, errs.String())
			}
		})
	}
}
