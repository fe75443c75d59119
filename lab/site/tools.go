package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/agent"
	"toolproof/harness/agent/arrival"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/lab/tally"
)

// statsFile is the file written by verify-lab stats, in the folder of the documentation.
const statsFile = "stats.json"

// mainSet is the label of the set of tools that the page is about.
const mainSet = "npm"

// labels describe the sets of tools.
var labels = map[string]string{
	"npm":     "tools of MCP servers on npm, asked from the running servers",
	"live":    "tools as servers and programs publish them in lists",
	"bench":   "tools of two benchmarks of function calling",
	"openapi": "operations of OpenAPI documents, as tools",
}

// bar is a row of a plot: a whole divided into parts.
type bar struct {
	Name  string
	Link  string // relative to the root of the site; "" for none
	Note  string
	Total int
	Parts []part
}

// part is a part of a bar. Its state determines the colour.
type part struct {
	State string
	Count int
	From  float64 // percentage where it begins
	Share float64
}

// Percent returns the share for people, or "" for an empty part.
func (p part) Percent() string {
	if p.Count == 0 {
		return ""
	}
	return percent(p.Count, p.Share)
}

func percent(count int, share float64) string {
	switch {
	case count == 0:
		return "0 %"
	case share < 1:
		return fmt.Sprintf("%.1f %%", max(share, 0.1)) //nolint:mnd // not shown as 0 %
	case share > 99 && share < 100:
		return fmt.Sprintf("%.1f %%", min(share, 99.9)) //nolint:mnd // not shown as 100 %
	default:
		return fmt.Sprintf("%.0f %%", share)
	}
}

// barOf returns a bar of counts in the order of the states.
func barOf(name, link string, states []string, counts ...int) bar {
	row := bar{Name: name, Link: link}
	for _, count := range counts {
		row.Total += count
	}
	const whole = 100.0
	from := 0.0
	for i, count := range counts {
		piece := part{State: states[i], Count: count, From: from, Share: whole * float64(count) / float64(max(row.Total, 1))}
		from += piece.Share
		row.Parts = append(row.Parts, piece)
	}
	return row
}

// plot is a group of bars with one legend.
type plot struct {
	Title string
	Heads []string // names of the parts
	Bars  []bar
}

// asGiven are the states of tools that are sent unchanged, with their names.
var asGiven, asGivenHeads = []string{"refused", "ignored", "accepted"}, []string{"refused", "a part ignored", "kept whole"}

// plotOf shows what surfaces for functions do to a set of tools, starting with those that
// refuse most. Surfaces without a finding are left out.
func plotOf(title string, counted tally.Tally) plot {
	shown := plot{Title: title, Heads: asGivenHeads}
	for _, surface := range counted.Surfaces {
		dialect, err := harness.DialectNamed(surface.Name)
		if err != nil || dialect.Subject != provider.Arguments || surface.Refused+surface.Ignored == 0 {
			continue
		}
		row := barOf(surface.Name, "surfaces/"+anchor(surface.Name)+".html", asGiven, surface.Refused, surface.Ignored, surface.Whole)
		if surface.Unjudged > 0 {
			row.Note = fmt.Sprintf("%d not judged", surface.Unjudged)
		}
		shown.Bars = append(shown.Bars, row)
	}
	slices.SortStableFunc(shown.Bars, func(a, b bar) int { return b.Parts[0].Count + b.Parts[1].Count - a.Parts[0].Count - a.Parts[1].Count })
	return shown
}

// normalizedPlot shows what the surfaces do to a set of tools once it is normalized.
func normalizedPlot(counted tally.Tally) plot {
	shown := plot{Heads: []string{"refused", "other arguments accepted, and said so", "same meaning"}}
	for _, surface := range counted.Surfaces {
		if surface.Normalized == nil {
			continue
		}
		counts := surface.Normalized
		row := barOf(surface.Name, "surfaces/"+anchor(surface.Name)+".html", asGiven, counts.Refused+counts.Failed, counts.Changed, counts.Exact)
		if surface.Normalized.Fallback > 0 {
			row.Note = fmt.Sprintf("%d go without strict", surface.Normalized.Fallback)
		}
		shown.Bars = append(shown.Bars, row)
	}
	return shown
}

// causes holds what a surface refuses or ignores most.
type causes struct {
	Surface string
	Link    string
	Tools   int
	Plot    plot
}

