package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// page collects a run as a page of Markdown, such as a comment on a pull request: the verdict, the
// counts, the findings grouped by rule, and, folded, their places.
type page struct {
	options Options
	groups  *Groups
	failed  []verdict.Result // results that their errors explain
	more    int              // number of further ones
	last    string           // latest problem of a document
}

// placesOfPage is the number of places of a group that a page shows.
const placesOfPage = 10

// maxPage is the size in bytes from which on a page leaves out details: GitHub accepts 65,536
// characters.
const maxPage = 48 << 10

func newMarkdown(options Options) *page {
	return &page{options: options, groups: &Groups{Options: options, Places: placesOfPage}}
}

// Result adds one result.
func (p *page) Result(result verdict.Result) error {
	isExplained := result.Fixture() != nil || result.Status == verdict.Inconclusive || result.Status == verdict.Error
	if isExplained {
		p.groups.tally(result, p.options.required(result), nil)
	}
	switch {
	case !isExplained:
		p.groups.Add(result)
	case result.Status <= verdict.Pass:
	case result.Tool == "" && p.last == result.Source+result.Error: // once, and not for every target
	case len(p.failed) == maxRows:
		p.more++
	default:
		p.last = result.Source + result.Error
		p.failed = append(p.failed, result)
	}
	return nil
}

// conclusionOf says in one line whether a run conforms, and how many tools it covers. For a pasted
// refusal it says that the places were located.
func conclusionOf(options Options, summary *Summary) string {
	words, _ := summary.conclusion()
	if options.Located && summary.Conforms {
		words = "located"
	}
	return fmt.Sprintf("%s: %d found, %d read, %d judged", words, summary.Tools, summary.Read, summary.Judged)
}

// Summary writes the page.
func (p *page) Summary(summary *Summary) error {
	markdown := &Markdown{}
	verdict, words, _ := strings.Cut(p.groups.conclusion(summary), ":")
	markdown.Text("**" + verdict + "**:" + foreign(words))
	targets := summary.targets()
	if len(targets) > 0 {
		markdown.Table("Targets", "target", "accepted as given", "refused as given", "accepted normalized", "refused normalized", "known", "inconclusive", "failed", "errors")
	}
	for _, target := range targets {
		counts := summary.Targets[target]
		cells := []string{foreign(target)}
		for _, count := range []int{
			counts.RawAccepted, counts.RawRejected, counts.Accepted, counts.Rejected, counts.Known, counts.Inconclusive, counts.Failed, counts.Errors,
		} {
			cells = append(cells, strconv.Itoa(count))
		}
		markdown.Row(cells...)
	}
	if len(p.failed) > 0 {
		p.explained(markdown)
	}
	groups := p.groups.sorted()
	var byKind [ofNote + 1][]*group
	for _, group := range groups {
		byKind[group.kind] = append(byKind[group.kind], group)
	}
	shown := p.findings(markdown, "Findings", byKind[ofRefused])
	if p.groups.known > 0 {
		markdown.Text(Count(p.groups.known, "finding") + " in the baseline.")
	}
	p.passed(markdown, summary)
	if summary.Passed != nil {
		markdown.Text(foreign(summary.Passed.String()) + ".")
	}
	shown = append(shown, p.findings(markdown, "Ignored", byKind[ofIgnored])...)
	shown = append(shown, p.findings(markdown, "Advice", byKind[ofAdvice])...)
	shown = append(shown, p.findings(markdown, "Notes", byKind[ofNote])...)
	if summary.Advice != nil {
		markdown.Text("Advice: " + foreign(summary.Advice.String()) + ".")
	}
	p.places(markdown, shown)
	if _, err := io.WriteString(p.options.Out, markdown.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// explained writes the results that their errors explain.
func (p *page) explained(markdown *Markdown) {
	markdown.Table("What is no pass", "tool", "target", "outcome", "why")
	for i, result := range p.failed {
		if markdown.Len() > maxPage {
			p.more += len(p.failed) - i
			break
		}
		markdown.Row(foreign(cmp.Or(titleOf(result), result.Source)), foreign(result.Target), result.Status.String(), foreign(firstLine(p.options.reason(result))))
	}
	if p.more > 0 {
		markdown.Text(fmt.Sprintf("And %d more.", p.more))
	}
}

// findings writes groups of findings under a title, and returns the groups that it wrote.
func (p *page) findings(markdown *Markdown, title string, groups []*group) []*group {
	var shown []*group
	for _, group := range groups {
		if len(shown) == 0 {
			columns := []string{"finding", "places", "tools", group.by(), "in its words"}
			if group.kind.isAdvice() {
				columns = []string{"finding", "places", "tools", "what"}
			}
			markdown.Table(title, columns...)
		}
		if len(shown) == maxRows || markdown.Len() > maxPage {
			break
		}
		shown = append(shown, group)
		cells := []string{foreign(group.heading()), strconv.Itoa(group.count), strconv.Itoa(group.tools)}
		if !group.kind.isAdvice() {
			targets := namesOf(group.targets)
			if group.isBehind {
				targets = "then also " + targets
			}
			cells = append(cells, foreign(targets))
		}
		markdown.Row(append(cells, foreign(group.message))...)
	}
	if more := len(groups) - len(shown); more > 0 {
		markdown.Text("And " + Count(more, "further group") + ".")
	}
	return shown
}

// places writes the places of groups, folded.
func (p *page) places(markdown *Markdown, shown []*group) {
	for i, group := range shown {
		if markdown.Len() > maxPage {
			markdown.Text(fmt.Sprintf("The places of %s are left out.", Count(len(shown)-i, "further group")))
			break
		}
		var places []string
		for _, place := range group.shown {
			line := "- " + foreign(place.String())
			if group.kind.isAdvice() {
				line += ": " + foreign(place.message)
			}
			if proposal := place.proposal(); proposal != "" {
				line += ": " + escape.Code(proposal)
			}
			places = append(places, line)
		}
		if more := group.count - len(group.shown); more > 0 {
			places = append(places, fmt.Sprintf("- and %d more", more))
		}
		markdown.Folded("<code>"+html.EscapeString(group.heading())+"</code>: "+group.extent(), strings.Join(places, "\n"))
	}
}

// passed writes which findings the project excuses and why, and the ignores that excuse nothing.
func (p *page) passed(markdown *Markdown, summary *Summary) {
	all := p.groups.waived
	for i, waived := range all {
		if i == 0 {
			markdown.Table("Waived", "rule", "findings", "until", "reason")
		}
		if i == maxRows || markdown.Len() > maxPage {
			markdown.Text("And " + Count(len(all)-i, "further reason") + ".")
			break
		}
		markdown.Row(foreign(waived.rule), strconv.Itoa(waived.count), foreign(waived.Until), foreign(waived.Reason))
	}
	if passed := summary.passed(); passed != "" {
		lines := []string{"Findings: " + passed + "."}
		for _, ignore := range summary.Ignores[:min(len(summary.Ignores), maxRows)] {
			lines = append(lines, "- "+foreign(fmt.Sprintf("%s:%d: %s", ignore.File, ignore.Line, ignore)))
		}
		markdown.Text(strings.Join(lines, "\n"))
	}
}
