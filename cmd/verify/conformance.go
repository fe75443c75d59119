package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/conformance"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/internal/escape"
)

// conforming holds the flags of verify conformance.
type conforming struct {
	shard                  cli.Shard
	program, set, expected string
	surfaces, scenarios    []string
	// At most one of these is set.
	isJSON, isHTML, isJUnit, isBadge bool
}

func newConformance(s *session) *cobra.Command {
	var flags conforming
	command := &cobra.Command{
		Use:   "conformance --command CMD [-- ARGUMENT...]",
		Short: "Test a client of LLM APIs, in any language, with calls in every shape",
		Long: `conformance runs a client's own tool loop against the emulator, once for each scenario:
calls in one piece and in streams, and each quirk of verify list quirks. It judges by what
the client says and by what arrived.

The client reads EMULATOR_URL and, from standard input, one JSON object with the members
name, api, model, stream, prompt and tools; a tool has name, description, parameters and
the result of its calls. It asks the model, runs the calls until there are none, and
prints JSON Lines: {"call":{"name","arguments"}} for each call that it makes,
{"text":"..."} for what the user sees last, {"error":"..."} for an error, and
{"unsupported":"..."} for what it cannot do.

It runs without a shell, for at most a minute a scenario. docs/commands.md describes the
other members that a scenario may have, such as a format of the answer.

Exit codes:
  0  each scenario passes, or fails as expected
  1  a scenario fails, or an expected failure is stale
  2  wrong usage, or a client that cannot be started`,
		Example: `  verify conformance --command 'node client.mjs' --surface chat/completions
  verify conformance --command ./client --expected-failures known.json --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.conformance(command.Context(), flags, append(strings.Fields(flags.program), arguments...))
		},
	}
	set := command.Flags()
	set.StringVar(&flags.program, "command", "", "the `program` of the client; put arguments with spaces after --")
	set.StringVar(&flags.set, "set", conformance.Sets[len(conformance.Sets)-1], "the `set` of scenarios")
	set.StringSliceVar(&flags.surfaces, "surface", []string{string(provider.ChatCompletions)}, "the `APIs` to ask: chat/completions, responses, messages, generateContent")
	set.StringSliceVar(&flags.scenarios, "scenario", nil, "run only these `scenarios`")
	set.StringVar(&flags.expected, "expected-failures", "", "a JSON `file` of reasons by \"SCENARIO API\"; an entry that does not fail is an error")
	set.BoolVar(&flags.isJSON, "json", false, "print JSON Lines, one object per scenario")
	set.BoolVar(&flags.isHTML, "html", false, "print a page")
	set.BoolVar(&flags.isJUnit, "junit", false, "print JUnit XML")
	set.BoolVar(&flags.isBadge, "badge", false, "print the JSON of a badge of shields.io")
	flags.shard.Add(set, "scenarios")
	command.MarkFlagsMutuallyExclusive("json", "html", "junit", "badge")
	return command
}

func (s *session) conformance(ctx context.Context, flags conforming, words []string) error {
	if len(words) == 0 {
		return cli.Usage("--command is required: name the program of the client")
	}
	if err := flags.shard.Choose(s.Warnf); err != nil {
		return err
	}
	scenarios, err := conformance.Load(flags.set)
	if err != nil {
		return cli.Usage("--set: %v", err)
	}
	var expected conformance.Expected
	if flags.expected != "" {
		text, err := os.ReadFile(flags.expected)
		if err == nil {
			expected, err = conformance.ParseExpected(text)
		}
		if err != nil {
			return cli.Broken(fmt.Errorf("--expected-failures %s: %w", flags.expected, err))
		}
	}
	var results []conformance.Result
	for _, surface := range flags.surfaces {
		isKnown := false
		for i := range scenarios {
			isWanted := len(flags.scenarios) == 0 || slices.Contains(flags.scenarios, scenarios[i].Name)
			if !isWanted || !slices.Contains(scenarios[i].APIs, provider.API(surface)) {
				continue
			}
			if isKnown = true; !flags.shard.Has(scenarios[i].Name, surface) {
				continue
			}
			result, err := conformance.Run(ctx, words, &scenarios[i], provider.API(surface))
			if err != nil {
				return cli.Broken(err)
			}
			results = append(results, result)
		}
		if !isKnown {
			return cli.Usage("no scenario of --scenario is for --surface %q", surface)
		}
	}
	return s.conformed(results, &report.Scenarios{Client: strings.Join(words, " "), Set: flags.set, Stale: expected.Apply(results)}, &flags)
}

// conformed prints the results.
func (s *session) conformed(results []conformance.Result, scenarios *report.Scenarios, flags *conforming) error {
	for _, result := range results {
		scenarios.Rows = append(scenarios.Rows, report.ScenarioRow{
			Scenario: result.Scenario, API: string(result.API), Outcome: string(result.Outcome), Why: result.Why, Expected: result.Expected,
		})
	}
	var err error
	switch {
	case flags.isJSON:
		err = s.conformedJSON(results)
	case flags.isHTML:
		err = scenarios.HTML(report.Options{Out: s.Out, Version: cli.Version(), Now: time.Now()})
	case flags.isJUnit:
		err = scenarios.JUnit(s.Out)
	case flags.isBadge:
		err = scenarios.Badge(s.Out)
	default:
		s.conformedText(results, scenarios.Conclusion())
	}
	for _, name := range scenarios.Stale {
		s.Warnf("stale: %s is an expected failure, and it does not fail", name)
	}
	if err == nil && scenarios.Failed() > 0 {
		return cli.Exit(cli.CodeFails)
	}
	return err
}

func (s *session) conformedJSON(results []conformance.Result) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	for _, result := range results {
		if err := encoder.Encode(result); err != nil {
			return fmt.Errorf("writing a result: %w", err)
		}
	}
	return nil
}

func (s *session) conformedText(results []conformance.Result, conclusion string) {
	for _, result := range results {
		known := ""
		if result.Expected != "" {
			known = "expected, " + result.Expected + ": "
		}
		fmt.Fprintf(s.Out, "%-11s %s %s\n", result.Outcome, result.Scenario, result.API)
		if result.Why != "" {
			fmt.Fprintf(s.Out, "            %s\n", escape.Line(known+result.Why))
		}
	}
	fmt.Fprintf(s.Out, "\n%s\n", conclusion)
}
