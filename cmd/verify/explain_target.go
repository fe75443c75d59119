package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
)

// mostRefusals is how many rules explain lists for a target.
const mostRefusals = 10

// explainTarget prints what a target, or a service with several dialects, is, and what it refuses first.
// It reports whether there is one of that name.
func (s *session) explainTarget(name string) bool {
	dialects := slices.DeleteFunc(slices.Clone(harness.Dialects), func(dialect *provider.Dialect) bool { return dialect.Service() != name })
	target, err := harness.TargetNamed(name)
	switch {
	case err == nil:
		fmt.Fprintf(s.Out, "%s: a target: %s\n", name, cmp.Or(target.Doc, target.Dialect.Doc))
		dialects = append(append([]*provider.Dialect{target.Dialect}, target.Also...), dialects...)
		fmt.Fprintf(s.Out, "\n%s\n", cli.Typed("verify check --target "+name+" FILE checks tools for it, verify normalize rewrites them"))
	case len(dialects) > 0:
		fmt.Fprintf(s.Out, "%s: a service, whose dialects are targets\n", name)
	default:
		return false
	}
	fmt.Fprintf(s.Out, "\ndialects, of which explain shows each with its keywords\n")
	for i, dialect := range dialects {
		if !slices.Contains(dialects[:i], dialect) {
			fmt.Fprintf(s.Out, "  %-28s %s\n", dialect.Name, dialect.Doc)
		}
	}
	first := dialects[0]
	refusals := slices.DeleteFunc(slices.Clone(first.Rules), func(rule *provider.Rule) bool {
		return rule.Effect != provider.Rejects || !rule.InForce(provider.Today(), "")
	})
	if len(refusals) == 0 {
		fmt.Fprintf(s.Out, "\n%s is not known to refuse anything\n", first.Name)
		return true
	}
	fmt.Fprintf(s.Out, "\n%s refuses, in the order in which it looks\n", first.Name)
	for _, rule := range refusals[:min(len(refusals), mostRefusals)] {
		fmt.Fprintf(s.Out, "  %-28s %s\n", rule.Name, rule.Title())
	}
	if more := len(refusals) - mostRefusals; more > 0 {
		fmt.Fprintf(s.Out, "  and %d more: %s\n", more, cli.Typed("verify list rules lists them"))
	}
	return true
}

// explainShared explains the rules that several dialects have under one name, each text once, with the
// evidence of the first dialect. It reports whether there is one.
func (s *session) explainShared(ctx context.Context, name string) (explained bool, err error) {
	var texts []string
	having := map[string][]*provider.Dialect{}
	rules := map[string]*provider.Rule{}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if rule.Name != name {
				continue
			}
			text := rule.Doc + evidence.Period(dialect, rule)
			if rules[text] == nil {
				texts, rules[text] = append(texts, text), rule
			}
			having[text] = append(having[text], dialect)
		}
	}
	for i, text := range texts {
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		dialects := having[text]
		if err := s.explainRule(ctx, dialects[0], rules[text]); err != nil {
			return true, err
		}
		var others []string
		for _, dialect := range dialects[1:] {
			others = append(others, dialect.Name)
		}
		if len(others) > 0 {
			fmt.Fprintf(s.Out, "\nalso a rule of %s\n", strings.Join(slices.Compact(others), ", "))
		}
	}
	return len(texts) > 0, nil
}
