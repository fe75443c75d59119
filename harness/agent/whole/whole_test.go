package whole

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness/agent/client"
	"toolproof/harness/report"
	"toolproof/schema"
)

// measured are what agents sent of the configurations in ../testdata, which together_test.go of package
// agent has measured.
type measured map[string]map[string]struct {
	Status    int      `json:"status"`
	Own       []string `json:"own"`
	OwnTokens int      `json:"own_tokens"`
	Tokens    int      `json:"tokens"`
	Sent      []string `json:"sent"`
}

// read reads the measurements and the lists of the configurations that they are of.
func read(t *testing.T) (measured, map[string][]report.List) {
	t.Helper()
	var agents measured
	var given struct {
		Schema         json.RawMessage `json:"schema"`
		Configurations map[string][]struct {
			Server string   `json:"server"`
			Tools  []string `json:"tools"`
		} `json:"configurations"`
	}
	for name, into := range map[string]any{"../testdata/together.json": &agents, "../testdata/configurations.json": &given} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	parameters, err := schema.Parse(given.Schema)
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string][]report.List{}
	for name, servers := range given.Configurations {
		for place, server := range servers {
			var tools []schema.Tool
			for _, tool := range server.Tools {
				tools = append(tools, schema.Tool{Name: tool, Description: schema.NewString("Of " + server.Server + ": " + tool), Parameters: parameters})
			}
			lists[name] = append(lists[name], report.List{Place: place, Server: server.Server, Tools: Listed(server.Server, slices.Values(tools))})
		}
	}
	return agents, lists
}

func judged(t *testing.T, lists []report.List) map[string]report.Agent {
	t.Helper()
	agents, err := Judge(t.Context(), "2026-11-28", lists)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]report.Agent{}
	for _, agent := range agents {
		named[agent.Name] = agent
	}
	return named
}

// TestAsMeasured compares the verdict with what each agent sent of each configuration: which tools, under
// which names, in which order, how many tokens they are, and whether the request was refused.
func TestAsMeasured(t *testing.T) {
	t.Parallel()
	agents, lists := read(t)
	const most = 8
	if len(agents) != most {
		t.Errorf("%d agents were measured, not %d", len(agents), most)
	}
	for name, configurations := range agents {
		row := client.Named(name)
		if len(configurations) != len(lists) {
			t.Errorf("%s was measured with %d configurations of %d", name, len(configurations), len(lists))
		}
		for configuration, got := range configurations {
			what := name + " with " + configuration
			verdict := judged(t, lists[configuration])[name]
			if isRefused := got.Status >= 400; verdict.Refused != isRefused {
				t.Errorf("%s: the request is refused: %t, and was: %t", what, verdict.Refused, isRefused)
			}
			if lost := verdict.Tools - len(got.Sent); verdict.Lost != lost {
				t.Errorf("%s loses %d tools, and lost %d", what, verdict.Lost, lost)
			}
			const exact = 0.05
			if off := math.Abs(float64(verdict.Tokens-got.Tokens)) / float64(got.Tokens); off > exact {
				t.Errorf("%s: %d tokens, and %d were sent", what, verdict.Tokens, got.Tokens)
			}
			compareSent(t, what, row, lists[configuration], got.Sent)
		}
	}
}

// compareSent compares the tools that a client sends of lists, in order, with those that it sent. Tools with
// one name are left out if the client sends any of them, at any place.
func compareSent(t *testing.T, what string, row *client.Row, lists []report.List, lines []string) {
	t.Helper()
	sent, lost := together(row, lists)
	if row.Run.Names.Equal == client.SendsOne {
		for _, loss := range lost {
			sent = slices.DeleteFunc(sent, func(tool one) bool { return tool.name == loss.problem.Sent })
			lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.HasSuffix(line, " = "+loss.problem.Sent) })
		}
	}
	if len(sent) != len(lines) {
		t.Errorf("%s: it sends %d tools, and sent %d", what, len(sent), len(lines))
		return
	}
	for i, line := range lines {
		if !isAs(row.Run, sent[i], line) {
			t.Errorf("%s: tool %d is %+v, and was %s", what, i, sent[i], line)
		}
	}
}

