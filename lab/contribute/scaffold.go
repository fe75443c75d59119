package contribute

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Area is the folder of fixtures made from reports.
const Area = "contributed"

// patience is how long a failure may stay known.
const patience = 90 * 24 * time.Hour

// write makes the fixture, judges it on every surface, and lists its failures as known.
func (m *maker) write(ctx context.Context) error {
	raw := &fixture.Side{Verdict: string(provider.Rejected)}
	switch {
	case m.Minimized != nil:
		raw.Message = strings.TrimSpace(m.Minimized.Answer.Message)
	case m.body != nil:
		raw.Message = strings.TrimSpace(m.Refusal.Message)
	case m.Agrees && strings.Contains(m.Refusal.Message, strings.TrimSpace(m.Predicted.Message)):
		raw.Message = strings.TrimSpace(m.Predicted.Message) // the provider's words only
	default:
		raw.MessageHas = strings.TrimSpace(m.Refusal.Message)
	}
	proposed := &fixture.Fixture{
		Schema: "../fixture.schema.json",
		ID:     m.id(),
		Source: m.source(),
		Tools:  m.fixed,
		Expect: map[string]fixture.Expectation{m.Dialect.Name: {AsOf: string(m.asOf), Raw: raw}},
	}
	proposed.Title = m.title()
	proposed.File = path.Join(Area, proposed.ID+".json")
	if !m.Agrees {
		m.know(proposed, m.Dialect.Name, "raw", cmp.Or(m.report.Source, "no rule explains the answer of "+string(m.date)+" yet"))
	}
	m.Fixture = proposed
	text, err := fixture.Text(proposed)
	if err != nil {
		return err
	}
	if err := withoutSecret("the fixture", text); err != nil {
		return err
	}
	return m.judge(ctx, proposed)
}

// judge lists the other failures of the fixture: normalized tools that are refused or mean
// something else.
func (m *maker) judge(ctx context.Context, draft *fixture.Fixture) error {
	judging := judge.Judge{Store: m.existing.Store}
	if m.Recording != nil {
		judging.Store = judging.Store.With(m.Recording)
	}
	for _, target := range harness.Surfaces {
		for _, result := range judging.Fixture(ctx, draft, target) {
			switch result.Status {
			case verdict.Fail:
				reason, _, _ := strings.Cut(result.Error, "\n")
				m.know(draft, result.Dialect, result.Fixture().Side, fmt.Sprintf("seen on %s: %s", m.today, reason))
			case verdict.Error, verdict.Inconclusive:
				return fmt.Errorf("judging the tool on %s, %s: %s", result.Dialect, result.Fixture().Side, result.Error)
			default: // conforms, or is known to fail
			}
		}
	}
	return ctx.Err()
}

func (m *maker) know(draft *fixture.Fixture, dialect, side, reason string) {
	if draft.Knows(dialect, side) {
		return
	}
	until := time.Now().UTC().Add(patience).Format(time.DateOnly)
	draft.Known = append(draft.Known, fixture.Known{Dialect: dialect, Side: side, Reason: reason, Until: until})
}

// source returns where the case comes from: the recording, or the place where the words can be
// read.
func (m *maker) source() fixture.Source {
	source := fixture.Source{Kind: "thread", URL: m.report.Source, Date: string(m.date)}
	switch {
	case m.Recording != nil:
		source.Kind, source.Section = "recording", m.Recording.Name()
	case source.URL == "":
		source.Kind, source.Section = "found", withoutAddress
	}
	return source
}

// id returns an id made of the provider, the rule and what it is about. It ends with a digest
// of the tools, so that no other case gets the same.
func (m *maker) id() string {
	words := []string{m.Dialect.Service()}
	if rule, about := m.about(); rule != "" {
		words = append(words, rule, about)
	} else {
		words = append(words, "unexplained", m.tools[0].Name)
	}
	_, digits, _ := strings.Cut(m.Dialect.Encode(m.fixed).Digest(), ":")
	const distinct = 8
	return slug(strings.Join(append(words, digits[:distinct]), "-"))
}

// about returns the rule that explains the refusal and the keyword that it is about; "" for
// what is not known.
func (m *maker) about() (rule, keyword string) {
	if m.finding.Rule == nil {
		return "", ""
	}
	if tokens := m.finding.At.Tokens(); len(tokens) > 0 && schema.ClassOf(tokens[len(tokens)-1]) != schema.Unknown {
		keyword = tokens[len(tokens)-1]
	}
	return m.finding.Rule.Name, keyword
}

// title returns a title that no other fixture has.
func (m *maker) title() string {
	title := fmt.Sprintf("%s refuses %s in words that no rule explains", m.Dialect.Name, m.tools[0].Name)
	if rule, keyword := m.about(); keyword != "" {
		title = fmt.Sprintf("%s on %s: %s", keyword, m.Dialect.Name, m.Dialect.Rule(rule).Title())
	} else if rule != "" {
		title = fmt.Sprintf("%s: %s", m.Dialect.Name, m.Dialect.Rule(rule).Title())
	}
	isTaken := func(title string) bool {
		return slices.ContainsFunc(m.existing.Fixtures, func(existing *fixture.Fixture) bool { return existing.Title == title })
	}
	distinct := title
	for number := 2; isTaken(distinct); number++ {
		distinct = fmt.Sprintf("%s (%d)", title, number)
	}
	return distinct
}

var (
	capital = lazy.Compile(`([a-z0-9])([A-Z])`)
	noWord  = lazy.Compile(`[^a-z0-9]+`)
)

// slug returns words in lower case with a - between them.
func slug(words string) string {
	const longest = 80
	words = noWord.ReplaceAllString(strings.ToLower(capital.ReplaceAllString(words, "$1-$2")), "-")
	return strings.Trim(words[max(0, len(words)-longest):], "-")
}
