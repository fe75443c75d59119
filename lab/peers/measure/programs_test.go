package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const docs = "../../../docs"

// TestPageIsMadeOfTheData: what is published is what the published rows, and what was
// measured of agents and gateways, make of it.
func TestPageIsMadeOfTheData(t *testing.T) {
	t.Parallel()
	folder := copied(t, nil)
	table, err := load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.save(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"peers.json", "checkers.md"} {
		want, got := read(t, filepath.Join(docs, name)), read(t, filepath.Join(folder, name))
		if got != want {
			t.Errorf("docs/%s is not made of what is published: make pages", name)
		}
	}
	for _, row := range table.Programs {
		for set, count := range row.Sets {
			if count.Tools != count.Kept+count.Silent+count.Unjudged+count.Refused+count.Declined+count.Crashed || count.Tools < 34 {
				t.Errorf("%s, %s, %s: the outcomes of %d tools are %+v", row.Name, row.Where, set, count.Tools, count)
			}
		}
	}
}

// TestSince says in words what differs between two measurings, made up: an agent has a new
// version that leaves a tool out, a gateway's one is refused in other words, and a package
// keeps fewer tools.
func TestSince(t *testing.T) {
	t.Parallel()
	if text, err := since(docs, copied(t, nil)); text != "" || err != nil {
		t.Fatalf("nothing differs, and it says %q, %v", text, err)
	}
	newer := copied(t, map[string][2]string{
		"clients.json": {
			`"client":"codex","client_version":"0.169.0"`, `"client":"codex","client_version":"0.170.0"`,
		},
		"gateways.json": {"array schema missing items", "an array needs items"},
		"peers.json":    {`"version": "7.57.0",`, `"version": "7.58.0",`},
	})
	file := filepath.Join(newer, "clients.json")
	text := read(t, file)
	at := strings.Index(text, `"client":"codex"`)
	place := at + strings.Index(text[at:], `"tool":"bounds"`)
	changed := strings.Replace(text[place:], `"state":"changed"`, `"state":"missing"`, 1)
	if err := os.WriteFile(file, []byte(text[:place]+changed), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := since(docs, newer)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## codex, from 0.169.0 to 0.170.0\n\n* responses, `bounds`: `lost in silence, changed` before, `missing in silence` now\n\n",
		"## claude-code-router 2.0.0, the same version\n",
		"array schema missing items.` before, `refused by the provider: Invalid schema for function 'array_without_items': In context=('properties', 'entries'), an array needs items.` now\n",
		"from 7.57.0 to 7.58.0\n\nIt does the same to every tool.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

// copied returns a folder with the data, in which texts are replaced.
func copied(t *testing.T, replace map[string][2]string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"clients.json", "clients-portable.json", "gateways.json", "peers.json", "checkers.md"} {
		text := read(t, filepath.Join(docs, name))
		if pair, has := replace[name]; has {
			if !strings.Contains(text, pair[0]) {
				t.Fatalf("%s lacks %s", name, pair[0])
			}
			text = strings.ReplaceAll(text, pair[0], pair[1])
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
