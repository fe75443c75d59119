package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersions: each registry gets the version in its own form, and any other tag is an error.
func TestVersions(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][2]string{"v1.2.3": {"1.2.3", "1.2.3"}, "v1.2.3-rc.4": {"1.2.3-rc.4", "1.2.3rc4"}} {
		number, err := parseVersion(tag)
		if err != nil || number.String() != want[0] || number.wheel() != want[1] {
			t.Errorf("%s is %s, and %s for Python: %v", tag, number, number.wheel(), err)
		}
	}
	for _, tag := range []string{"", "1.2.3", "v1.2", "v1.2.3-beta", "v1.2.3\n", "latest"} {
		if number, err := parseVersion(tag); err == nil {
			t.Errorf("%q is taken as %s", tag, number)
		}
	}
}

// TestRegistered: a package has the scope of the owner of the repository.
func TestRegistered(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"github.com/A-b/proof": "@a-b/toolproof", "git.example/a/b/c": "@a/toolproof", "git.example": "@git.example/toolproof"} {
		if got := registered(address, programs[0]); got != want {
			t.Errorf("%s has %s", address, got)
		}
	}
}

// TestNothingOld: an existing folder is not written to, and an unknown platform is an error.
func TestNothingOld(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), "v1.2.3", "../..", t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Error(err)
	}
	if err := run(t.Context(), "v1.2.3", "../..", filepath.Join(t.TempDir(), "dist"), "plan9/vax"); err == nil || !strings.Contains(err.Error(), `nothing is released for "plan9/vax"`) {
		t.Error(err)
	}
}

// TestPack packs programs that do nothing twice, for Linux: both times every file of a
// release is written, with the same bytes.
func TestPack(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	self := compiled(t)
	number, err := parseVersion("v1.2.3-rc.4")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]*release{}
	for _, name := range []string{"first", "second"} {
		r := &release{version: number, address: "github.com/someone/proof", folder: filepath.Join(folder, name), license: []byte("license"), python: []file{{"toolproof/__init__.py", readable, []byte("pass\n")}}, platforms: platforms[:2], built: filepath.Join(folder, "built-"+name)}
		for _, on := range r.platforms {
			for _, what := range programs {
				if err := os.MkdirAll(filepath.Dir(r.path(what, on)), executable); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(r.path(what, on), self, executable); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := r.pack(); err != nil {
			t.Fatal(err)
		}
		made[name] = r
	}
	files := 0
	for _, pattern := range []string{"*", "npm/*", "pypi/*"} {
		found, err := filepath.Glob(made["first"].in(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, _ := filepath.Rel(made["first"].folder, path)
			before, failed := os.ReadFile(path)
			after, err := os.ReadFile(made["second"].in(name))
			if failed != nil && err != nil {
				continue // a folder
			}
			if files++; !bytes.Equal(before, after) || len(before) == 0 {
				t.Errorf("%s has %d bytes, and then %d others", name, len(before), len(after))
			}
		}
	}
	// Two archives, four bills, two debs and rpms, an image, a formula, a manifest and the
	// checksums; six packages of npm and four wheels.
	if want := 2 + 4 + 2 + 2 + 1 + 2 + 1 + 6 + 4; files != want {
		t.Errorf("%d files, and not %d", files, want)
	}
}

// compiled returns a program that does nothing.
func compiled(t *testing.T) []byte {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module nothing\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), readable); err != nil {
			t.Fatal(err)
		}
	}
	runs(t, folder, 0, "go", "build", "-ldflags=-s -w", "-o", "nothing")
	content, err := os.ReadFile(filepath.Join(folder, "nothing"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