// causesOf returns for each surface the keywords and rules at which it refuses or ignores
// tools.
func causesOf(counted tally.Tally) []causes {
	var all []causes
	for _, surface := range counted.Surfaces {
		dialect, err := harness.DialectNamed(surface.Name)
		if err != nil || dialect.Subject != provider.Arguments || len(surface.Causes)+len(surface.Losses) == 0 {
			continue
		}
		all = append(all, causes{
			Surface: surface.Name, Link: "surfaces/" + anchor(surface.Name) + ".html", Tools: surface.Refused + surface.Ignored,
			Plot: plot{Title: surface.Name, Heads: []string{"tools"}, Bars: causeBars(surface, counted.Tools)},
		})
	}
	slices.SortStableFunc(all, func(a, b causes) int { return b.Tools - a.Tools })
	return all
}

// causeBars shows at which keywords and rules a surface refuses or ignores tools.
func causeBars(surface tally.Surface, tools int) []bar {
	var bars []bar
	for _, kind := range []struct {
		state  string
		counts []tally.Count
	}{{"refused", surface.Causes}, {"ignored", surface.Losses}} {
		for _, count := range kind.counts {
			name, place := count.Name, "#"+anchor(count.Name)
			if rule, isRule := strings.CutPrefix(count.Name, "rule "); isRule {
				name, place = rule, "#rule-"+rule
			} else if !evidence.Knows(name) {
				place = ""
			}
			const whole = 100.0
			share := whole * float64(count.Tools) / float64(max(tools, 1))
			link := "surfaces/" + anchor(surface.Name) + ".html" + place
			bars = append(bars, bar{Name: name, Link: link, Total: tools, Parts: []part{{kind.state, count.Tools, 0, share}}})
		}
	}
	return bars
}

// series is a share over time, shown as a line.
type series struct {
	Name   string
	Link   string
	Points []point
	// Line is the points attribute of the SVG line, and Class its colour.
	Line  string
	Class int
}

// point is the share on one day.
type point struct {
	Day   provider.Date
	X, Y  float64 // coordinates in the plot
	Share string
}

// overTime is the plot of refusals over time.
type overTime struct {
	Series []series
	Days   []provider.Date
	Ticks  []tick
	Width  float64
	Height float64
}

// tick is a line of the grid.
type tick struct {
	At   float64
	Text string
}

// The size of the plot over time, in its own units.
const (
	historyWidth  = 640.0
	historyHeight = 260.0
	lineColours   = 12 // in the style sheet
)

// alongTime returns the position of each day between the first and the last, from 0 to 1.
func alongTime(days []provider.Date) []float64 {
	shares := make([]float64, len(days))
	first, last := dayOf(days[0]), dayOf(days[len(days)-1])
	for i, day := range days {
		shares[i] = dayOf(day).Sub(first).Hours() / max(last.Sub(first).Hours(), 1)
	}
	return shares
}

// dayOf returns the beginning of a day.
func dayOf(day provider.Date) time.Time {
	read, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		return time.Time{}
	}
	return read
}

// historyOf returns the shares of a set of tools that surfaces refuse or ignore on several
// days. Surfaces that did not change are left out.
func historyOf(tallies []tally.Tally) overTime {
	shown := overTime{Width: historyWidth, Height: historyHeight}
	slices.SortStableFunc(tallies, func(a, b tally.Tally) int { return strings.Compare(string(a.AsOf), string(b.AsOf)) })
	for _, counted := range tallies {
		shown.Days = append(shown.Days, counted.AsOf)
	}
	along := alongTime(shown.Days)
	const whole = 100.0
	for percent := 0.0; percent <= whole; percent += 25 {
		shown.Ticks = append(shown.Ticks, tick{historyHeight * (1 - percent/whole), fmt.Sprintf("%.0f %%", percent)})
	}
	for i, first := range tallies[0].Surfaces {
		dialect, err := harness.DialectNamed(first.Name)
		if err != nil || dialect.Subject != provider.Arguments {
			continue
		}
		line := series{Name: first.Name, Link: "surfaces/" + anchor(first.Name) + ".html", Class: len(shown.Series) % lineColours}
		hasChanged := false
		for day, counted := range tallies {
			if i >= len(counted.Surfaces) || counted.Surfaces[i].Name != first.Name {
				continue
			}
			now := counted.Surfaces[i]
			touched := now.Refused + now.Ignored
			share := whole * float64(touched) / float64(max(counted.Tools, 1))
			at := point{counted.AsOf, historyWidth * along[day], historyHeight * (1 - share/whole), percent(touched, share)}
			hasChanged = hasChanged || touched != first.Refused+first.Ignored
			line.Points = append(line.Points, at)
			line.Line += fmt.Sprintf("%.1f,%.1f ", at.X, at.Y)
		}
		if hasChanged {
			shown.Series = append(shown.Series, line)
		}
	}
	return shown
}

