package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/normalizers"
)

// lists are the arguments of verify list.
var lists = []string{"targets", "dialects", "rules", "constructs", "fixtures", "recordings", "timeline", "clients", "advice", "quirks", "requirements", "history"}

const aboutLists = `list prints one line for each

  targets     name for which tools can be checked and rewritten, with its dialect
  dialects    surface that is modelled: a field of a provider's API that takes a schema
  rules       rewrite with what it loses and its targets, and rule of each dialect; --as-of
              and --model keep those in force
  constructs  keyword, or form of one, with how many surfaces refuse, ignore or accept it
  advice      rule of verify advise
  fixtures    tool that broke something, with its source
  recordings  recorded answer of a provider, with its day and age
  clients     agent that verify client can run, and where it is installed
  quirks      odd shape of an answer that verify serve --quirk sends, with who sends it
  timeline    day on which a rule of a provider began or ceased to hold, with its source
  requirements
              month whose rules a toolproof.json can require
  history     program of others of which several versions were measured: SDKs, normalizers,
              engines, MCP servers. With its name, what changed from version to version; with
              two versions behind it, what changed between them; with a fact behind it, such
              as const_value, since when that holds. With the name of a surface, what recordings
              show of each model, and with two models behind it, which rules are of one alone

--json prints dialects, rules, constructs, clients, quirks and requirements as the package
of data has them, whose format docs/schema/data.schema.json describes, and the history as
JSON Lines, which docs/schema/history.schema.json describes.`

func newList(s *session) *cobra.Command {
	var timeline, isJSON bool
	var when cli.When
	command := &cobra.Command{
		Use:       "list " + strings.Join(lists, "|"),
		Short:     "List targets, dialects, rules, constructs, fixtures, recordings, clients or changes over time",
		Long:      aboutLists,
		ValidArgs: lists,
		Args: func(command *cobra.Command, arguments []string) error {
			if timeline && len(arguments) == 0 {
				return nil
			}
			const most = 4 // history SUBJECT OLD NEW
			if len(arguments) > 1 && len(arguments) <= most && arguments[0] == "history" {
				return nil
			}
			return cli.OneOf(lists)(command, arguments)
		},
		Example: `  verify list targets
  verify list rules --as-of 2025-03 --model gemini-2.0-flash
  verify list timeline
  verify list history @ai-sdk/openai 2.0.67 3.0.12
  verify list history zod prefix_items
  verify list history openai/chat-strict gpt-4o gpt-5`,
		RunE: func(command *cobra.Command, arguments []string) error {
			day, err := when.Day()
			if err != nil {
				return err
			}
			what := "timeline"
			if len(arguments) > 0 {
				what = arguments[0]
			}
			if what == "history" {
				return s.listHistory(command.Context(), arguments[1:], isJSON)
			}
			if isJSON {
				return s.listAsJSON(command.Context(), what, inForce(day, when.Model))
			}
			switch what {
			case "targets":
				return s.listTargets()
			case "dialects":
				return s.listDialects()
			case "rules":
				return s.listRules(inForce(day, when.Model))
			case "constructs":
				return s.listConstructs(command.Context())
			case "requirements":
				return s.listRequirements()
			case "timeline":
				return s.listTimeline()
			case "fixtures":
				return s.listFixtures()
			case "clients":
				return s.listClients()
			case "advice":
				return s.listAdvice()
			case "quirks":
				return s.listQuirks()
			default:
				return s.ListRecordings("")
			}
		},
	}
	when.Add(command)
	command.Flags().BoolVar(&isJSON, "json", false, "print the list as JSON")
	command.Flags().BoolVar(&timeline, "timeline", false, "same as list timeline")
	return command
}

func (s *session) listTargets() error {
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		fmt.Fprintf(s.Out, "%-20s %-27s %s\n", target.Name(), target.Dialect.Name, cmp.Or(target.Doc, target.Dialect.Doc))
	}
	for _, target := range harness.Relatives {
		fmt.Fprintf(s.Out, "%-48s %s%s\n", target.Name(), target.Dialect.Doc, normalizedAs(target.Dialect))
	}
	return nil
}

// normalizedAs returns a note on how tools are normalized for a dialect without a target of its own,
// or "" for a dialect that has one.
func normalizedAs(dialect *provider.Dialect) string {
	switch {
	case dialect.Relative != "":
		return "; normalized as for " + dialect.Relative
	case dialect.AsGiven != "":
		return "; judged as given: " + dialect.AsGiven
	default:
		return ""
	}
}

func (s *session) listDialects() error {
	for _, dialect := range harness.Dialects {
		fmt.Fprintf(s.Out, "%-23s %2d rules  %s%s%s\n", dialect.Name, len(dialect.Rules), dialect.Doc, releases(dialect), normalizedAs(dialect))
	}
	return nil
}

// inForce returns whether a rule is in force on a day for a model; all are without either.
func inForce(day provider.Date, model string) func(*provider.Rule) bool {
	return func(rule *provider.Rule) bool {
		return day == "" && model == "" || rule.InForce(cmp.Or(day, provider.Today()), model)
	}
}

// listRules prints the rewrite rules with the targets that they serve, and the chosen rules of each
// dialect.
func (s *session) listRules(isChosen func(*provider.Rule) bool) error {
	for _, rule := range normalizers.Rules() {
		var targets []string
		for _, pipeline := range normalizers.All {
			if pipeline.Has(rule.Name) {
				targets = append(targets, pipeline.Name())
			}
		}
		fmt.Fprintf(s.Out, "%-24s %-8s %s (%s)\n", rule.Name, rule.Loss, rule.Title(), strings.Join(targets, ", "))
	}
	for _, dialect := range harness.Dialects {
		seen := map[string]bool{}
		for _, rule := range dialect.Rules {
			if isChosen(rule) && !seen[rule.Name] {
				fmt.Fprintf(s.Out, "%-46s %-8s %s%s\n", dialect.Name+"/"+rule.Name, rule.Effect, rule.Title(), evidence.Period(dialect, rule))
				seen[rule.Name] = true
			}
		}
	}
	return nil
}

func (s *session) listFixtures() error {
	data, err := cli.LoadEmbedded()
	if err != nil {
		return cli.Broken(err)
	}
	for _, fixture := range data.Fixtures {
		source := fixture.Source.Section
		if source == "" {
			source = fixture.Source.URL
		}
		fmt.Fprintf(s.Out, "%-46s %s (%s %s)\n", fixture.ID, fixture.Title, fixture.Source.Kind, source)
	}
	return nil
}

// releases returns a note with the first and the last modelled release of a dialect, or "".
func releases(dialect *provider.Dialect) string {
	if len(dialect.Versions) == 0 {
		return ""
	}
	return ", " + dialect.Versions[0].Name + " to " + dialect.Versions[len(dialect.Versions)-1].Name
}

// listQuirks lists the shapes of answers that verify serve --quirk sends.
func (s *session) listQuirks() error {
	for _, quirk := range emulator.Quirks {
		fmt.Fprintf(s.Out, "%-16s %-5s %s\n", quirk.Name, quirk.Outcome, quirk.Doc)
		for _, sender := range quirk.Senders {
			fmt.Fprintf(s.Out, "%-22s %s, %s: %s\n", "", sender.Date, sender.Who, sender.Source)
		}
	}
	return nil
}
