package site

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/packages/data"
)

// constructPage is what all surfaces do with a construct.
type constructPage struct {
	data.Construct

	// Cells are the surfaces, those that refuse the construct first.
	Cells []*cell
	By    []byState
	// Sample is the schema that was judged, as a property of a tool or as the parameters.
	Sample string
	// IsWhole says that the Sample is the parameters.
	IsWhole bool
	// Advice is what the author of a tool can do; "" if nobody refuses the construct, or nothing is known.
	Advice string
	// Sides are the tool before and after the edit; Before is empty if no edit helps.
	Sides sides
	// For are the surfaces that the advice is for.
	For []*provider.Dialect
	// Errors are the messages with which most surfaces refuse the keyword.
	Errors []*message
	// Forms are the other constructs of the keyword.
	Forms []*constructPage
}

// byState are the cells of a row, or of a surface, with the same state.
type byState struct {
	State string
	Cells []*cell
}

// groups returns cells by their state, in the order of states.
func groups(cells []*cell) []byState {
	var all []byState
	for _, state := range states {
		of := slices.DeleteFunc(slices.Clone(cells), func(cell *cell) bool { return cell.State() != state })
		if len(of) > 0 {
			all = append(all, byState{state, of})
		}
	}
	return all
}

// IsLong reports whether there are too many for the first screen, which people read for what is not accepted.
func (b byState) IsLong() bool {
	const most, mostAccepted = 50, 16
	if b.State == string(evidence.Predicted) || b.State == string(evidence.Accepted) {
		return len(b.Cells) > mostAccepted
	}
	return len(b.Cells) > most
}

// File returns the path of the page of a construct, relative to the root of the site.
func keywordFile(name string) string { return "keywords/" + anchor(name) + ".html" }

// mostMessages is the largest number of messages on the page of a construct.
const mostMessages = 5

// states are all states in the order in which a page shows them.
var states = []string{
	string(evidence.Refused), string(evidence.Ignored), string(evidence.Rewritten), string(evidence.Unknown), string(evidence.Predicted), string(evidence.Accepted),
}

// keywords makes a page for each construct, one that leads to them, and the files of the data that they are made of.
func keywords(ctx context.Context, given *Data) ([]Page, error) {
	k, err := given.learn(ctx)
	if err != nil {
		return nil, err
	}
	all, err := facts.All(ctx, given.Store)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all); err != nil {
		return nil, fmt.Errorf("writing the data: %w", err)
	}
	given.files["data.json"] = text.Bytes()
	var shown []*constructPage
	for _, construct := range all.Constructs {
		shown = append(shown, k.construct(ctx, construct))
	}
	for _, page := range shown {
		for _, other := range shown {
			if other != page && page.Keyword != "" && other.Keyword == page.Keyword {
				page.Forms = append(page.Forms, other)
			}
		}
	}
	pages := []Page{{
		Path: "keywords.html", Section: "Who takes what", Title: "Who takes what", Template: "keywords",
		Summary: fmt.Sprintf("How many of %d surfaces of LLM providers refuse, ignore or accept each of %d constructs of JSON Schema.", len(shown[0].Cells), len(shown)),
		Data:    keywordsData{all.Day, all.Version, plotOfConstructs(shown)},
	}}
	for _, page := range shown {
		var counts []string
		for _, of := range page.By {
			counts = append(counts, fmt.Sprintf("%s by %d", wordOf(of.State), len(of.Cells)))
		}
		pages = append(pages, Page{
			Path: keywordFile(page.Name), Section: "Who takes what", Title: "Who takes " + page.title() + "?", Template: "keyword",
			Summary: fmt.Sprintf("Which LLM providers take %s in the schema of a tool: %s of %d surfaces.", page.Name, strings.Join(counts, ", "), len(page.Cells)),
			Data:    page,
		})
	}
	return pages, nil
}

// title returns the name, in quotation marks unless it is a keyword.
func (p *constructPage) title() string {
	if p.Name == p.Keyword {
		return p.Name
	}
	return "“" + p.Name + "”"
}

