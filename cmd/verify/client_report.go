package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	client "toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// clientWriter writes reports in a format: each when it is there, and what is to be said of
// all.
type clientWriter struct {
	each func(*client.Report)
	last func([]client.Report)
}

// clientWriter returns what writes the reports in the chosen format.
func (s *session) clientWriter(flags clientFlags) clientWriter {
	switch {
	case flags.asJSON:
		return clientWriter{s.writeClientLine, s.writeClientSummary}
	case flags.asPage:
		return clientWriter{func(*client.Report) {}, s.writeClientPage}
	default:
		return clientWriter{s.writeClientReport, s.writeMatrix}
	}
}

// clientSummary is the last line of the results.
type clientSummary struct {
	Runs     int  `json:"runs"` // of an agent on a surface
	Tools    int  `json:"tools"`
	Kept     int  `json:"kept"`
	Changed  int  `json:"changed"`
	Missing  int  `json:"missing"`
	Silent   int  `json:"silent"` // of those that are missing
	Refused  int  `json:"refused"`
	Requests int  `json:"refused_requests"`
	Conforms bool `json:"conforms"`
}

func summaryOf(reports []client.Report) clientSummary {
	summary := clientSummary{Runs: len(reports), Conforms: true}
	for _, one := range reports {
		summary.Tools += len(one.Tools)
		summary.Kept += one.Count(arrival.Kept)
		summary.Changed += one.Count(arrival.Changed)
		summary.Missing += one.Count(arrival.Missing)
		summary.Refused += one.Refused()
		for _, tool := range one.Tools {
			if tool.IsSilent() {
				summary.Silent++
			}
		}
		if one.Request.IsRefused() {
			summary.Requests++
		}
		summary.Conforms = summary.Conforms && one.Conforms()
	}
	return summary
}

// writeClientLine writes a report as a line of JSON, and writeClientSummary the last line.
// An error stays in the writer, and run reports it.
func (s *session) writeClientLine(one *client.Report) { s.writeLine(one) }

func (s *session) writeClientSummary(reports []client.Report) {
	s.writeLine(struct {
		Version int           `json:"version"`
		Summary clientSummary `json:"summary"`
	}{client.Version, summaryOf(reports)})
}

func (s *session) writeLine(value any) {
	lines := json.NewEncoder(s.Out)
	lines.SetEscapeHTML(false)
	_ = lines.Encode(value) //nolint:errchkjson // an error stays in the writer
}

