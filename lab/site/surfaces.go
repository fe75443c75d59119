package site

import (
	"context"
	"maps"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/packages/data"
)

// matrix is a table of surfaces and keywords.
type matrix struct {
	Surfaces []*surface
	Rows     []matrixRow
}

type matrixRow struct {
	Construct string
	Cells     []*cell
}

// cell is what a surface does with a construct, with the page that says so.
type cell struct {
	Construct string
	// Today is the statement of today, and Past are those of earlier times, the newest first.
	Today   data.Statement
	Past    []data.Statement
	Surface *surface
}

// surface is a dialect with what is known of it.
type surface struct {
	*provider.Dialect

	Facts      *data.Surface
	Cells      []*cell
	Recordings int
	// Shown holds the constructs in accepted recordings, by keyword.
	Shown      []constructs
	ShownCount int
	Rules      []*ruleView
	// Target is the target whose normalizer serves the surface; "" if there is none.
	Target string
}

// File returns the path of the surface's page, relative to the root of the site.
func (s *surface) File() string { return "surfaces/" + anchor(s.Name) + ".html" }

// By returns the constructs by what the surface does with them.
func (s *surface) By() []byState { return groups(s.Cells) }

// cell returns what the surface does with a construct, or nil if it reads no schema.
func (s *surface) cell(construct string) *cell {
	for _, cell := range s.Cells {
		if cell.Construct == construct {
			return cell
		}
	}
	return nil
}

// IsTaken reports whether the surface accepts the construct, as far as is known.
func (c *cell) IsTaken() bool { return c.Today.Support == data.Accepted }

// State returns the support, or predicted for an acceptance that no answer shows.
func (c *cell) State() string { return stateOf(c.Today) }

func stateOf(said data.Statement) string {
	if said.Support == data.Accepted && said.Grade == string(evidence.Predicted) {
		return said.Grade
	}
	return string(said.Support)
}

// Sign returns a sign for the state, so that tables do not rely on colours alone.
func (c *cell) Sign() string {
	return map[string]string{
		string(evidence.Accepted): "✓", string(evidence.Predicted): "○", string(evidence.Refused): "✕", string(evidence.Ignored): "◐",
		string(evidence.Rewritten): "↻", string(evidence.Unknown): "?",
	}[c.State()]
}

type constructs struct {
	Keyword string
	Where   []string
}

// service holds the surfaces of one service.
type service struct {
	Name     string
	Surfaces []*surface
}

// surfacesData is the data of the page about all surfaces.
type surfacesData struct {
	Main     matrix
	Services []service
}

// surfaces makes the table of keywords and a page for each surface.
func surfaces(ctx context.Context, given *Data) ([]Page, error) {
	k, err := given.learn(ctx)
	if err != nil {
		return nil, err
	}
	for _, dialect := range harness.Dialects {
		view, err := k.surface(ctx, dialect)
		if err != nil {
			return nil, err
		}
		k.surfaces = append(k.surfaces, view)
	}
	var direct []*surface
	for _, target := range harness.Targets {
		for _, view := range k.surfaces {
			if view.Dialect == target.Dialect {
				direct = append(direct, view)
			}
		}
	}
	var services []service
	for _, view := range k.surfaces {
		if len(services) == 0 || services[len(services)-1].Name != view.Service() {
			services = append(services, service{Name: view.Service()})
		}
		last := &services[len(services)-1]
		last.Surfaces = append(last.Surfaces, view)
	}
	pages := []Page{{
		Path: "surfaces.html", Section: "Surfaces", Title: "What each surface takes", Template: "surfaces",
		Summary: "Which keywords of JSON Schema the tool surfaces of LLM providers accept, refuse and ignore, as a check says, with the dated answers behind each cell.",
		Data:    surfacesData{matrixOf(direct), services},
	}}
	for _, view := range k.surfaces {
		pages = append(pages, Page{
			Path: view.File(), Section: "Surfaces", Title: view.Name, Template: "surface",
			Summary: "What " + view.Name + " accepts, refuses and ignores in a tool: " + view.Doc + ".",
			Data:    view,
		})
	}
	return pages, nil
}

// matrixOf returns the table of surfaces: a row for each keyword, without its further forms.
func matrixOf(surfaces []*surface) matrix {
	table := matrix{Surfaces: surfaces}
	for _, construct := range facts.Constructs() {
		if !evidence.Knows(construct.Name) {
			continue
		}
		row := matrixRow{Construct: construct.Name}
		for _, view := range surfaces {
			row.Cells = append(row.Cells, view.cell(construct.Name))
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// surface returns a dialect with what is known of it.
func (k *known) surface(ctx context.Context, dialect *provider.Dialect) (*surface, error) {
	shown := &surface{Dialect: dialect}
	if target := harness.Serving(dialect); target.Normalizer != nil {
		shown.Target = target.Name()
	}
	known, err := facts.Surface(ctx, dialect, k.data.Store)
	if err != nil {
		return nil, err
	}
	shown.Facts = known
	for _, construct := range facts.Constructs() {
		if said := known.Support[construct.Name]; said != nil {
			shown.Cells = append(shown.Cells, &cell{construct.Name, said[0], said[1:], shown})
		}
	}
	for _, recorded := range k.data.Store.All {
		if recorded.Dialect == dialect.Name {
			shown.Recordings++
		}
	}
	byKeyword := map[string][]string{}
	for found := range judge.Shown(ctx, judge.Offline{Dialect: dialect, Store: k.data.Store}) {
		byKeyword[found.Keyword] = append(byKeyword[found.Keyword], strings.TrimSpace(strings.TrimPrefix(found.String(), found.Keyword)))
		shown.ShownCount++
	}
	for _, name := range slices.Sorted(maps.Keys(byKeyword)) {
		slices.Sort(byKeyword[name])
		shown.Shown = append(shown.Shown, constructs{name, byKeyword[name]})
	}
	for _, rule := range dialect.Rules {
		view, err := k.rule(ctx, dialect, rule)
		if err != nil {
			return nil, err
		}
		shown.Rules = append(shown.Rules, view)
	}
	return shown, nil
}
