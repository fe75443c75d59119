package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/advice"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
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
	set.IntVar(&flags.minTools, "min-tools", 1, "fail when fewer tools were read")
	set.StringVar(&flags.baseline, "baseline", "", "leave out the advice that this file has")
	set.StringVar(&flags.writeBaseline, "write-baseline", "", "write the advice to this file, for --baseline")
	set.BoolVar(&flags.watch, "watch", false, "read again when a file changes, until interrupted")
	command.MarkFlagsMutuallyExclusive("watch", "write-baseline")
	flags.advice.add(command)
	configured.add(command)
	_ = command.RegisterFlagCompletionFunc("target", completeTargets(true))
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

// adviser gives advice on tools.
type adviser struct {
	rules    []*advice.Rule
	language string
	fails    bool // where there is advice
	// asks is set where surfaces were asked for by name. dropped is what these do not hand
	// to the model, by the index of the tool in its document.
	asks    bool
	dropped map[int][]advice.Dropped
	// forms is about how many tokens the normalized declarations have, by target.
	forms map[string]int
}

// adviser returns who gives the advice that the flags ask for; nil where they ask for none.
func (flags *checkFlags) adviser() (*adviser, error) {
	chosen := flags.advice
	for _, name := range chosen.failOn {
		if name != verdict.AdviceTarget {
			return nil, cli.Usage("--fail-on takes %s, not %q", verdict.AdviceTarget, name)
		}
	}
	if !chosen.alone && !chosen.wanted && len(chosen.rules)+len(chosen.failOn) == 0 {
		return nil, nil //nolint:nilnil // nobody wants advice
	}
	made := &adviser{rules: advice.Usual(), language: flags.options.Language, fails: len(chosen.failOn) > 0, asks: len(flags.targets) > 0}
	if len(chosen.rules) > 0 {
		made.rules = nil
	}
	for _, name := range chosen.rules {
		rule := adviceNamed(name)
		switch {
		case name == allRules:
			made.rules = slices.Clone(advice.Rules)
		case rule == nil:
			err := fmt.Errorf("no rule of advice is called %q", name)
			return nil, cli.Broken(cli.Suggest(err, name, adviceNames(), cli.ProgramName+" list advice lists them"))
		case !slices.Contains(made.rules, rule):
			made.rules = append(made.rules, rule)
		}
	}
	return made, nil
}

// judgements is how many results each tool has.
func (r *checkRun) judgements() int {
	if r.adviser == nil {
		return len(r.targets)
	}
	return len(r.targets) + 1
}

// note keeps what a target makes of a tool: its tokens, and what its surface drops.
func (a *adviser) note(index int, tool toolfile.Tool, result verdict.Result) {
	if !a.asks {
		return
	}
	sides := result.Sides()
	if target, err := harness.TargetNamed(result.Target); err == nil && sides.Normalized != nil {
		if a.forms == nil {
			a.forms = map[string]int{}
		}
		declared := target.Surface(sides.Normalized.Strict).Declare(schema.ToolOf(sides.Normalized.Tool))
		a.forms[result.Target] += advice.Tokens(string(declared.JSON()))
	}
	if sides.Raw != nil && len(sides.Raw.Ignored) > 0 {
		a.noteDropped(index, tool, sides)
	}
}

// noteDropped keeps what a surface does not hand to the model of a tool, by its index in the
// document. What it does not enforce is another thing: the model sees it.
func (a *adviser) noteDropped(index int, tool toolfile.Tool, sides *verdict.Sides) {
	tool = tool.Unfolded()
	for _, finding := range sides.Raw.Ignored {
		at, isParameter := tool.Within(finding.At)
		if !isParameter || !strings.Contains(finding.Message, "is dropped") {
			continue
		}
		tokens := at.Tokens()
		one := advice.Dropped{Keyword: tokens[len(tokens)-1]}
		for _, token := range tokens[:len(tokens)-1] {
			one.At = one.At.Child(token)
		}
		a.add(index, one, finding.On(sides.RawDialect))
	}
}

