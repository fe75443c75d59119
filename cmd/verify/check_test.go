package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/judge"
	"toolproof/harness/provider/google"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/schema"
)

// identity is a normalizer that does nothing.
type identity struct{}

func (identity) Name() string { return "identity" }

func (identity) Normalize(_ context.Context, tool schema.Tool) (normalizers.Result, error) {
	return normalizers.Result{Tool: tool}, nil
}

// newRun returns a run of verify check for a target that rewrites nothing, and what
// it writes.
func newRun() (*checkRun, *bytes.Buffer) {
	var out bytes.Buffer
	s := &session{&cli.Session{Out: bufio.NewWriter(&out), Errs: &out}}
	run := &checkRun{
		Run:     engine.Run{Targets: []judge.Target{{Normalizer: identity{}, Dialect: google.GeminiParameters}}},
		session: s, flags: checkFlags{minTools: 1, normalized: true, verbose: true}, words: []string{"check", "tools.json"},
	}
	run.Sink = run.text(report.Options{Out: s.Out, Verbose: run.flags.verbose})
	return run, &out
}

// codeOf returns the exit code of an error.
func codeOf(err error) int {
	var exit cli.ExitError
	switch {
	case err == nil:
		return cli.CodeConforms
	case errors.As(err, &exit):
		return exit.Code
	default:
		return cli.CodeBroken
	}
}

