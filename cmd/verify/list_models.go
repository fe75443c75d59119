package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/internal/escape"
)

// findModels returns what recordings of a surface show of each model, or what differs between two models: models are the
// versions of a surface.
func findModels(ctx context.Context, dialect *provider.Dialect, models []string) (known, error) {
	store, err := cli.RecordingsAsked()
	if err != nil {
		return nil, cli.Broken(err)
	}
	records := evidence.Models(ctx, dialect, store)
	switch len(models) {
	case 0:
		return measuredLines{records, func(out io.Writer) { printModels(out, dialect, records) }}, nil
	case 2: //nolint:mnd // the older and the newer
		return modelPair{modelAlone(dialect, records, models[0], models[1]), modelAlone(dialect, records, models[1], models[0])}, nil
	default:
		return nil, cli.Usage("name two models of %s, or none", dialect.Name)
	}
}

func printModels(out io.Writer, dialect *provider.Dialect, records []history.Record) {
	for _, record := range records {
		accepted, refused := evidence.Shown(record)
		rules := ""
		if len(refused) > 0 {
			rules = ", refuses by " + strings.Join(refused, ", ")
		}
		fmt.Fprintf(out, "%-36s recorded %s to %s: accepts %d constructs%s\n", escape.Line(record.Version), record.Published, record.Date, len(accepted), rules)
	}
	for _, rule := range dialect.Rules {
		if len(rule.Models) > 0 {
			fmt.Fprintf(out, "rule %s is for %s%s\n", rule.Name, strings.Join(rule.Models, ", "), evidence.Period(dialect, rule))
		}
	}
}

// modelPair are two models of a surface, the older first.
type modelPair [2]model

// model is what is known of one of two models.
type model struct {
	Name string `json:"name"`
	// Rules hold today for this model and not for the other.
	Rules []facts.OnRule `json:"rules"`
	// Accepts are the constructs that recordings show to be accepted.
	Accepts []string `json:"accepts"`
}

func modelAlone(dialect *provider.Dialect, records []history.Record, name, other string) model {
	found := model{Name: name, Rules: []facts.OnRule{}, Accepts: []string{}}
	for _, rule := range evidence.RulesOf(dialect, provider.Today(), name, other) {
		found.Rules = append(found.Rules, facts.OnRule{Rule: facts.Plain(rule), Surface: dialect.Name})
	}
	for _, record := range records {
		if record.Version == name {
			accepted, _ := evidence.Shown(record)
			found.Accepts = append(found.Accepts, accepted...)
		}
	}
	return found
}

func (m modelPair) print(out io.Writer) {
	for _, one := range m {
		for _, rule := range one.Rules {
			fmt.Fprintf(out, "%s alone: %s: %s%s\n", escape.Line(one.Name), rule.Name, rule.Title, rule.Period())
		}
		if len(one.Rules) == 0 {
			fmt.Fprintf(out, "%s alone: no rule\n", escape.Line(one.Name))
		}
	}
	taken, both := map[string]bool{}, 0
	for _, construct := range m[0].Accepts {
		taken[construct] = true
	}
	for _, construct := range m[1].Accepts {
		if taken[construct] {
			both++
		}
	}
	fmt.Fprintf(out, "recordings show %d constructs that both accept, %d of %s and %d of %s that the other was not asked about\n",
		both, len(m[0].Accepts)-both, escape.Line(m[0].Name), len(m[1].Accepts)-both, escape.Line(m[1].Name))
}
