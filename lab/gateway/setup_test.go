package gateway

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSetups holds what each row makes of a place to the files in testdata/setup: the
// command line, the environment, the configurations and the ways. With UPDATE in the
// environment it writes them anew.
func TestSetups(t *testing.T) {
	t.Parallel()
	for _, row := range Gateways {
		file := filepath.Join("testdata", "setup", row.Name+".txt")
		got := shown(row)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s: %v; run the test with UPDATE=1", row.Name, err)
		}
		if difference := cmp.Diff(string(want), got); difference != "" {
			t.Errorf("%s: %s", row.Name, difference)
		}
	}
}

// shown returns how a gateway is started and asked, for a reader.
func shown(row *Gateway) string {
	setup := row.setup(Place{Upstream: "http://127.0.0.1:1", Port: "2", Home: "/a-home"})
	var text strings.Builder
	text.WriteString("$ " + row.Program)
	for _, argument := range setup.Args {
		fmt.Fprintf(&text, " %q", argument)
	}
	text.WriteByte('\n')
	for _, variable := range setup.Env {
		fmt.Fprintf(&text, "%s\n", variable)
	}
	for _, name := range slices.Sorted(maps.Keys(setup.Files)) {
		fmt.Fprintf(&text, "\n-- %s --\n%s\n", name, setup.Files[name])
	}
	for _, way := range row.Ways {
		fmt.Fprintf(&text, "\n-- way %s --\nin %s, path %q, model %s\n", way.Name, way.In, way.Path, way.Model)
		for _, name := range slices.Sorted(maps.Keys(way.Headers)) {
			fmt.Fprintf(&text, "%s: %s\n", name, way.Headers[name])
		}
	}
	return text.String()
}