// isAs reports whether a tool was sent as a line says. The hashes are the client's own.
func isAs(run *client.Run, tool one, line string) bool {
	of, name, _ := strings.Cut(line, " = ")
	if run.Names.Space != "" {
		_, name, _ = strings.Cut(name, ".")
	}
	want := tool.name
	if run.Names.Hashes && want != name {
		want = want[:strings.LastIndex(want, "_")]
		name = name[:strings.LastIndex(name, "_")]
		want = want[:min(len(want), len(name))]
		name = name[:min(len(want), len(name))]
	}
	return want == name && of == tool.server+": "+tool.tool
}

// TestOwn compares what a row says of the client's own tools with what was sent.
func TestOwn(t *testing.T) {
	t.Parallel()
	agents, _ := read(t)
	for name, configurations := range agents {
		row, got := client.Named(name), configurations["four"]
		const hundred = 100
		if tokens := (got.OwnTokens + hundred/2) / hundred * hundred; row.Run.Own != (client.Own{Tools: len(got.Own), Tokens: tokens}) {
			t.Errorf("%s has %+v of its own by its row, and sent %d of about %d tokens", name, row.Run.Own, len(got.Own), tokens)
		}
		for _, own := range got.Own {
			own = own[strings.LastIndex(own, ".")+1:]
			if !slices.Contains(slices.Concat(row.BuiltIn.Commands, row.BuiltIn.Others), own) {
				t.Errorf("%s sends %s, which is not among its own tools in its row", name, own)
			}
		}
	}
}

// TestProblems plants each problem, and says with which server it begins and which to leave out.
func TestProblems(t *testing.T) {
	t.Parallel()
	_, lists := read(t)
	together := judged(t, lists["four"])
	many := judged(t, named(servers{"one", 89}, servers{"two", 20}, servers{"few", 3}))
	own := judged(t, []report.List{list("one", "Bash"), list("two", "other")})
	long := judged(t, []report.List{list("one", strings.Repeat("a", 125)), list("two", "b")})
	reserved := judged(t, []report.List{list("a b", "x"), list("ide", "y", "z"), list("fine", "w")})
	large := judged(t, []report.List{heavy("one", 100_000), heavy("two", 90_000), heavy("three", 10)})
	for _, test := range []struct {
		agent          report.Agent
		kinds          []string
		lost           int
		refused        bool
		from, leaveOut string
	}{
		{together["claude-code"], []string{report.SameName}, 1, false, "my_server", "my.server"},
		{together["codex"], nil, 0, false, "", ""},
		{together["opencode"], []string{report.SameName, report.SameName}, 2, false, "alpha_b", "alpha_b"},
		{together["continue"], []string{report.SameName, report.SameName, report.SameName, report.Refused}, 0, true, "my.server", "my.server"},
		{many["cline"], []string{report.Refused}, 0, true, "two", "two"},        // 112 tools and 24 of its own
		{many["continue"], nil, 0, false, "", ""},                               // 112 and 9
		{many["vscode"], nil, 0, false, "", ""},                                 // 112
		{many["cursor"], []string{report.TooManyTools}, 0, false, "one", "one"}, // over 80
		{many["windsurf"], []string{report.TooManyTools}, 20, false, "two", "two"},
		{many["antigravity"], []string{report.TooManyTools}, 89, false, "one", "one"},
		{many["claude-code"], nil, 0, false, "", ""},
		{many["codex"], nil, 0, false, "", ""},
		{own["continue"], []string{report.ReservedName}, 0, false, "one", "one"},
		{own["cline"], nil, 0, false, "", ""},
		{long["claude-code"], []string{report.Refused}, 0, true, "one", "one"},
		{long["gemini-cli"], nil, 0, false, "", ""},
		{reserved["claude-code"], []string{report.ReservedName}, 2, false, "ide", "ide"},
		{reserved["gemini-cli"], []string{report.ReservedName}, 1, false, "a b", "a b"},
		{reserved["codex"], []string{report.ReservedName}, 1, false, "a b", "a b"},
		{reserved["opencode"], nil, 0, false, "", ""},
		{large["claude-code"], []string{report.TooManyTokens}, 0, true, "two", "one"}, // 190,010, and 20,000 of its own
		{large["codex"], nil, 0, false, "", ""},
	} {
		var kinds []string
		for _, problem := range test.agent.Problems {
			kinds = append(kinds, problem.Kind)
		}
		from := ""
		if len(test.agent.Problems) > 0 {
			from = test.agent.Problems[0].From
		}
		if !slices.Equal(kinds, test.kinds) || test.agent.Lost != test.lost || test.agent.Refused != test.refused || from != test.from || test.agent.LeaveOut != test.leaveOut {
			t.Errorf("%+v; want %v, %d lost, refused %t, from %q, leave out %q", test.agent, test.kinds, test.lost, test.refused, test.from, test.leaveOut)
		}
	}
	if over := many["cline"].Problems[0].Over; over != 8 {
		t.Errorf("cline has %d tools too many, not 8", over)
	}
}