// keywordsData is the data of the page that leads to all constructs.
type keywordsData struct {
	Day, Version string
	Plot         plot
}

// plotOfConstructs shows how many surfaces do what with each construct.
func plotOfConstructs(pages []*constructPage) plot {
	shown := plot{Heads: []string{"refused", "ignored", "rewritten", "unknown", "predicted", "seen accepted"}}
	for _, page := range pages {
		counts := make([]int, len(states))
		for _, of := range page.By {
			counts[slices.Index(states, of.State)] = len(of.Cells)
		}
		shown.Bars = append(shown.Bars, barOf(page.Name, keywordFile(page.Name), states, counts...))
	}
	return shown
}

// construct returns what all surfaces do with a construct.
func (k *known) construct(ctx context.Context, construct data.Construct) *constructPage {
	shown := &constructPage{Construct: construct}
	tool := facts.Tool(construct)
	if property := tool.Parameters.Get("properties").Get("a"); property != nil && !strings.Contains(construct.Name, "root") && property.Has(construct.Keyword) {
		shown.Sample = property.String()
	} else {
		shown.Sample, shown.IsWhole = tool.Parameters.String(), true
	}
	for _, view := range k.surfaces {
		if cell := view.cell(construct.Name); cell != nil {
			shown.Cells = append(shown.Cells, cell)
		}
	}
	slices.SortStableFunc(shown.Cells, func(a, b *cell) int {
		return cmp.Compare(slices.Index(states, a.State()), slices.Index(states, b.State()))
	})
	shown.By = groups(shown.Cells)
	shown.advise(ctx, k.data)
	for _, message := range k.errors {
		if slices.Contains(message.Keywords(), shown.Name) {
			shown.Errors = append(shown.Errors, message)
		}
	}
	slices.SortStableFunc(shown.Errors, func(a, b *message) int { return cmp.Compare(len(b.keys), len(a.keys)) })
	shown.Errors = shown.Errors[:min(len(shown.Errors), mostMessages)]
	return shown
}

// wordOf returns a state in words that follow a noun.
func wordOf(state string) string {
	switch state {
	case string(evidence.Predicted):
		return "predicted to be accepted"
	case string(evidence.Accepted):
		return "seen accepted"
	default:
		return state
	}
}

// advise finds what to write instead of the construct: for the surfaces to which clients pass tools on as
// they are, or else for the first surface with a normalizer that refuses it.
func (p *constructPage) advise(ctx context.Context, given *Data) {
	isRefusing := func(target judge.Target) bool {
		return slices.ContainsFunc(p.Cells, func(cell *cell) bool {
			return cell.Surface.Dialect == target.Dialect && cell.Today.Support == data.Refused
		})
	}
	at, targets := slices.IndexFunc(harness.Direct, isRefusing), harness.Direct
	if at < 0 {
		if at, targets = slices.IndexFunc(harness.Targets, isRefusing), harness.Targets; at < 0 {
			return
		}
		at, targets = 0, targets[at:at+1]
	}
	tool := facts.Tool(p.Construct)
	if targets[at].Dialect.Strict {
		tool = facts.Closed(tool)
	}
	judging, subject := judge.Judge{Store: given.Store, Raw: true}, judge.Subject{Tool: toolfile.Of(tool)}
	result := judging.Tool(ctx, subject, targets[at])
	raw := result.Sides().Raw
	if len(raw.Findings) == 0 {
		return
	}
	for _, target := range targets {
		if isRefusing(target) {
			p.For = append(p.For, target.Dialect)
		}
	}
	isOfKeyword := func(finding verdict.Finding) bool { return strings.HasSuffix(string(finding.At), "/"+p.Keyword) }
	finding := raw.Findings[max(slices.IndexFunc(raw.Findings, isOfKeyword), 0)]
	cure := judging.Cures(ctx, subject.Tool, targets).Of(finding)
	p.Advice = report.Proposal(cure)
	for _, edit := range cure.Edits {
		p.Sides = sidesOf(tool.Parameters, judge.Edited(tool, edit).Parameters)
	}
}
