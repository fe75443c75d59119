package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/lab/evidence"
)

// listTimeline lists the days on which rules began and ceased to hold, with where
// that is known from.
func (s *session) listTimeline() error {
	store, err := cli.EveryRecording()
	if err != nil {
		return cli.Broken(err)
	}
	for _, event := range evidence.Timeline(harness.Dialects) {
		what := "begins"
		if event.Ends {
			what = "ends"
		}
		models := ""
		if len(event.Rule.Models) > 0 {
			models = ", of " + strings.Join(event.Rule.Models, " and ")
		}
		fmt.Fprintf(s.Out, "%s  %-6s  %s %s: %s%s\n", event.Day, what, event.Rule.Name, event.Rule.Effect, event.Rule.Title(), models)
		fmt.Fprintf(s.Out, "            on %s\n", strings.Join(event.Dialects, ", "))
		for _, source := range sourcesOf(event.Rule, store) {
			fmt.Fprintf(s.Out, "            %s\n", source)
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
		isOfSurface := func(name string) bool { return strings.HasPrefix(name, recorded.Dialect) } // most recordings are of others
		if slices.ContainsFunc(rule.Evidence, isOfSurface) && slices.Contains(rule.Evidence, recorded.Name()) {
			found = append(found, recorded)
		}
	}
	return found
}
