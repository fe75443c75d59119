package main

import (
	"bufio"
	"bytes"
	"errors"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
)

// checkOllama checks a tool on Ollama's surface, which drops a part of it.
func checkOllama(t *testing.T, flags checkFlags) (out string, code int) {
	t.Helper()
	var text, errs bytes.Buffer
	s := &session{&cli.Session{Out: bufio.NewWriter(&text), Errs: &errs}}
	flags.targets, flags.minTools, flags.places, flags.format.name = []string{"openai"}, 1, 2, report.TextFormat
	run, err := s.newCheckRun(t.Context(), flags, []string{"check", "tools.json"})
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := harness.DialectNamed("ollama/chat")
	if err != nil {
		t.Fatal(err)
	}
	run.Targets = []judge.Target{{Normalizer: normalizers.OpenAI, Dialect: dialect}}
	tools, err := toolfile.Read(strings.NewReader(`{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^b$"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	err = run.all(t.Context(), []engine.Document{{Source: "tools.json", Tools: tools}})
	_ = s.Out.Flush()
	if exit, ok := errors.AsType[cli.ExitError](err); ok {
		return text.String(), exit.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), cli.CodeConforms
}

// TestLossless: what is ignored is shown, and fails a check with --lossless alone.
func TestLossless(t *testing.T) {
	t.Parallel()
	for _, asGiven := range []bool{true, false} {
		for _, lossless := range []bool{false, true} {
			out, code := checkOllama(t, checkFlags{lossless: lossless, normalized: !asGiven})
			if want := map[bool]int{false: cli.CodeConforms, true: cli.CodeFails}[lossless]; code != want {
				t.Errorf("as given %t, lossless %t: the exit code is %d, want %d", asGiven, lossless, code, want)
			}
			for _, want := range []string{"'pattern' is dropped", "  OpenAI ignores it\n", "OpenAI ignores parts of the tool.\n"} {
				if !strings.Contains(out, want) {
					t.Errorf("as given %t, lossless %t: the output lacks %q:\n%s", asGiven, lossless, want, out)
				}
			}
			if strings.Contains(out, "refuse") || strings.Contains(out, "--lossless") != lossless {
				t.Errorf("as given %t, lossless %t: the output is\n%s", asGiven, lossless, out)
			}
		}
	}
}
