package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/listing"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/harness/server/calls"
	"toolproof/harness/verdict"
	"toolproof/normalizers"
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
  DIALECT       a surface: what is known of each keyword
  CONSTRUCT     a keyword, or a form of one: which surfaces refuse, ignore or accept it
  MESSAGE       the error of a provider, or a part of it: the rules that refuse in these words

verify list rules, list advice, list targets, list dialects and list constructs list the
names. --json prints a rewrite, the rules of surfaces, a dialect or a construct as the
package of data has it, whose format docs/schema/data.schema.json describes.`,
		Example: `  verify explain const_to_enum
  verify explain gemini/parameters/unknown_name
  verify explain advice/no_unit
  verify explain gemini
  verify explain gemini/parameters
  verify explain oneOf
  verify explain 'array schema missing items'`,
		Args:              oneRule,
		ValidArgsFunction: completeRules,
		RunE: func(command *cobra.Command, arguments []string) error {
			if isJSON {
				return s.explainAsJSON(command.Context(), arguments[0])
			}
			return s.explain(command.Context(), arguments[0])
		},
	}
	command.Flags().BoolVar(&isJSON, "json", false, "print what is known as JSON")
	return command
}

// explain explains what has a name, or the words of an error.
func (s *session) explain(ctx context.Context, name string) error {
	if dialect, err := harness.DialectNamed(name); err == nil {
		return s.explainDialect(ctx, dialect)
	}
	for _, rule := range normalizers.Rules() {
		if rule.Name == name {
			s.explainRewrite(rule)
			return nil
		}
	}
	if construct := facts.Construct(name); construct != nil {
		return s.explainConstruct(ctx, *construct)
	}
	if rule := adviceNamed(name); rule != nil {
		s.explainAdvice(rule)
		return nil
	}
	if rule := callNamed(name); rule != nil {
		s.explainCall(rule)
		return nil
	}
	if rule := listingNamed(name); rule != nil {
		s.explainListing(rule)
		return nil
	}
	if name == mcp.Registry.Name || name == mcp.Registry.Service() {
		s.explainRegistry()
		return nil
	}
	if check := protocolNamed(name); check != nil {
		s.explainProtocol(check)
		return nil
	}
	for _, rule := range slices.Concat(conversation.Rules, conversation.Ignoring) {
		if name == "conversation/"+rule.Name || strings.HasSuffix(name, "/conversation/"+rule.Name) {
			s.explainConversation(rule)
			return nil
		}
	}
	if strings.Contains(strings.TrimSpace(name), " ") {
		return s.explainMessage(ctx, name, harness.Dialects)
	}
	if i := strings.LastIndex(name, "/"); i > 0 {
		if dialect := surfaceOf(name[:i]); dialect != nil {
			if explained, err := s.explainRules(ctx, dialect, name[i+1:]); explained || err != nil {
				return err
			}
		}
	}
	if s.explainTarget(name) {
		return nil
	}
	if explained, err := s.explainShared(ctx, name); explained || err != nil {
		return err
	}
	if refusal.AsideOf(badRequest, name) != "" {
		return s.explainMessage(ctx, name, harness.Dialects)
	}
	return cli.Broken(cli.Suggest(fmt.Errorf("no rule is called %q", name), name, append(slices.Clone(harness.TargetNames), ruleNames()...), "verify list rules lists them"))
}

func (s *session) explainDialect(ctx context.Context, dialect *provider.Dialect) error {
	store, err := cli.EveryRecording()
	if err != nil {
		return cli.Broken(err)
	}
	fmt.Fprint(s.Out, evidence.Page(ctx, dialect, store))
	return nil
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
	for _, name := range adviceNames() {
		names = append(names, verdict.AdviceTarget+"/"+name)
	}
	for _, rule := range calls.Rules {
		names = append(names, calledDialect+"/"+rule.Name)
	}
	for _, rule := range listing.Rules {
		names = append(names, mcp.Registry.Name+"/"+rule.Name)
	}
	for _, construct := range facts.Constructs() {
		names = append(names, construct.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *session) explainRewrite(rule normalizers.Rule) {
	fmt.Fprintf(s.Out, "%s\n\n%s\n\nloss at most: %s\nbefore: %s\nafter:  %s\n", rule.Name, rule.Doc, rule.Loss, rule.Before, rule.After)
	for _, pipeline := range normalizers.All {
		if pipeline.Has(rule.Name) {
			fmt.Fprintf(s.Out, "target: %s\n", pipeline.Name())
		}
	}
}

// explainRules explains the rules of a dialect that have the name, of which there are several if the
// provider changed over time. It reports whether there is one.
func (s *session) explainRules(ctx context.Context, dialect *provider.Dialect, name string) (explained bool, err error) {
	for _, rule := range dialect.Rules {
		if rule.Name != name {
			continue
		}
		if explained {
			fmt.Fprintln(s.Out)
		}
		explained = true
		if err := s.explainRule(ctx, dialect, rule); err != nil {
			return true, err
		}
	}
	return explained, nil
}

// explainRule prints what the provider does, and the recordings that show it in the provider's words.
func (s *session) explainRule(ctx context.Context, dialect *provider.Dialect, rule *provider.Rule) error {
	fmt.Fprintf(s.Out, "%s/%s: %s%s\n\n%s\n", dialect.Name, rule.Name, rule.Effect, evidence.Period(dialect, rule), rule.Doc)
	if len(rule.Models) > 0 {
		fmt.Fprintf(s.Out, "\nmodels: %s\n", strings.Join(rule.Models, ", "))
	}
	if rule.Source != "" {
		fmt.Fprintf(s.Out, "\nknown from: %s\n", rule.Source)
	}
	if len(rule.Evidence) == 0 {
		return nil
	}
	store, err := cli.EveryRecording()
	if err != nil {
		return cli.Broken(err)
	}
	var fires, others []*recording.Recording
	for _, recorded := range evidence.RecordingsOf(rule, store) {
		if evidence.Shows(ctx, rule, recorded) {
			fires = append(fires, recorded)
		} else {
			others = append(others, recorded)
		}
	}
	for _, group := range []struct {
		title      string
		recordings []*recording.Recording
	}{{"it fires", fires}, {"near misses", others}} {
		if len(group.recordings) == 0 {
			continue
		}
		fmt.Fprintf(s.Out, "\n%s\n", group.title)
		for _, recorded := range group.recordings {
			if err := s.showRecording(recorded); err != nil {
				return cli.Broken(err)
			}
		}
	}
	return nil
}

func (s *session) showRecording(recorded *recording.Recording) error {
	dialect, err := harness.DialectNamed(recorded.Dialect)
	if err != nil {
		return err
	}
	answer, err := recorded.Answer(dialect)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "  %s, %s, %s\n    %s\n", recorded.Name(), recorded.Date, recorded.Grade, recorded.Source)
	const longest = 400
	last := recorded.Request.Declarations[len(recorded.Request.Declarations)-1].String()
	if len(last) > longest {
		last = strings.ToValidUTF8(last[:longest], "") + "…"
	}
	fmt.Fprintf(s.Out, "    %s\n", last)
	for line := range strings.Lines(strings.TrimSpace(answer.Message)) {
		fmt.Fprintf(s.Out, "    > %s\n", strings.TrimSuffix(line, "\n"))
	}
	return nil
}

// surfaceOf returns the surface of a name; nil if there is none. What decodes the declarations of a service decodes
// the rest of a request, too.
func surfaceOf(name string) *provider.Dialect {
	if service, isConversation := strings.CutSuffix(name, "/conversation"); isConversation {
		if surfaces := provider.OfService(harness.Dialects, service); len(surfaces) > 0 {
			return surfaces[0]
		}
	}
	dialect, _ := harness.DialectNamed(name) // nil with an error
	return dialect
}
