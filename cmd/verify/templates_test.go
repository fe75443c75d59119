package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"toolproof/harness"
	"toolproof/harness/peers"
	"toolproof/normalizers"
	"toolproof/schema"
)

// TestNormalizerTemplates runs the templates of docs/normalizers.md, which leave a tool as
// it is. That in Rust needs a crate, and is not run.
func TestNormalizerTemplates(t *testing.T) {
	t.Parallel()
	folder, err := filepath.Abs("../../docs/normalizer")
	if err != nil {
		t.Fatal(err)
	}
	for file, command := range map[string][]string{
		"normalizer.py": {"python3"},
		"normalizer.go": {"go", "run"},
		"normalizer.ts": {"node"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not here: %v", command[0], err)
			}
			path := filepath.Join(folder, file)
			if command[0] == "node" {
				path = withoutTypes(t, path)
			}
			runs(t, append(command, path))
		})
	}
}

// types are the annotations of the template in TypeScript, which node leaves out itself from
// version 22.18.
var types = regexp.MustCompile(`(?m)^type .*$| as \{.*\}$|: (string|object|Tool)([,)\n {]|$)`)

// withoutTypes returns a copy of a file in TypeScript that every node reads.
func withoutTypes(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "normalizer.mjs")
	if err := os.WriteFile(copied, types.ReplaceAll(text, []byte("$2")), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// runs asks a normalizer about two tools, which it is to leave as they are.
func runs(t *testing.T, words []string) {
	t.Helper()
	target, err := harness.TargetNamed("openai")
	if err != nil {
		t.Fatal(err)
	}
	command := &normalizers.Command{Args: words, Target: "openai", Surface: target.Dialect.Name, Timeout: time.Minute}
	t.Cleanup(command.Close)
	for _, text := range []string{
		`{"type":"object","properties":{"a":{"const":"ä"},"n":{"type":"integer","minimum":1}},"required":["a"]}`,
		`{"type":"object","properties":{}}`,
	} {
		parameters, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		given := &peers.Case{ID: "f", Tool: schema.Tool{Name: "f", Description: schema.NewString("d"), Parameters: parameters}}
		judged, err := peers.Judge(t.Context(), command, peers.Surface{Dialect: target.Dialect}, given)
		if err != nil {
			t.Fatal(err)
		}
		if judged.Outcome != peers.Kept || !schema.Equal(judged.Normalized, given.Tool.Whole()) {
			t.Errorf("%s became %s: %s, %s", given.Tool.Whole(), judged.Normalized, judged.Outcome, judged.Text)
		}
	}
}
