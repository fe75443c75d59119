package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"toolproof/harness/provider"
	"toolproof/internal/minimize"
	"toolproof/schema"
)

// most is how many values the request has at most that decides about a rule.
const most = 5_000

// rules adds a cell for each rule that refuses none of the constructs: limits, names, and
// what depends on several keywords. The rules of earlier days are among them, because they
// may hold again.
func (s *Survey) rules(ctx context.Context) error {
	decided := map[*provider.Rule]bool{}
	for _, cell := range s.Cells {
		for _, finding := range cell.Predicted.Findings {
			decided[finding.Rule] = true
		}
	}
	for _, rule := range s.options.Dialect.Rules {
		if rule.Effect != provider.Rejects || decided[rule] || !s.isOfModel(rule) {
			continue
		}
		declarations, err := s.refusedBy(ctx, rule)
		if err != nil {
			return err
		}
		if declarations == nil || slices.ContainsFunc(declarations, repeats) {
			continue // what has a name twice, no client sends
		}
		cell := &Cell{Rule: rule, Tools: 1, isFirst: true, Declarations: declarations, Err: errNotAsked}
		model := s.model()
		if cell.Predicted, err = model.Send(ctx, s.options.Dialect.Request(declarations)); err != nil {
			return fmt.Errorf("asking the model about the rule %s: %w", rule.Name, err)
		}
		s.Cells = append(s.Cells, cell)
	}
	return nil
}

// isOfModel reports whether the model that is asked keeps a rule on some day.
func (s *Survey) isOfModel(rule *provider.Rule) bool {
	always := *rule
	always.Since, always.Until = "", ""
	return always.InForce(provider.Today(), s.options.Model)
}

// refusedBy returns the smallest known request that a rule refuses, on its own last day;
// nil where none is known.
func (s *Survey) refusedBy(ctx context.Context, rule *provider.Rule) ([]*schema.Node, error) {
	model := s.model()
	if rule.Until != "" {
		model.AsOf = dayBefore(rule.Until)
	}
	refuses := func(declarations []*schema.Node) (provider.Finding, bool, error) {
		answer, err := model.Send(ctx, s.options.Dialect.Request(declarations))
		if err != nil {
			return provider.Finding{}, false, fmt.Errorf("asking the model about the rule %s: %w", rule.Name, err)
		}
		i := slices.IndexFunc(answer.Findings, func(finding provider.Finding) bool { return finding.Rule == rule })
		if i < 0 {
			return provider.Finding{}, false, nil
		}
		return answer.Findings[i], true, nil
	}
	var best []*schema.Node
	for _, name := range rule.Evidence {
		for _, recorded := range s.options.Store.All {
			if recorded.Name() != name || recorded.Accepted() || recorded.Dialect != s.options.Dialect.Name {
				continue
			}
			_, ok, err := refuses(recorded.Request.Declarations)
			if err != nil {
				return nil, err
			}
			if size := sizeOf(recorded.Request.Declarations); ok && size <= most && (best == nil || size < sizeOf(best)) {
				best = recorded.Request.Declarations
			}
		}
	}
	for _, tool := range s.options.Samples {
		if best != nil {
			break
		}
		declarations := []*schema.Node{s.options.Dialect.Declare(tool)}
		finding, ok, err := refuses(declarations)
		if err != nil {
			return nil, err
		}
		if !ok || sizeOf(declarations) > most {
			continue
		}
		small, err := minimize.Tool(ctx, &model, s.options.Dialect, tool, finding.Message, minimize.Options{})
		switch {
		case err == nil:
			best = []*schema.Node{s.options.Dialect.Declare(small.Tool)}
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("shrinking a tool for the rule %s: %w", rule.Name, err)
		default:
			best = declarations
		}
	}
	return best, nil
}

// repeats reports whether an object in a value has a name twice.
func repeats(node *schema.Node) bool {
	names := map[string]bool{}
	for _, member := range node.Members {
		if names[member.Key] || repeats(member.Value) {
			return true
		}
		names[member.Key] = true
	}
	return slices.ContainsFunc(node.Elements, repeats)
}

func sizeOf(declarations []*schema.Node) int {
	size := 0
	for _, declaration := range declarations {
		size += declaration.Size()
	}
	return size
}

// dayBefore returns the day before a day.
func dayBefore(day provider.Date) provider.Date {
	parsed, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		return day
	}
	return provider.Date(parsed.AddDate(0, 0, -1).Format(time.DateOnly))
}
