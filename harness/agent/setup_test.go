package agent

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/agent/client"
)

// TestSetups holds what each row makes of a place, on each of its surfaces and for each of its
// earlier setups, to the files in testdata/setup: the command line, the environment and the
// configurations. With UPDATE in the environment it writes them anew.
func TestSetups(t *testing.T) {
	t.Parallel()
	isNew := os.Getenv("UPDATE") != ""
	folder := filepath.Join("testdata", "setup")
	stale, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range client.Agents {
		if row == fake {
			continue
		}
		for name, got := range allShown(t, row) {
			file := filepath.Join(folder, name+".txt")
			stale = slices.DeleteFunc(stale, func(name string) bool { return name == file })
			if isNew {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %v; run the test with UPDATE=1", name, err)
				continue
			}
			if difference := cmp.Diff(string(want), got); difference != "" {
				t.Errorf("%s: %s", name, difference)
			}
		}
	}
	if len(stale) > 0 {
		t.Errorf("no row makes %q: remove the files", stale)
	}
}

// allShown returns how an agent is started, for a reader, by the surface and the version before which that holds.
func allShown(t *testing.T, row *client.Row) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, surface := range row.Run.Surfaces {
		all[row.Name+"-"+surface.Name] = shown(t, row, surface, row.Run.Version)
		for _, earlier := range row.Run.Earlier {
			all[row.Name+"-"+surface.Name+"-before-"+earlier.Before] = shown(t, row, surface, earlier.Before+"-")
		}
	}
	return all
}

func shown(t *testing.T, row *client.Row, surface client.Surface, version string) string {
	t.Helper()
	const home = "/a-home"
	place := client.Place{
		URL: "http://127.0.0.1:1", Home: home, Work: "/a-folder", Server: "srv", Command: []string{"/bin/self", ServerCommand, "/tools.json"}, Surface: surface,
	}
	setup, err := setupOf(row, place, version)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("$ " + row.Run.Program)
	for _, argument := range setup.Args {
		fmt.Fprintf(&text, " %q", argument)
	}
	text.WriteByte('\n')
	for _, variable := range setup.Env {
		fmt.Fprintf(&text, "%s\n", variable)
	}
	for _, name := range slices.Sorted(maps.Keys(setup.Files)) {
		if !filepath.IsLocal(name) {
			t.Errorf("%s on %s: %s does not lie in the home directory", row.Name, surface.Name, name)
		}
		fmt.Fprintf(&text, "\n-- %s --\n%s", name, setup.Files[name])
	}
	return strings.ReplaceAll(text.String(), filepath.FromSlash(home+"/"), home+"/")
}
