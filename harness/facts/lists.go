package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/packages/data"
)

// Target is a name for which tools can be checked and rewritten.
type Target struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	Surface string `json:"surface"`
	// NormalizedAs is the target whose normalizer is used, and AsGiven says why none is; both are empty for a target with
	// a normalizer of its own.
	NormalizedAs string `json:"normalized_as,omitempty"`
	AsGiven      string `json:"as_given,omitempty"`
}

// Targets returns all targets.
func Targets() []Target {
	var all []Target
	for _, target := range slices.Concat(harness.Targets, harness.Alternates, harness.Relatives) {
		dialect := target.Dialect
		one := Target{Name: target.Name(), Doc: cmp.Or(target.Doc, dialect.Doc), Surface: dialect.Name}
		if target.Name() == dialect.Name {
			one.NormalizedAs, one.AsGiven = dialect.Relative, dialect.AsGiven
		}
		all = append(all, one)
	}
	return all
}

// OnLimit is a limit with its surface.
type OnLimit struct {
	data.Limit

	Surface string `json:"surface"`
}

// AllLimits returns the limits of all surfaces.
func AllLimits(ctx context.Context) ([]OnLimit, error) {
	var all []OnLimit
	for _, dialect := range harness.Dialects {
		limits, err := Limits(ctx, dialect)
		if err != nil {
			return nil, err
		}
		for _, limit := range limits {
			all = append(all, OnLimit{limit, dialect.Name})
		}
	}
	return all, nil
}

// TakenBy is a construct with the surfaces that do something with it today.
type TakenBy struct {
	data.Construct

	Today map[data.Support][]string `json:"today"`
}

// Taken returns the constructs with what surfaces do with them today.
func Taken(surfaces []data.Surface) []TakenBy {
	var all []TakenBy
	for _, construct := range Constructs() {
		by := map[data.Support][]string{}
		for _, surface := range surfaces {
			if today := surface.Today(construct.Name); today != nil {
				by[today.Support] = append(by[today.Support], surface.Name)
			}
		}
		all = append(all, TakenBy{construct, by})
	}
	return all
}

// Advice is a rule of advice.
type Advice struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Grave says that a model is likely to make a wrong call, Note that all findings of the rule are notes, which most
	// models do well without, and Off that the rule runs only if it is named.
	Grave  bool        `json:"grave,omitempty"`
	Note   bool        `json:"note,omitempty"`
	Off    bool        `json:"off,omitempty"`
	Source data.Source `json:"source"`
	// Bad is a list of tools that get the advice, and Good the same tools mended.
	Bad  json.RawMessage `json:"bad,omitempty"`
	Good json.RawMessage `json:"good,omitempty"`
}

// Doc returns the text of the rule with its source.
func (a Advice) Doc() string {
	doc := Doc(a.Title, a.Text)
	if a.Note {
		doc += "\n\nIts findings are notes: most models do well without them."
	}
	doc += "\n\nsource: " + a.Source.Words + " (" + a.Source.Day + ")"
	if a.Source.Where != "" {
		doc += " " + a.Source.Where
	}
	return doc
}

// AllAdvice returns the rules of advice.
func AllAdvice() []Advice {
	var all []Advice
	for _, rule := range advice.Rules {
		_, text, _ := strings.Cut(rule.Doc, "\n\n")
		all = append(all, Advice{
			Name: rule.Name, Title: rule.Title(), Text: text, Grave: rule.IsGrave, Note: rule.IsNote, Off: rule.IsOff,
			Source: data.Source{Day: rule.Source.Date, Where: rule.Source.URL, Words: rule.Source.Text},
			Bad:    json.RawMessage(rule.Bad), Good: json.RawMessage(rule.Good),
		})
	}
	return all
}

// Fixture is a tool that broke something.
type Fixture struct {
	ID     string         `json:"id"`
	Title  string         `json:"title"`
	Source fixture.Source `json:"source"`
	// File is the path below the folder of fixtures, whose format fixture.schema.json describes, and Surfaces are those of
	// which the file says what they answer.
	File     string   `json:"file"`
	Surfaces []string `json:"surfaces"`
}

// Fixtures returns what the fixtures are.
func Fixtures(fixtures []*fixture.Fixture) []Fixture {
	var all []Fixture
	for _, one := range fixtures {
		surfaces := slices.AppendSeq([]string{}, maps.Keys(one.Expect))
		slices.Sort(surfaces)
		all = append(all, Fixture{one.ID, one.Title, one.Source, one.File, surfaces})
	}
	return all
}

// Recording is a recorded answer without the request.
type Recording struct {
	Name    string `json:"name"`
	Surface string `json:"surface"`
	Day     string `json:"day"`
	Grade   string `json:"grade"`
	Outcome string `json:"outcome"` // accepted or refused
	Model   string `json:"model,omitempty"`
	Where   string `json:"where"`
}

// Recordings returns what the recordings of a store are.
func Recordings(store *recording.Store) []Recording {
	var all []Recording
	for _, recorded := range store.All {
		all = append(all, Recording{
			recorded.Name(), recorded.Dialect, string(recorded.Date), string(recorded.Grade), outcome(recorded), recorded.Model, recorded.Source,
		})
	}
	return all
}

// Event is the day on which a rule of surfaces began or ceased to hold.
type Event struct {
	data.Rule

	Day  string `json:"day"`
	What string `json:"what"` // begins or ends
	// Surfaces are those of the rule, with the release of the day for software that has releases.
	Surfaces []string `json:"surfaces"`
}

// Timeline returns all events, the oldest first. The sources of a rule are what it is known from and its recorded answers,
// near misses too, the oldest first.
func Timeline(store *recording.Store) []Event {
	var all []Event
	for _, happened := range evidence.Timeline(harness.Dialects) {
		event := Event{Rule: Plain(happened.Rule), Day: string(happened.Day), What: "begins", Surfaces: happened.Dialects}
		if happened.Ends {
			event.What = "ends"
		}
		found := evidence.RecordingsOf(happened.Rule, store)
		slices.SortStableFunc(found, func(a, b *recording.Recording) int { return cmp.Compare(a.Date, b.Date) })
		for _, recorded := range found {
			source := data.Source{Outcome: outcome(recorded), Day: string(recorded.Date), Where: recorded.Source}
			if !slices.Contains(event.Sources, source) {
				event.Sources = append(event.Sources, source)
			}
		}
		all = append(all, event)
	}
	return all
}

// Plain returns a rule of a surface without the answers that show it.
func Plain(rule *provider.Rule) data.Rule {
	_, text, _ := strings.Cut(rule.Doc, "\n\n")
	known := data.Rule{
		Name: rule.Name, Support: effects[rule.Effect], Title: rule.Title(), Text: text,
		Since: string(rule.Since), Until: string(rule.Until), Models: rule.Models,
	}
	if rule.Source != "" {
		known.Sources = []data.Source{{Where: rule.Source}}
	}
	return known
}

func outcome(recorded *recording.Recording) string {
	if recorded.Accepted() {
		return "accepted"
	}
	return "refused"
}
