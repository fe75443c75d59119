package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/refusal"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
	"toolproof/packages/data"
)

func newExplain(s *session) *cobra.Command {
	isJSON := false
	command := &cobra.Command{
		Use:   "explain RULE | DIALECT/RULE | advice/RULE | conversation/RULE | TARGET | DIALECT | CONSTRUCT | MESSAGE",
		Short: "Explain a rule, the words of an error, a target, or what a surface does with each keyword",
		Long: `explain prints what is known of a rule, a target, a dialect or an error:

  RULE          a rewrite: its text, and an example before and after; or a rule of several
                dialects, with its evidence on the first of them
  DIALECT/RULE  a rule of a surface: its text, when and for which models it holds, and the recorded
                answers that show it, in the provider's words, next to near misses
  advice/RULE   a rule of advice: its text, what supports it, and a bad and a good example
  conversation/RULE
                a rule about requests besides their tools, with an example that is refused
  TARGET        a target or a service: its dialects, and what it refuses first
  DIALECT       a surface: what is known of each keyword, and its limits
  CONSTRUCT     a keyword, or a form of one: which surfaces refuse, ignore or accept it
  MESSAGE       the error of a provider, or a part of it: the rules that refuse in these words

verify list rules, list advice, list targets, list dialects and list constructs list the
names. --json prints the same as JSON, which docs/schema/list.schema.json describes: a
rewrite and a dialect as the package of data has them, and rules as a list.`,
		Example: `  verify explain const_to_enum
  verify explain gemini/parameters/unknown_name
  verify explain advice/no_unit
  verify explain gemini
  verify explain gemini/parameters
  verify explain oneOf --json
  verify explain 'array schema missing items'`,
		Args:              oneRule,
		ValidArgsFunction: completeRules,
		RunE: func(command *cobra.Command, arguments []string) error {
			found, err := explain(command.Context(), arguments[0])
			if err != nil {
				return err
			}
			return s.show(found, isJSON)
		},
	}
	command.Flags().BoolVar(&isJSON, "json", false, "print what is known as JSON")
	return command
}

// explain returns what has a name, or the rules that refuse in the words of an error.
func explain(ctx context.Context, name string) (known, error) {
	if dialect, err := harness.DialectNamed(name); err == nil {
		return findDialect(ctx, dialect)
	}
	for _, rewrite := range facts.Rewrites() {
		if rewrite.Name == name {
			return oneRewrite(rewrite), nil
		}
	}
	if construct := facts.Construct(name); construct != nil {
		surfaces, err := surfacesOf(ctx, facts.Supporting)
		return oneConstruct(facts.OnSurfaces(*construct, surfaces)), err
	}
	for _, rule := range facts.AllAdvice() {
		if name == rule.Name || name == adviceID(rule) {
			return oneAdvice(rule), nil
		}
	}
	for _, rule := range facts.Beside() {
		isRequest := rule.Surface == facts.Requests && strings.HasSuffix(name, "/"+rule.ID())
		if isCall := rule.Surface == facts.Results && name == rule.Name; isCall || isRequest || name == rule.ID() {
			return ruleList{rule}, nil
		}
	}
	if strings.Contains(strings.TrimSpace(name), " ") {
		return findMessage(ctx, name, harness.Dialects)
	}
	if found := findGroup(name); found != nil {
		return found, nil
	}
	rules, err := findRule(ctx, name)
	if len(rules) > 0 || err != nil {
		return rules, err
	}
	if refusal.AsideOf(badRequest, name) != "" {
		return findMessage(ctx, name, harness.Dialects)
	}
	return nil, cli.Broken(cli.Suggest(fmt.Errorf("no rule is called %q", name), name, append(slices.Clone(harness.TargetNames), ruleNames()...), "verify list rules lists them"))
}

func oneRule(_ *cobra.Command, arguments []string) error {
	if len(arguments) == 1 {
		return nil
	}
	return cli.Broken(cli.Hint(errors.New("the name of one rule, target or dialect is required"), "verify list rules lists them"))
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return ruleNames(), cobra.ShellCompDirectiveNoFileComp
}

