package agent

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/agent/client"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
	"toolproof/schema"
)

// Version is the version of the form of Report.
const Version = 1

// Report says what an agent does to the tools of a server on one surface.
// docs/schema/client.schema.json describes its JSON.
type Report struct {
	Version int    `json:"version"`
	Client  string `json:"client"`
	// ClientVersion is the version that the program prints; empty if it prints none.
	ClientVersion string `json:"client_version"`
	Surface       string `json:"surface"`
	Model         string `json:"model"`
	// Search is set if the agent's search for tools was left on.
	Search bool `json:"search,omitempty"`
	// Date is the day whose rules of the surface judge the tools.
	Date provider.Date `json:"date"`
	// Network is the reason why the agent had a network; empty if it had none.
	Network  string `json:"network"`
	ExitCode int    `json:"exit_code"`
	IsLate   bool   `json:"late"`
	// Seconds is how long the first run took, and Runs how many runs there were.
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	// Request is the request with the tools, or nil if the agent sent none.
	Request *Request `json:"request"`
	// SendsNone is set if the agent sends no tool of any server on the surface.
	SendsNone bool `json:"sends_none"`
	// Habits are the changes that the agent makes to every tool. No tool counts as changed for
	// them.
	Habits []string `json:"habits"`
	// Own is the number of the agent's own tools in the request.
	Own   int    `json:"own_tools"`
	Tools []Tool `json:"tools"`
	// Output is the end of what the agent wrote, if tools are missing or the request is
	// refused.
	Output string `json:"output,omitempty"`
	// Requests are the requests of all runs, in order, with the answers of the emulator. Their
	// numbers count from 1.
	Requests []*emulator.Entry `json:"-"`
}

// Request is the request of an agent with the answer of the emulator.
type Request struct {
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Message string `json:"message"` // the words of a refusal
}

// IsRefused reports whether the request is refused.
func (r *Request) IsRefused() bool { return r != nil && r.Status >= 400 }

// Tool is what an agent does to one tool.
type Tool struct {
	arrival.Tool

	// Costs is the number of other tools of the server that the agent does not send because of
	// this one.
	Costs int `json:"costs"`
	// Says are the lines of the agent's output that name a missing tool.
	Says []string `json:"says,omitempty"`
}

// IsSilent reports whether the tool is missing without a word about it from the agent.
func (t *Tool) IsSilent() bool { return t.State == arrival.Missing && len(t.Says) == 0 }

// Count returns how many tools are in the state.
func (r *Report) Count(state arrival.State) int {
	count := 0
	for _, tool := range r.Tools {
		if tool.State == state {
			count++
		}
	}
	return count
}

// Refused returns how many tools the provider refuses in a request of their own.
func (r *Report) Refused() int {
	count := 0
	for _, tool := range r.Tools {
		if len(tool.Refused) > 0 {
			count++
		}
	}
	return count
}

// Fails reports whether the request or a tool is refused, or a tool is missing.
func (r *Report) Fails() bool {
	return r.Request.IsRefused() || r.Request != nil && r.Count(arrival.Missing) > 0 || r.Refused() > 0
}

// Conforms reports whether the agent sends every tool and the provider accepts them all. Nothing is
// known of a tool of which only the name was sent.
func (r *Report) Conforms() bool {
	isUnseen := func(tool Tool) bool { return tool.State == arrival.Deferred && tool.Dialect == "" }
	return r.Request != nil && !r.Fails() && !slices.ContainsFunc(r.Tools, isUnseen)
}

// compare reports what became of the tools in the requests of a run.
func compare(ctx context.Context, row *client.Row, tools []schema.Tool, server string, surface client.Surface, day provider.Date, outcome Outcome) (Report, error) {
	report := Report{
		Version: Version, Client: row.Name, Surface: surface.Name, Model: surface.Model, Date: day, ClientVersion: outcome.Version, Network: outcome.Isolation,
		Habits: []string{}, ExitCode: outcome.ExitCode, IsLate: outcome.IsLate, Seconds: outcome.Took.Seconds(), Runs: 1,
	}
	chosen, declared, found := withMost(tools, server, outcome.Requests)
	if chosen != nil {
		report.Request = &Request{Path: chosen.Path, Status: chosen.Status}
		if report.Request.IsRefused() {
			report.Request.Message = arrival.Words(chosen)
		}
		report.Own = len(declared) - count(found)
	}
	announced := announced(tools, server, chosen, declared)
	for i, tool := range tools {
		result := Tool{Tool: arrival.Absent(tool.Name)}
		if announced[i] != "" {
			result.Sent, result.State = announced[i], arrival.Deferred
		}
		if chosen != nil && found[i] >= 0 {
			var err error
			declaration := declared[found[i]]
			if result.Tool, err = arrival.Judge(ctx, tool, withoutHabits(row, tool, declaration.Tool, &report), declaration, surface.Model, day); err != nil {
				return Report{}, err
			}
		} else if result.State == arrival.Missing {
			result.Says = linesOf(outcome.Output, tool.Name)
		}
		report.Tools = append(report.Tools, result)
	}
	if report.Request == nil || report.Request.IsRefused() || report.Count(arrival.Missing) > 0 {
		report.Output = outcome.Output
	}
	return report, nil
}

// withMost returns the request to a surface that declares the most of the tools, the first
// such request if several do, and nil if no request is to a surface. It also returns the
// declarations in the request and, for each tool, the index of its declaration or -1.
func withMost(tools []schema.Tool, server string, requests []*emulator.Entry) (chosen *emulator.Entry, declared []arrival.Declaration, found []int) {
	for _, request := range requests {
		all, isSurface := arrival.Read(request)
		if !isSurface {
			continue
		}
		matched := match(tools, all, server)
		// Agents also send requests without tools, such as one for a title of the conversation.
		if chosen == nil || count(matched) > count(found) || count(matched) == count(found) && len(declared) == 0 && len(all) > 0 {
			chosen, declared, found = request, all, matched
		}
	}
	return chosen, declared, found
}

// count returns how many of the indices are not -1.
func count(indices []int) int {
	count := 0
	for _, index := range indices {
		if index >= 0 {
			count++
		}
	}
	return count
}

// withoutHabits returns the tool that was sent without the changes that the agent makes to every
// tool. It adds the habits that it finds to the report.
func withoutHabits(row *client.Row, original, sent schema.Tool, report *Report) schema.Tool {
	for _, habit := range row.Run.Habits {
		undone, isThere := habit.Undo(original, sent)
		if sent = undone; isThere && !slices.Contains(report.Habits, habit.Doc) {
			report.Habits = append(report.Habits, habit.Doc)
		}
	}
	return sent
}

// linesOf returns the first lines of a text that contain a word, up to three.
func linesOf(text, word string) []string {
	const most = 3
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) && word != "" && len(lines) < most {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
