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

// statsFile is what verify-lab stats counted, below the folder of the documentation.
const statsFile = "stats.json"

// mainSet is the label of the tools that the page is about.
const mainSet = "npm"

// labels say what the sets of tools are.
var labels = map[string]string{
	"npm":     "tools of MCP servers on npm, asked from the running servers",
	"live":    "tools as servers and programs publish them in lists",
	"bench":   "tools of two benchmarks of function calling",
	"openapi": "operations of OpenAPI documents, as tools",
}

// bar is a row of a plot: parts of a whole, with their numbers.
type bar struct {
	Name  string
	Link  string // below the root of the site; empty for none
	Note  string
	Total int
	Parts []part
}

// part is a part of a bar. Its state gives the colour.
type part struct {
	State string
	Count int
	From  float64 // in percent of the whole
	Share float64
}

// Percent is the share as people read it; empty for none.
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
		return fmt.Sprintf("%.1f %%", max(share, 0.1)) //nolint:mnd // so little is not nothing
	case share > 99 && share < 100:
		return fmt.Sprintf("%.1f %%", min(share, 99.9)) //nolint:mnd // and so much is not all
	default:
		return fmt.Sprintf("%.0f %%", share)
	}
}

// barOf returns a bar of counts, in the order of the states.
func barOf(name, link string, states []string, counts ...int) bar {
	made := bar{Name: name, Link: link}
	for _, count := range counts {
		made.Total += count
	}
	const whole = 100.0
	from := 0.0
	for i, count := range counts {
		one := part{State: states[i], Count: count, From: from, Share: whole * float64(count) / float64(max(made.Total, 1))}
		from += one.Share
		made.Parts = append(made.Parts, one)
	}
	return made
}

// plot is bars with one legend.
type plot struct {
	Title string
	Heads []string // of the parts
	Bars  []bar
}

// asGiven are the states of tools as they are sent.
var asGiven, asGivenHeads = []string{"refused", "ignored", "accepted"}, []string{"refused", "a part ignored", "kept whole"}

// plotOf shows what surfaces of functions do to a set, those that refuse most first. What no
// rule says anything of is left out.
func plotOf(title string, counted tally.Tally) plot {
	made := plot{Title: title, Heads: asGivenHeads}
	for _, one := range counted.Surfaces {
		dialect, err := harness.DialectNamed(one.Name)
		if err != nil || dialect.Subject != provider.Arguments || one.Refused+one.Ignored == 0 {
			continue
		}
		row := barOf(one.Name, "surfaces/"+anchor(one.Name)+".html", asGiven, one.Refused, one.Ignored, one.Whole)
		if one.Unjudged > 0 {
			row.Note = fmt.Sprintf("%d not judged", one.Unjudged)
		}
		made.Bars = append(made.Bars, row)
	}
	slices.SortStableFunc(made.Bars, func(a, b bar) int { return b.Parts[0].Count + b.Parts[1].Count - a.Parts[0].Count - a.Parts[1].Count })
	return made
}

// normalizedPlot shows what becomes of a set by the normalizers.
func normalizedPlot(counted tally.Tally) plot {
	made := plot{Heads: []string{"refused", "other arguments accepted, and said so", "same meaning"}}
	for _, one := range counted.Surfaces {
		if one.Normalized == nil {
			continue
		}
		row := barOf(one.Name, "surfaces/"+anchor(one.Name)+".html", asGiven, one.Normalized.Refused+one.Normalized.Failed, one.Normalized.Changed, one.Normalized.Exact)
		if one.Normalized.Fallback > 0 {
			row.Note = fmt.Sprintf("%d go without strict", one.Normalized.Fallback)
		}
		made.Bars = append(made.Bars, row)
	}
	return made
}

// causes are what a surface refuses or ignores most.
type causes struct {
	Surface string
	Link    string
	Tools   int
	Plot    plot
}

