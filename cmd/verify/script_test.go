package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/harness/client"
	"toolproof/harness/emulator"
	"toolproof/harness/gateway"
	"toolproof/harness/live/remote"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "gateway-of-tests" {
		fmt.Fprintln(os.Stderr, serveGateway(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case client.RunCommand, client.ServerCommand, gateway.RunCommand: // what a test's own process starts
			main()
		case "gemini-of-tests":
			beGemini()
			os.Exit(0)
		}
	}
	testscript.Main(m, map[string]func(){"verify": main, "toolproof": main, "verify-live": beLive, "ask": ask, "normalizer": beNormalizer, "shell": beShell, "toolserver": beToolServer, "gemini": beGemini})
}

// beLive is the program verify-live.
func beLive() {
	if err := remote.Serve(context.Background(), os.Stdin, os.Stdout, sdk.Clients{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ask is a program for the scripts: "ask URL" gets a page, and "ask URL FILE" posts a
// file. It prints the status, the emulator's mark and the body. It waits for a server
// that has just been started.
func ask() {
	const patience = 10 * time.Second
	var body []byte
	method := http.MethodGet
	if len(os.Args) > 2 {
		method = http.MethodPost
		body, _ = os.ReadFile(os.Args[2])
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		request, err := http.NewRequest(method, os.Args[1], bytes.NewReader(body)) //nolint:noctx // the script has a limit
		if err == nil {
			var response *http.Response
			if response, err = http.DefaultClient.Do(request); err == nil {
				fmt.Println(response.StatusCode, response.Header.Get(provider.EmulatorHeader))
				_, err = io.Copy(os.Stdout, response.Body)
				err = errors.Join(err, response.Body.Close())
			}
		}
		if !errors.Is(err, syscall.ECONNREFUSED) || time.Since(begun) > patience {
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
}

// TestScripts runs the program as a user does. The scripts know two commands beyond
// those of testscript: "code 2 check x" runs verify and asks for its exit code, and
// "gzip x" writes x.gz. $EMULATOR is the root of an emulator, $ADDR an address that a
// server can listen on.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			env.Setenv("TERM", "xterm")
			server := httptest.NewServer(emulator.New(emulator.Options{}))
			env.Defer(server.Close)
			env.Setenv("EMULATOR", server.URL)
			free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // ends at once
			if err != nil {
				return err
			}
			env.Setenv("ADDR", free.Addr().String())
			return errors.Join(free.Close(), startShell(env))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "gzip": compress},
	})
}

// code runs verify and asks for its exit code. A script has one process for all that it
// runs, because most of a run is the start. What lasts as long as a process is for a
// process of its own: how the way to a provider is found.
func code(script *testscript.TestScript, negated bool, arguments []string) {
	if len(arguments) < 2 || slices.ContainsFunc(arguments, func(argument string) bool {
		return slices.Contains([]string{"live", "--live", "mcp", "serve", "client"}, argument)
	}) {
		ends(script, negated, slices.Insert(arguments, min(1, len(arguments)), "verify"))
		return
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	// testscript shows the environment and standard input to programs alone.
	script.Check(script.Exec("sh", "-c", `env -0; printf '\0'; cat`))
	environment, input, _ := strings.Cut(script.ReadFile("stdout"), "\x00\x00")
	of, ok := script.Value(shellOf).(*shell)
	if !ok {
		script.Fatalf("the script has no shell")
	}
	answer, err := of.run(command{Arguments: arguments[1:], Folder: script.MkAbs("."), Environment: strings.Split(environment, "\x00"), Input: []byte(input)})
	script.Check(err)
	_, outErr := script.Stdout().Write(answer.Out)
	_, errsErr := script.Stderr().Write(answer.Errs)
	script.Check(errors.Join(outErr, errsErr))
	if answer.Code != want {
		script.Fatalf("verify ended with code %d and not %d", answer.Code, want)
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

// shell is a process that runs verify again and again.
type shell struct {
	to   *json.Encoder
	from *json.Decoder
}

// shellOf is the key of a script's shell.
const shellOf = "shell"

// startShell gives a script its shell.
func startShell(env *testscript.Env) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	process := exec.Command(program) //nolint:noctx // it ends with its input
	process.Args = []string{"shell"}
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	env.Defer(func() {
		_ = in.Close()
		_ = process.Wait()
	})
	env.Values[shellOf] = &shell{json.NewEncoder(in), json.NewDecoder(out)}
	return nil
}

func (s *shell) run(given command) (answer, error) {
	var got answer
	if err := s.to.Encode(given); err != nil {
		return got, err
	}
	return got, s.from.Decode(&got)
}

// beShell runs what it reads, each in its folder and environment.
func beShell() {
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
		code := exitBroken
		if err := os.Chdir(given.Folder); err != nil {
			fmt.Fprintln(&errs, err)
		} else {
			code = run(context.Background(), given.Arguments, bytes.NewReader(given.Input), &out, &errs)
		}
		if err := to.Encode(answer{code, out.Bytes(), errs.Bytes()}); err != nil {
			return
		}
	}
}

// ends runs a program and asks for its exit code.
func ends(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 {
		script.Fatalf("usage: ends NUMBER PROGRAM ARGUMENT...")
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	got := exitConforms
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