// add adds a surface to those that drop a keyword.
func (a *adviser) add(index int, one advice.Dropped, surface string) {
	known := a.dropped[index]
	at := slices.IndexFunc(known, func(other advice.Dropped) bool { return other.At == one.At && other.Keyword == one.Keyword })
	if at < 0 {
		if a.dropped == nil {
			a.dropped = map[int][]advice.Dropped{}
		}
		at, known = len(known), append(known, one)
	}
	if !slices.Contains(known[at].Surfaces, surface) {
		known[at].Surfaces = append(known[at].Surfaces, surface)
	}
	a.dropped[index] = known
}

// advise writes the advice on the tools of a document. Those of a request are one list.
func (r *checkRun) advise(ctx context.Context, requests [][]toolfile.Tool, source string) error {
	first := make([]int, len(requests)) // the index of the first tool in the document
	for i := 1; i < len(requests); i++ {
		first[i] = first[i-1] + len(requests[i-1])
	}
	isLarge := func(i int) bool {
		size := 0
		for _, tool := range requests[i] {
			size += tool.Size()
		}
		return size > large
	}
	advised := func(i int) []verdict.Result { return r.adviser.on(ctx, requests[i], first[i], source) }
	for i, results := range inOrder(ctx, len(requests), isLarge, advised) {
		if ctx.Err() != nil {
			break
		}
		for j, result := range results {
			isRead := requests[i][j].Err == nil
			if !isRead && !r.flags.advice.alone {
				continue // the targets say it
			}
			if err := r.result(result, &judgement{}); err != nil {
				return err
			}
			if r.flags.advice.alone {
				r.summary.Tools++
			}
			if r.flags.advice.alone && isRead {
				r.summary.Read, r.summary.Judged = r.summary.Read+1, r.summary.Judged+1
			}
		}
	}
	r.adviser.dropped = nil
	if ctx.Err() != nil {
		return cli.Interrupted(ctx)
	}
	return nil
}

// on returns the advice on the tools of a list, a result for each. The index is that of the
// first tool in its document.
func (a *adviser) on(ctx context.Context, given []toolfile.Tool, index int, source string) []verdict.Result {
	results := make([]verdict.Result, len(given))
	var tools []toolfile.Tool
	var list []schema.Tool
	var at []int // of a tool of the list among the given ones
	for i, one := range given {
		one = one.Unfolded()
		results[i] = verdict.Result{
			ID: one.ID, Tool: one.Tool.Name, Source: source, Line: one.Line, Target: verdict.AdviceTarget, Status: verdict.Pass, Kind: &verdict.Advice{},
		}
		if one.Err != nil {
			results[i].Status, results[i].Error = verdict.Error, one.Err.Error()
			continue
		}
		tools, list, at = append(tools, one), append(list, one.Tool), append(at, i)
	}
	options := advice.Options{Rules: a.rules, Language: a.language}
	if a.asks {
		options.Dropped = func(i int) []advice.Dropped { return a.dropped[index+at[i]] }
	}
	found, err := advice.Of(ctx, list, options)
	if err != nil {
		return nil // the run is interrupted
	}
	for i, tool := range tools {
		result := &results[at[i]]
		given := result.Advice()
		given.Tokens, given.Findings = advice.TokensOf(list[i]), adviceOf(tool, found[i])
		if a.fails && len(given.Findings) > 0 {
			result.Status = verdict.Fail
		}
	}
	return results
}

// adviceOf turns advice on a tool into the findings of a result.
func adviceOf(tool toolfile.Tool, found []advice.Finding) []verdict.Finding {
	findings := make([]verdict.Finding, len(found))
	for i, one := range found {
		finding := verdict.Finding{Rule: one.Rule.Name, Severity: verdict.AdviceTarget, Message: one.Message, At: tool.Pointer(one.At)}
		position := one.Position
		if node := tool.Declaration.Find(finding.At); node != nil && (one.At == "" || position.Line == 0) {
			position = node.Position
		}
		if tool.Line > 0 { // else there is no file
			finding.Line, finding.Column = int(position.Line), int(position.Column)
		}
		findings[i] = finding
	}
	return findings
}
