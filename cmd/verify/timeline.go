package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// event is a day on which a rule began or ceased to hold.
type event struct {
	day      provider.Date
	ends     bool
	rule     *provider.Rule
	dialects []string
}

// timeline returns what changed, in the order of the days. One rule that several
// dialects keep is one event.
func timeline(dialects []*provider.Dialect) []*event {
	var events []*event
	add := func(day provider.Date, ends bool, rule *provider.Rule, dialect string) {
		if day == "" {
			return
		}
		for _, known := range events {
			if known.day == day && known.ends == ends && known.rule.Name == rule.Name && known.rule.Doc == rule.Doc {
				if !slices.Contains(known.dialects, dialect) {
					known.dialects = append(known.dialects, dialect)
				}
				return
			}
		}
		events = append(events, &event{day, ends, rule, []string{dialect}})
	}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			add(rule.Since, false, rule, nameOn(dialect, rule.Since))
			add(rule.Until, true, rule, nameOn(dialect, rule.Until))
		}
	}
	slices.SortStableFunc(events, func(a, b *event) int { return cmp.Compare(a.day, b.day) })
	return events
}

// nameOn returns the name of a dialect, with the release of a day where it has one.
func nameOn(dialect *provider.Dialect, day provider.Date) string {
	if version := dialect.VersionOn(day); version.Date == day {
		return strings.TrimSpace(dialect.Name + " " + version.Name)
	}
	return dialect.Name
}

// listTimeline lists the days on which rules began and ceased to hold, with where
// that is known from.
func (s *session) listTimeline() error {
	store, err := everyRecording()
	if err != nil {
		return exitError{exitBroken, err}
	}
	for _, event := range timeline(harness.Dialects) {
		what := "begins"
		if event.ends {
			what = "ends"
		}
		models := ""
		if len(event.rule.Models) > 0 {
			models = ", of " + strings.Join(event.rule.Models, " and ")
		}
		fmt.Fprintf(s.out, "%s  %-6s  %s %s: %s%s\n", event.day, what, event.rule.Name, event.rule.Effect, event.rule.Title(), models)
		fmt.Fprintf(s.out, "            on %s\n", strings.Join(event.dialects, ", "))
		for _, source := range sourcesOf(event.rule, store) {
			fmt.Fprintf(s.out, "            %s\n", source)
		}
	}
	return nil
}

// sourcesOf returns where a rule is known from: its source, and those of its
// recordings, with their days, the oldest first.
func sourcesOf(rule *provider.Rule, store *recording.Store) []string {
	var sources []string
	if rule.Source != "" {
		sources = append(sources, rule.Source)
	}
	found := recordingsOf(rule, store)
	slices.SortStableFunc(found, func(a, b *recording.Recording) int { return cmp.Compare(a.Date, b.Date) })
	for _, recorded := range found {
		outcome := "refused"
		if recorded.Accepted() {
			outcome = "accepted"
		}
		sources = append(sources, fmt.Sprintf("%s %s: %s", outcome, recorded.Date, recorded.Source))
	}
	return slices.Compact(sources)
}

// recordingsOf returns the recordings that a rule names as its evidence.
func recordingsOf(rule *provider.Rule, store *recording.Store) []*recording.Recording {
	var found []*recording.Recording
	for _, recorded := range store.All {
		if slices.Contains(rule.Evidence, recorded.Name()) {
			found = append(found, recorded)
		}
	}
	return found
}
