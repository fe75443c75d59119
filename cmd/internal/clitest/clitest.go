// Package clitest has what the tests of both programs share: it runs a program as a user
// does, in this process or in one of its own.
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
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// Program runs a program in this process with arguments and streams, and returns its exit
// code.
type Program func(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int

// Shell is the program that scripts start to run the tested one again and again; TestMain
// gives testscript BeShell under this name.
const Shell = "shell"

// Scripts runs the scripts of a folder, in which a user runs the program of a name. They
// know four commands beyond those of testscript: "code 2 check x" runs the program and
// requires the exit code 2, "ends 2 other x" does so with any other program, "ask URL" asks
// a server, and "gzip x" writes x.gz. $EMULATOR is the root of an emulator, and $ADDR an
// address that a server can listen on. TestMain must let testscript start the program and
// Shell. The scripts find further programs in the folders paths.
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
			env.Setenv("GOGC", "400") // what starts has nothing to collect yet
			for _, path := range paths {
				env.Setenv("PATH", path+string(filepath.ListSeparator)+env.Getenv("PATH"))
			}
			server := httptest.NewServer(emulator.New(emulator.Options{}))
			env.Defer(server.Close)
			env.Setenv("EMULATOR", server.URL)
			free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends at once
			if err != nil {
				return err
			}
			env.Setenv("ADDR", free.Addr().String())
			text, err := os.ReadFile(filepath.Join(folder, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")+".txtar"))
			env.Values[shellsOf], env.Values[variablesOf], env.Values[programOf] = of, variablesIn(env, string(text)), program
			return errors.Join(err, free.Close())
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "ends": Ends, "ask": ask, "gzip": compress},
	})
}

// The keys of what a script has: the shells that run its commands, its variables, and the
// name of the program that it tests.
const (
	shellsOf    = "shells"
	variablesOf = "variables"
	programOf   = "program"
)

// variables are the names of the environment of a script, which testscript shows to
// programs alone. Those that the script begins with are true.
type variables map[string]bool

// assigned are the assignments of a line of a script.
var assigned = regexp.MustCompile(`(?m)^(?:\[[^\]]*\] *)*env +(.*)$`)

// variablesIn returns those that a script begins with, and those that it sets.
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

// now returns the environment at a line of a script. What the script sets to nothing is
// left out.
func (v variables) now(script *testscript.TestScript) []string {
	environment := []string{"PWD=" + script.MkAbs(".")}
	for name, isGiven := range v {
		if value := script.Getenv(name); isGiven || value != "" {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// code runs the program and asks for its exit code. The scripts share the processes that do so,
// because most of a run is the start, and the data inside the program are read once. What
// lasts as long as a process is for a process of its own: how the way to a provider is
// found. That one starts verify-live, too, where the others have its clients inside.
// Standard input is there for an argument - alone.
func code(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 || script.Getenv("HTTPS_PROXY") != "" {
		Ends(script, negated, slices.Insert(arguments, min(1, len(arguments)), script.Value(programOf).(string))) //nolint:forcetypeassert // the setup put it there
		return
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	given := command{Arguments: arguments[1:], Folder: script.MkAbs("."), Environment: script.Value(variablesOf).(variables).now(script)} //nolint:forcetypeassert // the setup put it there
	if slices.Contains(given.Arguments, "-") {
		script.Check(script.Exec("cat"))
		given.Input = []byte(script.ReadFile("stdout"))
	}
	answer, err := script.Value(shellsOf).(*shells).run(given) //nolint:forcetypeassert // the setup put it there
	script.Check(err)
	_, outErr := script.Stdout().Write(answer.Out)
	_, errsErr := script.Stderr().Write(answer.Errs)
	script.Check(errors.Join(outErr, errsErr))
	if answer.Code != want {
		script.Fatalf("%s ended with code %d and not %d", script.Value(programOf), answer.Code, want)
	}
}

// command is what a shell runs, and answer what came of it. They are lines of JSON.
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

// shell is a process that runs the program again and again.
type shell struct {
	process *exec.Cmd
	in      io.Closer
	to      *json.Encoder
	from    *json.Decoder
}

// startShell starts a shell in the manner of a program that a script starts.
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

// shells are those that wait for a command.
type shells struct {
	mutex   sync.Mutex
	waiting []*shell
}

// run runs a command in a shell that has nothing to do, or in a new one.
func (s *shells) run(given command) (answer, error) {
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
	if err := errors.Join(taken.to.Encode(given), taken.from.Decode(&got)); err != nil {
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

// BeShell runs the program with the arguments that it reads from standard input, each time
// in the folder and with the environment that it reads, and writes what came of it to
// standard output.
func BeShell(program Program) {
	debug.SetGCPercent(cli.Seldom) // as in main
	to, from := json.NewEncoder(os.Stdout), json.NewDecoder(os.Stdin)
	for {
		var given command
		if err := from.Decode(&given); err != nil {
			return
		}
		os.Clearenv()
		for _, variable := range given.Environment {
			name, value, _ := strings.Cut(variable, "=")
			_ = os.Setenv(name, value)
		}
		var out, errs bytes.Buffer
		code := cli.CodeBroken
		if err := os.Chdir(given.Folder); err != nil {
			fmt.Fprintln(&errs, err)
		} else {
			code = program(context.Background(), given.Arguments, bytes.NewReader(given.Input), &out, &errs)
		}
		http.DefaultClient.CloseIdleConnections() // as the end of a process does
		if err := to.Encode(answer{code, out.Bytes(), errs.Bytes()}); err != nil {
			return
		}
	}
}

// ask asks a server that may just have been started: "ask URL" gets a page, and "ask URL
// FILE" posts a file. It prints the status, the emulator's mark and the body. Over TLS it
// trusts the certificates of the file $SSL_CERT_FILE, and no other.
func ask(script *testscript.TestScript, negated bool, arguments []string) {
	const patience = 10 * time.Second
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

// Ends is the command of scripts that runs a program and requires its exit code.
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

// CompileSchema compiles the published schema of a file.
func CompileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// Validate fails the test where a JSON text does not fit a schema. where says what the text is.
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

// Output runs a program in this process with an input, requires its exit code, and returns
// what it writes to standard output and standard error.
func Output(t *testing.T, program Program, input string, wantCode int, arguments ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := program(context.Background(), arguments, strings.NewReader(input), &stdout, &stderr); code != wantCode {
		t.Fatalf("%s ended with code %d and not %d: %s", strings.Join(arguments, " "), code, wantCode, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// goOfMachine are the variables of Go on this machine that a build needs.
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
	env.Setenv("GOGC", "400") // what starts has nothing to collect yet
	return err
}

// Build builds the program of a package's folder, and returns the folder that it is in,
// which is removed when the test ends.
func Build(t *testing.T, from string) string {
	t.Helper()
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", folder, from) //nolint:gosec // a package of this module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v: %s", from, err, out)
	}
	return folder
}

// stuck is an input that says when it is read, and never gives anything.
type stuck struct {
	isRead func()
	over   <-chan struct{}
}

func (s stuck) Read([]byte) (int, error) {
	s.isRead()
	<-s.over
	return 0, io.EOF
}

// InterruptedReads runs commands that read standard input, which never gives anything, and
// interrupts them while they read: each is to end as inconclusive. There is no clock here;
// without an end the test would not end either.
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
