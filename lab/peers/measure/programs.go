package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/drift"
	"toolproof/harness/peers"
	"toolproof/internal/escape"
	"toolproof/lab/gateway"
	"toolproof/normalizers/rewrite"
)

// program is an agent on a surface, or a gateway on one of its routes, with the outcomes of the
// tricky tools.
type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Where   string `json:"where"`
	Date    string `json:"date"`
	// Sets holds the counts for the sets of tools that were sent.
	Sets map[string]peers.Count `json:"sets"`
	// Costly lists the tricky tools each of which makes the agent drop all tools of its server.
	Costly  []string `json:"costly,omitempty"`
	Seconds float64  `json:"seconds"`
	Command string   `json:"command"`

	cells []drift.Cell
}

// The sets of tools: the tricky ones, and the same normalized with --target portable.
const (
	tricky   = "tricky"
	portable = "portable"
)

const trickyTools = "lab/clients/agents/tricky-tools.json"

// measuredAgents are the files with the measurements of agents, by set.
var measuredAgents = []struct{ set, file string }{{tricky, "clients.json"}, {portable, "clients-portable.json"}}

// agents reads the measurements of agents in a folder of documents.
func agents(folder string) ([]*program, error) {
	var rows []*program
	for _, measured := range measuredAgents {
		reports, err := lines[agent.Report](filepath.Join(folder, measured.file))
		if err != nil {
			return nil, err
		}
		for i := range reports {
			report := &reports[i]
			if report.Client == "" {
				continue // the summary
			}
			at := slices.IndexFunc(rows, func(row *program) bool { return row.Name == report.Client && row.Where == report.Surface })
			if at < 0 {
				at, rows = len(rows), append(rows, &program{
					Name: report.Client, Version: report.ClientVersion, Where: report.Surface, Date: string(report.Date), Seconds: report.Seconds, Sets: map[string]peers.Count{},
					Command: fmt.Sprintf("verify client %s --surface %s --tools %s", report.Client, report.Surface, trickyTools),
				})
			}
			var count peers.Count
			for _, tool := range report.Tools {
				outcome := OutcomeOf(tool.Tool, len(tool.Says) > 0)
				count.Add(peers.Judgement{Outcome: outcome})
				rows[at].add(measured.set, outcome, tool.Tool)
				if tool.Costs > 0 {
					rows[at].Costly = append(rows[at].Costly, tool.Name)
				}
			}
			rows[at].Sets[measured.set] = count
		}
	}
	return rows, nil
}

// gateways reads the measurements of gateways in a folder of documents.
func gateways(folder string) ([]*program, error) {
	reports, err := lines[gateway.Report](filepath.Join(folder, "gateways.json"))
	if err != nil {
		return nil, err
	}
	var rows []*program
	for _, report := range reports {
		row := &program{
			Name: report.Gateway, Version: report.GatewayVersion, Where: report.Way, Date: string(report.Date), Seconds: report.Seconds,
			Command: fmt.Sprintf("verify-lab gateway %s --way %s %s", report.Gateway, report.Way, trickyTools),
		}
		var count peers.Count
		for _, tool := range report.Tools {
			outcome := OutcomeOf(tool.Tool, tool.Passage.Given/100 != 2)
			if tool.Passage.Fault != gateway.None && outcome <= peers.Unjudged {
				outcome = peers.Silent // the answer differs from the provider's
			}
			count.Add(peers.Judgement{Outcome: outcome})
			row.add(tricky, outcome, tool.Tool)
		}
		row.Sets = map[string]peers.Count{tricky: count}
		rows = append(rows, row)
	}
	return rows, nil
}

// add adds the outcome of a tool.
func (p *program) add(set string, outcome peers.Outcome, tool arrival.Tool) {
	says := outcome.String()
	switch {
	case outcome == peers.Crashed:
		says = "missing in silence"
	case outcome == peers.Refused:
		says += ": " + tool.Refused[0].Message
	case len(tool.Changes) > 0:
		says += ", changed"
	}
	what := tool.Name
	if set != tricky {
		what += ", " + set
	}
	p.cells = append(p.cells, drift.Cell{Program: p.Name, Version: p.Version, Place: p.Where, Subject: what, Value: says})
}

// OutcomeOf returns the outcome of a tool sent through a program. says tells whether the
// program reports a tool that does not arrive.
func OutcomeOf(tool arrival.Tool, says bool) peers.Outcome {
	isUnknown := slices.ContainsFunc(tool.Changes, func(change arrival.Change) bool { return change.Unknown })
	switch {
	case tool.State == arrival.Missing && says:
		return peers.Declined
	case tool.State == arrival.Missing:
		return peers.Crashed // the request goes without the tool, silently
	case len(tool.Refused) > 0:
		return peers.Refused
	case tool.Loss != rewrite.Exact:
		return peers.Silent
	case isUnknown:
		return peers.Unjudged
	default:
		return peers.Kept
	}
}

