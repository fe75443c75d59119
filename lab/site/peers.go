package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"toolproof/harness/agent"
	"toolproof/harness/peers"
)

// peersDocument is the document that make peers writes.
type peersDocument struct {
	Date string `json:"date"`
	Sets []struct {
		Name  string `json:"name"`
		Tools int    `json:"tools"`
	} `json:"sets"`
	Rows []peersRow `json:"rows"`
}

// peersRow is a normalizer on a surface.
type peersRow struct {
	Name         string                 `json:"name"`
	Version      string                 `json:"version"`
	Language     string                 `json:"language"`
	Surface      string                 `json:"surface"`
	Sets         map[string]peers.Count `json:"sets"`
	Microseconds float64                `json:"microseconds"`
	Command      string                 `json:"command"`
}

// peersOf holds the normalizers of one surface.
type peersOf struct {
	Surface string
	Plot    plot
	Rows    []peersRow
}

// table is a table of a documentation page.
type table struct {
	Heads []string
	Rows  [][]string
}

// peersPage makes the page about normalizers, clients and gateways of others, if they were
// measured.
func peersPage(_ context.Context, data *Data) ([]Page, error) {
	var read peersDocument
	switch text, err := fs.ReadFile(data.Docs, "peers.json"); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading the peers: %w", err)
	default:
		if err := json.Unmarshal(text, &read); err != nil {
			return nil, fmt.Errorf("peers.json: %w", err)
		}
	}
	var surfaces []*peersOf
	for _, row := range read.Rows {
		if len(surfaces) == 0 || surfaces[len(surfaces)-1].Surface != row.Surface {
			surfaces = append(surfaces, &peersOf{Surface: row.Surface, Plot: plot{
				Heads: []string{"refused or crashed", "lost in silence", "lost, and said so", "not judged", "kept"},
			}})
		}
		last := surfaces[len(surfaces)-1]
		last.Rows = append(last.Rows, row)
		count := row.Sets[mainSet]
		bar := barOf(row.Name, "", []string{"refused", "ignored", "said", "plain", "accepted"},
			count.Refused+count.Declined+count.Crashed, count.Silent, count.Said, count.Unjudged, count.Kept)
		bar.Note = row.Version
		last.Plot.Bars = append(last.Plot.Bars, bar)
	}
	reports, err := clientReports(data.Docs, "clients.json")
	if err != nil {
		return nil, err
	}
	gateways, err := gatewayTable(data.Docs)
	if err != nil {
		return nil, err
	}
	return []Page{{
		Path: "peers.html", Section: "Peers", Title: "Peers", Template: "peers",
		Summary: "What the normalizers, clients and gateways of other projects do to tools, measured on the same tools by the same judge.",
		Data: struct {
			peersDocument

			Surfaces []*peersOf
			Clients  plot
			Gateways table
		}{read, surfaces, clientPlot(reports), gateways},
	}}, nil
}

// clientReports reads a file written by verify client --json. It returns none if there is no
// such file.
func clientReports(docs fs.FS, name string) ([]agent.Report, error) {
	text, err := fs.ReadFile(docs, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the clients: %w", err)
	}
	var reports []agent.Report
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var report agent.Report
		switch err := decoder.Decode(&report); {
		case errors.Is(err, io.EOF):
			return reports, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		case report.Client != "": // the summary line names no client
			reports = append(reports, report)
		}
	}
}

// gatewayTable reads the table that verify-lab gateway --markdown writes. It has no rows if
// nothing was measured.
func gatewayTable(docs fs.FS) (table, error) {
	var read table
	text, err := fs.ReadFile(docs, "gateways-measured.md")
	if errors.Is(err, fs.ErrNotExist) {
		return read, nil
	}
	if err != nil {
		return read, fmt.Errorf("reading the gateways: %w", err)
	}
	inTable := false
	for line := range strings.Lines(string(text)) {
		cells := cellsOf(line)
		switch {
		case len(cells) == 0:
			inTable = false
		case cells[0] == "gateway":
			read.Heads, inTable = cells, true
		case inTable && len(cells) == len(read.Heads) && !strings.HasPrefix(cells[0], "--"):
			read.Rows = append(read.Rows, cells)
		}
	}
	return read, nil
}

// cellsOf returns the cells of a row of a Markdown table without code marks, or nil for another
// line.
func cellsOf(line string) []string {
	inner, isRow := strings.CutPrefix(strings.TrimSpace(line), "|")
	if !isRow {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(inner, "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.Trim(strings.TrimSpace(cell), "`")
	}
	return cells
}
