package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"toolproof/harness/emulator"
	"toolproof/normalizers"
	"toolproof/schema"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"verify": main, "normalizer": beNormalizer})
}

// beNormalizer is a normalizer of somebody else, in the manner of its argument.
func beNormalizer() {
	lines := bufio.NewScanner(os.Stdin)
	const longest = 16 << 20
	lines.Buffer(nil, longest)
	for lines.Scan() {
		var asked struct {
			ID     int          `json:"id"`
			Target string       `json:"target"`
			Tool   *schema.Node `json:"tool"`
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		tool := schema.Tool{Name: asked.Tool.GetString("name"), Description: asked.Tool.Get("description"), Parameters: asked.Tool.Get("parameters")}
		switch os.Args[1] {
		case "good":
			result, err := normalizers.Named(asked.Target).Normalize(context.Background(), tool)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Printf("{\"id\":%d,\"tool\":%s,\"strict\":%t}\n", asked.ID, result.Tool.Node(), result.Strict)
		case "same":
			fmt.Printf("{\"id\":%d,\"tool\":%s}\n", asked.ID, asked.Tool)
		case "narrow":
			fmt.Printf("{\"id\":%d,\"tool\":{\"name\":\"f\",\"parameters\":{\"type\":\"OBJECT\",\"properties\":{\"const\":{\"type\":\"INTEGER\"}}}}}\n", asked.ID)
		case "choosy":
			fmt.Printf("{\"id\":%d,\"unsupported\":\"not today\"}\n", asked.ID)
		case "silent":
			time.Sleep(time.Hour)
		default:
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(1)
		}
	}
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