// causesOf returns the keywords and rules at which each surface refuses or ignores.
func causesOf(counted tally.Tally) []causes {
	var all []causes
	for _, one := range counted.Surfaces {
		dialect, err := harness.DialectNamed(one.Name)
		if err != nil || dialect.Subject != provider.Arguments || len(one.Causes)+len(one.Losses) == 0 {
			continue
		}
		link := "surfaces/" + anchor(one.Name) + ".html"
		of := causes{Surface: one.Name, Link: link, Tools: one.Refused + one.Ignored, Plot: plot{Title: one.Name, Heads: []string{"tools"}}}
		for _, kind := range []struct {
			state  string
			counts []tally.Count
		}{{"refused", one.Causes}, {"ignored", one.Losses}} {
			for _, count := range kind.counts {
				place := "#" + anchor(count.Name)
				name := count.Name
				if rule, isRule := strings.CutPrefix(count.Name, "rule "); isRule {
					place, name = "#rule-"+rule, rule
				} else if !evidence.Knows(name) {
					place = ""
				}
				const whole = 100.0
				share := whole * float64(count.Tools) / float64(max(counted.Tools, 1))
				of.Plot.Bars = append(of.Plot.Bars, bar{Name: name, Link: link + place, Total: counted.Tools, Parts: []part{{kind.state, count.Tools, 0, share}}})
			}
		}
		all = append(all, of)
	}
	slices.SortStableFunc(all, func(a, b causes) int { return b.Tools - a.Tools })
	return all
}

// series is a share over time, as a line of the plot.
type series struct {
	Name   string
	Link   string
	Points []point
	// Line are the points of the SVG line, and Class its colour.
	Line  string
	Class int
}

// point is one day.
type point struct {
	Day   provider.Date
	X, Y  float64 // in the plot
	Share string
}

// history is the plot of what is refused over time.
type history struct {
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

// Sizes of the plot over time, in its own units.
const (
	historyWidth  = 640.0
	historyHeight = 260.0
	lineColours   = 12 // of the style sheet
)

// alongTime returns where days are between the first and the last, from 0 to 1.
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

// historyOf returns the shares of one set that surfaces refuse or ignore on several days. A
// surface that did not change is left out.
func historyOf(tallies []tally.Tally) history {
	made := history{Width: historyWidth, Height: historyHeight}
	slices.SortStableFunc(tallies, func(a, b tally.Tally) int { return strings.Compare(string(a.AsOf), string(b.AsOf)) })
	for _, one := range tallies {
		made.Days = append(made.Days, one.AsOf)
	}
	along := alongTime(made.Days)
	const whole = 100.0
	for percent := 0.0; percent <= whole; percent += 25 {
		made.Ticks = append(made.Ticks, tick{historyHeight * (1 - percent/whole), fmt.Sprintf("%.0f %%", percent)})
	}
	for i, first := range tallies[0].Surfaces {
		dialect, err := harness.DialectNamed(first.Name)
		if err != nil || dialect.Subject != provider.Arguments {
			continue
		}
		line := series{Name: first.Name, Link: "surfaces/" + anchor(first.Name) + ".html", Class: len(made.Series) % lineColours}
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
			made.Series = append(made.Series, line)
		}
	}
	return made
}

// toolsData is what the page about the state of tools is made of.
type toolsData struct {
	Tools      int
	Day        provider.Date
	Keywords   []bar
	Main       plot
	Normalized plot
	Causes     []causes
	History    *history
	Others     []plot
	Clients    plot
}

// stateOfTools makes the page of what public tools meet, where it was counted.
func stateOfTools(_ context.Context, data *Data) ([]Page, error) {
	in, err := data.Docs.Open(statsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the counts: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was read
	tallies, err := tally.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statsFile, err)
	}
	shown := toolsData{}
	var days []tally.Tally
	var newest tally.Tally
	for _, one := range tallies {
		if one.Label == mainSet {
			days = append(days, one)
			if one.AsOf >= newest.AsOf {
				newest = one
			}
			continue
		}
		shown.Others = append(shown.Others, plotOf(fmt.Sprintf("%s: %s %s", one.Label, grouped(one.Tools), labels[one.Label]), one))
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
		shown.Keywords = append(shown.Keywords, bar{Name: count.Name, Total: newest.Tools, Parts: []part{{"plain", count.Tools, 0, share}}})
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

// clientPlot shows which tricky tools reach the model through each agent.
func clientPlot(reports []agent.Report) plot {
	made := plot{Heads: []string{"do not reach the model", "arrive changed", "arrive as they are"}}
	for _, one := range reports {
		lost, changed, kept := 0, 0, 0
		for _, tool := range one.Tools {
			switch {
			case tool.State == arrival.Missing, len(tool.Refused) > 0:
				lost++
			case tool.State == arrival.Changed:
				changed++
			default:
				kept++
			}
		}
		row := barOf(one.Client+", "+one.Surface, "", asGiven, lost, changed, kept)
		row.Note = one.ClientVersion
		made.Bars = append(made.Bars, row)
	}
	return made
}
