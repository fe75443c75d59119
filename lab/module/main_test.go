package main

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// isBuilding also builds the module under its new path, which compiles all of it again.
var isBuilding = flag.Bool("build", false, "build the renamed module")

const root = "../.."

// elsewhere is a place that no file names.
const elsewhere place = "git.example/Some-one/proof"

// TestOnePlace: the path of the module and the address of the repository stand in the
// files that make module writes, and in no other. In Go they stand in imports.
func TestOnePlace(t *testing.T) {
	t.Parallel()
	here, err := current(root)
	if err != nil {
		t.Fatal(err)
	}
	texts := textsOf(t, root)
	for name, text := range texts {
		if matches(ours, name) || !here.isIn(text) {
			continue
		}
		rest := text
		if strings.HasSuffix(name, ".go") {
			rest = withoutImports(t, name, text)
		}
		if isPlace(name) && !strings.HasSuffix(name, ".go") {
			continue
		}
		for _, one := range here.mentions(name, elsewhere) {
			if at := one.in(rest); at != nil {
				line := 1 + strings.Count(rest[:at[0]], "\n")
				t.Errorf("%s:%d names the module or its address: %q\nderive it from go.mod, or add the file to places", name, line, rest[at[0]:at[1]])
			}
		}
	}
	for _, pattern := range places {
		isUsed := false
		for name, text := range texts {
			for _, one := range here.mentions(name, elsewhere) {
				isUsed = isUsed || matches(pattern, name) && one.in(text) != nil
			}
		}
		if !isUsed {
			t.Errorf("no file of %s names the module or its address", pattern)
		}
	}
}

// TestThereAndBack gives a copy of the repository another path, in which no file has the
// old one, and then the old one again: every byte is as before.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	here, err := current(root)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	before := filesIn(t, root)
	for name, text := range before {
		write(t, filepath.Join(folder, name), text)
	}
	command(t, folder, "git", "init", "--quiet")
	if err := rename(folder, here, elsewhere); err != nil {
		t.Fatal(err)
	}
	if got, err := current(folder); err != nil || got != elsewhere {
		t.Errorf("the module is %q, %v", got, err)
	}
	changed := 0
	renamed := textsOf(t, folder)
	for name, text := range renamed {
		if text != before[name] {
			changed++
		}
		if !here.isIn(text) {
			continue
		}
		for _, one := range here.mentions(name, elsewhere) {
			if at := one.in(text); at != nil && !matches(ours, name) {
				t.Errorf("%s still has %q", name, text[at[0]:at[1]])
			}
		}
	}
	const least = 200
	if changed < least {
		t.Errorf("only %d files changed", changed)
	}
	for name, text := range renamed {
		if filepath.Base(name) == "go.mod" && !strings.HasPrefix(text, "module "+string(elsewhere)) {
			t.Errorf("%s does not follow", name)
		}
	}
	if readme := renamed["README.md"]; !strings.Contains(readme, "uses: Some-one/proof@") {
		t.Error("the README names another action")
	}
	if *isBuilding {
		command(t, folder, "go", "build", "./...")
		command(t, folder, "go", "vet", "./cmd/verify", "./cmd/verify-live", "./lab/...")
		command(t, filepath.Join(folder, "lab", "adapters", "go"), "go", "build", "./...")
	} else {
		command(t, folder, "go", "list", "-deps", "./...")
	}
	if said := command(t, folder, "go", "run", "./lab/module"); said != string(elsewhere)+"\n" {
		t.Errorf("the address is %s", said)
	}
	if err := rename(folder, elsewhere, here); err != nil {
		t.Fatal(err)
	}
	after := filesIn(t, folder)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s is not as before", name)
		}
	}
}

// TestNoPath: what is no path of a module changes nothing.
func TestNoPath(t *testing.T) {
	t.Parallel()
	for _, path := range []place{"", "proof", "owner/proof", "github.com/owner", "https://github.com/owner/proof", "github.com/owner/../proof", "github.com/owner/proof name", "github.com/$1/proof", "github.com/owner/proof\n"} {
		if err := rename(root, unhosted, path); err == nil {
			t.Errorf("%q is taken", path)
		}
	}
}

// isIn reports whether a text may name the place: a quick look.
func (p place) isIn(text string) bool {
	return strings.Contains(text, string(p)) || strings.Contains(text, product)
}

// textsOf returns the files of a repository that are text, by their names.
func textsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := filesIn(t, folder)
	maps.DeleteFunc(texts, func(_, text string) bool { return !utf8.ValidString(text) || strings.ContainsRune(text, 0) })
	return texts
}

// filesIn returns the files of a repository, by their names.
func filesIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	names, err := filesOf(folder)
	if err != nil {
		t.Skipf("this needs Git and a repository: %v", err)
	}
	found := map[string]string{}
	for _, name := range names {
		path := filepath.Join(folder, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(text)
	}
	return found
}

// withoutImports returns a program with spaces in place of what it imports.
func withoutImports(t *testing.T, name, text string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
	if err != nil {
		return text // a program that is broken on purpose
	}
	rest := []byte(text)
	for _, one := range file.Imports {
		if path, err := strconv.Unquote(one.Path.Value); err == nil && path != "" {
			from := int(one.Path.Pos() - file.FileStart)
			copy(rest[from:], strings.Repeat(" ", len(one.Path.Value)))
		}
	}
	return string(rest)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, folder, name string, words ...string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), name, words...)
	run.Dir = folder
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, words, err, &errs)
	}
	return string(out)
}

// TestMentions: each form in which texts name the owner follows.
func TestMentions(t *testing.T) {
	t.Parallel()
	const before = "uses: owner/toolproof@v1, https://github.com/owner/toolproof/releases, npx @owner/toolproof, @owner/toolproof-live, " +
		"ghcr.io/owner/toolproof:1, dist/owner-toolproof-1.tgz, owner_toolproof_live-1.whl; no owner/tap, co-owner/toolproof, toolproof or toolproof.json"
	const want = "uses: Some-one/proof@v1, https://git.example/Some-one/proof/releases, npx @some-one/toolproof, @some-one/toolproof-live, " +
		"ghcr.io/some-one/toolproof:1, dist/some-one-toolproof-1.tgz, some_one_toolproof_live-1.whl; no owner/tap, co-owner/toolproof, toolproof or toolproof.json"
	got := before
	for _, one := range unhosted.mentions("README.md", elsewhere) {
		got = one.replacedIn(got)
	}
	if got != want {
		t.Errorf("it becomes\n%s\nand not\n%s", got, want)
	}
}
