package evidence

import (
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

// Page returns the documentation of a dialect as Markdown.
func Page(ctx context.Context, dialect *provider.Dialect, store *recording.Store) string {
	markdown := &report.Markdown{}
	markdown.Title(dialect.Name, dialect.Doc)
	markdown.Text("Each date leads to the newest answer in which the provider accepted a schema with the keyword, or refused one because of it. " +
		"Not always: the rule applies to some forms of the keyword. Seen in another form: on values of another type, or elsewhere in a schema. " +
		"As a rule says: known from the source of the rule, not from a recorded answer. " +
		"Predicted: the model accepts it, and no recorded answer contradicts the model, but none shows it either. Unknown: the model does not know.")
	if len(dialect.Versions) > 0 {
		var versions []string
		for _, version := range dialect.Versions {
			versions = append(versions, version.Name+" ("+string(version.Date)+")")
		}
		markdown.Text("Releases: " + strings.Join(versions, ", ") + ". The model answers as the newest release on the day in question. " +
			"Ignored: the release accepts the keyword and does not pass it on to the language model.")
	}
	markdown.Table("Keywords", "keyword", "verdict", "accepted", "refused", "rule")
	for _, keyword := range Keywords(ctx, dialect, store) {
		rule := ""
		if keyword.Rule != nil {
			rule = keyword.Rule.Name + Period(dialect, keyword.Rule)
		}
		markdown.Row(keyword.Name, keyword.String(), dayLink(keyword.Accepted), dayLink(keyword.Refused), report.Text(rule))
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

// constructs lists the constructs in accepted recordings of a dialect, by keyword.
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

// refusalsHere tells how many of the refusals among a rule's evidence are from the dialect
// itself, or else which dialects they are from.
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

// dayLink returns the day of an answer as a link to it.
func dayLink(recorded *recording.Recording) string {
	if recorded == nil {
		return ""
	}
	return report.Link(string(recorded.Date), recorded.Source)
}

// Shows reports whether a recording shows that a rule holds, and is not a near miss.
func Shows(ctx context.Context, rule *provider.Rule, recorded *recording.Recording) bool {
	if rule.Effect != provider.Ignores {
		return !recorded.Accepted()
	}
	dialect, err := harness.DialectNamed(recorded.Dialect)
	if err != nil {
		return false
	}
	model := recorded.Asked(dialect)
	answer, err := model.Send(ctx, dialect.Request(recorded.Request.Declarations))
	return err == nil && slices.ContainsFunc(answer.Ignored, func(finding provider.Finding) bool { return finding.Rule == rule })
}

// Period returns the period in which a rule of a dialect holds, in words that follow its name,
// or "" if it always does.
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

// dayOn returns a day, with the dialect's release of that day if it has one.
func dayOn(dialect *provider.Dialect, day provider.Date) string {
	if version := dialect.VersionOn(day); day != "" && version.Date == day {
		return version.Name + ", " + string(day)
	}
	return string(day)
}

// RecordingsOf returns the recordings that a rule names as its evidence.
func RecordingsOf(rule *provider.Rule, store *recording.Store) []*recording.Recording {
	var found []*recording.Recording
	for _, recorded := range store.All {
		isOfSurface := func(name string) bool { return strings.HasPrefix(name, recorded.Dialect) } // most recordings are from other surfaces
		if slices.ContainsFunc(rule.Evidence, isOfSurface) && slices.Contains(rule.Evidence, recorded.Name()) {
			found = append(found, recorded)
		}
	}
	return found
}
