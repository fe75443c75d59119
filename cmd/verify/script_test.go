package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/harness/emulator"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"verify": main})
}

// TestScripts runs the program as a user does. The scripts know two commands beyond
// those of testscript: "code 2 check x" runs verify and asks for its exit code, and
// "gzip x" writes x.gz. $EMULATOR is the root of an emulator.
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
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "gzip": compress},
	})
}

func code(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) == 0 {
		script.Fatalf("usage: code NUMBER ARGUMENT...")
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	got := exitConforms
	if err := script.Exec("verify", arguments[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			script.Fatalf("running verify: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		script.Fatalf("verify ended with code %d and not %d", got, want)
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
