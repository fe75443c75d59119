package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"toolproof/harness/minimize"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// most is the largest number of values in a request about a rule.
const most = 5_000

// rules adds a cell for each rule that refuses none of the constructs: limits, names, and rules
// about several keywords. Rules of the past are included, because they may hold again.
func (s *Survey) rules(ctx context.Context) error {
	decided := map[*provider.Rule]bool{}
	for _, cell := range s.Cells {
		for _, finding := range cell.Predicted.Findings {
			decided[finding.Rule] = true
		}
	}
	for _, rule := range s.options.Dialect.Rules {
		if rule.Effect != provider.Rejects && rule.Effect != provider.Unknown || decided[rule] || !s.isOfModel(rule) {
			continue
		}
		declarations, err := s.refusedBy(ctx, rule)
		if err != nil {
			return err
		}
		if declarations == nil || slices.ContainsFunc(declarations, repeats) {
			continue // no client sends a repeated name
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

// isOfModel reports whether a rule applies to the model on any day.
func (s *Survey) isOfModel(rule *provider.Rule) bool {
	always := *rule
	always.Since, always.Until = "", ""
	return always.InForce(provider.Today(), s.options.Model)
}

// refusedBy returns the smallest known request that a rule refuses, as of the rule's last day,
// or nil.
func (s *Survey) refusedBy(ctx context.Context, rule *provider.Rule) ([]*schema.Node, error) {
	model := s.model()
	if rule.Until != "" {
		model.AsOf = dayBefore(rule.Until)
	}
	known, err := s.refusals(ctx, model)
	if err != nil {
		return nil, err
	}
	best := -1
	for i, candidate := range known {
		if candidate.by(rule) != nil && (best < 0 || candidate.size < known[best].size) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	found := known[best]
	if len(found.tools) != 1 || rule.Effect == provider.Unknown {
		return found.declarations, nil
	}
	small, err := minimize.Tool(ctx, &model, s.options.Dialect, found.tools[0], found.by(rule).Message, minimize.Options{})
	switch {
	case err == nil:
		return []*schema.Node{s.options.Dialect.Declaration(small.Tool)}, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("shrinking a tool for the rule %s: %w", rule.Name, err)
	default:
		return found.declarations, nil
	}
}

// refusal is a request that a model refuses.
type refusal struct {
	tools        []schema.Tool
	declarations []*schema.Node
	size         int
	findings     []provider.Finding
}

// by returns the finding of a rule, or nil.
func (r refusal) by(rule *provider.Rule) *provider.Finding {
	for i := range r.findings {
		if r.findings[i].Rule == rule {
			return &r.findings[i]
		}
	}
	return nil
}

// refusals returns the samples that a model refuses, leaving out those with more values than
// most.
func (s *Survey) refusals(ctx context.Context, model provider.Model) ([]refusal, error) {
	if known, ok := s.samples[model.AsOf]; ok {
		return known, nil
	}
	var known []refusal
	for _, tools := range s.options.Samples {
		declarations := s.options.Dialect.Encode(tools).Declarations
		size := sizeOf(declarations)
		if size > most {
			continue
		}
		answer, err := model.Send(ctx, s.options.Dialect.Request(declarations))
		if err != nil {
			return nil, fmt.Errorf("asking the model about the samples: %w", err)
		}
		if findings := slices.Concat(answer.Findings, answer.Unknown); len(findings) > 0 {
			known = append(known, refusal{tools, declarations, size, findings})
		}
	}
	s.samples[model.AsOf] = known
	return known, nil
}

// Recorded returns the tools of refused recordings as samples. The surfaces tell where a
// declaration has its schema.
func Recorded(store *recording.Store, dialects []*provider.Dialect) [][]schema.Tool {
	var samples [][]schema.Tool
	for _, recorded := range store.All {
		i := slices.IndexFunc(dialects, func(dialect *provider.Dialect) bool { return dialect.Name == recorded.Dialect })
		if i < 0 || recorded.Accepted() {
			continue
		}
		tools := make([]schema.Tool, len(recorded.Request.Declarations))
		for j, declaration := range recorded.Request.Declarations {
			parts := declaration
			if function := declaration.Get("function"); function != nil {
				parts = function
			}
			tools[j] = schema.Tool{
				Name: cmp.Or(parts.GetString("name"), Name), Description: parts.Get("description"), Parameters: dialects[i].SchemaOf(declaration),
				Members: schema.MembersOf(parts),
			}
		}
		samples = append(samples, tools)
	}
	return samples
}

// repeats reports whether an object in a value has a repeated name.
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

// dayBefore returns the preceding day.
func dayBefore(day provider.Date) provider.Date {
	parsed, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		return day
	}
	return provider.Date(parsed.AddDate(0, 0, -1).Format(time.DateOnly))
}
