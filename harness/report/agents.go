package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"toolproof/internal/escape"
)

// List is what is kept of the list of a server, to judge the tools of all servers together.
type List struct {
	// Place is that of the server in the configuration.
	Place  int    `json:"place"`
	Server string `json:"server"`
	// Clients are the names of the clients that start the server; nil means that any may.
	Clients []string     `json:"clients,omitempty"`
	Tools   []ListedTool `json:"tools"`
}

// ListedTool is a tool of a List.
type ListedTool struct {
	Name string `json:"name"`
	// Tokens estimates the size of the tool in the requests of each client, by the name of the client.
	Tokens map[string]int `json:"tokens"`
}

// Agent is what becomes of the tools of all servers together with one client.
type Agent struct {
	Name string `json:"name"`
	// Surface is the API that the client sends the tools to, such as chat, and Model the model there;
	// empty if the client was not measured.
	Surface string `json:"surface,omitempty"`
	Model   string `json:"model,omitempty"`
	Tools   int    `json:"tools"`
	// Own counts the client's own tools in the same request.
	Own int `json:"own,omitempty"`
	// Tokens estimates the size of the servers' tools in a request, and Window is how many tokens the model
	// takes; 0 if that is not known.
	Tokens int `json:"tokens,omitempty"`
	Window int `json:"window,omitempty"`
	// Searches is set if the client, as it is installed, sends the names of the tools alone and lets the
	// model search for them. The other members are about the client without that.
	Searches bool `json:"searches,omitempty"`
	// Lost counts the tools that the client does not send because of their names or their number.
	Lost int `json:"lost"`
	// Refused is set if the provider is predicted to refuse a request with all tools.
	Refused  bool           `json:"refused"`
	Problems []AgentProblem `json:"problems"`
	// LeaveOut is the server without which the client has the fewest problems; empty if none makes a
	// difference.
	LeaveOut string `json:"leave_out,omitempty"`
	// Servers are those that the client starts, in the order of the configuration.
	Servers []AgentServer `json:"servers"`
}

// AgentServer is what a server adds to the requests of a client.
type AgentServer struct {
	Name   string `json:"name"`
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens,omitempty"`
	// Lost counts those of the tools that the client does not send.
	Lost int `json:"lost,omitempty"`
	// Adds are the kinds of the problems that begin with the server.
	Adds []string `json:"adds,omitempty"`
}

