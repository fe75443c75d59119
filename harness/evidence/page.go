package evidence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/report"
)

// Page is the documentation of one dialect.
func Page(ctx context.Context, dialect *provider.Dialect, store *recording.Store) string {
	markdown := &report.Markdown{}
	markdown.Title(dialect.Name, dialect.Doc)
	markdown.Text("The days lead to the newest answer of the provider that took a schema with the keyword, and the newest that refused one for it. " +
		"Not always: some forms of it, as the rule says. As a rule says: no answer shows it, the rule does. Unknown: nothing shows it.")
	if len(dialect.Versions) > 0 {
		var versions []string
		for _, version := range dialect.Versions {
			versions = append(versions, version.Name+" ("+string(version.Date)+")")
		}
		markdown.Text("Releases: " + strings.Join(versions, ", ") + ". A day means the newest of that day. Ignored: the release accepts it, and the model does not see it.")
	}
	markdown.Table("Keywords", "keyword", "verdict", "accepted", "refused", "rule")
	for _, keyword := range Keywords(ctx, dialect, store) {
		rule := ""
		if keyword.Rule != nil {
			rule = keyword.Rule.Name + Period(dialect, keyword.Rule)
		}
		markdown.Row(keyword.Name, keyword.Verdict, dayLink(keyword.Accepted), dayLink(keyword.Refused), report.Text(rule))
	}
	constructs(ctx, markdown, dialect, store)
	markdown.Table("Rules", "rule", "effect", "what", "refusals here", "evidence")
	for _, rule := range dialect.Rules {
		what := rule.Title() + Period(dialect, rule)
		if len(rule.Models) > 0 {
			what += "; of the models " + strings.Join(rule.Models, ", ")
		}
		var sources []string
		if rule.Source != "" {
			sources = append(sources, report.Text(rule.Source))
		}
		for _, recorded := range RecordingsOf(rule, store) {
			outcome := "near miss "
			switch {
			case !recorded.Accepted():
				outcome = "refused "
			case Shows(ctx, rule, recorded):
				outcome = "ignored "
			}
			sources = append(sources, outcome+dayLink(recorded))
		}
		markdown.Row(report.Text(rule.Name), string(rule.Effect), report.Text(what), report.Text(refusalsHere(rule, dialect, store)), strings.Join(sources, "; "))
	}
	if dialect.Kin != "" {
		markdown.Text("Rules without a refusal here: " + dialect.Kin)
	}
	return markdown.String()
}

// constructs lists what accepted recordings of a dialect show, by keyword.
func constructs(ctx context.Context, markdown *report.Markdown, dialect *provider.Dialect, store *recording.Store) {
	shown := judge.Shown(ctx, judge.Offline{Dialect: dialect, Store: store})
	if len(shown) == 0 {
		markdown.Text("No accepted recording shows a construct.")
		return
	}
	byKeyword := map[string][]string{}
	for found := range shown {
		byKeyword[found.Keyword] = append(byKeyword[found.Keyword], strings.TrimSpace(strings.TrimPrefix(found.String(), found.Keyword)))
	}
	markdown.Table(fmt.Sprintf("Constructs that accepted recordings show: %d", len(shown)), "keyword", "where")
	for _, keyword := range slices.Sorted(maps.Keys(byKeyword)) {
		slices.Sort(byKeyword[keyword])
		markdown.Row(report.Text(keyword), report.Text(strings.Join(byKeyword[keyword], "; ")))
	}
}

// refusalsHere says how many of the refusals that a rule names are of the dialect itself,
// and where the others are of.
func refusalsHere(rule *provider.Rule, dialect *provider.Dialect, store *recording.Store) string {
	here, elsewhere := 0, []string{}
	for _, recorded := range RecordingsOf(rule, store) {
		switch {
		case recorded.Accepted():
		case recorded.Dialect == dialect.Name:
			here++
		case !slices.Contains(elsewhere, recorded.Dialect):
			elsewhere = append(elsewhere, recorded.Dialect)
		}
	}
	switch {
	case here > 0:
		return strconv.Itoa(here)
	case len(elsewhere) == 0:
		return "none: a document"
	default:
		return "none: of " + strings.Join(elsewhere, ", ")
	}
}

// dayLink is the day of an answer with a link to it.
func dayLink(recorded *recording.Recording) string {
	if recorded == nil {
		return ""
	}
	return report.Link(string(recorded.Date), recorded.Source)
}

// isShown reports whether a recording shows that a rule holds, and is no near miss.
func Shows(ctx context.Context, rule *provider.Rule, recorded *recording.Recording) bool {
	if rule.Effect != provider.Ignores {
		return !recorded.Accepted()
	}
	dialect, err := harness.DialectNamed(recorded.Dialect)
	if err != nil {
		return false
	}
	model := provider.Model{Dialect: dialect, AsOf: recorded.Date, ModelName: recorded.Model}
	answer, err := model.Send(ctx, dialect.Request(recorded.Request.Declarations))
	return err == nil && slices.ContainsFunc(answer.Ignored, func(finding provider.Finding) bool { return finding.Rule == rule })
}

// Period tells when a rule of a dialect holds, where it does not always.
func Period(dialect *provider.Dialect, rule *provider.Rule) string {
	since, until := dayOn(dialect, rule.Since), dayOn(dialect, rule.Until)
	switch {
	case since != "" && until != "":
		return fmt.Sprintf(" (%s to %s)", since, until)
	case since != "":
		return fmt.Sprintf(" (since %s)", since)
	case until != "":
		return fmt.Sprintf(" (until %s)", until)
	default:
		return ""
	}
}

// dayOn names a day, with the release of that day where a dialect has releases.
func dayOn(dialect *provider.Dialect, day provider.Date) string {
	if version := dialect.VersionOn(day); day != "" && version.Date == day {
		return version.Name + ", " + string(day)
	}
	return string(day)
}

// SourcesOf returns where a rule is known from: its source, and those of its
// recordings, with their days, the oldest first.
func SourcesOf(rule *provider.Rule, store *recording.Store) []string {
	var sources []string
	if rule.Source != "" {
		sources = append(sources, rule.Source)
	}
	found := RecordingsOf(rule, store)
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

// RecordingsOf returns the recordings that a rule names as its evidence.
func RecordingsOf(rule *provider.Rule, store *recording.Store) []*recording.Recording {
	var found []*recording.Recording
	for _, recorded := range store.All {
		isOfSurface := func(name string) bool { return strings.HasPrefix(name, recorded.Dialect) } // most recordings are of others
		if slices.ContainsFunc(rule.Evidence, isOfSurface) && slices.Contains(rule.Evidence, recorded.Name()) {
			found = append(found, recorded)
		}
	}
	return found
}