// TestAdds says what each server adds to the requests of a client.
func TestAdds(t *testing.T) {
	t.Parallel()
	_, lists := read(t)
	agent := judged(t, lists["many"])["opencode"]
	tools, tokens := 0, 0
	var adds [][]string
	for _, server := range agent.Servers {
		tools, tokens, adds = tools+server.Tools, tokens+server.Tokens, append(adds, server.Adds)
	}
	want := [][]string{nil, {report.Refused}, nil, nil}
	if tools != agent.Tools || tokens != agent.Tokens || !slices.EqualFunc(adds, want, slices.Equal) {
		t.Errorf("%d tools of %d, %d tokens of %d; they add %q, and not %q", tools, agent.Tools, tokens, agent.Tokens, adds, want)
	}
}

// TestClients leaves out servers that a client does not start.
func TestClients(t *testing.T) {
	t.Parallel()
	one, two := list("one", "a"), list("two", "b", "c")
	one.Clients, two.Clients = []string{"codex"}, []string{"codex", "cursor"}
	agents := judged(t, []report.List{one, two})
	if len(agents) != 2 || agents["codex"].Tools != 3 || agents["cursor"].Tools != 2 {
		t.Errorf("%+v", agents)
	}
}

// TestOrders names the clients whose requests follow the order of a server's list.
func TestOrders(t *testing.T) {
	t.Parallel()
	if got, want := InOrderOfServers(), []string{"gemini-cli", "continue", "cline"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

type servers struct {
	name  string
	count int
}

// named returns lists with so many tools.
func named(all ...servers) []report.List {
	var lists []report.List
	for _, server := range all {
		names := make([]string, server.count)
		for i := range names {
			names[i] = server.name + strconv.Itoa(i)
		}
		lists = append(lists, list(server.name, names...))
	}
	return lists
}

// list returns a list with tools of these names.
func list(server string, names ...string) report.List {
	tools := make([]schema.Tool, len(names))
	for i, name := range names {
		tools[i] = schema.Tool{Name: name}
	}
	return report.List{Server: server, Tools: Listed(server, slices.Values(tools))}
}

// heavy returns a list with one tool of so many tokens.
func heavy(server string, tokens int) report.List {
	heavy := list(server, fmt.Sprint("a_", server))
	for name := range maps.Keys(heavy.Tools[0].Tokens) {
		heavy.Tools[0].Tokens[name] = tokens
	}
	return heavy
}
