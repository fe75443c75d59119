package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/normalizers/rewrite"
)

// Bounds of the table of tools and targets.
const (
	mostCells   = 6000
	mostRows    = 1000
	mostUpright = 8 // columns; the heads of more columns stand upright
	mostInHead  = 2 // targets that the head of a column names
)

// The states of cells.
const (
	refused  = "refused"
	ignored  = "ignored"
	changed  = "changed"
	open     = "open"
	excused  = "excused"
	accepted = "accepted"
)

// legend says what the states mean, in the order in which the page lists them.
var legend = []htmlTag{
	{refused, "refused, at so many places"},
	{ignored, "accepted, but so many parts are ignored"},
	{changed, "accepted after a rewrite that accepts more than the tool as given, less, or no further properties (closed)"},
	{open, "no verdict"},
	{excused, "refused at so many places, which the baseline, toolproof.json or the fixture excuses"},
	{verdict.AdviceTarget, "so many places that a model may misunderstand"},
	{accepted, "accepted, or as expected of a fixture"},
}

// htmlCell says what a target makes of a tool: Text in words or as a number, and State for the colour.
type htmlCell struct{ State, Text string }

// cell returns the cell of a result.
func (h *htmlPage) cell(result verdict.Result) htmlCell {
	side := h.options.required(result)
	number := strconv.Itoa(len(side.refused()))
	normalized := result.Sides().Normalized
	isRewritten := !side.asGiven && normalized != nil && result.Fixture() == nil
	switch advice := result.Advice(); {
	case result.Status == verdict.Error:
		return htmlCell{open, "error"}
	case result.Status == verdict.Inconclusive:
		return htmlCell{open, "no verdict"}
	case result.Fixture() != nil && result.Status <= verdict.Pass:
		return htmlCell{accepted, ""} // it is as expected
	case advice != nil && advice.Open() > 0:
		return htmlCell{verdict.AdviceTarget, strconv.Itoa(advice.Open())}
	case advice != nil:
		return htmlCell{accepted, ""}
	case side.answer == nil:
		return htmlCell{open, "no verdict"}
	case result.Status == verdict.Fail && result.Fixture() != nil:
		return htmlCell{refused, "not as expected"}
	case result.Status == verdict.KnownFailure:
		return htmlCell{excused, number}
	case side.answer.Loses():
		return htmlCell{ignored, strconv.Itoa(len(side.answer.Ignored))}
	case side.answer.Verdict == provider.Rejected:
		return htmlCell{refused, number}
	case isRewritten && normalized.Fallback != "":
		return htmlCell{changed, "not strict"}
	case isRewritten && normalized.Loss != rewrite.Exact:
		return htmlCell{changed, lossInWords(normalized.Loss)}
	default:
		return htmlCell{accepted, ""}
	}
}

// lossInWords says what the rewritten tool accepts beside the given one.
func lossInWords(loss rewrite.Loss) string {
	var parts []string
	if loss&rewrite.Widens != 0 {
		parts = append(parts, "more")
	}
	switch loss & rewrite.Narrows {
	case 0:
	case rewrite.Closes:
		parts = append(parts, "closed")
	default:
		parts = append(parts, "less")
	}
	return strings.Join(parts, ", ")
}

// htmlMatrix is the table of tools and targets. It has the rows and columns in which something is not
// accepted.
type htmlMatrix struct {
	Heads     []htmlHead
	Bodies    []htmlBody
	IsUpright bool
	// IsOfFixtures says that the rows are sides of fixtures, which are as expected or not.
	IsOfFixtures bool
	// Legend says what the states of the cells mean.
	Legend []htmlTag
	// Merged are the columns that stand for many targets, Takers the targets that take every tool, and
	// Taken the tools that every target takes.
	Merged        []htmlHead
	Takers, Taken []string
	Count         int // of Taken
	// More counts the rows that the table has no room for.
	More int
}

// htmlHead is the head of a column: its targets, which have the same cells.
type htmlHead struct {
	Name  string
	Names []string

	at int // index of the first target
}

// htmlBody has the rows of one source.
type htmlBody struct {
	Source string // empty if there is only one
	Rows   []*htmlRow
}

// Width returns the number of columns with that of the tools.
func (m *htmlMatrix) Width() int { return len(m.Heads) + 1 }

// hurts reports whether a target does not accept the tool of a row.
func (r *htmlRow) hurts() bool {
	return slices.ContainsFunc(r.Cells, htmlCell.hurts)
}

func (c htmlCell) hurts() bool { return c.State != "" && c.State != accepted }

// matrixOf returns the table of rows, whose cells are by target. The rows of the table then have their
// cells by column.
func matrixOf(rows []*htmlRow, targets []string, byServer bool) *htmlMatrix {
	matrix := &htmlMatrix{}
	var hurt []*htmlRow
	for _, row := range rows {
		switch {
		case row.hurts():
			hurt = append(hurt, row)
		default:
			matrix.Count++
			matrix.Taken = append(matrix.Taken, row.Name)
		}
	}
	matrix.Taken = few(matrix.Taken, mostNames)
	matrix.columns(hurt, targets)
	shown := hurt[:min(len(hurt), mostRows, mostCells/max(len(matrix.Heads), 1))]
	matrix.More = len(hurt) - len(shown)
	states := map[string]bool{}
	for _, row := range shown {
		cells := make([]htmlCell, len(matrix.Heads))
		for i, head := range matrix.Heads {
			cells[i] = row.Cells[head.at]
			states[cells[i].State] = true
		}
		row.Cells = cells
		last := len(matrix.Bodies) - 1
		if last < 0 || byServer && matrix.Bodies[last].Source != row.Source {
			body := htmlBody{}
			if byServer {
				body.Source = row.Source
			}
			matrix.Bodies, last = append(matrix.Bodies, body), last+1
		}
		matrix.Bodies[last].Rows = append(matrix.Bodies[last].Rows, row)
	}
	for _, entry := range legend {
		if states[entry.State] {
			matrix.Legend = append(matrix.Legend, entry)
		}
	}
	return matrix
}

// columns sets the heads: one for all targets that have the same cells.
func (m *htmlMatrix) columns(rows []*htmlRow, targets []string) {
	byCells := map[string]int{}
	for at, target := range targets {
		var cells strings.Builder
		hurts := false
		for _, row := range rows {
			cell := row.Cells[at]
			hurts = hurts || cell.hurts()
			fmt.Fprintf(&cells, "%s %s\n", cell.State, cell.Text)
		}
		if !hurts {
			m.Takers = append(m.Takers, target)
			continue
		}
		key := cells.String()
		i, known := byCells[key]
		if !known {
			i = len(m.Heads)
			byCells[key] = i
			m.Heads = append(m.Heads, htmlHead{at: at})
		}
		m.Heads[i].Names = append(m.Heads[i].Names, target)
	}
	for i := range m.Heads {
		head := &m.Heads[i]
		if head.Name = strings.Join(head.Names, ", "); len(head.Names) > mostInHead {
			head.Name = fmt.Sprintf("%s and %d more", head.Names[0], len(head.Names)-1)
			m.Merged = append(m.Merged, *head)
		}
	}
	m.IsUpright = len(m.Heads) > mostUpright
}
