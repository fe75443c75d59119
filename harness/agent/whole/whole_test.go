package whole_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness/agent/client"
	"toolproof/harness/agent/whole"
	"toolproof/harness/report"
)

// four are the servers that together_test.go of package agent gives to each agent.
var four = []whole.Server{
	{Name: "alpha", Tools: []string{"search", "b_c", "a_name_of_a_tool_that_has_sixty_four_characters_without_a_prefix"}},
	{Name: "alpha_b", Tools: []string{"c", "read"}},
	{Name: "my.server", Tools: []string{"search", "read"}},
	{Name: "my_server", Tools: []string{"search", "write.file"}},
}

func judged(t *testing.T, servers []whole.Server) map[string]report.Agent {
	t.Helper()
	agents, err := whole.Judge(t.Context(), "2026-11-24", servers)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]report.Agent{}
	for _, agent := range agents {
		named[agent.Name] = agent
	}
	return named
}

// TestAsMeasured compares the verdict with what each agent sent of the four servers: the number of
// tools that are lost, and the name of each tool that is not.
func TestAsMeasured(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../testdata/together.json")
	if err != nil {
		t.Fatal(err)
	}
	var measured map[string][]string
	if err := json.Unmarshal(text, &measured); err != nil {
		t.Fatal(err)
	}
	const agents, tools = 8, 9
	if len(measured) != agents {
		t.Errorf("%d agents were measured, not %d", len(measured), agents)
	}
	verdicts := judged(t, four)
	for name, lines := range measured {
		if got, want := verdicts[name].Lost, tools-len(lines); got != want {
			t.Errorf("%s loses %d tools, and lost %d", name, got, want)
		}
		run := client.Named(name).Run
		for _, line := range lines {
			of, got, _ := strings.Cut(line, " = ")
			server, tool, _ := strings.Cut(of, ": ")
			_, want := run.Sent(server, tool)
			if run.Names.Space != "" {
				got = got[strings.LastIndex(got, ".")+1:]
			}
			if at := strings.LastIndex(want, "_"); run.Names.Hashes && got != want { // the hash is the client's own
				got, want = got[:min(len(got), at)], want[:at]
				got = strings.TrimSuffix(got, "_")
				want = want[:min(len(got), len(want))]
			}
			if got != want {
				t.Errorf("%s sends %s as %s, and by its row %s", name, of, got, want)
			}
		}
	}
}

// TestProblems plants each problem, and says which server to leave out.
func TestProblems(t *testing.T) {
	t.Parallel()
	together := judged(t, four)
	many := judged(t, []whole.Server{{Name: "one", Tools: numbered("a", 100)}, {Name: "two", Tools: numbered("b", 29)}, {Name: "few", Tools: numbered("c", 3)}})
	own := judged(t, []whole.Server{{Name: "one", Tools: []string{"Bash"}}, {Name: "two", Tools: []string{"other"}}})
	long := judged(t, []whole.Server{{Name: "one", Tools: []string{strings.Repeat("a", 125)}}, {Name: "two", Tools: []string{"b"}}})
	for _, test := range []struct {
		agent    report.Agent
		kinds    []string
		refused  bool
		leaveOut string
	}{
		{together["claude-code"], []string{report.SameName}, false, "my.server"},
		{together["codex"], nil, false, ""},
		{together["opencode"], []string{report.SameName, report.SameName}, false, "alpha_b"},
		{many["cline"], []string{report.Refused}, true, "two"},
		{many["vscode"], []string{report.TooManyTools}, false, "two"},
		{many["windsurf"], []string{report.TooManyTools}, false, "one"},
		{many["claude-code"], nil, false, ""},
		{many["codex"], nil, false, ""},
		{own["continue"], []string{report.SameName}, false, "one"},
		{own["cline"], nil, false, ""},
		{long["claude-code"], []string{report.Refused}, true, "one"},
		{long["gemini-cli"], nil, false, ""},
	} {
		var kinds []string
		for _, problem := range test.agent.Problems {
			kinds = append(kinds, problem.Kind)
		}
		if !slices.Equal(kinds, test.kinds) || test.agent.Refused != test.refused || test.agent.LeaveOut != test.leaveOut {
			t.Errorf("%+v; want %v, refused %t, leave out %q", test.agent, test.kinds, test.refused, test.leaveOut)
		}
	}
}

// TestClients leaves out servers that a client does not start.
func TestClients(t *testing.T) {
	t.Parallel()
	agents := judged(t, []whole.Server{
		{Name: "one", Clients: []string{"codex"}, Tools: []string{"a"}}, {Name: "two", Clients: []string{"codex", "cursor"}, Tools: []string{"b", "c"}},
	})
	if len(agents) != 2 || agents["codex"].Tools != 3 || agents["cursor"].Tools != 2 {
		t.Errorf("%+v", agents)
	}
}

func numbered(name string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = name + strconv.Itoa(i)
	}
	return names
}
