package version_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/internal/version"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	sorted := []string{"0.9.10", "1.0.0-beta.2", "1.0.0-beta.10", "1.0.0", "1.0.0.1", "1.2.9", "1.2.10", "2025.12.18", "2026.1.2", "gpt-4o", "gpt-5"}
	shuffled := slices.Clone(sorted)
	slices.Reverse(shuffled)
	slices.SortFunc(shuffled, version.Compare)
	if diff := cmp.Diff(sorted, shuffled); diff != "" {
		t.Error(diff)
	}
}

// TestInstalled: the version is that of the package whose program it is, not that of another package above.
func TestInstalled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"package.json":                              `{"name":"own","version":"9.9.9"}`,
		"node_modules/agent/package.json":           `{"name":"agent","version":"1.2.3"}`,
		"node_modules/agent/bin/package.json":       `{"type":"module"}`,
		"node_modules/agent/bin/agent":              "",
		"node_modules/.bin/package.json":            `{"name":"agent","version":"0.0.0"}`,
		"node_modules/other/package.json":           `{"name":"other"`,
		"node_modules/other/node_modules/agent/run": "",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(folder, "node_modules", ".bin", "agent")
	if err := os.Symlink("../agent/bin/agent", link); err != nil {
		t.Skipf("no links: %v", err)
	}
	for program, want := range map[string]string{link: "1.2.3", filepath.Join(folder, "node_modules/other/node_modules/agent/run"): "", filepath.Join(folder, "none"): ""} {
		if got := version.Installed(program, "agent"); got != want {
			t.Errorf("%s: %q, not %q", program, got, want)
		}
	}
}
