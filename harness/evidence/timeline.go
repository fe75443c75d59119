package evidence

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/harness/provider"
)

// Event is the begin or end of a rule on a day.
type Event struct {
	Day  provider.Date
	Ends bool
	Rule *provider.Rule
	// Dialects are the surfaces of the rule, with their release if they have releases.
	Dialects []string
}

// Timeline returns the events of all rules, sorted by day. A rule that several dialects share
// is one event.
func Timeline(dialects []*provider.Dialect) []*Event {
	var events []*Event
	add := func(day provider.Date, ends bool, rule *provider.Rule, dialect string) {
		if day == "" {
			return
		}
		for _, known := range events {
			if known.Day == day && known.Ends == ends && known.Rule.Name == rule.Name && known.Rule.Doc == rule.Doc {
				if !slices.Contains(known.Dialects, dialect) {
					known.Dialects = append(known.Dialects, dialect)
				}
				return
			}
		}
		events = append(events, &Event{day, ends, rule, []string{dialect}})
	}
	for _, dialect := range dialects {
		for _, rule := range dialect.Rules {
			add(rule.Since, false, rule, nameOn(dialect, rule.Since))
			add(rule.Until, true, rule, nameOn(dialect, rule.Until))
		}
	}
	slices.SortStableFunc(events, func(a, b *Event) int { return cmp.Compare(a.Day, b.Day) })
	return events
}

// nameOn returns the name of a dialect, with its release of a day if it has one.
func nameOn(dialect *provider.Dialect, day provider.Date) string {
	if version := dialect.VersionOn(day); version.Date == day {
		return strings.TrimSpace(dialect.Name + " " + version.Name)
	}
	return dialect.Name
}