// writeMatrix writes a table of tools and agents, where there are several of these.
func (s *session) writeMatrix(reports []client.Report) {
	if len(reports) < 2 {
		return
	}
	columns := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, row := range matrix(reports) {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	_ = columns.Flush() // an error stays in the writer, and run reports it
}

// writeClientReport writes what one agent does on one surface.
func (s *session) writeClientReport(one *client.Report) {
	fmt.Fprintf(s.Out, "%s\n", headOf(one))
	for _, line := range requestLines(one) {
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
	for _, tool := range one.Tools {
		for _, line := range toolLines(tool) {
			fmt.Fprintf(s.Out, "  %s\n", escape.Line(line))
		}
	}
	if one.Output != "" {
		fmt.Fprintf(s.Out, "  it writes:\n    %s\n", escape.Lines(lastLines(one.Output), "    "))
	}
	fmt.Fprintln(s.Out)
}

// lastLines returns the last lines of what a program wrote.
func lastLines(text string) string {
	const most = 8
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// headOf names an agent, a surface, and how it ran.
func headOf(one *client.Report) string {
	network := "without a network"
	if one.Network != "" {
		network = "with a network, " + one.Network
	}
	return escape.Line(fmt.Sprintf("%s %s, %s, %s: %s, %.1fs, exit code %d, %s",
		one.Client, cmp.Or(one.ClientVersion, "of no version"), one.Surface, one.Model, report.Count(len(one.Tools), "tool"), one.Seconds, one.ExitCode, network))
}

// requestLines say what became of the request as a whole.
func requestLines(one *client.Report) []string {
	var lines []string
	switch {
	case one.Request == nil && one.IsLate:
		lines = append(lines, "NOTHING LEARNT: it sent no request with tools until its time was over")
	case one.Request == nil:
		lines = append(lines, "NOTHING LEARNT: it sent no request")
	case one.Request.IsRefused():
		lines = append(lines, fmt.Sprintf("REQUEST REFUSED with status %d: %s", one.Request.Status, escape.Line(one.Request.Message)))
	}
	if one.SendsNone {
		lines = append(lines, "SENDS NO TOOL of any server on this surface")
	}
	for _, habit := range one.Habits {
		lines = append(lines, "it "+habit)
	}
	return append(lines, fmt.Sprintf("%d kept, %d changed, %d missing, %d refused alone, %d of its own",
		one.Count(arrival.Kept), one.Count(arrival.Changed), one.Count(arrival.Missing), one.Refused(), one.Own))
}

// toolLines say what became of a tool; nothing of one that is kept.
func toolLines(tool client.Tool) []string {
	var lines []string
	switch {
	case tool.Costs > 0:
		lines = append(lines, fmt.Sprintf("MISSING %s, and with it the other %s of the server%s", tool.Name, report.Count(tool.Costs, "tool"), silence(tool)))
	case tool.State == arrival.Missing:
		lines = append(lines, fmt.Sprintf("MISSING %s%s", tool.Name, silence(tool)))
	case tool.State == arrival.Changed:
		lines = append(lines, fmt.Sprintf("CHANGED %s (%s)", tool.Name, tool.Loss))
		for _, change := range tool.Changes {
			lines = append(lines, "  "+changeLine(change))
		}
	}
	if len(tool.Refused) > 0 {
		lines = append(lines, "REFUSED "+tool.Name)
	}
	for _, finding := range tool.Refused {
		lines = append(lines, "  "+findingLine(tool.Dialect, finding))
	}
	return lines
}

// silence says whether an agent says that a tool is missing.
func silence(tool client.Tool) string {
	if tool.IsSilent() {
		return ", without an error"
	}
	return ": " + tool.Says[0]
}

// changeLine shows a change in a line.
func changeLine(change arrival.Change) string {
	loss := change.Loss.String()
	if change.Unknown {
		loss = "not weighed"
	}
	return fmt.Sprintf("%s: %s became %s (%s)", orRoot(string(change.At)), shortOf(change.Before), shortOf(change.After), loss)
}

// shortOf shows a value, or its beginning.
func shortOf(node *schema.Node) string {
	const most = 100
	if node == nil {
		return "nothing"
	}
	letters := []rune(node.String())
	if len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return string(letters)
}

func findingLine(dialect string, finding verdict.Finding) string {
	return fmt.Sprintf("%s: %s (%s/%s)", orRoot(string(finding.At)), finding.Message, dialect, cmp.Or(finding.Rule, "no_rule"))
}

// matrix has a row for each tool and a column for each report.
func matrix(reports []client.Report) [][]string {
	head := []string{"tool"}
	for _, one := range reports {
		head = append(head, one.Client+" "+one.Surface)
	}
	rows := [][]string{head}
	var names []string
	cells := map[string]map[int]string{}
	for i, one := range reports {
		for _, tool := range one.Tools {
			if cells[tool.Name] == nil {
				names, cells[tool.Name] = append(names, tool.Name), map[int]string{}
			}
			cells[tool.Name][i] = clientCell(tool)
		}
	}
	for _, name := range names {
		row := []string{escape.Line(name)}
		for i := range reports {
			row = append(row, cmp.Or(cells[name][i], "-"))
		}
		rows = append(rows, row)
	}
	last := []string{"whole request"}
	for _, one := range reports {
		switch {
		case one.Request == nil:
			last = append(last, "none")
		case one.Request.IsRefused():
			last = append(last, "refused")
		default:
			last = append(last, "accepted")
		}
	}
	return append(rows, last)
}

// clientCell says in a word or two what became of a tool.
func clientCell(tool client.Tool) string {
	switch {
	case tool.Costs > 0:
		return "loses all"
	case tool.State == arrival.Missing:
		return "missing"
	case len(tool.Refused) > 0:
		return "refused"
	case tool.State == arrival.Changed && tool.Loss != rewrite.Exact:
		return tool.Loss.String()
	default:
		return string(tool.State)
	}
}

// writeClientPage writes a page of Markdown.
func (s *session) writeClientPage(reports []client.Report) {
	page := &report.Markdown{}
	page.Text("# Which tools reach the model\n\n" + clientWords)
	clientTables(page, "", reports)
	fmt.Fprintln(s.Out, strings.TrimSpace(page.String()))
}

// clientWords explain the tables.
const clientWords = "What agents send of the tools of an MCP server, and what the provider says to it, as its model predicts:\n\n" +
	"* kept: sent as the server has it, but for the name; changed: with other words, and no loss was found\n" +
	"* widens, narrows, both: what the changes lose, by instances of the schema\n" +
	"* missing: not sent; loses all: not sent, and with it no other tool of the server\n" +
	"* refused: the provider refuses what is sent of the tool, alone"

// clientTables writes the tables of some reports.
func clientTables(page *report.Markdown, of string, reports []client.Report) {
	page.Table("Agents"+of, "agent", "version", "surface", "model", "date", "network", "seconds", "kept", "changed", "missing", "refused", "whole request")
	for i := range reports {
		one := &reports[i]
		request := "accepted"
		switch {
		case one.Request == nil:
			request = "none came"
		case one.Request.IsRefused():
			request = fmt.Sprintf("%d: %s", one.Request.Status, escape.Code(oneLine(one.Request.Message)))
		}
		page.Row(one.Client, report.Text(one.ClientVersion), one.Surface, one.Model, string(one.Date), report.Text(cmp.Or(one.Network, "none")), fmt.Sprintf("%.1f", one.Seconds),
			strconv.Itoa(one.Count(arrival.Kept)), strconv.Itoa(one.Count(arrival.Changed)), strconv.Itoa(one.Count(arrival.Missing)), strconv.Itoa(one.Refused()), request)
	}
	rows := matrix(reports)
	page.Table("Tools"+of, rows[0]...)
	for _, row := range rows[1:] {
		row[0] = escape.Code(row[0])
		page.Row(row...)
	}
	page.Table("What is missing or refused"+of, "agent", "surface", "tool", "what")
	for _, one := range reports {
		for _, tool := range one.Tools {
			if tool.State == arrival.Missing || len(tool.Refused) > 0 {
				page.Row(one.Client, one.Surface, escape.Code(tool.Name), escape.Code(oneLine(strings.Join(lossLines(toolLines(tool)), "; "))))
			}
		}
	}
}

// lossLines are the lines about a tool that is missing or refused.
func lossLines(lines []string) []string {
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "MISSING") || strings.HasPrefix(line, "REFUSED")
	})
	return lines[max(at, 0):]
}

func oneLine(text string) string { return strings.Join(strings.Fields(escape.Line(text)), " ") }
