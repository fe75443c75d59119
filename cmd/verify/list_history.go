package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"toolproof/cmd/internal/cli"
	measured "toolproof/docs/history"
	"toolproof/harness"
	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/internal/escape"
)

// measuredLines are records of the history, which are JSON Lines as docs/history has them. For people, text writes what
// they show.
type measuredLines struct {
	records []history.Record
	text    func(io.Writer)
}

func (m measuredLines) print(out io.Writer) { m.text(out) }

func (m measuredLines) each(write func(any) error) error {
	for _, record := range m.records {
		if err := write(record); err != nil {
			return fmt.Errorf("writing the history: %w", err)
		}
	}
	return nil
}

// findHistory returns what was measured of versions of programs: all of it; of one subject what changed from version to
// version, or between two of its versions; or since when one fact holds.
func findHistory(ctx context.Context, asked wanted) (known, error) {
	words := asked.words
	if len(words) > 0 {
		if dialect, err := harness.DialectNamed(words[0]); err == nil {
			return findModels(ctx, dialect, words[1:])
		}
	}
	records, err := history.Read(measured.Files)
	if err != nil {
		return nil, cli.Broken(err)
	}
	subjects := history.Subjects(records)
	if len(words) == 0 {
		return measuredLines{records, func(out io.Writer) { printSubjects(out, subjects) }}, nil
	}
	var names []string
	for _, subject := range subjects {
		names = append(names, subject.Name)
	}
	at := slices.Index(names, words[0])
	if at < 0 {
		return nil, cli.Broken(cli.Suggest(fmt.Errorf("nothing was measured of %q", words[0]), words[0], names, "verify list history lists the subjects"))
	}
	switch len(words) {
	case 1:
		records = slices.DeleteFunc(records, func(record history.Record) bool { return record.Subject != words[0] })
		return measuredLines{records, func(out io.Writer) {
			for _, subject := range subjects {
				if subject.Name == words[0] {
					printHistory(out, subject)
				}
			}
		}}, nil
	case 2:
		return findSpans(subjects[at], words[1])
	default:
		return findChanges(subjects[at], words[1], words[2])
	}
}

func printSubjects(out io.Writer, subjects []history.Subject) {
	for _, subject := range subjects {
		first, last := subject.Versions[0], subject.Versions[len(subject.Versions)-1]
		fmt.Fprintf(out, "%-10s %-48s versions %s to %s, %d measured, changes: %d\n", subject.Kind, subject.Name, first.Name, last.Name, len(subject.Versions), countChanges(subject))
	}
}

func countChanges(subject history.Subject) int {
	count := 0
	for _, step := range subject.Steps() {
		count += len(step.Changes)
	}
	return count
}

// printHistory prints what changed with each version, the newest first.
func printHistory(out io.Writer, subject history.Subject) {
	steps := subject.Steps()
	for _, version := range slices.Backward(subject.Versions) {
		fmt.Fprintf(out, "%s %s%s\n", escape.Line(subject.Name), escape.Line(version.Name), by(version.Published))
		for _, record := range version.Places {
			switch {
			case record.Unmeasured != "":
				fmt.Fprintf(out, "  not measured%s: %s\n", on(record.Place), escape.Line(record.Unmeasured))
			case subject.First(record.Place).Name == version.Name:
				fmt.Fprintf(out, "  the first that was measured%s\n", on(record.Place))
			}
		}
		for _, step := range steps {
			if step.To.Name == version.Name {
				fmt.Fprintf(out, "  changes%s since %s: %d\n", on(step.Place), step.From.Name, len(step.Changes))
				printChanges(out, step.Changes)
			}
		}
	}
}

func printChanges(out io.Writer, changes []history.Change) {
	for _, change := range changes {
		fmt.Fprintf(out, "    %s: %s -> %s\n", escape.Line(change.What), orGone(change.Before), orGone(change.After))
	}
}

// versionOf is a version with the day by which it was published.
type versionOf struct {
	Name      string        `json:"name"`
	Published provider.Date `json:"published,omitempty"`
}

func nameOf(version history.Version) versionOf { return versionOf{version.Name, version.Published} }

// span is a run of versions that agree on a fact at a place.
type span struct {
	Fact  string    `json:"fact"`
	Place string    `json:"place,omitempty"`
	Value string    `json:"value"` // empty if the versions lack the fact
	First versionOf `json:"first"`
	Last  versionOf `json:"last"`
	// Differs is the last version before First, whose value is another; empty if none before it was measured.
	Differs string `json:"differs,omitempty"`
	// IsLatest says that no version after Last was measured.
	IsLatest bool `json:"is_latest"`
}

// spanList has the spans of each place, the newest first.
type spanList []span

// findSpans returns since when a fact holds, at each place.
func findSpans(subject history.Subject, what string) (known, error) {
	var found spanList
	for _, place := range subject.Places() {
		spans := subject.Spans(place, what)
		for i, one := range slices.Backward(spans) {
			next := span{Fact: what, Place: place, Value: one.Value, First: nameOf(one.First), Last: nameOf(one.Last), IsLatest: i == len(spans)-1}
			if i > 0 {
				next.Differs = spans[i-1].Last.Name
			}
			found = append(found, next)
		}
	}
	if len(found) == 0 {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("%s has no fact %q", subject.Name, what), "verify list history "+subject.Name+" --json has all"))
	}
	return found, nil
}

func (s spanList) print(out io.Writer) {
	for _, one := range s {
		since := "since " + one.First.Name + by(one.First.Published) + "; "
		if one.Differs == "" {
			since += "no version before it was measured"
		} else {
			since += one.Differs + " differs"
		}
		if !one.IsLatest {
			since += "; the last is " + one.Last.Name
		}
		fmt.Fprintf(out, "%s%s: %s\n  %s\n", escape.Line(one.Fact), on(one.Place), orGone(one.Value), since)
	}
}

// step is what changed at a place from one version to another.
type step struct {
	Place   string           `json:"place,omitempty"`
	From    versionOf        `json:"from"`
	To      versionOf        `json:"to"`
	Changes []history.Change `json:"changes"`
}

type stepList []step

// findChanges returns what changed between two versions.
func findChanges(subject history.Subject, older, newer string) (known, error) {
	var versions [2]history.Version
	for i, name := range []string{older, newer} {
		at := slices.IndexFunc(subject.Versions, func(version history.Version) bool { return version.Name == name })
		if at < 0 {
			return nil, cli.Broken(cli.Hint(fmt.Errorf("version %s of %s was not measured", name, subject.Name), "verify list history "+subject.Name+" lists the versions"))
		}
		versions[i] = subject.Versions[at]
	}
	var found stepList
	for _, one := range history.Between(versions[0], versions[1]) {
		found = append(found, step{one.Place, nameOf(one.From), nameOf(one.To), append([]history.Change{}, one.Changes...)})
	}
	if len(found) == 0 {
		return nil, cli.Broken(errors.New("no place was measured in both versions"))
	}
	return found, nil
}

func (s stepList) print(out io.Writer) {
	for _, one := range s {
		fmt.Fprintf(out, "changes%s from %s%s to %s%s: %d\n", on(one.Place), one.From.Name, by(one.From.Published), one.To.Name, by(one.To.Published), len(one.Changes))
		printChanges(out, one.Changes)
	}
}

// by says by when a version was published.
func by(day provider.Date) string {
	if day == "" {
		return ""
	}
	return ", published by " + string(day)
}

func on(place string) string {
	if place == "" {
		return ""
	}
	return " on " + escape.Line(place)
}

func orGone(value string) string {
	if value == "" {
		return "nothing"
	}
	return escape.Line(value)
}