// AgentProblem is one reason why a client loses tools.
type AgentProblem struct {
	// Kind is SameName, ReservedName, TooManyTools, TooManyTokens or Refused.
	Kind string `json:"kind"`
	// Server and Tool are those that are lost or refused, and Sent is the name that the client gives to
	// the tool. They are empty if the problem is about all tools, and Tool is if it is about all of a server.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Sent   string `json:"sent,omitempty"`
	// With is the server of the other tool with the same name.
	With string `json:"with,omitempty"`
	// From is the server with which the problem begins, in the order of the configuration.
	From string `json:"from"`
	// Over counts the tools that are too many.
	Over int    `json:"over,omitempty"`
	Says string `json:"says"`
	// Dialect and Rule are those that predict the refusal, and Source is the address of the evidence
	// of a number.
	Dialect string `json:"dialect,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Source  string `json:"source,omitempty"`
}

// The kinds of problems.
const (
	SameName      = "same_name"
	ReservedName  = "reserved_name"
	TooManyTools  = "too_many_tools"
	TooManyTokens = "too_many_tokens"
	Refused       = "refused"
)

// agents writes a table of the clients that have problems with all tools together, their first problems,
// and a table of what each server adds.
func (t *Terminal) agents(agents []Agent) {
	var fine, searching []string
	var troubled []Agent
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "agent\ttools\town\ttokens\tlost\tleave out")
	for _, agent := range agents {
		if agent.Searches {
			searching = append(searching, agent.Name)
		}
		if len(agent.Problems) == 0 {
			fine = append(fine, agent.Name)
			continue
		}
		troubled = append(troubled, agent)
		fmt.Fprintf(columns, "%s\t%d\t%s\t%s\t%s\t%s\n", agent.Name, agent.Tools, number(agent.Own), number(agent.Tokens), agent.lost(), orNone(escape.Line(agent.LeaveOut)))
	}
	if len(troubled) > 0 {
		_ = columns.Flush() // a strings.Builder takes everything
		t.printf("All servers together, as each agent sends their tools:\n\n%s\n", table.String())
	}
	t.problems(troubled)
	if len(fine) > 0 {
		t.printf("No name and no number is a problem for %s.\n", strings.Join(fine, ", "))
	}
	if len(searching) > 0 {
		t.printf("As installed, %s send the names alone, and their models search for the tools; without that it is as said here.\n", strings.Join(searching, " and "))
	}
	for _, agent := range agents {
		const much = 10 // of a hundred
		if share := 100 * agent.Tokens / max(agent.Window, 1); agent.Window > 0 && share >= much && agent.Tokens < agent.Window {
			t.printf("%s: about %d tokens are %d %% of the %d that %s takes.\n", agent.Name, agent.Tokens, share, agent.Window, agent.Model)
		}
	}
	t.printf("\n")
	t.additions(agents)
}

// problems writes the first problems of each client. A problem that several have is written once.
func (t *Terminal) problems(agents []Agent) {
	const most = 3
	lines, named := []string{}, map[string][]string{}
	add := func(key, line, name string) {
		if named[key] == nil {
			lines = append(lines, key, line)
		}
		named[key] = append(named[key], name)
	}
	for _, agent := range agents {
		problems := slices.SortedStableFunc(slices.Values(agent.Problems), func(a, b AgentProblem) int { return compareBool(a.isOfAll(), b.isOfAll()) * -1 })
		for i, problem := range problems {
			if i == most {
				more := fmt.Sprintf("%d more; --json has them", len(agent.Problems)-most)
				add(more, more, agent.Name)
				break
			}
			key := problem.String()
			if problem.Kind == Refused && problem.Tool == "" {
				key = problem.Dialect + " " + problem.Rule // the numbers differ
			}
			add(key, problem.String(), agent.Name)
		}
	}
	for pair := range slices.Chunk(lines, 2) { //nolint:mnd // a key and its line
		t.printf("%s: %s\n", strings.Join(named[pair[0]], ", "), pair[1])
	}
}

// isOfAll reports whether a problem is about all tools.
func (p AgentProblem) isOfAll() bool { return p.Kind == Refused || p.Server == "" }

// lost says what an agent loses.
func (a Agent) lost() string {
	switch {
	case a.Refused:
		return "all: refused"
	case a.Lost == 0:
		return "not known"
	default:
		return Count(a.Lost, "tool")
	}
}

// addition is what a server adds to the requests of all agents.
type addition struct {
	tools, least, most int
	adds               []string            // kinds of problems
	agents             map[string][]string // that have them, by kind
}

// additions writes a table of what each server adds, in the order of the configuration. Of many servers it
// has those with which a problem begins, and the first others.
func (t *Terminal) additions(agents []Agent) {
	var names []string
	servers := map[string]*addition{}
	all := addition{}
	for _, agent := range agents {
		for _, server := range agent.Servers {
			added := servers[server.Name]
			if added == nil {
				added = &addition{agents: map[string][]string{}}
				names, servers[server.Name] = append(names, server.Name), added
			}
			added.add(server.Tools, server.Tokens)
			for _, kind := range server.Adds {
				if added.agents[kind] == nil {
					added.adds = append(added.adds, kind)
				}
				added.agents[kind] = append(added.agents[kind], agent.Name)
			}
		}
		all.add(agent.Tools, agent.Tokens)
	}
	if len(names) < 2 {
		return
	}
	const most = 20
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "server\ttools\ttokens\tbegins with it")
	rest := max(0, len(names)-most)
	for _, name := range slices.Backward(names) { // the last ones without a problem are left out
		if rest > 0 && len(servers[name].adds) == 0 {
			servers[name], rest = nil, rest-1
		}
	}
	shown := 0
	for _, name := range names {
		if added := servers[name]; added != nil && shown < most {
			fmt.Fprintf(columns, "%s\t%d\t%s\t%s\n", escape.Line(name), added.tools, numbers(added.least, added.most), added)
			shown++
		}
	}
	fmt.Fprintf(columns, "all\t%d\t%s\t\n", all.tools, numbers(all.least, all.most))
	_ = columns.Flush() // a strings.Builder takes everything
	t.printf("What each server adds, in the order of the configuration (tokens by agent, an estimate):\n\n")
	for line := range strings.Lines(table.String()) {
		t.printf("%s\n", strings.TrimRight(line, " \n"))
	}
	if shown < len(names) {
		t.printf("%d more; --json has them\n", len(names)-shown)
	}
	t.printf("\n")
}

// add adds the sizes for an agent; one that was not measured has no tokens.
func (a *addition) add(tools, tokens int) {
	a.tools = max(a.tools, tools)
	if tokens == 0 {
		return
	}
	if a.most == 0 {
		a.least = tokens
	}
	a.least, a.most = min(a.least, tokens), max(a.most, tokens)
}

// String says which problems begin with the server, and for which agents.
func (a *addition) String() string {
	var cells []string
	for _, kind := range a.adds {
		cells = append(cells, strings.ReplaceAll(kind, "_", " ")+": "+strings.Join(a.agents[kind], ", "))
	}
	return orNone(strings.Join(cells, "; "))
}

// numbers returns the least and the most of a number.
func numbers(least, most int) string {
	if least == most {
		return number(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// number returns a number, or a hyphen for 0.
func number(value int) string {
	if value == 0 {
		return "-"
	}
	return strconv.Itoa(value)
}

// orNone returns a text, or a hyphen for none.
func orNone(text string) string { return cmp.Or(text, "-") }

// String returns the problem in one line.
func (p AgentProblem) String() string {
	line := escape.Line(p.Says)
	if p.Kind == Refused && p.Tool != "" {
		line = fmt.Sprintf("%s/%s is sent as %s, and %s refuses: %s", escape.Line(p.Server), escape.Line(p.Tool), escape.Line(p.Sent), p.Dialect, line)
	} else if p.Kind == Refused {
		line = p.Dialect + " refuses: " + line
	}
	if p.Source != "" {
		line += " (" + p.Source + ")"
	}
	return line
}