// ruleNames returns the names of all rules, each once.
func ruleNames() []string {
	var names []string
	for _, rule := range normalizers.Rules() {
		names = append(names, rule.Name)
	}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules {
			names = append(names, rule.Name, dialect.Name+"/"+rule.Name)
		}
	}
	for _, rule := range facts.AllAdvice() {
		names = append(names, adviceID(rule))
	}
	for _, rule := range facts.Beside() {
		names = append(names, rule.ID())
	}
	for _, construct := range facts.Constructs() {
		names = append(names, construct.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// oneDialect is a surface, with a page about it.
type oneDialect struct {
	*data.Surface

	page string
}

func findDialect(ctx context.Context, dialect *provider.Dialect) (known, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	surface, err := facts.Surface(ctx, dialect, store)
	if err != nil {
		return nil, cli.Broken(err)
	}
	return oneDialect{surface, evidence.Page(ctx, dialect, store)}, nil
}

func (d oneDialect) print(out io.Writer) {
	fmt.Fprint(out, d.page)
	if len(d.Limits) > 0 {
		fmt.Fprint(out, "\n## Limits\n\n| of | most | rule |\n| --- | --- | --- |\n")
	}
	for _, limit := range d.Limits {
		fmt.Fprintf(out, "| %s | %d | %s |\n", limit.Of, limit.Most, limit.Rule)
	}
}

type oneRewrite data.Rewrite

func (r oneRewrite) print(out io.Writer) {
	fmt.Fprintf(out, "%s\n\n%s\n\nloss at most: %s\nbefore: %s\nafter:  %s\n", r.Name, facts.Doc(r.Title, r.Text), r.Loss, r.Before, r.After)
	for _, target := range r.Targets {
		fmt.Fprintf(out, "target: %s\n", target)
	}
}

type oneConstruct facts.OnConstruct

// print prints what each surface does today, those that refuse the construct first.
func (c oneConstruct) print(out io.Writer) {
	fmt.Fprintf(out, "%s, as in the parameters %s\n", c.Name, c.Example)
	for _, support := range facts.Supports {
		var lines strings.Builder
		count, words := 0, ""
		for _, dialect := range harness.Dialects {
			if len(c.Surfaces[dialect.Name]) == 0 {
				continue
			}
			today := c.Surfaces[dialect.Name][0]
			if today.Support != support {
				continue
			}
			count++
			fmt.Fprintf(&lines, "  %-30s %s\n", dialect.Name, describe(today))
			if today.Words != "" && today.Words != words {
				words = today.Words
				first, _, _ := strings.Cut(words, "\n")
				fmt.Fprintf(&lines, "    > %s\n", first)
			}
		}
		if count > 0 {
			fmt.Fprintf(out, "\n%s by %d\n%s", support, count, lines.String())
		}
	}
}

// describe returns what a statement rests on, and since when it is known to hold.
func describe(said data.Statement) string {
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

type oneAdvice facts.Advice

func (a oneAdvice) print(out io.Writer) {
	rule := facts.Advice(a)
	fmt.Fprintf(out, "%s%s\n\n%s\n", adviceID(rule), offNote(rule), rule.Doc())
	for _, example := range []struct {
		name string
		text []byte
	}{{"bad", a.Bad}, {"good", a.Good}} {
		if len(example.text) > 0 {
			fmt.Fprintf(out, "\n%s\n%s\n", example.name, example.text)
		}
	}
}

func adviceID(rule facts.Advice) string { return verdict.AdviceTarget + "/" + rule.Name }

// offNote returns a note for a rule that is off by default, and "" for any other.
func offNote(rule facts.Advice) string {
	if !rule.Off {
		return ""
	}
	return " (off by default: --rule " + rule.Name + " asks for it)"
}

// mostRefusals is how many rules explain lists for a target.
const mostRefusals = 10

// servicing is a target, or a service with several surfaces.
type servicing struct {
	Name string `json:"name"`
	// Kind is target, service or registry.
	Kind     string  `json:"kind"`
	Doc      string  `json:"doc,omitempty"`
	Surfaces []named `json:"surfaces"`
	// Refuses are the rules by which the first surface refuses today, in the order in which it looks.
	Refuses []named `json:"refuses"`
}

// named is a surface or a rule with one line about it.
type named struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// findGroup returns a target, a service or the registry of MCP; nil if there is none of that name.
func findGroup(name string) known {
	if name == mcp.Registry.Name || name == mcp.Registry.Service() {
		found := servicing{Name: mcp.Registry.Name, Kind: "registry", Doc: mcp.Registry.Doc, Surfaces: []named{}}
		for _, rule := range facts.Registry() {
			found.Refuses = append(found.Refuses, named{rule.Name, rule.Title})
		}
		return found
	}
	found := servicing{Name: name, Kind: "service", Refuses: []named{}}
	dialects := slices.DeleteFunc(slices.Clone(harness.Dialects), func(dialect *provider.Dialect) bool { return dialect.Service() != name })
	if target, err := harness.TargetNamed(name); err == nil {
		found.Kind, found.Doc = "target", target.Doc
		if found.Doc == "" {
			found.Doc = target.Dialect.Doc
		}
		dialects = append(append([]*provider.Dialect{target.Dialect}, target.Also...), dialects...)
	}
	if len(dialects) == 0 {
		return nil
	}
	for i, dialect := range dialects {
		if !slices.Contains(dialects[:i], dialect) {
			found.Surfaces = append(found.Surfaces, named{dialect.Name, dialect.Doc})
		}
	}
	for _, rule := range dialects[0].Rules {
		if rule.Effect == provider.Rejects && rule.InForce(provider.Today(), "") {
			found.Refuses = append(found.Refuses, named{rule.Name, rule.Title()})
		}
	}
	return found
}

func (g servicing) print(out io.Writer) {
	switch g.Kind {
	case "registry":
		fmt.Fprintf(out, "%s\n\n%s\n\n", g.Name, g.Doc)
		for _, rule := range g.Refuses {
			fmt.Fprintf(out, "%s: %s\n", rule.Name, rule.Doc)
		}
		return
	case "target":
		fmt.Fprintf(out, "%s: a target: %s\n\n%s\n", g.Name, g.Doc, cli.Typed("verify check --target "+g.Name+" FILE checks tools for it, verify normalize rewrites them"))
	default:
		fmt.Fprintf(out, "%s: a service, whose dialects are targets\n", g.Name)
	}
	fmt.Fprintf(out, "\ndialects, of which explain shows each with its keywords\n")
	for _, surface := range g.Surfaces {
		fmt.Fprintf(out, "  %-28s %s\n", surface.Name, surface.Doc)
	}
	first := g.Surfaces[0].Name
	if len(g.Refuses) == 0 {
		fmt.Fprintf(out, "\n%s is not known to refuse anything\n", first)
		return
	}
	fmt.Fprintf(out, "\n%s refuses, in the order in which it looks\n", first)
	for _, rule := range g.Refuses[:min(len(g.Refuses), mostRefusals)] {
		fmt.Fprintf(out, "  %-28s %s\n", rule.Name, rule.Doc)
	}
	if more := len(g.Refuses) - mostRefusals; more > 0 {
		fmt.Fprintf(out, "  and %d more: %s\n", more, cli.Typed("verify list rules lists them"))
	}
}
