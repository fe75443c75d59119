package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/report"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// LastLines returns the last eight lines of a text.
func LastLines(text string) string {
	const most = 8
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// HeadOf returns the line of a report that names the agent and the surface, and says how the run
// went.
func HeadOf(measured *Report) string {
	network := "without a network"
	if measured.Network != "" {
		network = "with a network, " + measured.Network
	}
	return escape.Line(fmt.Sprintf("%s %s, %s, %s: %s, %.1fs, exit code %d, %s",
		measured.Client, cmp.Or(measured.ClientVersion, "of no version"), measured.Surface, measured.Model, report.Count(len(measured.Tools), "tool"),
		measured.Seconds, measured.ExitCode, network))
}

// RequestLines returns the lines of a report about the request as a whole.
func RequestLines(measured *Report) []string {
	var lines []string
	switch {
	case measured.Request == nil && measured.IsLate:
		lines = append(lines, "NOTHING LEARNT: it sent no request with tools until its time was over")
	case measured.Request == nil:
		lines = append(lines, "NOTHING LEARNT: it sent no request")
	case measured.Request.IsRefused():
		lines = append(lines, fmt.Sprintf("REQUEST REFUSED with status %d: %s", measured.Request.Status, escape.Line(measured.Request.Message)))
	}
	if measured.Search {
		lines = append(lines, "its search for tools was left on")
	}
	if measured.SendsNone {
		lines = append(lines, "SENDS NO TOOL of any server on this surface")
	}
	for _, habit := range measured.Habits {
		lines = append(lines, "it "+habit)
	}
	deferred := ""
	if count := measured.Count(arrival.Deferred); count > 0 {
		deferred = fmt.Sprintf("%d deferred, ", count)
	}
	return append(lines, fmt.Sprintf("%d kept, %d changed, %s%d missing, %d refused alone, %d of its own",
		measured.Count(arrival.Kept), measured.Count(arrival.Changed), deferred, measured.Count(arrival.Missing), measured.Refused(), measured.Own))
}

// ToolLines returns the lines of a report about a tool, and none for a tool that is kept.
func ToolLines(tool Tool) []string {
	var lines []string
	switch {
	case tool.Costs > 0:
		lines = append(lines, fmt.Sprintf("MISSING %s, and with it the other %s of the server%s", tool.Name, report.Count(tool.Costs, "tool"), silence(tool)))
	case tool.State == arrival.Missing:
		lines = append(lines, fmt.Sprintf("MISSING %s%s", tool.Name, silence(tool)))
	case tool.State == arrival.Deferred:
		lines = append(lines, fmt.Sprintf("DEFERRED %s: the model has to search for it", tool.Name))
	case tool.State == arrival.Changed:
		lines = append(lines, fmt.Sprintf("CHANGED %s (%s)", tool.Name, tool.Loss))
	}
	for _, change := range tool.Changes {
		lines = append(lines, "  "+changeLine(change))
	}
	if len(tool.Refused) > 0 {
		lines = append(lines, "REFUSED "+tool.Name)
	}
	for _, finding := range tool.Refused {
		lines = append(lines, "  "+findingLine(tool.Dialect, finding))
	}
	return lines
}

// silence returns the end of a line about a missing tool: what the agent says about it.
func silence(tool Tool) string {
	if tool.IsSilent() {
		return ", without an error"
	}
	return ": " + tool.Says[0]
}

// changeLine returns a change in one line.
func changeLine(change arrival.Change) string {
	loss := change.Loss.String()
	if change.Unknown {
		loss = "not weighed"
	}
	return fmt.Sprintf("%s: %s became %s (%s)", place(change.At), shortOf(change.Before), shortOf(change.After), loss)
}

// shortOf returns the text of a value, or its beginning.
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
	return fmt.Sprintf("%s: %s (%s/%s)", place(finding.At), finding.Message, dialect, cmp.Or(finding.Rule, "no_rule"))
}

// Matrix returns a table with a row for each tool and a column for each report, headed by a row of
// names.
func Matrix(reports []Report) [][]string {
	head := []string{"tool"}
	for _, measured := range reports {
		head = append(head, measured.Client+" "+measured.Surface)
	}
	rows := [][]string{head}
	var names []string
	cells := map[string]map[int]string{}
	for i, measured := range reports {
		for _, tool := range measured.Tools {
			if cells[tool.Name] == nil {
				names, cells[tool.Name] = append(names, tool.Name), map[int]string{}
			}
			cells[tool.Name][i] = cell(tool)
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
	for _, measured := range reports {
		switch {
		case measured.Request == nil:
			last = append(last, "none")
		case measured.Request.IsRefused():
			last = append(last, "refused")
		default:
			last = append(last, "accepted")
		}
	}
	return append(rows, last)
}

// cell says in a word or two what became of a tool.
func cell(tool Tool) string {
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

// Words explains the tables.
const Words = "What agents send of the tools of an MCP server, and what the provider says to it, as its model predicts:\n\n" +
	"* kept: sent as the server has it, but for the name; changed: with other words, and no loss was found\n" +
	"* widens, narrows, both: what the changes lose, by instances of the schema\n" +
	"* deferred: the model has to search for it; of most such tools only the name is sent, so nothing is known of the rest\n" +
	"* missing: not sent; loses all: not sent, and with it no other tool of the server\n" +
	"* refused: the provider refuses what is sent of the tool, alone"

// Tables writes tables of the reports to a page. The title of each table ends with of.
func Tables(page *report.Markdown, of string, reports []Report) {
	page.Table("Agents"+of, "agent", "version", "surface", "model", "date", "network", "seconds", "kept", "changed", "deferred", "missing", "refused", "whole request")
	for i := range reports {
		measured := &reports[i]
		request := "accepted"
		switch {
		case measured.Request == nil:
			request = "none came"
		case measured.Request.IsRefused():
			request = fmt.Sprintf("%d: %s", measured.Request.Status, escape.Code(oneLine(measured.Request.Message)))
		}
		page.Row(measured.Client, report.Text(measured.ClientVersion), measured.Surface, measured.Model, string(measured.Date),
			report.Text(cmp.Or(measured.Network, "none")), fmt.Sprintf("%.1f", measured.Seconds),
			strconv.Itoa(measured.Count(arrival.Kept)), strconv.Itoa(measured.Count(arrival.Changed)), strconv.Itoa(measured.Count(arrival.Deferred)),
			strconv.Itoa(measured.Count(arrival.Missing)), strconv.Itoa(measured.Refused()), request)
	}
	rows := Matrix(reports)
	page.Table("Tools"+of, rows[0]...)
	for _, row := range rows[1:] {
		row[0] = escape.Code(row[0])
		page.Row(row...)
	}
	page.Table("What is missing or refused"+of, "agent", "surface", "tool", "what")
	for _, measured := range reports {
		for _, tool := range measured.Tools {
			if tool.State == arrival.Missing || len(tool.Refused) > 0 {
				page.Row(measured.Client, measured.Surface, escape.Code(tool.Name), escape.Code(oneLine(strings.Join(lossLines(ToolLines(tool)), "; "))))
			}
		}
	}
}

// lossLines returns the lines about a missing or refused tool from the line that says so, without
// the preceding lines about its changes.
func lossLines(lines []string) []string {
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "MISSING") || strings.HasPrefix(line, "REFUSED")
	})
	return lines[max(at, 0):]
}

func oneLine(text string) string { return strings.Join(strings.Fields(escape.Line(text)), " ") }

// place returns a JSON Pointer for a reader; the empty pointer is called the root.
func place(at schema.Pointer) string { return cmp.Or(string(at), "the root") }
