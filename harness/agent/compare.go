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

// Version is the version of the report.
const Version = 1

// Report is what a client does on a surface to the tools of a server.
// docs/schema/client.schema.json describes its JSON.
type Report struct {
	Version int    `json:"version"`
	Client  string `json:"client"`
	// ClientVersion is what the program says of its version.
	ClientVersion string `json:"client_version"`
	Surface       string `json:"surface"`
	Model         string `json:"model"`
	// Date is the day that the surface was asked about.
	Date provider.Date `json:"date"`
	// Network says why the client had one; empty where it had none.
	Network  string `json:"network"`
	ExitCode int    `json:"exit_code"`
	IsLate   bool   `json:"late"`
	// Seconds is how long the first run took, and Runs how many there were.
	Seconds float64 `json:"seconds"`
	Runs    int     `json:"runs"`
	// Request is the one with the tools, or nil where none came.
	Request *Request `json:"request"`
	// SendsNone is set where the client sends no tool of any server on the surface.
	SendsNone bool `json:"sends_none"`
	// Habits are what the client does to every tool: no tool is changed for that.
	Habits []string `json:"habits"`
	// Own is how many other tools the request has.
	Own   int    `json:"own_tools"`
	Tools []Tool `json:"tools"`
	// Output is the end of what the client wrote, where tools are missing or the request is
	// refused.
	Output string `json:"output,omitempty"`
}

// Request is what the emulator says to the whole request of a client.
type Request struct {
	Path    string `json:"path"`
	Status  int    `json:"status"`
	Message string `json:"message"` // of a refusal
}

// IsRefused reports whether the request is refused.
func (r *Request) IsRefused() bool { return r != nil && r.Status >= 400 }

// Tool is what becomes of a tool.
type Tool struct {
	arrival.Tool

	// Costs is how many other tools of the server are lost with it.
	Costs int `json:"costs"`
	// Says are the lines of the client's output that name a missing tool.
	Says []string `json:"says,omitempty"`
}

// IsSilent reports whether the tool is missing and the client says nothing of it.
func (t *Tool) IsSilent() bool { return t.State == arrival.Missing && len(t.Says) == 0 }

// Count returns how many tools are in a state.
func (r *Report) Count(state arrival.State) int {
	count := 0
	for _, tool := range r.Tools {
		if tool.State == state {
			count++
		}
	}
	return count
}

// Refused returns how many tools are refused alone.
func (r *Report) Refused() int {
	count := 0
	for _, tool := range r.Tools {
		if len(tool.Refused) > 0 {
			count++
		}
	}
	return count
}

// Conforms reports whether every tool is sent and accepted.
func (r *Report) Conforms() bool {
	return !r.Request.IsRefused() && r.Count(arrival.Missing) == 0 && r.Refused() == 0 && r.Request != nil
}

// compare says what became of the tools in the requests of a run.
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
	for i, tool := range tools {
		one := Tool{Tool: arrival.Absent(tool.Name)}
		if chosen != nil && found[i] >= 0 {
			var err error
			got := declared[found[i]]
			if one.Tool, err = arrival.Judge(ctx, tool, withoutHabits(row, tool, got.Tool, &report), got, surface.Model, day); err != nil {
				return Report{}, err
			}
		} else {
			one.Says = linesOf(outcome.Output, tool.Name)
		}
		report.Tools = append(report.Tools, one)
	}
	if report.Request == nil || report.Request.IsRefused() || report.Count(arrival.Missing) > 0 {
		report.Output = outcome.Output
	}
	return report, nil
}

// withMost returns the first of the requests to a surface that have the most of the tools,
// with its declarations and the index of that of each tool, or -1; nil where there is none.
func withMost(tools []schema.Tool, server string, requests []*emulator.Entry) (chosen *emulator.Entry, declared []arrival.Declaration, found []int) {
	for _, request := range requests {
		some, isSurface := arrival.Read(request)
		if !isSurface {
			continue
		}
		matched := match(tools, some, server)
		// Clients also ask without any tool, such as for the title of a conversation.
		if chosen == nil || count(matched) > count(found) || count(matched) == count(found) && len(declared) == 0 && len(some) > 0 {
			chosen, declared, found = request, some, matched
		}
	}
	return chosen, declared, found
}

// count returns how many indices there are that are not -1.
func count(indices []int) int {
	count := 0
	for _, index := range indices {
		if index >= 0 {
			count++
		}
	}
	return count
}

// withoutHabits returns what was sent of a tool without what the client does to every tool,
// and notes that in the report.
func withoutHabits(row *client.Row, given, got schema.Tool, report *Report) schema.Tool {
	for _, habit := range row.Run.Habits {
		undone, isThere := habit.Undo(given, got)
		if got = undone; isThere && !slices.Contains(report.Habits, habit.Doc) {
			report.Habits = append(report.Habits, habit.Doc)
		}
	}
	return got
}

// linesOf returns the first lines of a text that have a word.
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
