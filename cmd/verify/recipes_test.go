package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"toolproof/cmd/internal/cli"
)

// recipes are those of docs/export.md that import a package, by their titles, and the
// folder below lab/clients/recipes with what they import. A Python has what those in Python
// import.
var recipes = map[string]string{
	"The TypeScript SDK of MCP, without starting the server": ".",
	"Zod 4":    ".",
	"Zod 3":    "zod3",
	"Pydantic": "",
}

var (
	recipe = regexp.MustCompile("(?s)```(ts|js|py)\n(.*?)```")
	prints = regexp.MustCompile("(?s)```json\n(.*?)```")
	// imported is an import of the SDK, which has other names in its other version.
	imported = regexp.MustCompile(`(?m)^import \{ (\w+).*"@modelcontextprotocol/.*\n`)
)

// TestRecipes runs the recipes of docs/export.md as they stand there: each prints what the
// page says, and verify check reads it.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for section := range strings.SplitSeq(string(page), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		folder, isRun := recipes[title]
		if !isRun {
			continue
		}
		found++
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			programs, wanted := recipe.FindAllStringSubmatch(text, -1), prints.FindAllStringSubmatch(text, -1)
			if len(programs) == 0 || len(programs) != len(wanted) {
				t.Fatalf("%d programs, and what %d print", len(programs), len(wanted))
			}
			whole := ""
			for i, program := range programs {
				whole = completed(program[2], whole)
				if program[1] == "py" {
					runPython(t, whole, wanted[i][1])
				} else {
					runNode(t, folder, whole, wanted[i][1])
				}
			}
		})
	}
	if found != len(recipes) {
		t.Errorf("the page has %d of %d recipes", found, len(recipes))
	}
}

// completed returns a program; of one that is imports alone, the program before it with
// these in place of its own.
func completed(program, before string) string {
	if strings.TrimSpace(imported.ReplaceAllString(program, "")) != "" {
		return program
	}
	return program + imported.ReplaceAllString(before, "")
}

func runNode(t *testing.T, folder, program, wanted string) {
	t.Helper()
	modules := filepath.Join("..", "..", "lab", "clients", "recipes", folder, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		t.Skip("the packages are not installed: make recipes does so, and needs npm")
	}
	absolute, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	if err := os.Symlink(absolute, filepath.Join(place, "node_modules")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(place, "print-tools.mjs")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	said := outputOf(t, "node", file)
	if difference := diff.Diff(parsed(t, wanted), parsed(t, said)); difference != "" {
		t.Errorf("it prints something else than the page says: %s", difference)
	}
	isChecked(t, "node", file)
}

func runPython(t *testing.T, program, wanted string) {
	t.Helper()
	// TOOLPROOF_PYTHON promises that this Python has the package.
	promised := os.Getenv("TOOLPROOF_PYTHON")
	pythons := slices.DeleteFunc([]string{promised, "python3", "/usr/bin/python3"}, func(name string) bool {
		return name == "" || promised != "" && name != promised
	})
	version := ""
	python := slices.IndexFunc(pythons, func(name string) bool {
		out, err := exec.CommandContext(t.Context(), name, "-c", "import pydantic; print(pydantic.VERSION)").Output()
		version = cmp.Or(version, strings.TrimSpace(string(out)))
		return err == nil
	})
	if python < 0 && promised != "" {
		t.Fatalf("%s has no pydantic", promised)
	}
	if python < 0 {
		t.Skip("no Python here has pydantic, which the package python3-pydantic of Debian brings")
	}
	file := filepath.Join(t.TempDir(), "print_tools.py")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	said := outputOf(t, pythons[python], file)
	if strings.HasPrefix(version, "1.") { // the version of the page
		if difference := diff.Diff(parsed(t, wanted), parsed(t, said)); difference != "" {
			t.Errorf("it prints something else than the page says: %s", difference)
		}
	}
	isChecked(t, pythons[python], file)
}

func outputOf(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), words[0], words[1:]...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

// isChecked holds that verify check reads one tool from a command.
func isChecked(t *testing.T, words ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), append([]string{"check", "--target", "openai", "--"}, words...), strings.NewReader(""), &out, &errs)
	if code != cli.CodeConforms || !strings.Contains(out.String(), "1 tool judged") {
		t.Errorf("verify check -- %q ends with %d:\n%s%s", words, code, &out, &errs)
	}
}