// lines reads a JSON Lines file.
func lines[Line any](name string) ([]Line, error) {
	text, err := os.ReadFile(name) //nolint:gosec // a document of the project
	if err != nil {
		return nil, fmt.Errorf("reading what was measured: %w", err)
	}
	var all []Line
	for line := range bytes.Lines(text) {
		var decoded Line
		if err := json.Unmarshal(line, &decoded); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		all = append(all, decoded)
	}
	return all, nil
}

const programHead = `
## Agents and gateways

These programs send the tools of others to a provider, and say nothing of what they change. The tools are the %d of [tricky-tools.json](../../%s), each with one trick;
of agents the second number is of the same tools as ` + "`--target portable`" + ` makes them. The outcomes are those of above, with these meanings:

* **declined**: the tool does not arrive, and the program says so.
* **missing**: the request goes without the tool, and the program says nothing. peers.json counts it as crashed.
* **loses all**: with this tool, no tool of the server is sent. The other columns are of the run without it.
* **silent**: also an answer that a gateway changes or hides.

Members that a tool does not declare are asked about here, because no agent has to close an object. Seconds are of one run with all tools.
The command of a row prints each of its cells. [clients.md](clients.md) and [gateways-measured.md](gateways-measured.md) show them all.

`

// programTable writes the table of agents and gateways.
func (d document) programTable(out *strings.Builder) {
	if len(d.Programs) == 0 {
		return
	}
	fmt.Fprintf(out, programHead, d.Programs[0].Sets[tricky].Tools, trickyTools)
	out.WriteString("| program | where | accepted | kept | silent | unjudged | refused | declined | missing | loses all | s | date | command |\n" + strings.Repeat("|---", 13) + "|\n")
	for _, row := range d.Programs {
		var sets []size
		for _, name := range []string{tricky, portable} {
			if _, has := row.Sets[name]; has {
				sets = append(sets, size{Name: name})
			}
		}
		cells := counts(sets, row.Sets)
		cells = slices.Concat(cells[:2], cells[3:8]) // without Said and FellBack
		costly := "-"
		if len(row.Costly) > 0 {
			costly = "`" + strings.Join(row.Costly, "`, `") + "`"
		}
		fmt.Fprintf(out, "| %s %s | %s | %s | %s | %.1f | %s | `%s` |\n", row.Name, row.Version, row.Where, strings.Join(cells, " | "), costly, row.Seconds, row.Date, row.Command)
	}
}

// cells returns all measurements of programs and packages in a folder of documents.
func cells(folder string) ([]drift.Cell, error) {
	var all []drift.Cell
	for _, read := range []func(string) ([]*program, error){agents, gateways} {
		rows, err := read(folder)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			all = append(all, row.cells...)
		}
	}
	table, err := load(folder)
	if err != nil {
		return nil, err
	}
	for _, row := range table.Rows {
		if row.Name == ours || row.Name == asGiven {
			continue // this project is not a package whose version changes
		}
		for set, count := range row.Sets {
			for what, number := range map[string]int{"accepted": count.Accepted, "kept": count.Kept, "lost in silence": count.Silent, "crashed": count.Crashed} {
				all = append(all, drift.Cell{Program: row.Name, Version: row.Version, Place: row.Surface, Subject: what + " of " + set, Value: fmt.Sprintf("%d of %d", number, count.Tools)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b drift.Cell) int {
		if a.Program != b.Program || !strings.Contains(a.Subject, " of ") {
			return 0
		}
		return strings.Compare(a.Place+a.Subject, b.Place+b.Subject)
	})
	return all, nil
}

// since returns in Markdown how the documents in a folder differ from those in an older one, or
// "" if they do not.
func since(older, newer string) (string, error) {
	before, err := cells(older)
	if err != nil {
		return "", err
	}
	after, err := cells(newer)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	for _, program := range drift.Programs(before, after) {
		switch {
		case program.From == "":
			fmt.Fprintf(&page, "## %s %s is measured for the first time\n\n", program.Name, program.To)
		case program.To == "":
			fmt.Fprintf(&page, "## %s %s is no longer measured\n\n", program.Name, program.From)
		case program.From == program.To:
			fmt.Fprintf(&page, "## %s %s, the same version\n\n", program.Name, program.From)
		default:
			fmt.Fprintf(&page, "## %s, from %s to %s\n\n", program.Name, program.From, program.To)
		}
		const most = 60
		for i, cell := range program.Cells {
			if i == most {
				fmt.Fprintf(&page, "* and %d more\n", len(program.Cells)-most)
				break
			}
			fmt.Fprintf(&page, "* %s, %s: %s before, %s now\n", cell.Place, escape.Code(cell.Subject), orNothing(cell.Before), orNothing(cell.After))
		}
		if len(program.Cells) == 0 {
			page.WriteString("It does the same to every tool.\n")
		}
		page.WriteString("\n")
	}
	return page.String(), nil
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return escape.Code(text)
}