// TestRefusedAfterRewriting checks what is said of a tool that no rewrite saves:
// code 1, with --normalized.
func TestRefusedAfterRewriting(t *testing.T) {
	t.Parallel()
	run, out := newRun()
	tools, err := toolfile.Read(strings.NewReader(`{"name": "f", "parameters": {"type": "object", "properties": {"a": {"const": 1}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if code := codeOf(run.all(t.Context(), []engine.Document{{Source: "tools.json", Tools: tools}})); code != cli.CodeFails {
		t.Errorf("the exit code is %d", code)
	}
	if err := run.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"tools.json:1:69: after the rewrite: Invalid JSON payload received. Unknown name \"const\" at ",
		"tools.json:1: f for identity: FAIL: refused as given, refused after 0 changes (means the same) [predicted]\n",
		"\nidentity refuses the tool after the rewrite, for \"const\" alone.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

// TestOutcome checks which exit code counts where several apply: 2 before 1 before
// 3.
func TestOutcome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		statuses []verdict.Status
		judged   int
		write    string
		want     int
	}{
		{[]verdict.Status{verdict.Pass}, 1, "", cli.CodeConforms},
		{[]verdict.Status{verdict.Pass, verdict.KnownFailure}, 2, "", cli.CodeConforms},
		{[]verdict.Status{verdict.Pass, verdict.Fail}, 2, "", cli.CodeFails},
		{[]verdict.Status{verdict.Fail, verdict.Inconclusive}, 1, "", cli.CodeFails},
		{[]verdict.Status{verdict.Fail, verdict.Error}, 1, "", cli.CodeBroken},
		{[]verdict.Status{verdict.Error, verdict.Inconclusive}, 0, "", cli.CodeBroken},
		{[]verdict.Status{verdict.Inconclusive}, 0, "", cli.CodeInconclusive},
		{[]verdict.Status{verdict.Pass, verdict.Inconclusive}, 1, "", cli.CodeInconclusive},
		{[]verdict.Status{verdict.Pass}, 0, "", cli.CodeBroken},
		{nil, 0, "", cli.CodeBroken},
		{[]verdict.Status{verdict.Fail}, 1, "baseline.jsonl", cli.CodeConforms},
		{[]verdict.Status{verdict.Fail, verdict.Error}, 1, "baseline.jsonl", cli.CodeBroken},
		{[]verdict.Status{verdict.Fail, verdict.Inconclusive}, 1, "baseline.jsonl", cli.CodeInconclusive},
	} {
		run, _ := newRun()
		run.flags.writeBaseline = test.write
		run.Summary().Judged, run.Summary().Tools = test.judged, len(test.statuses)
		for _, status := range test.statuses {
			run.Summary().Add(verdict.Result{Target: "identity", Status: status})
		}
		if got := codeOf(run.outcome()); got != test.want {
			t.Errorf("%v, %d judged, baseline %q: the exit code is %d and not %d", test.statuses, test.judged, test.write, got, test.want)
		}
	}
}

// TestTooFewTools: fewer judged tools than --min-tools asks for are code 2, also where --require
// makes them inconclusive. One tool is asked for where nobody says it, and a run that learnt nothing
// of it is code 3.
func TestTooFewTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status        verdict.Status
		judged, least int
		want          int
	}{
		{verdict.Inconclusive, 2, 3, cli.CodeBroken},
		{verdict.Fail, 2, 3, cli.CodeBroken},
		{verdict.Pass, 2, 3, cli.CodeBroken},
		{verdict.Inconclusive, 3, 3, cli.CodeInconclusive},
		{verdict.Inconclusive, 0, usualTools, cli.CodeInconclusive},
		{verdict.Pass, 3, 3, cli.CodeConforms},
	} {
		run, _ := newRun()
		run.flags.minTools = test.least
		run.Summary().Judged, run.Summary().Tools = test.judged, 3
		run.Summary().Add(verdict.Result{Target: "identity", Status: test.status})
		if got := codeOf(run.outcome()); got != test.want {
			t.Errorf("%s, %d judged of at least %d: the exit code is %d and not %d", test.status, test.judged, test.least, got, test.want)
		}
	}
}

// TestInterrupted checks that an interrupt ends a run with code 3, also while it
// waits for standard input.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, _ := io.Pipe()
	for _, arguments := range [][]string{{"check", "-"}, {"normalize", "--target", "gemini", "-"}, {"--fixture", "property*"}} {
		var out, errs bytes.Buffer
		if code := run(ctx, arguments, never, &out, &errs); code != cli.CodeInconclusive {
			t.Errorf("verify %s: the exit code is %d: %s", arguments, code, errs.String())
		}
		if want := "verify: interrupted: context canceled\n"; errs.String() != want {
			t.Errorf("verify %s: standard error is %q", arguments, errs.String())
		}
	}
}

// TestBadWriter checks that output that cannot be written is an error.
func TestBadWriter(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	input := strings.NewReader(`{"type": "object", "properties": {}}`)
	if code := run(t.Context(), []string{"check", "--target", "openai", "-"}, input, brokenWriter{}, &errs); code != cli.CodeBroken {
		t.Errorf("the exit code is %d", code)
	}
	if !strings.Contains(errs.String(), "writing the output: the disk is full") {
		t.Errorf("standard error is %q", errs.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// fanOut is a schema of a few hundred bytes whose references unfold to 2 to the
// power of levels schemas.
func fanOut(levels int) string {
	var definitions strings.Builder
	for level := range levels {
		fmt.Fprintf(&definitions, `"L%d": {"type": "object", "properties": {"a": {"$ref": "#/$defs/L%d"}, "b": {"$ref": "#/$defs/L%d"}}}, `, level, level+1, level+1)
	}
	return fmt.Sprintf(`{"type": "object", "properties": {"r": {"$ref": "#/$defs/L0"}}, "$defs": {%s"L%d": {"type": "string"}}}`, definitions.String(), levels)
}

// TestHardTools checks that a tool that is hard to read, or to rewrite, costs no
// other one: there is an error with its place, or a verdict with every change.
func TestHardTools(t *testing.T) {
	t.Parallel()
	const deep, levels = 10_000, 16
	for name, test := range map[string]struct{ tool, want string }{
		"duplicate":    {`{"name": "f", "inputSchema": {"type": "object", "type": "object"}}`, "-:3:49: error: duplicate member name: type\n"},
		"utf-8":        {"{\"name\": \"f\", \"description\": \"\xff\"}", "-:3:31: error: invalid UTF-8: byte 0xff\n"},
		"not json":     {`{"name": f}`, "-:3:11: error: not JSON: "},
		"no tool":      {`17`, "-:3:1: error: not a tool: it is of type number\n"},
		"deep":         {`{"name": "f", "inputSchema": ` + strings.Repeat(`{"items": `, deep) + "{}" + strings.Repeat("}", deep) + "}", "error: nested too deep: more than 1000 levels\n"},
		"deep default": {`{"name": "f", "inputSchema": {"default": ` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + "}}", "error: nested too deep: more than 1000 levels\n"},
		"fan-out":      {`{"name": "f", "inputSchema": ` + fanOut(levels) + "}", "-:3: f for gemini: refused as given, accepted after "},
		"cycle":        {`{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#"}}}}`, "-:3: f for gemini: refused as given, accepted after "},
		"two cycles": {
			`{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}}`,
			"-:3: f for gemini: refused as given, accepted after ",
		},
		"external": {`{"name": "f", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://example.com/a.json"}}}}`, "-:3: f for gemini: refused as given, accepted after "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const good = `{"name": "%s", "inputSchema": {"type": "object", "properties": {}}}`
			input := "{\"tools\": [\n" + fmt.Sprintf(good, "first") + ",\n" + test.tool + ",\n" + fmt.Sprintf(good, "last") + "]}"
			want := cli.CodeConforms
			if strings.Contains(test.want, "error: ") {
				want = cli.CodeBroken
			}
			out, errs := clitest.Output(t, run, input, want, "check", "--normalized", "--verbose", "--target", "gemini", "-")
			for _, want := range []string{"-:2: first for gemini: accepted as given", "-:4: last for gemini: accepted as given", test.want} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%.2000s\n%s", want, out, errs)
				}
			}
		})
	}
}
