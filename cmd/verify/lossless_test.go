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
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
)

// checkOllama checks a tool on Ollama's surface, which drops a part of it.
func checkOllama(t *testing.T, flags checkFlags) (out string, code int) {
	t.Helper()
	var text, errs bytes.Buffer
	s := &session{&cli.Session{Out: bufio.NewWriter(&text), Errs: &errs}}
	flags.targets, flags.minTools, flags.places, flags.format.name = []string{"openai"}, 1, 2, report.TextFormat
	run, err := s.newCheckRun(t.Context(), flags)
	if err != nil {
		t.Fatal(err)
	}
	dialect, err := harness.DialectNamed("ollama/chat")
	if err != nil {
		t.Fatal(err)
	}
	run.targets = []judge.Target{{Normalizer: normalizers.OpenAI, Dialect: dialect}}
	tools, err := toolfile.Read(strings.NewReader(`{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string", "pattern": "^b$"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	err = run.all(t.Context(), []cli.Document{{Source: "tools.json", Tools: tools}}, []string{"check", "tools.json"})
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
			for _, want := range []string{"property_member: 1 place, ignored by openai\n", "'pattern' is dropped", "1 with ignored parts"} {
				if !strings.Contains(out, want) {
					t.Errorf("as given %t, lossless %t: the output lacks %q:\n%s", asGiven, lossless, want, out)
				}
			}
			if strings.Contains(out, "refused by") || strings.Contains(out, "--lossless") != lossless {
				t.Errorf("as given %t, lossless %t: the output is\n%s", asGiven, lossless, out)
			}
		}
	}
}

// TestCellOfIgnored: the table of servers counts the tools with an ignored part, on
// the side that had to be accepted.
func TestCellOfIgnored(t *testing.T) {
	t.Parallel()
	before, now := report.Counts{RawIgnored: 1, Passed: 1}, report.Counts{RawIgnored: 3, Passed: 4}
	if got := cell(before, now, true); got != "ok, 2 ignored in part" {
		t.Errorf("as given: %q", got)
	}
	if got := cell(before, now, false); got != "ok" {
		t.Errorf("normalized: %q", got)
	}
	now.Failed = 2
	if got := cell(before, now, true); got != "2 fail" {
		t.Errorf("with --lossless: %q", got)
	}
}
