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

// adviceFlags are the flags about advice.
type adviceFlags struct {
	wanted bool
	alone  bool // the command is advise: no surface gives a verdict
	rules  []string
	failOn []string
}

func newAdvise(s *session) *cobra.Command {
	flags := checkFlags{advice: adviceFlags{alone: true}}
	var configured projectFlags
	command := &cobra.Command{
		Use:   "advise [FILE...] [-- COMMAND [ARGUMENT...]]",
		Short: "Show where models have to guess what your tools want",
		Long: `advise shows where a model has to guess what your tools want, although no provider
refuses them: a parameter without a description, a set of values that only a sentence
names, modes that exclude one another and are listed nowhere. Each piece of advice names
its place and what to write there. advise sends nothing and needs no key.

A note is advice that most models do well without, since a text says what the schema could, or
another tool is plainly meant. --verbose shows notes, check --fix --unsafe-fixes makes the edits
they have, and they never fail a run.

It reads the same files as verify check, and toolproof.json in the same way. Tools of
one list are compared with one another; tools of JSON Lines are not. With --target it
also names the constraints that these surfaces do not pass on to the model. The last
lines estimate how many tokens the tools cost in each request, as given and as rewritten
for these targets.

verify list advice lists the rules, and verify explain advice/RULE says what supports
one. --rule selects rules, including those that are off by default. toolproof.json can
ignore advice as it ignores findings, with a reason and a last day.

Exit codes:
  0  the tools were read, whatever the advice
  1  with --fail-on advice, there is some besides notes
  2  a tool could not be read, a flag is wrong, or there was no tool
  3  no verdict, because a server listed no tools`,
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
	set.StringSliceVar(&flags.targets, "target", nil, "also name what these targets do not pass on: names, patterns such as openai*, or all")
	set.StringVar(&flags.options.Language, "language", "", "read this language where a tool has texts in several, such as de-AT")
	flags.only.Add(command)
	flags.format.add(command, "one object per tool and a summary")
	set.BoolVar(&flags.verbose, "verbose", false, "show every piece of advice")
	set.IntVar(&flags.places, "limit", usualPlaces, "show this many places of each finding")
	set.BoolVar(&flags.quiet, "quiet", false, "show only failures and the summary")
	set.IntVar(&flags.minTools, "min-tools", usualTools, "fail if fewer tools were read")
	set.StringVar(&flags.baseline, "baseline", "", "leave out advice that is in this file")
	set.StringVar(&flags.writeBaseline, "write-baseline", "", "write the advice to this file, for a later --baseline")
	set.BoolVar(&flags.watch, "watch", false, "read again whenever a file changes, until interrupted")
	command.MarkFlagsMutuallyExclusive("watch", "write-baseline")
	flags.advice.add(command)
	configured.add(command)
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(true))
	return command
}

// add adds the flags that select rules and decide the exit code.
func (f *adviceFlags) add(command *cobra.Command) {
	command.Flags().StringSliceVar(&f.rules, "rule", nil, "give advice by these rules only, even if they are off by default: names from the command list advice, or all")
	command.Flags().StringSliceVar(&f.failOn, "fail-on", nil, "what else fails the run: advice")
	_ = command.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(append(adviceNames(), allRules), cobra.ShellCompDirectiveNoFileComp))
	_ = command.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions([]string{verdict.AdviceTarget}, cobra.ShellCompDirectiveNoFileComp))
}

// allRules is the value of --rule that selects every rule.
const allRules = "all"

// words returns the command line of the flags.
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

// command returns the name of the command that the flags belong to.
func (flags *checkFlags) command() string {
	if flags.advice.alone {
		return "advise"
	}
	return "check"
}

// adviceNames returns the names of the rules of advice.
func adviceNames() []string {
	names := make([]string, len(advice.Rules))
	for i, rule := range advice.Rules {
		names[i] = rule.Name
	}
	return names
}

// adviceNamed returns the rule of advice with a name, with or without the prefix advice/, or nil.
func adviceNamed(name string) *advice.Rule {
	return advice.Named(strings.TrimPrefix(name, verdict.AdviceTarget+"/"))
}

// adviceOf returns the advice that the flags ask for, or nil if they ask for none.
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
	wanted := &engine.Advice{Rules: advice.Usual(), Language: flags.options.Language, Fails: len(chosen.failOn) > 0, Asks: len(flags.targets) > 0, Alone: chosen.alone}
	if len(chosen.rules) > 0 {
		wanted.Rules = nil
	}
	for _, name := range chosen.rules {
		rule := adviceNamed(name)
		switch {
		case name == allRules:
			wanted.Rules = slices.Clone(advice.Rules)
		case rule == nil:
			err := fmt.Errorf("no rule of advice is called %q", name)
			return nil, cli.Broken(cli.Suggest(err, name, adviceNames(), "verify list advice lists them"))
		case !slices.Contains(wanted.Rules, rule):
			wanted.Rules = append(wanted.Rules, rule)
		}
	}
	return wanted, nil
}
