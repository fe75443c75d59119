package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/evidence"
	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/internal/escape"
)

// listModels prints what recordings of a surface show of each model, or what differs between two models: models are the
// versions of a surface.
func (s *session) listModels(ctx context.Context, dialect *provider.Dialect, models []string, isJSON bool) error {
	store, err := cli.RecordingsAsked()
	if err != nil {
		return cli.Broken(err)
	}
	records := evidence.Models(ctx, dialect, store)
	switch {
	case isJSON:
		encoder := json.NewEncoder(s.Out)
		encoder.SetEscapeHTML(false)
		for _, record := range records {
			if err := encoder.Encode(record); err != nil {
				return fmt.Errorf("writing the history: %w", err)
			}
		}
	case len(models) == 0:
		for _, record := range records {
			accepted, refused := evidence.Shown(record)
			fmt.Fprintf(s.Out, "%-36s recorded %s to %s: accepts %d constructs%s\n", escape.Line(record.Version), record.Published, record.Date, len(accepted), by(refused))
		}
		for _, rule := range dialect.Rules {
			if len(rule.Models) > 0 {
				fmt.Fprintf(s.Out, "rule %s is for %s%s\n", rule.Name, strings.Join(rule.Models, ", "), evidence.Period(dialect, rule))
			}
		}
	case len(models) == 2: //nolint:mnd // the older and the newer
		s.listBetweenModels(dialect, records, models[0], models[1])
	default:
		return cli.Usage("name two models of %s, or none", dialect.Name)
	}
	return nil
}

// by names the rules by which a model refused.
func by(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	return ", refuses by " + strings.Join(rules, ", ")
}

// listBetweenModels prints the rules of one of two models, and what recordings show of both.
func (s *session) listBetweenModels(dialect *provider.Dialect, records []history.Record, older, newer string) {
	for _, pair := range [][2]string{{older, newer}, {newer, older}} {
		rules := evidence.RulesOf(dialect, provider.Today(), pair[0], pair[1])
		for _, rule := range rules {
			fmt.Fprintf(s.Out, "%s alone: %s: %s%s\n", escape.Line(pair[0]), rule.Name, rule.Title(), evidence.Period(dialect, rule))
		}
		if len(rules) == 0 {
			fmt.Fprintf(s.Out, "%s alone: no rule\n", escape.Line(pair[0]))
		}
	}
	var shown [2][]string
	for i, name := range []string{older, newer} {
		for _, record := range records {
			if record.Version == name {
				shown[i], _ = evidence.Shown(record)
			}
		}
	}
	both := slices.DeleteFunc(slices.Clone(shown[0]), func(construct string) bool { return !slices.Contains(shown[1], construct) })
	fmt.Fprintf(s.Out, "recordings show %d constructs that both accept, %d of %s and %d of %s that the other was not asked about\n",
		len(both), len(shown[0])-len(both), escape.Line(older), len(shown[1])-len(both), escape.Line(newer))
}
