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

// HeadOf returns the line of a report that names the agent and the surface, and says how the
// agent ran.
func HeadOf(one *Report) string {
	network := "without a network"
	if one.Network != "" {
		network = "with a network, " + one.Network
	}
	return escape.Line(fmt.Sprintf("%s %s, %s, %s: %s, %.1fs, exit code %d, %s",
		one.Client, cmp.Or(one.ClientVersion, "of no version"), one.Surface, one.Model, report.Count(len(one.Tools), "tool"), one.Seconds, one.ExitCode, network))
}

// RequestLines returns the lines of a report about the request as a whole.
func RequestLines(one *Report) []string {
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

// ToolLines returns the lines of a report about a tool, and none for a tool that is kept.
func ToolLines(tool Tool) []string {
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

// Matrix returns a table with a row for each tool and a column for each report, below a row of
// heads.
func Matrix(reports []Report) [][]string {
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
	"* missing: not sent; loses all: not sent, and with it no other tool of the server\n" +
	"* refused: the provider refuses what is sent of the tool, alone"

// Tables writes tables of the reports to a page; of ends the title of each.
func Tables(page *report.Markdown, of string, reports []Report) {
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
	rows := Matrix(reports)
	page.Table("Tools"+of, rows[0]...)
	for _, row := range rows[1:] {
		row[0] = escape.Code(row[0])
		page.Row(row...)
	}
	page.Table("What is missing or refused"+of, "agent", "surface", "tool", "what")
	for _, one := range reports {
		for _, tool := range one.Tools {
			if tool.State == arrival.Missing || len(tool.Refused) > 0 {
				page.Row(one.Client, one.Surface, escape.Code(tool.Name), escape.Code(oneLine(strings.Join(lossLines(ToolLines(tool)), "; "))))
			}
		}
	}
}

// lossLines returns the lines about a tool that is missing or refused, without those before
// them about its changes.
func lossLines(lines []string) []string {
	at := slices.IndexFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "MISSING") || strings.HasPrefix(line, "REFUSED")
	})
	return lines[max(at, 0):]
}

func oneLine(text string) string { return strings.Join(strings.Fields(escape.Line(text)), " ") }

// place returns a JSON Pointer for a reader; the empty one is the root.
func place(at schema.Pointer) string { return cmp.Or(string(at), "the root") }
