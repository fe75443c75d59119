package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/requirements"
	"toolproof/normalizers"
	"toolproof/packages/data"
)

// listsAsJSON are the lists that --json prints.
var listsAsJSON = []string{"dialects", "rules", "clients", "constructs", "requirements", "quirks"}

// writeJSON writes a value in the form of the package of data.
func (s *session) writeJSON(value any) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(value) //nolint:wrapcheck // it says what it is
}

// rulesAsJSON are all rewrites, and the rules of surfaces.
type rulesAsJSON struct {
	Rewrites []data.Rewrite `json:"rewrites"`
	Rules    []facts.OnRule `json:"rules"`
}

// knowing returns what is known of a surface.
type knowing = func(context.Context, *provider.Dialect, *recording.Store) (*data.Surface, error)

// surfaces returns what is known of all surfaces.
func (s *session) surfaces(ctx context.Context, of knowing) ([]data.Surface, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	all, err := facts.Surfaces(ctx, store, of)
	if ctx.Err() != nil {
		return nil, cli.Interrupted(ctx)
	}
	return all, err
}

// rules returns the rules of surfaces that are chosen.
func (s *session) rules(ctx context.Context, isChosen func(*provider.Dialect, *provider.Rule) bool) ([]facts.OnRule, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	rules := []facts.OnRule{}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			if !isChosen(dialect, rule) {
				continue
			}
			known, err := facts.Rule(ctx, dialect, rule, store)
			if err != nil {
				return nil, cli.Broken(err)
			}
			rules = append(rules, facts.OnRule{Rule: *known, Surface: dialect.Name})
		}
	}
	return rules, nil
}

// listConstructs prints each construct with how many surfaces do what with it.
func (s *session) listConstructs(ctx context.Context) error {
	surfaces, err := s.surfaces(ctx, facts.Supporting)
	if err != nil {
		return err
	}
	for _, construct := range facts.Constructs() {
		var counts []string
		by := bySupport(surfaces, construct.Name)
		for _, support := range facts.Supports {
			if count := len(by[support]); count > 0 {
				counts = append(counts, fmt.Sprintf("%s by %d", support, count))
			}
		}
		fmt.Fprintf(s.Out, "%-36s %s\n", construct.Name, strings.Join(counts, ", "))
	}
	return nil
}

func (s *session) listRequirements() error {
	for _, month := range requirements.Months() {
		set, err := requirements.Of(month)
		if err != nil {
			return cli.Broken(err)
		}
		count := 0
		for _, names := range set.Rules {
			count += len(names)
		}
		fmt.Fprintf(s.Out, "%s  %d rules of %d surfaces\n", month, count, len(set.Rules))
	}
	return nil
}

// bySupport returns the surfaces with a statement about a construct, by what they do with it today.
func bySupport(surfaces []data.Surface, construct string) map[data.Support][]*data.Surface {
	by := map[data.Support][]*data.Surface{}
	for i := range surfaces {
		if today := surfaces[i].Today(construct); today != nil {
			by[today.Support] = append(by[today.Support], &surfaces[i])
		}
	}
	return by
}

// explainConstruct prints what each surface does with a construct, those that refuse it first.
func (s *session) explainConstruct(ctx context.Context, construct data.Construct) error {
	surfaces, err := s.surfaces(ctx, facts.Supporting)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s, as in the parameters %s\n", construct.Name, construct.Example)
	by := bySupport(surfaces, construct.Name)
	for _, support := range facts.Supports {
		if len(by[support]) == 0 {
			continue
		}
		fmt.Fprintf(s.Out, "\n%s by %d\n", support, len(by[support]))
		words := ""
		for _, surface := range by[support] {
			today := surface.Today(construct.Name)
			fmt.Fprintf(s.Out, "  %-30s %s\n", surface.Name, describe(today))
			if today.Words != "" && today.Words != words {
				words = today.Words
				first, _, _ := strings.Cut(words, "\n")
				fmt.Fprintf(s.Out, "    > %s\n", first)
			}
		}
	}
	return nil
}

// describe returns what a statement rests on, and since when it is known to hold.
func describe(said *data.Statement) string {
	var parts []string
	for _, part := range []string{said.Grade, said.Note, said.Rule} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if said.Since != "" {
		parts = append(parts, "since "+said.Since)
	}
	return strings.Join(parts, ", ")
}

// explainAsJSON prints what has a name, as the package of data has it.
func (s *session) explainAsJSON(ctx context.Context, name string) error {
	if dialect, err := harness.DialectNamed(name); err == nil {
		store, err := cli.EveryRecording()
		if err != nil {
			return cli.Broken(err)
		}
		surface, err := facts.Surface(ctx, dialect, store)
		if err != nil {
			return cli.Broken(err)
		}
		return s.writeJSON(surface)
	}
	if at := slices.IndexFunc(normalizers.Rules(), func(rule normalizers.Rule) bool { return rule.Name == name }); at >= 0 {
		return s.writeJSON(facts.Rewrites()[at])
	}
	if construct := facts.Construct(name); construct != nil {
		surfaces, err := s.surfaces(ctx, facts.Supporting)
		if err != nil {
			return err
		}
		return s.writeJSON(facts.OnSurfaces(*construct, surfaces))
	}
	rules, err := s.rules(ctx, func(dialect *provider.Dialect, rule *provider.Rule) bool {
		return name == rule.Name || name == dialect.Name+"/"+rule.Name
	})
	switch {
	case err != nil:
		return err
	case len(rules) == 0:
		return cli.Broken(cli.Hint(fmt.Errorf("--json: no rewrite, rule of a surface, dialect or construct is called %q", name), "verify explain without --json knows more"))
	default:
		return s.writeJSON(rules)
	}
}

// listAsJSON prints a list as the package of data has it.
func (s *session) listAsJSON(ctx context.Context, what string, isChosen func(*provider.Rule) bool) error {
	switch what {
	case "dialects":
		all, err := s.surfaces(ctx, facts.Surface)
		if err != nil {
			return err
		}
		return s.writeJSON(all)
	case "rules":
		rules, err := s.rules(ctx, func(_ *provider.Dialect, rule *provider.Rule) bool { return isChosen(rule) })
		if err != nil {
			return err
		}
		return s.writeJSON(rulesAsJSON{facts.Rewrites(), rules})
	case "clients":
		return s.writeJSON(facts.Clients())
	case "constructs":
		return s.writeJSON(facts.Constructs())
	case "requirements":
		sets, err := facts.Requirements()
		if err != nil {
			return cli.Broken(err)
		}
		return s.writeJSON(sets)
	case "quirks":
		return s.writeJSON(emulator.Quirks)
	default:
		return cli.Usage("--json: verify list %s has none; use one of %s", what, strings.Join(listsAsJSON, ", "))
	}
}
