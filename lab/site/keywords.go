package site

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

// keywordPage is what all surfaces do with a keyword.
type keywordPage struct {
	Name string
	// Cells are the surfaces, those that refuse the keyword first.
	Cells  []cell
	Counts []stateCount
	// Sample is the schema that was judged, as a property of a tool.
	Sample string
	// Advice is what the author of a tool can do; "" if nobody refuses the keyword, or nothing is known.
	Advice string
	// Sides are the tool before and after the edit; Before is empty if no edit helps.
	Sides sides
	// For are the surfaces that the advice is for.
	For []*provider.Dialect
	// Errors are the messages with which most surfaces refuse the keyword.
	Errors []*message
}

// stateCount is how many surfaces do the same.
type stateCount struct {
	State evidence.State
	Count int
}

// File returns the path of the page of a keyword, relative to the root of the site.
func keywordFile(name string) string { return "keywords/" + anchor(name) + ".html" }

// mostMessages is the largest number of messages on the page of a keyword.
const mostMessages = 5

// states are all states in the order in which a page shows them.
var states = []evidence.State{evidence.Refused, evidence.Ignored, evidence.Unknown, evidence.Predicted, evidence.Accepted}

// keywords makes a page for each keyword.
func keywords(ctx context.Context, data *Data) ([]Page, error) {
	k, err := data.learn(ctx)
	if err != nil {
		return nil, err
	}
	var pages []Page
	for i, first := range k.surfaces[0].Keywords {
		shown := &keywordPage{Name: first.Name, Sample: first.Tool.Parameters.Get("properties").Get("a").String()}
		for _, view := range k.surfaces {
			if len(view.Keywords) == 0 { // a directory, which reads no schema
				continue
			}
			shown.Cells = append(shown.Cells, cell{view.Keywords[i], view})
		}
		slices.SortStableFunc(shown.Cells, func(a, b cell) int {
			return cmp.Compare(slices.Index(states, a.Keyword.State), slices.Index(states, b.Keyword.State))
		})
		var counts []string
		for _, state := range states {
			count := 0
			for _, cell := range shown.Cells {
				if cell.Keyword.State == state {
					count++
				}
			}
			if count > 0 {
				shown.Counts = append(shown.Counts, stateCount{state, count})
				counts = append(counts, fmt.Sprintf("%s by %d", wordOf(state), count))
			}
		}
		shown.advise(ctx, data)
		for _, message := range k.errors {
			if slices.Contains(message.Keywords(), shown.Name) {
				shown.Errors = append(shown.Errors, message)
			}
		}
		slices.SortStableFunc(shown.Errors, func(a, b *message) int { return cmp.Compare(len(b.keys), len(a.keys)) })
		shown.Errors = shown.Errors[:min(len(shown.Errors), mostMessages)]
		pages = append(pages, Page{
			Path: keywordFile(shown.Name), Section: "Surfaces", Title: shown.Name + " in a tool", Template: "keyword",
			Summary: fmt.Sprintf("Which LLM providers take %s in the schema of a tool: %s of %d surfaces.", shown.Name, strings.Join(counts, ", "), len(shown.Cells)),
			Data:    shown,
		})
	}
	return pages, nil
}

// wordOf returns a state in words that follow a noun.
func wordOf(state evidence.State) string {
	switch state {
	case evidence.Predicted:
		return "predicted to be accepted"
	case evidence.Accepted:
		return "seen accepted"
	default:
		return string(state)
	}
}

// advise finds what to write instead of the keyword: for the surfaces to which clients pass tools on as
// they are, or else for the first surface with a normalizer that refuses the keyword.
func (p *keywordPage) advise(ctx context.Context, data *Data) {
	isRefusing := func(target judge.Target) bool {
		return slices.ContainsFunc(p.Cells, func(cell cell) bool {
			return cell.Surface.Dialect == target.Dialect && cell.Keyword.State == evidence.Refused
		})
	}
	at, targets := slices.IndexFunc(harness.Direct, isRefusing), harness.Direct
	if at < 0 {
		if at, targets = slices.IndexFunc(harness.Targets, isRefusing), harness.Targets; at < 0 {
			return
		}
		at, targets = 0, targets[at:at+1]
	}
	for _, target := range targets {
		if isRefusing(target) {
			p.For = append(p.For, target.Dialect)
		}
	}
	tool := p.Cells[slices.IndexFunc(p.Cells, func(cell cell) bool { return cell.Surface.Dialect == targets[at].Dialect })].Keyword.Tool
	judging, subject := judge.Judge{Store: data.Store, Raw: true}, judge.Subject{Tool: toolfile.Of(tool)}
	result := judging.Tool(ctx, subject, targets[at])
	raw := result.Sides().Raw
	isOfKeyword := func(finding verdict.Finding) bool { return strings.HasSuffix(string(finding.At), "/"+p.Name) }
	finding := raw.Findings[max(slices.IndexFunc(raw.Findings, isOfKeyword), 0)]
	cure := judging.Cures(ctx, subject.Tool, targets).Of(finding)
	p.Advice = report.Proposal(cure)
	for _, edit := range cure.Edits {
		p.Sides = sidesOf(tool.Parameters, judge.Edited(tool, edit).Parameters)
	}
}
