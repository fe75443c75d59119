package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// maxAnnotations is the number of annotations of one kind that GitHub shows for a step.
const maxAnnotations = 10

// workflow writes the commands of a GitHub workflow that show findings beside the lines of a pull
// request, at most maxAnnotations of each kind. It shows every rule once before it shows one a
// second time.
type workflow struct {
	options Options
	groups  *Groups
	lines   map[string][]string // shown annotations, by kind
	counts  map[string]int      // number of all annotations, by kind
	last    string              // latest problem of a document
}

func newAnnotations(options Options) *workflow {
	return &workflow{
		options: options, lines: map[string][]string{}, counts: map[string]int{},
		groups: &Groups{Options: options, Places: maxAnnotations},
	}
}

// Result takes one result.
func (a *workflow) Result(result verdict.Result) error {
	switch {
	case result.Status == verdict.NotApplicable, result.Status == verdict.KnownFailure && result.Fixture() != nil:
	case result.Status == verdict.Inconclusive:
		a.outcome(escape.Warning, result)
		a.groups.tally(result, a.options.required(result), nil)
	case result.Status == verdict.Error, result.Status == verdict.Fail && result.Fixture() != nil:
		a.outcome(escape.Error, result)
		a.groups.tally(result, a.options.required(result), nil)
	default:
		a.groups.Add(result)
	}
	return nil
}

// outcome adds a result that its error explains.
func (a *workflow) outcome(kind string, result verdict.Result) {
	place, message := a.options.placeOfOutcome(result)
	if last := fmt.Sprint(place, message); last != a.last { // once, and not for every target
		a.last = last
		a.add(kind, result.Status.String(), escape.Line(message), place)
	}
}

func (a *workflow) add(kind, title, message string, place place) {
	a.counts[kind]++
	if len(a.lines[kind]) == a.most(kind) {
		return
	}
	number := func(number int) string {
		if number == 0 || place.file() == "" {
			return ""
		}
		return strconv.Itoa(number)
	}
	if place.file() == "" {
		message = place.String() + ": " + message
	} else if place.tool != "" {
		message = escape.Line(place.tool) + ": " + message
	}
	a.lines[kind] = append(a.lines[kind], escape.Annotation(kind, message,
		escape.Property{Name: "file", Value: place.file()}, escape.Property{Name: "line", Value: number(place.line)},
		escape.Property{Name: "col", Value: number(place.column)}, escape.Property{Name: "title", Value: title}))
}

// most returns the number of annotations of a kind that are shown. One notice is left for the
// verdict.
func (a *workflow) most(kind string) int {
	if kind == escape.Notice {
		return maxAnnotations - 1
	}
	return maxAnnotations
}

// Summary writes the annotations, with the verdict at the end.
func (a *workflow) Summary(summary *Summary) error {
	groups := slices.DeleteFunc(a.groups.sorted(), func(group *group) bool { return group.kind == ofNote }) // a page shows few annotations
	kindOf := func(group *group) string {
		switch {
		case a.options.Located || group.isPassed:
			return escape.Notice
		case group.isWarning:
			return escape.Warning
		default:
			return escape.Error
		}
	}
	for _, ignore := range summary.Ignores {
		a.add(escape.Warning, "ignore", ignore.String(), place{source: ignore.File, line: ignore.Line})
	}
	for rank := range maxAnnotations {
		for _, group := range groups {
			if rank >= len(group.shown) {
				continue
			}
			place := group.shown[rank]
			title, message := group.rule, place.message
			switch group.kind {
			case ofRefused:
				title = cmp.Or(group.trouble, title)
				message += "\nRefused by " + strings.Join(group.targets, ", ") + "."
			case ofIgnored:
				message += "\nIgnored by " + strings.Join(group.targets, ", ") + "."
			case ofOutcome, ofAdvice, ofNote:
			}
			if proposal := place.proposal(); proposal != "" {
				message += "\nTo do: " + proposal
			}
			a.add(kindOf(group), title, message, place)
		}
	}
	for _, group := range groups { // places beyond those that the group holds
		a.counts[kindOf(group)] += group.count - len(group.shown)
	}
	words := []string{strings.TrimSuffix(a.groups.conclusion(summary), ".")}
	for _, kind := range []string{escape.Error, escape.Warning, escape.Notice} {
		for _, line := range a.lines[kind] {
			if _, err := io.WriteString(a.options.Out, line+"\n"); err != nil {
				return fmt.Errorf("writing annotations: %w", err)
			}
		}
		if more := a.counts[kind] - len(a.lines[kind]); more > 0 {
			words = append(words, Count(more, "further "+kind)+" not shown")
		}
	}
	if a.groups.known > 0 {
		words = append(words, Count(a.groups.known, "finding")+" in the baseline")
	}
	if passed := summary.passed(); passed != "" {
		words = append(words, passed)
	}
	verdict := escape.Annotation(escape.Notice, strings.Join(words, "; "), escape.Property{Name: "title", Value: "Toolproof"})
	if _, err := io.WriteString(a.options.Out, verdict+"\n"); err != nil {
		return fmt.Errorf("writing annotations: %w", err)
	}
	return nil
}
