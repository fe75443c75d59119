package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/report"
	"toolproof/internal/escape"
)

// clientWriter writes reports in one format: each is called for every report as soon as it is there,
// and last once with all of them.
type clientWriter struct {
	each func(*agent.Report)
	last func([]agent.Report)
}

// clientWriter returns the writer of the chosen format.
func (s *session) clientWriter(flags clientFlags) clientWriter {
	switch {
	case flags.asJSON:
		return clientWriter{s.writeClientLine, s.writeClientSummary}
	case flags.asPage:
		return clientWriter{func(*agent.Report) {}, s.writeClientPage}
	default:
		return clientWriter{s.writeClientReport, s.writeMatrix}
	}
}

// clientSummary is the last line of the results.
type clientSummary struct {
	Runs     int  `json:"runs"` // runs of an agent with one API
	Tools    int  `json:"tools"`
	Kept     int  `json:"kept"`
	Changed  int  `json:"changed"`
	Deferred int  `json:"deferred"`
	Missing  int  `json:"missing"`
	Silent   int  `json:"silent"` // missing tools that the agent does not mention
	Refused  int  `json:"refused"`
	Requests int  `json:"refused_requests"`
	Conforms bool `json:"conforms"`
}

func summaryOf(reports []agent.Report) clientSummary {
	summary := clientSummary{Runs: len(reports), Conforms: true}
	for _, report := range reports {
		summary.Tools += len(report.Tools)
		summary.Kept += report.Count(arrival.Kept)
		summary.Changed += report.Count(arrival.Changed)
		summary.Deferred += report.Count(arrival.Deferred)
		summary.Missing += report.Count(arrival.Missing)
		summary.Refused += report.Refused()
		for _, tool := range report.Tools {
			if tool.IsSilent() {
				summary.Silent++
			}
		}
		if report.Request.IsRefused() {
			summary.Requests++
		}
		summary.Conforms = summary.Conforms && report.Conforms()
	}
	return summary
}

// writeClientLine writes a report as a line of JSON, and writeClientSummary the last line. The writer
// keeps an error, and Run reports it.
func (s *session) writeClientLine(report *agent.Report) { s.writeLine(report) }

func (s *session) writeClientSummary(reports []agent.Report) {
	s.writeLine(struct {
		Version int           `json:"version"`
		Summary clientSummary `json:"summary"`
	}{agent.Version, summaryOf(reports)})
}

func (s *session) writeLine(value any) {
	lines := json.NewEncoder(s.Out)
	lines.SetEscapeHTML(false)
	_ = lines.Encode(value) //nolint:errchkjson // the writer keeps the error
}

// writeMatrix writes a table of tools by agents if there are several agents.
func (s *session) writeMatrix(reports []agent.Report) {
	if len(reports) < 2 {
		return
	}
	columns := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, row := range agent.Matrix(reports) {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	_ = columns.Flush() // the writer keeps the error, and Run reports it
}

// writeClientReport writes as text what one agent sent.
func (s *session) writeClientReport(report *agent.Report) {
	fmt.Fprintf(s.Out, "%s\n", agent.HeadOf(report))
	for _, line := range agent.RequestLines(report) {
		fmt.Fprintf(s.Out, "  %s\n", line)
	}
	for _, tool := range report.Tools {
		for _, line := range agent.ToolLines(tool) {
			fmt.Fprintf(s.Out, "  %s\n", escape.Line(line))
		}
	}
	if report.Output != "" {
		fmt.Fprintf(s.Out, "  it writes:\n    %s\n", escape.Lines(agent.LastLines(report.Output), "    "))
	}
	fmt.Fprintln(s.Out)
}

// writeClientPage writes a page of Markdown.
func (s *session) writeClientPage(reports []agent.Report) {
	page := &report.Markdown{}
	page.Text("# Which tools reach the model\n\n" + agent.Words)
	agent.Tables(page, "", reports)
	fmt.Fprintln(s.Out, strings.TrimSpace(page.String()))
}
