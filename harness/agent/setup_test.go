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

// TestSetups holds what each row makes of a place, on each of its surfaces, to the files in
// testdata/setup: the command line, the environment and the configurations. With UPDATE in
// the environment it writes them anew.
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
		for _, surface := range row.Run.Surfaces {
			got := shown(t, row, surface)
			file := filepath.Join(folder, row.Name+"-"+surface.Name+".txt")
			stale = slices.DeleteFunc(stale, func(name string) bool { return name == file })
			if isNew {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s on %s: %v; run the test with UPDATE=1", row.Name, surface.Name, err)
				continue
			}
			if difference := cmp.Diff(string(want), got); difference != "" {
				t.Errorf("%s on %s: %s", row.Name, surface.Name, difference)
			}
		}
	}
	if len(stale) > 0 {
		t.Errorf("no row makes %q: remove the files", stale)
	}
}

// shown returns how an agent is started, for a reader.
func shown(t *testing.T, row *client.Row, surface client.Surface) string {
	t.Helper()
	const home = "/a-home"
	place := client.Place{
		URL: "http://127.0.0.1:1", Home: home, Work: "/a-folder", Server: "srv", Command: []string{"/bin/self", ServerCommand, "/tools.json"}, Surface: surface,
	}
	setup, err := setupOf(row, place)
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
