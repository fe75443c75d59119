package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/harness/emulator"
	"toolproof/harness/live/remote"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"verify": main, "verify-live": beLive, "ask": ask, "normalizer": beNormalizer, "toolserver": beToolServer})
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
			return free.Close()
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "gzip": compress},
	})
}

func code(script *testscript.TestScript, negated bool, arguments []string) {
	if len(arguments) == 0 {
		script.Fatalf("usage: code NUMBER ARGUMENT...")
	}
	ends(script, negated, append([]string{arguments[0], "verify"}, arguments[1:]...))
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
