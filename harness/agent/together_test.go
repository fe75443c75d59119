package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
	"toolproof/internal/program"
)

// fourServers are the servers that agents were measured with at once, by name, with the names of
// their tools. Two tools of two servers have one name behind the prefix SERVER_, two servers have one
// name once their dots are replaced, and three tools have one name of their own.
var fourServers = map[string][]string{
	"alpha":     {"search", "b_c", "a_name_of_a_tool_that_has_sixty_four_characters_without_a_prefix"},
	"alpha_b":   {"c", "read"},
	"my.server": {"search", "read"},
	"my_server": {"search", "write.file"},
}

// togetherFile has what each agent sent of fourServers, by agent and surface: the namespaces and names
// in order.
const togetherFile = "testdata/together.json"

// TestTogether runs the agents that are installed with fourServers, and compares what they send with
// togetherFile. With UPDATE in the environment it writes that anew. It runs with make agents.
func TestTogether(t *testing.T) {
	programs, err := filepath.Abs("../../lab/clients/agents/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(programs); err != nil {
		t.Skip("the agents are not installed: make agents does so, and needs npm")
	}
	sent := map[string][]string{}
	for _, row := range client.Agents {
		path := filepath.Join(programs, row.Run.Program)
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not installed here, and not measured", row.Name)
			continue
		}
		names := sendTogether(t, row, path, programs)
		t.Logf("%s: %q", row.Name, names)
		sent[row.Name] = names
	}
	if os.Getenv("UPDATE") != "" {
		text, err := json.MarshalIndent(sent, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(togetherFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name, want := range together(t) {
		if got := sent[name]; got != nil && !slices.Equal(got, want) {
			t.Errorf("%s sends %q, and sent %q", name, got, want)
		}
	}
}

// together returns what togetherFile has.
func together(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(togetherFile)
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string][]string
	if err := json.Unmarshal(text, &sent); err != nil {
		t.Fatal(err)
	}
	return sent
}

// sendTogether runs an agent on its usual surface with fourServers, and returns the names of their
// tools in its longest request.
func sendTogether(t *testing.T, row *client.Row, path, programs string) []string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	provider := emulator.New(emulator.Options{Reply: emulator.ReplyText, Keep: mostRequests})
	server := httptest.NewServer(provider)
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	place := client.Place{URL: server.URL, Home: filepath.Join(folder, "home"), Work: filepath.Join(folder, "work"), Surface: row.Run.Surfaces[0]}
	var setup client.Setup
	for _, name := range slices.Sorted(maps.Keys(fourServers)) {
		var tools []any
		for _, tool := range fourServers[name] {
			tools = append(tools, map[string]any{
				"name": tool, "description": "Of " + name + ": " + tool,
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "string"}}},
			})
		}
		list, err := json.Marshal(map[string]any{"tools": tools})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(folder, name+".json")
		if err := os.WriteFile(file, list, 0o600); err != nil {
			t.Fatal(err)
		}
		place.Server, place.Command = name, []string{self, ServerCommand, file}
		setup = withServer(setup, row.Run.Setup(place))
	}
	written := program.Setup{Files: map[string]string{}, Env: setup.Env, Args: setup.Args}
	for name, object := range setup.Files {
		if written.Files[name], err = textOf(name, object); err != nil {
			t.Fatal(err)
		}
	}
	if err := written.Write(place.Home); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(place.Work, 0o700); err != nil {
		t.Fatal(err)
	}
	environment := append(program.Environment(place.Home, programs+string(os.PathListSeparator)+os.Getenv("PATH")), setup.Env...)
	outcome := start(context.Background(), place, environment, Job{Program: path, Timeout: 2 * time.Minute}, setup.Args...)
	names := []string{}
	for _, entry := range provider.Requests() {
		declared, _ := arrival.Read(entry)
		var here []string
		for _, declaration := range declared {
			if of, err := declaration.Tool.DescriptionText(); err == nil && strings.HasPrefix(of, "Of ") {
				name := declaration.Tool.Name
				if declaration.Space != "" {
					name = declaration.Space + "." + name
				}
				here = append(here, of[len("Of "):]+" = "+name)
			}
		}
		if len(here) > len(names) {
			names = here
		}
	}
	if len(names) == 0 {
		t.Errorf("%s sends no tool: %s", row.Name, outcome.Output)
	}
	return names
}

// withServer returns a setup with the servers of another in addition to its own.
func withServer(setup, other client.Setup) client.Setup {
	for name, object := range setup.Files {
		merge(object, other.Files[name])
	}
	if setup.Files == nil {
		return other
	}
	return setup
}

// merge adds the members that an object lacks, and the entries of lists of objects that differ.
func merge(object, other client.Object) {
	for name, value := range other {
		switch mine := object[name].(type) {
		case nil:
			object[name] = value
		case client.Object:
			if theirs, ok := value.(client.Object); ok {
				merge(mine, theirs)
			}
		case []any:
			theirs, _ := value.([]any)
			for _, entry := range theirs {
				if !bytes.Contains(must(mine), must(entry)) {
					mine = append(mine, entry)
				}
			}
			object[name] = mine
		}
	}
}

// must returns the JSON of a value.
func must(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
