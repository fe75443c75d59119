package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/advice"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
)

// adviceFlags are the choices about advice.
type adviceFlags struct {
	wanted bool
	alone  bool // no surface gives a verdict
	rules  []string
	failOn []string
}

func newAdvise(s *session) *cobra.Command {
	flags := checkFlags{advice: adviceFlags{alone: true}}
	var configured projectFlags
	command := &cobra.Command{
		Use:   "advise [FILE...] [-- COMMAND [ARGUMENT...]]",
		Short: "Say what models get wrong in tools that every provider accepts",
		Long: `advise reads your tools and says where a model has to guess. A parameter has no
description, or a set of values stands in a sentence alone. Modes exclude one another and
no text lists them. Each piece of advice names its place and what to write there. It sends
nothing and needs no key. verify list advice lists the rules, and verify
explain says what supports one.

It reads what verify check reads, and toolproof.json in the same way. The tools of a list
are compared with one another; those of JSON Lines stand alone. With --target it also names
the constraints that these surfaces do not hand to the model. The last lines say about how
many tokens the tools cost in each request, also as normalized for these targets.

--rule asks for single rules, also for those that are off by default. verify explain
advice/RULE explains one. toolproof.json ignores advice as it ignores findings, with a
reason and a last day.

Exit code 0: the tools were read, whatever the advice. 1: with --fail-on advice, a tool has
some. 2: a tool could not be read, a flag is wrong, or there was no tool. 3: a server gave
no tools.`,
		Example: `  verify advise tools.json
  verify advise --verbose 'schemas/**/*.json'
  verify advise --rule no_unit --rule default_in_prose tools.json
  verify advise --target ollama --fail-on advice tools.json
  verify advise -- npx tsx print-tools.ts
  verify check --advice tools.json`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.runCheck(command, flags, configured, arguments)
		},
	}
	set := command.Flags()
	set.StringSliceVar(&flags.targets, "target", nil, "name also what these targets drop: names, patterns such as openai*, or all")
	set.StringVar(&flags.options.Language, "language", "", "read this language of multilingual texts, such as de-AT")
	flags.format.add(command, "one object per tool and a summary")
	set.BoolVar(&flags.verbose, "verbose", false, "show every piece of advice")
	set.IntVar(&flags.places, "limit", usualPlaces, "show this many places of each rule")
	set.BoolVar(&flags.quiet, "quiet", false, "show failures and the summary only")
	set.IntVar(&flags.minTools, "min-tools", usualTools, "fail when fewer tools were read")
	set.StringVar(&flags.baseline, "baseline", "", "leave out the advice that this file has")
	set.StringVar(&flags.writeBaseline, "write-baseline", "", "write the advice to this file, for --baseline")
	set.BoolVar(&flags.watch, "watch", false, "read again when a file changes, until interrupted")
	command.MarkFlagsMutuallyExclusive("watch", "write-baseline")
	flags.advice.add(command)
	configured.add(command)
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(true))
	return command
}

// add gives a command the flags about single rules and the exit code.
func (f *adviceFlags) add(command *cobra.Command) {
	command.Flags().StringSliceVar(&f.rules, "rule", nil, "give this advice alone, also where it is off by default: rules of verify list advice, or all")
	command.Flags().StringSliceVar(&f.failOn, "fail-on", nil, "fail also for these: advice")
	_ = command.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(append(adviceNames(), allRules), cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{verdict.AdviceTarget}, cobra.ShellCompDirectiveNoFileComp))
}

// allRules stands for every rule.
const allRules = "all"

// words returns the flags that ask for the same advice again.
func (f *adviceFlags) words() []string {
	var words []string
	if f.wanted {
		words = append(words, "--advice")
	}
	for _, rule := range f.rules {
		words = append(words, "--rule", rule)
	}
	return words
}

// command returns the name of the command that checks files by the flags.
func (flags *checkFlags) command() string {
	if flags.advice.alone {
		return "advise"
	}
	return "check"
}

// adviceNames are the names of the rules of advice.
func adviceNames() []string {
	names := make([]string, len(advice.Rules))
	for i, rule := range advice.Rules {
		names[i] = rule.Name
	}
	return names
}

// adviceNamed returns the rule of advice of a name, with advice/ or without; nil where
// there is none.
func adviceNamed(name string) *advice.Rule {
	return advice.Named(strings.TrimPrefix(name, verdict.AdviceTarget+"/"))
}

// adviceOf returns the advice that the flags ask for; nil where they ask for none.
func (flags *checkFlags) adviceOf() (*engine.Advice, error) {
	chosen := flags.advice
	for _, name := range chosen.failOn {
		if name != verdict.AdviceTarget {
			return nil, cli.Usage("--fail-on takes %s, not %q", verdict.AdviceTarget, name)
		}
	}
	if !chosen.alone && !chosen.wanted && len(chosen.rules)+len(chosen.failOn) == 0 {
		return nil, nil //nolint:nilnil // nobody wants advice
	}
	made := &engine.Advice{Rules: advice.Usual(), Language: flags.options.Language, Fails: len(chosen.failOn) > 0, Asks: len(flags.targets) > 0, Alone: chosen.alone}
	if len(chosen.rules) > 0 {
		made.Rules = nil
	}
	for _, name := range chosen.rules {
		rule := adviceNamed(name)
		switch {
		case name == allRules:
			made.Rules = slices.Clone(advice.Rules)
		case rule == nil:
			err := fmt.Errorf("no rule of advice is called %q", name)
			return nil, cli.Broken(cli.Suggest(err, name, adviceNames(), "verify list advice lists them"))
		case !slices.Contains(made.Rules, rule):
			made.Rules = append(made.Rules, rule)
		}
	}
	return made, nil
}
