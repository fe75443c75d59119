package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolproof/cmd/internal/cli"
	measured "toolproof/docs/history"
	"toolproof/harness"
	"toolproof/harness/history"
	"toolproof/internal/escape"
)

// listHistory prints what was measured of versions of programs: all subjects; of one subject what changed from version
// to version, or between two of its versions; or since when one fact holds.
func (s *session) listHistory(ctx context.Context, words []string, isJSON bool) error {
	if len(words) > 0 {
		if dialect, err := harness.DialectNamed(words[0]); err == nil {
			return s.listModels(ctx, dialect, words[1:], isJSON)
		}
	}
	records, err := history.Read(measured.Files)
	if err != nil {
		return cli.Broken(err)
	}
	subjects := history.Subjects(records)
	if len(words) == 0 {
		if isJSON {
			return s.historyLines(records, "")
		}
		for _, subject := range subjects {
			first, last := subject.Versions[0], subject.Versions[len(subject.Versions)-1]
			fmt.Fprintf(s.Out, "%-10s %-48s versions %s to %s, %d measured, changes: %d\n", subject.Kind, subject.Name, first.Name, last.Name, len(subject.Versions), countChanges(subject))
		}
		return nil
	}
	var names []string
	isKnown := false
	for _, subject := range subjects {
		names = append(names, subject.Name)
		isKnown = isKnown || subject.Name == words[0]
	}
	if !isKnown {
		return cli.Broken(cli.Suggest(fmt.Errorf("nothing was measured of %q", words[0]), words[0], names, "verify list history lists the subjects"))
	}
	if isJSON {
		return s.historyLines(records, words[0])
	}
	for _, subject := range subjects {
		if subject.Name != words[0] {
			continue
		}
		switch len(words) {
		case 1:
			s.historyOf(subject)
		case 2:
			err = s.historyFact(subject, words[1])
		default:
			err = s.historyBetween(subject, words[1], words[2])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// historyLines prints the records of a subject, or all of them, as JSON Lines, each with all its facts.
func (s *session) historyLines(records []history.Record, subject string) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	for _, record := range records {
		if subject != "" && record.Subject != subject {
			continue
		}
		if err := encoder.Encode(record); err != nil {
			return fmt.Errorf("writing the history: %w", err)
		}
	}
	return nil
}

func countChanges(subject history.Subject) int {
	count := 0
	for _, step := range subject.Steps() {
		count += len(step.Changes)
	}
	return count
}

// historyOf prints what changed with each version, the newest first.
func (s *session) historyOf(subject history.Subject) {
	steps := subject.Steps()
	for _, version := range slices.Backward(subject.Versions) {
		fmt.Fprintf(s.Out, "%s %s%s\n", escape.Line(subject.Name), escape.Line(version.Name), there(version))
		for _, record := range version.Places {
			switch {
			case record.Unmeasured != "":
				fmt.Fprintf(s.Out, "  not measured%s: %s\n", on(record.Place), escape.Line(record.Unmeasured))
			case subject.First(record.Place).Name == version.Name:
				fmt.Fprintf(s.Out, "  the first that was measured%s\n", on(record.Place))
			}
		}
		for _, step := range steps {
			if step.To.Name == version.Name {
				fmt.Fprintf(s.Out, "  changes%s since %s: %d\n", on(step.Place), step.From.Name, len(step.Changes))
				s.historyChanges(step.Changes)
			}
		}
	}
}

func (s *session) historyChanges(changes []history.Change) {
	for _, change := range changes {
		fmt.Fprintf(s.Out, "    %s: %s -> %s\n", escape.Line(change.What), orGone(change.Before), orGone(change.After))
	}
}

// historyFact prints since when a fact holds, at each place.
func (s *session) historyFact(subject history.Subject, what string) error {
	isKnown := false
	for _, place := range subject.Places() {
		spans := subject.Spans(place, what)
		for i, span := range slices.Backward(spans) {
			isKnown = true
			since := "since " + span.First.Name + there(span.First) + "; "
			if i == 0 {
				since += "no version before it was measured"
			} else {
				since += spans[i-1].Last.Name + " differs"
			}
			if i < len(spans)-1 {
				since += "; the last is " + span.Last.Name
			}
			fmt.Fprintf(s.Out, "%s%s: %s\n  %s\n", escape.Line(what), on(place), orGone(span.Value), since)
		}
	}
	if !isKnown {
		return cli.Broken(cli.Hint(fmt.Errorf("%s has no fact %q", subject.Name, what), "verify list history "+subject.Name+" --json has all"))
	}
	return nil
}

// historyBetween prints what changed between two versions.
func (s *session) historyBetween(subject history.Subject, older, newer string) error {
	var versions [2]history.Version
	for i, name := range []string{older, newer} {
		at := slices.IndexFunc(subject.Versions, func(version history.Version) bool { return version.Name == name })
		if at < 0 {
			return cli.Broken(cli.Hint(fmt.Errorf("version %s of %s was not measured", name, subject.Name), "verify list history "+subject.Name+" lists the versions"))
		}
		versions[i] = subject.Versions[at]
	}
	steps := history.Between(versions[0], versions[1])
	if len(steps) == 0 {
		return cli.Broken(errors.New("no place was measured in both versions"))
	}
	for _, step := range steps {
		fmt.Fprintf(s.Out, "changes%s from %s%s to %s%s: %d\n", on(step.Place), older, there(step.From), newer, there(step.To), len(step.Changes))
		s.historyChanges(step.Changes)
	}
	return nil
}

// there says by when a version was published.
func there(version history.Version) string {
	if version.Published == "" {
		return ""
	}
	return ", published by " + string(version.Published)
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
