package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/advice"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
	"toolproof/internal/program"
	"toolproof/schema"
)

// configured is a server of a configuration that agents were measured with, with the names of its tools.
type configured struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools"`
}

// configurations returns the configurations that agents are measured with, and the schema of every tool:
//
//   - four: two tools of two servers have one name behind the prefix SERVER_, two servers have one name once
//     their dots are replaced, and three tools have one name of their own
//   - turned: the same in the opposite order, of servers and of tools
//   - many: 181 tools
//   - reserved: servers with names that Claude Code reserves, and two others
//   - own: tools with names of agents' own
func configurations(t *testing.T) (all map[string][]configured, parameters json.RawMessage) {
	t.Helper()
	text, err := os.ReadFile("testdata/configurations.json")
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Schema         json.RawMessage         `json:"schema"`
		Configurations map[string][]configured `json:"configurations"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read.Configurations, read.Schema
}

// togetherFile has what each agent sent of the configurations, by agent and configuration.
const togetherFile = "testdata/together.json"

// sentTogether is what an agent sent of a configuration in its longest request.
type sentTogether struct {
	// Status is that of the emulator's answer.
	Status int `json:"status"`
	// Own are the agent's own tools, and OwnTokens and Tokens estimate the sizes of these and of the servers'.
	Own       []string `json:"own,omitempty"`
	OwnTokens int      `json:"own_tokens"`
	Tokens    int      `json:"tokens"`
	// Sent are the servers' tools in order, each with the name that the agent gives to it.
	Sent []string `json:"sent"`
}

// TestTogether runs the agents that are installed with several servers, and compares what they send with
// togetherFile. With UPDATE in the environment it writes that anew. It runs with make agents.
func TestTogether(t *testing.T) {
	programs, err := filepath.Abs("../../lab/clients/agents/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(programs); err != nil {
		t.Skip("the agents are not installed: make agents does so, and needs npm")
	}
	all, parameters := configurations(t)
	sent := map[string]map[string]sentTogether{}
	for _, row := range client.Agents {
		path := filepath.Join(programs, row.Run.Program)
		if _, err := os.Stat(path); err != nil {
			t.Logf("%s is not installed here, and not measured", row.Name)
			continue
		}
		sent[row.Name] = map[string]sentTogether{}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			sent[row.Name][name] = sendTogether(t, row, path, programs, all[name], parameters)
		}
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
	text, err := os.ReadFile(togetherFile)
	if err != nil {
		t.Fatal(err)
	}
	var measured map[string]map[string]sentTogether
	if err := json.Unmarshal(text, &measured); err != nil {
		t.Fatal(err)
	}
	for name, configurations := range sent {
		for configuration, got := range configurations {
			want := measured[name][configuration]
			got.OwnTokens, want.OwnTokens = 0, 0 // the agents' own texts name folders
			if client.Named(name).Run.Names.Equal == client.SendsOne {
				got.Sent, want.Sent = namesIn(got.Sent), namesIn(want.Sent) // which of two tools has the name is not always the same
			}
			if difference := cmp.Diff(want, got); difference != "" {
				t.Errorf("%s with %s: %s", name, configuration, difference)
			}
		}
	}
}

// namesIn returns the names under which tools were sent.
func namesIn(sent []string) []string {
	names := make([]string, len(sent))
	for i, line := range sent {
		_, names[i], _ = strings.Cut(line, " = ")
	}
	return names
}

// sendTogether runs an agent on its usual surface with servers, and returns what it sends.
func sendTogether(t *testing.T, row *client.Row, path, programs string, servers []configured, parameters json.RawMessage) sentTogether {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	provider := emulator.New(emulator.Options{Reply: emulator.ReplyText, Keep: mostRequests})
	server := httptest.NewServer(provider)
	defer server.Close()
	place := client.Place{URL: server.URL, Home: filepath.Join(folder, "home"), Work: filepath.Join(folder, "work"), Surface: row.Run.Surfaces[0]}
	setup := setupWith(t, row, place, folder, servers, parameters)
	if err := errors.Join(setup.Write(place.Home), os.MkdirAll(place.Work, 0o700)); err != nil {
		t.Fatal(err)
	}
	environment := append(program.Environment(place.Home, programs+string(os.PathListSeparator)+os.Getenv("PATH")), setup.Env...)
	outcome := start(context.Background(), place, environment, Job{Program: path, Timeout: 2 * time.Minute}, setup.Args...)
	var longest sentTogether
	for _, entry := range provider.Requests() {
		if sent := sentIn(entry); len(sent.Sent) > len(longest.Sent) {
			longest = sent
		}
	}
	if len(longest.Sent) == 0 {
		t.Errorf("%s sends no tool: %s", row.Name, outcome.Output)
	}
	return longest
}

// setupWith returns the setup of an agent with several servers, in their order.
func setupWith(t *testing.T, row *client.Row, place client.Place, folder string, servers []configured, parameters json.RawMessage) program.Setup {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var setup client.Setup
	for i, server := range servers {
		var tools []any
		for _, tool := range server.Tools {
			tools = append(tools, map[string]any{"name": tool, "description": "Of " + server.Server + ": " + tool, "inputSchema": parameters})
		}
		file := filepath.Join(folder, strconv.Itoa(i)+".json")
		if err := os.WriteFile(file, must(map[string]any{"tools": tools}), 0o600); err != nil {
			t.Fatal(err)
		}
		place.Server, place.Command = server.Server, []string{self, ServerCommand, file}
		setup = withServer(setup, row.Run.Setup(place))
	}
	written := program.Setup{Files: map[string]string{}, Env: setup.Env, Args: setup.Args}
	for name, object := range setup.Files {
		text, err := textOf(name, object)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) != ".toml" { // an object has no order in TOML
			text = ordered(t, text, servers)
		}
		written.Files[name] = text
	}
	return written
}

// ordered returns a configuration with the servers in their order.
func ordered(t *testing.T, text string, servers []configured) string {
	t.Helper()
	root, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(*schema.Node)
	visit = func(node *schema.Node) {
		if node.Has(servers[0].Server) {
			members := node.Members
			node.Members = nil
			for _, server := range servers {
				at := slices.IndexFunc(members, func(member schema.Member) bool { return member.Key == server.Server })
				node.Members = append(node.Members, members[at])
			}
			return
		}
		for _, member := range node.Members {
			visit(member.Value)
		}
	}
	visit(root)
	return string(root.JSON())
}

// sentIn returns what a request has of tools.
func sentIn(request *emulator.Entry) sentTogether {
	declared, _ := arrival.Read(request)
	sent := sentTogether{Status: request.Status}
	for _, declaration := range declared {
		tokens := advice.Tokens(string(declaration.Node.JSON()))
		of, err := declaration.Tool.DescriptionText()
		if err != nil || !strings.HasPrefix(of, "Of ") {
			sent.Own, sent.OwnTokens = append(sent.Own, declaration.Name()), sent.OwnTokens+tokens
			continue
		}
		of, _, _ = strings.Cut(of, "\n") // a client may say more
		sent.Sent, sent.Tokens = append(sent.Sent, of[len("Of "):]+" = "+declaration.Name()), sent.Tokens+tokens
	}
	return sent
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
