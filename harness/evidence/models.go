package evidence

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
)

// ofModels is the kind of the records of Models, and accepts and refuses begin their facts.
const (
	ofModels = "model"
	accepts  = "accepts "
	refuses  = "refuses by "
)

// Models returns what recordings of a surface show of each model that they name, as a history whose versions are models:
// the constructs in declarations that it accepted, and the rules by which it refused, each with the first day. What no
// recording shows is unknown, and no fact. The records are in the order of the models' first days.
func Models(ctx context.Context, dialect *provider.Dialect, store *recording.Store) []history.Record {
	records := map[string]*history.Record{}
	for _, recorded := range store.On(dialect.Name) {
		model := strings.TrimPrefix(recorded.Model, "models/") // as Google's addresses have it
		if model == "" {
			continue
		}
		record := records[model]
		if record == nil {
			record = &history.Record{
				Format: history.Format, Kind: ofModels, Subject: dialect.Name, Version: model, Published: recorded.Date,
				Environment: "recorded answers", Facts: map[string]string{},
			}
			records[model] = record
		}
		record.Published, record.Date = min(record.Published, recorded.Date), max(record.Date, recorded.Date)
		for _, fact := range factsOf(ctx, dialect, recorded) {
			if known := record.Facts[fact]; known == "" || string(recorded.Date) < known {
				record.Facts[fact] = string(recorded.Date)
			}
		}
	}
	byFirstDay := func(a, b *history.Record) int {
		return cmp.Or(cmp.Compare(a.Published, b.Published), cmp.Compare(a.Version, b.Version))
	}
	var ordered []history.Record
	for _, record := range slices.SortedFunc(maps.Values(records), byFirstDay) {
		ordered = append(ordered, *record)
	}
	return ordered
}

// factsOf returns what a recording shows of its model. The rule of a refusal is the one that the rules of its day find.
func factsOf(ctx context.Context, dialect *provider.Dialect, recorded *recording.Recording) []string {
	var facts []string
	if recorded.Accepted() {
		for _, declaration := range recorded.Request.Declarations {
			for _, seen := range construct.Of(dialect.SchemaOf(declaration)) {
				facts = append(facts, accepts+seen.String())
			}
		}
		return facts
	}
	asked := recorded.Asked(dialect)
	answer, err := asked.Send(ctx, dialect.Request(recorded.Request.Declarations))
	if err != nil {
		return nil // the rules say nothing of it
	}
	for _, finding := range answer.Findings {
		if finding.Rule != nil && answer.Verdict == provider.Rejected {
			facts = append(facts, refuses+finding.Rule.Name)
		}
	}
	return facts
}

// RulesOf returns the rules of a surface that hold today for one model and not for another.
func RulesOf(dialect *provider.Dialect, today provider.Date, model, other string) []*provider.Rule {
	var own []*provider.Rule
	for _, rule := range dialect.Rules {
		if rule.InForce(today, model) && !rule.InForce(today, other) {
			own = append(own, rule)
		}
	}
	return own
}

// Shown returns the constructs that a record of Models accepts, and the rules by which it refuses, both in order.
func Shown(record history.Record) (constructs, rules []string) {
	for _, fact := range slices.Sorted(maps.Keys(record.Facts)) {
		if construct, isAccepted := strings.CutPrefix(fact, accepts); isAccepted {
			constructs = append(constructs, construct)
		}
		if rule, isRefused := strings.CutPrefix(fact, refuses); isRefused {
			rules = append(rules, rule)
		}
	}
	return constructs, rules
}