// toolsData is the data of the page about the state of tools.
type toolsData struct {
	Tools      int
	Day        provider.Date
	Keywords   []bar
	Main       plot
	Normalized plot
	Causes     []causes
	History    *overTime
	Others     []plot
	Clients    plot
}

// counts reads the tallies in the folder of the documentation, and returns the newest of the main set.
// There are none if nothing was counted.
func counts(docs fs.FS) (tallies []tally.Tally, newest tally.Tally, err error) {
	in, err := docs.Open(statsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, newest, nil
	}
	if err != nil {
		return nil, newest, fmt.Errorf("reading the counts: %w", err)
	}
	defer in.Close() //nolint:errcheck // opened for reading
	if tallies, err = tally.Read(in); err != nil {
		return nil, newest, fmt.Errorf("%s: %w", statsFile, err)
	}
	for _, counted := range tallies {
		if counted.Label == mainSet && counted.AsOf >= newest.AsOf {
			newest = counted
		}
	}
	return tallies, newest, nil
}

// stateOfTools makes the page about public tools, if they were counted.
func stateOfTools(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil || len(k.tallies) == 0 {
		return nil, err
	}
	newest, shown := k.newest, toolsData{}
	var days []tally.Tally
	for _, counted := range k.tallies {
		if counted.Label == mainSet {
			days = append(days, counted)
			continue
		}
		shown.Others = append(shown.Others, plotOf(fmt.Sprintf("%s: %s %s", counted.Label, grouped(counted.Tools), labels[counted.Label]), counted))
	}
	if len(days) == 0 {
		return nil, fmt.Errorf("%s has no counts of %s", statsFile, mainSet)
	}
	shown.Tools, shown.Day = newest.Tools, newest.AsOf
	shown.Main = plotOf("", newest)
	shown.Normalized, shown.Causes = normalizedPlot(newest), causesOf(newest)
	if len(days) > 1 {
		over := historyOf(days)
		shown.History = &over
	}
	const mostKeywords = 20
	for _, count := range newest.Keywords[:min(len(newest.Keywords), mostKeywords)] {
		const whole = 100.0
		share := whole * float64(count.Tools) / float64(max(newest.Tools, 1))
		link := ""
		if evidence.Knows(count.Name) {
			link = keywordFile(count.Name)
		}
		shown.Keywords = append(shown.Keywords, bar{Name: count.Name, Link: link, Total: newest.Tools, Parts: []part{{"plain", count.Tools, 0, share}}})
	}
	reports, err := clientReports(data.Docs, "clients.json")
	if err != nil {
		return nil, err
	}
	shown.Clients = clientPlot(reports)
	return []Page{{
		Path: "tools.html", Section: "State of tools", Title: "State of tools", Template: "tools",
		Summary: fmt.Sprintf("What LLM providers refuse, ignore and keep of %d public tools, by keyword, by client and over time.", shown.Tools),
		Data:    shown,
	}}, nil
}

// clientPlot shows how many tricky tools reach the model through each agent.
func clientPlot(reports []agent.Report) plot {
	shown := plot{Heads: []string{"do not reach the model", "arrive changed", "arrive as they are"}}
	for _, report := range reports {
		lost, changed, kept := 0, 0, 0
		for _, tool := range report.Tools {
			switch {
			case tool.State == arrival.Missing, len(tool.Refused) > 0:
				lost++
			case len(tool.Changes) > 0:
				changed++
			default:
				kept++
			}
		}
		row := barOf(report.Client+", "+report.Surface, "", asGiven, lost, changed, kept)
		row.Note = report.ClientVersion
		shown.Bars = append(shown.Bars, row)
	}
	return shown
}
