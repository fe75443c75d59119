package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness/agent"
	"toolproof/harness/agent/client"
	"toolproof/harness/toolfile"
)

// trickyTools are the tools that agents are measured with.
const trickyTools = "../../lab/clients/agents/tricky-tools.json"

// searchedAgents are the measurements of agents whose search for tools was left on.
const searchedAgents = "clients-search.json"

// TestAgents runs the agents that are pinned below lab/clients/agents with the tricky tools,
// with those that portable makes of them, and with their search for tools. They run on the Node
// that is pinned there. What becomes of each tool is as it is published.
// With UPDATE in the environment it writes that anew, and adds what was never measured.
func TestAgents(t *testing.T) {
	t.Parallel()
	programs, err := filepath.Abs("../../lab/clients/agents/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(programs); err != nil {
		t.Skip("the agents are not installed: make agents does so, and needs npm")
	}
	verify := filepath.Join(t.TempDir(), "verify")
	if said, err := exec.Command("go", "build", "-o", verify, ".").CombinedOutput(); err != nil { //nolint:noctx // the test has a limit
		t.Fatalf("%v: %s", err, said)
	}
	for name, tools := range map[string]string{"clients.json": trickyTools, "clients-portable.json": portableTools(t), searchedAgents: trickyTools} {
		path := filepath.Join("../../docs", name)
		published, err := cli.AgentReports(path)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("UPDATE") != "" {
			published = withUnmeasured(published, name == searchedAgents)
		}
		for i, want := range published {
			if _, err := os.Stat(filepath.Join(programs, client.Named(want.Client).Run.Program)); err != nil {
				t.Logf("%s is not installed here, and not measured", want.Client) // npm lacks some of Kilo's packages
				continue
			}
			arguments := []string{"client", want.Client, "--surface", want.Surface, "--run-timeout", "5m", "--json", "--tools", tools}
			if name == searchedAgents {
				arguments = append(arguments, "--tool-search")
			}
			if os.Getenv("UPDATE") == "" {
				arguments = append(arguments, "--as-of", string(want.Date))
			}
			command := exec.Command(verify, arguments...) //nolint:noctx // the test has a limit
			command.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"))
			var errs bytes.Buffer
			command.Stderr = &errs
			out, err := command.Output()
			var got agent.Report
			if failed := json.NewDecoder(bytes.NewReader(out)).Decode(&got); failed != nil || got.Client == "" || got.Request == nil {
				t.Errorf("%s on %s: %v: %s%s", want.Client, want.Surface, err, &errs, got.Output)
				continue
			}
			if os.Getenv("UPDATE") != "" {
				published[i], published[i].Output = got, "" // which is another each time
				continue
			}
			if difference := cmp.Diff(lasting(t, want), lasting(t, got)); difference != "" {
				t.Errorf("%s on %s: %s", want.Client, want.Surface, difference)
			}
		}
		if os.Getenv("UPDATE") != "" {
			published = slices.DeleteFunc(published, func(report agent.Report) bool { return report.ClientVersion == "" }) // not installed
			var lines bytes.Buffer
			s := &session{&cli.Session{Out: bufio.NewWriter(&lines)}}
			for i := range published {
				s.writeClientLine(&published[i])
			}
			s.writeClientSummary(published)
			_ = s.Out.Flush()
			if err := os.WriteFile(path, lines.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// withUnmeasured returns the reports, and for each surface of an agent that none is about one
// that has only the names; if searches is set, only of the agents with a search for tools.
func withUnmeasured(reports []agent.Report, searches bool) []agent.Report {
	for _, row := range client.Agents {
		if searches && !row.Run.HasSearch {
			continue
		}
		for _, surface := range row.Run.Surfaces {
			if !slices.ContainsFunc(reports, func(report agent.Report) bool { return report.Client == row.Name && report.Surface == surface.Name }) {
				reports = append(reports, agent.Report{Client: row.Name, Surface: surface.Name})
			}
		}
	}
	return reports
}

// lasting returns what a report says each time.
func lasting(t *testing.T, given agent.Report) string {
	t.Helper()
	given.Seconds, given.Network, given.Output = 0, "", ""
	text, err := json.MarshalIndent(given, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// portableTools returns a file with what portable makes of the tricky tools.
func portableTools(t *testing.T) string {
	t.Helper()
	out, _ := clitest.Output(t, run, "", cli.CodeConforms, "normalize", "--target", "portable", trickyTools)
	name := filepath.Join(t.TempDir(), "portable.json")
	if err := os.WriteFile(name, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPublishedAgents checks that what is published of agents has the form that is
// published, and is about the tools that are here.
func TestPublishedAgents(t *testing.T) {
	t.Parallel()
	compiled := clitest.CompileSchema(t, "../../docs/schema/client.schema.json")
	file, err := os.Open(trickyTools)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tools, err := toolfile.Read(file)
	if err != nil || len(tools) < 34 {
		t.Fatalf("%d tricky tools: %v", len(tools), err)
	}
	for _, name := range []string{"clients.json", "clients-portable.json", searchedAgents} {
		text, err := os.ReadFile(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			clitest.Validate(t, compiled, bytes.TrimSpace(line), name)
		}
		if strings.Contains(string(text), "/home/") || strings.Contains(string(text), `"output"`) {
			t.Errorf("%s has what is another each time", name)
		}
		reports, err := cli.AgentReports(filepath.Join("../../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, one := range reports {
			seen[one.Client+" "+one.Surface] = true
			if len(one.Tools) != len(tools) || one.ClientVersion == "" || one.Request == nil {
				t.Errorf("%s: %s on %s has %d tools of %d", name, one.Client, one.Surface, len(one.Tools), len(tools))
			}
			for _, tool := range one.Tools {
				if name != "clients-portable.json" && !slices.ContainsFunc(tools, func(given toolfile.Tool) bool { return given.Name == tool.Name }) {
					t.Errorf("%s: %s is no tricky tool", name, tool.Name)
				}
			}
		}
		for _, row := range client.Agents {
			for _, surface := range row.Run.Surfaces {
				if (name != searchedAgents || row.Run.HasSearch) && !seen[row.Name+" "+surface.Name] {
					t.Errorf("%s has nothing about %s on %s", name, row.Name, surface.Name)
				}
			}
		}
	}
}
