// Package module tests module.sh, which gives the main module another path.
package module

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// isBuilding also builds the module under its new path, which compiles all of it again.
var isBuilding = flag.Bool("build", false, "build the renamed module")

const root = "../.."

// elsewhere is a path that no file names.
const elsewhere = "git.example/Some-one/proof"

// folders are those of the main module that have packages or modules.
const folders = "cmd|fixtures|harness|internal|lab|normalizers|recordings|schema|suites"

// TestThereAndBack gives a copy of the repository another path: no file has the old path or
// address any more, and the module builds. Then it gives the copy the old path again, and
// every byte is as before.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	before := filesIn(t, root)
	for name, text := range before {
		write(t, filepath.Join(folder, name), text)
	}
	command(t, folder, "git", "init", "--quiet")
	path := strings.TrimSpace(command(t, folder, "go", "list", "-m"))
	old := forms(path, strings.TrimSpace(move(t, folder)))
	move(t, folder, elsewhere)
	renamed := textsOf(t, folder)
	for name, text := range renamed {
		if strings.HasPrefix(name, "lab/module/") { // has the stand-in
			continue
		}
		for kind, pattern := range old {
			if isOfKind := kind == "" || strings.HasSuffix(name, kind); !isOfKind {
				continue
			}
			if at := pattern.FindStringIndex(text); at != nil {
				line := 1 + strings.Count(text[:at[0]], "\n")
				t.Errorf("%s:%d still names the module or its address: %q\nderive it from go.mod, or name the file in module.sh", name, line, text[at[0]:at[1]])
			}
		}
	}
	changed := 0
	for name, text := range renamed {
		if text != before[name] {
			changed++
		}
		if filepath.Base(name) == "go.mod" && !strings.HasPrefix(text, "module "+elsewhere) {
			t.Errorf("%s does not follow", name)
		}
	}
	const least = 200
	if changed < least {
		t.Errorf("only %d files changed", changed)
	}
	for _, name := range []string{".golangci.yml", "docs/action.md", "docs/install.md"} {
		if renamed[name] == before[name] {
			t.Errorf("%s does not follow", name)
		}
	}
	if page := renamed["docs/action.md"]; !strings.Contains(page, "uses: Some-one/proof@") {
		t.Error("docs/action.md names another action")
	}
	if *isBuilding {
		command(t, folder, "go", "build", "./...")
		command(t, folder, "go", "vet", "./cmd/...", "./lab/...")
		command(t, filepath.Join(folder, "lab", "adapters", "go"), "go", "build", "./...")
	} else {
		command(t, folder, "go", "list", "-deps", "./...")
	}
	command(t, filepath.Join(folder, "lab", "referees", "tokens"), "go", "list", "-deps", ".") // a module that requires the main one
	if address := move(t, folder); address != elsewhere+"\n" {
		t.Errorf("the address is %s", address)
	}
	move(t, folder, path)
	after := filesIn(t, folder)
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s is not as before", name)
		}
	}
}

// forms returns how files of each kind, by the end of their names, write a path and the
// address that follows from it.
func forms(path, address string) map[string]*regexp.Regexp {
	_, slug, _ := strings.Cut(address, "/")
	owner, _, _ := strings.Cut(strings.ToLower(slug), "/")
	quoted := regexp.QuoteMeta(path)
	texts := []string{address, "@" + owner + "/toolproof", "ghcr.io/" + owner + "/toolproof", owner + "-toolproof", strings.ReplaceAll(owner, "-", "_") + "_toolproof"}
	for i, text := range texts {
		texts[i] = regexp.QuoteMeta(text)
	}
	return map[string]*regexp.Regexp{
		"":              regexp.MustCompile(`(^|[^\w.-])(` + strings.Join(texts, "|") + `)(_|\b)|(^|[^\w.@/-])` + regexp.QuoteMeta(slug) + `\b`),
		".go":           regexp.MustCompile(`(^|[^\w./@-])` + quoted + `/(` + folders + `)\b`),
		"go.mod":        regexp.MustCompile(`(?m)(^|\s)` + quoted + `([/\s]|$)`),
		".golangci.yml": regexp.MustCompile(`(?m)(^|[\s"])` + quoted + `([/\s]|$)`),
	}
}

// TestForms: each form in which texts name the owner follows, and nothing else does.
func TestForms(t *testing.T) {
	t.Parallel()
	const before = "uses: owner/toolproof@v1, https://github.com/owner/toolproof/releases, npx @owner/toolproof, @owner/toolproof-live, " +
		"ghcr.io/owner/toolproof:1, dist/owner-toolproof-1.tgz, owner_toolproof_live-1.whl; no owner/tap, co-owner/toolproof, toolproof or toolproof.json"
	const want = "uses: Some-one/proof@v1, https://git.example/Some-one/proof/releases, npx @some-one/toolproof, @some-one/toolproof-live, " +
		"ghcr.io/some-one/toolproof:1, dist/some-one-toolproof-1.tgz, some_one_toolproof_live-1.whl; no owner/tap, co-owner/toolproof, toolproof or toolproof.json"
	folder := small(t, before)
	move(t, folder, elsewhere)
	if got := filesIn(t, folder)["README.md"]; got != want {
		t.Errorf("it becomes\n%s\nand not\n%s", got, want)
	}
}

// TestNoPath: what is no path of a module changes nothing.
func TestNoPath(t *testing.T) {
	t.Parallel()
	folder := small(t, "github.com/owner/toolproof")
	before := filesIn(t, folder)
	for _, path := range []string{"", "proof", "owner/proof", "github.com/owner", "https://github.com/owner/proof", "github.com/owner/../proof", "github.com/owner/proof name", "github.com/$1/proof", "github.com/owner/proof\n"} {
		run := exec.CommandContext(t.Context(), "sh", script(t), path)
		run.Dir = folder
		if out, err := run.CombinedOutput(); err == nil || !strings.Contains(string(out), "is no path of a module\nhint: write host/owner/name, such as github.com/owner/toolproof\n") {
			t.Errorf("%q is taken: %v\n%s", path, err, out)
		}
	}
	if after := filesIn(t, folder); !maps.Equal(before, after) {
		t.Errorf("it changes %q", after)
	}
}

// small returns a repository that has every file that names the module.
func small(t *testing.T, readme string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module toolproof\n", ".golangci.yml": "- toolproof\n", "one.go": "package one\n\nimport _ \"toolproof/schema\"\n",
		"README.md": readme, "docs/action.md": "", "docs/install.md": "",
	} {
		write(t, filepath.Join(folder, name), text)
	}
	command(t, folder, "git", "init", "--quiet")
	return folder
}

// move runs module.sh in a folder, and returns what it prints.
func move(t *testing.T, folder string, path ...string) string {
	t.Helper()
	return command(t, folder, "sh", append([]string{script(t)}, path...)...)
}

// script returns the path of module.sh.
func script(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("module.sh")
	if err != nil {
		t.Fatal(err)
	}
	return path
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
	if exec.CommandContext(t.Context(), "git", "-C", folder, "rev-parse").Run() != nil {
		t.Skip("this needs Git and a repository")
	}
	names := command(t, folder, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	found := map[string]string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
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
