package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"toolproof/internal/escape"
)

// Agent is what becomes of the tools of all servers together with one client.
type Agent struct {
	Name string `json:"name"`
	// Surface is the API that the client sends the tools to, such as chat; empty if it was not
	// measured.
	Surface string `json:"surface,omitempty"`
	Tools   int    `json:"tools"`
	// Lost counts the tools that the client does not send because another one has their name.
	Lost int `json:"lost"`
	// Refused is set if the provider is predicted to refuse a request with all tools.
	Refused  bool           `json:"refused"`
	Problems []AgentProblem `json:"problems"`
	// LeaveOut is the server without which the client has the fewest problems; empty if none makes a
	// difference.
	LeaveOut string `json:"leave_out,omitempty"`
}

// AgentProblem is one reason why a client loses tools.
type AgentProblem struct {
	// Kind is SameName, TooManyTools or Refused.
	Kind string `json:"kind"`
	// Server and Tool are those that the problem is about, and Sent is the name that the client gives
	// to the tool. They are empty if it is about all tools.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Sent   string `json:"sent,omitempty"`
	Says   string `json:"says"`
	// Dialect and Rule are those that predict the refusal, and Source is the address of the evidence
	// of a number.
	Dialect string `json:"dialect,omitempty"`
	Rule    string `json:"rule,omitempty"`
	Source  string `json:"source,omitempty"`
}

// The kinds of problems.
const (
	SameName     = "same_name"
	TooManyTools = "too_many_tools"
	Refused      = "refused"
)

// agents writes a table of the clients that have problems with all tools together, and their first
// problems.
func (t *Terminal) agents(agents []Agent) {
	const most = 3
	var fine []string
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "agent\ttools\tlost\tleave out")
	var troubled []Agent
	for _, agent := range agents {
		if len(agent.Problems) == 0 {
			fine = append(fine, agent.Name)
			continue
		}
		troubled = append(troubled, agent)
		lost, without := Count(agent.Lost, "tool"), "-"
		if agent.Refused {
			lost = "all: refused"
		} else if agent.Lost == 0 {
			lost = "not known"
		}
		if agent.LeaveOut != "" {
			without = agent.LeaveOut
		}
		fmt.Fprintf(columns, "%s\t%d\t%s\t%s\n", agent.Name, agent.Tools, lost, escape.Line(without))
	}
	if len(troubled) > 0 {
		_ = columns.Flush() // a strings.Builder takes everything
		t.printf("All servers together, as each agent names their tools:\n\n%s\n", table.String())
	}
	for _, agent := range troubled {
		for i, problem := range agent.Problems {
			if i == most {
				t.printf("%s: %d more; --json has them\n", agent.Name, len(agent.Problems)-most)
				break
			}
			t.printf("%s: %s\n", agent.Name, problem)
		}
	}
	if len(fine) > 0 {
		t.printf("No name and no number is a problem for %s.\n", strings.Join(fine, ", "))
	}
	t.printf("\n")
}

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
