package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/emulator"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
)

// known is what list and explain have found: JSON encodes it as docs/schema/list.schema.json describes, and print writes
// it for people.
type known interface{ print(out io.Writer) }

// show prints what has been found.
func (s *session) show(found known, isJSON bool) error {
	if !isJSON {
		found.print(s.Out)
		return nil
	}
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	if lines, isLines := found.(interface {
		each(write func(any) error) error
	}); isLines {
		return lines.each(encoder.Encode)
	}
	encoder.SetIndent("", " ")
	return encoder.Encode(found) //nolint:wrapcheck // it says what it is
}

// wanted says what of a list is asked for.
type wanted struct {
	words []string // behind the name of the list
	// isInForce reports whether a rule is in force on the day, and for the model, that is asked for.
	isInForce func(*provider.Rule) bool
	isJSON    bool
}

// list is an argument of verify list.
type list struct {
	name, doc string
	find      func(context.Context, wanted) (known, error)
}

// lists are all lists, in the order in which help shows them.
var lists = []list{
	{"targets", "name for which tools can be checked and rewritten, with its dialect", func(context.Context, wanted) (known, error) {
		return targetList(facts.Targets()), nil
	}},
	{"dialects", "surface that is modelled: a field of a provider's API that takes a schema", findDialects},
	{"rules", "rewrite with what it loses and its targets, and rule of each dialect; --as-of\nand --model keep those in force", findRules},
	{"constructs", "keyword, or form of one, with how many surfaces refuse, ignore or accept it", findConstructs},
	{"limits", "limit of a surface, such as on the tools in a request", findLimits},
	{"advice", "rule of verify advise", func(context.Context, wanted) (known, error) { return adviceList(facts.AllAdvice()), nil }},
	{"fixtures", "tool that broke something, with its source", findFixtures},
	{"recordings", "recorded answer of a provider, with its day and age", findRecordings},
	{"clients", "agent that verify client can run, and where it is installed; with --json every\nclient of which something is known", func(context.Context, wanted) (known, error) {
		return clientList(facts.Clients()), nil
	}},
	{"quirks", "odd shape of an answer that verify serve --quirk sends, with who sends it", func(context.Context, wanted) (known, error) {
		return quirkList(emulator.Quirks), nil
	}},
	{"timeline", "day on which a rule of a provider began or ceased to hold, with its source", findTimeline},
	{"requirements", "month whose rules a toolproof.json can require", findRequirements},
	{"history", `program of others of which several versions were measured: SDKs, normalizers,
engines, MCP servers. With its name, what changed from version to version; with
two versions behind it, what changed between them; with a fact behind it, such
as const_value, since when that holds. With the name of a surface, what recordings
show of each model, and with two models behind it, which rules are of one alone`, findHistory},
}

// aboutLists describes the lists.
func aboutLists() string {
	var text strings.Builder
	text.WriteString("list prints one line for each\n\n")
	for _, list := range lists {
		fmt.Fprintf(&text, "  %-12s %s\n", list.name, strings.ReplaceAll(list.doc, "\n", "\n               "))
	}
	text.WriteString("\n--json prints the same list as JSON, which docs/schema/list.schema.json describes: dialects,\n" +
		"rules, clients and requirements as the package of data has them, and the history of all\nprograms, of one and of the models of a surface as JSON Lines.")
	return text.String()
}

func listNames() []string {
	var names []string
	for _, list := range lists {
		names = append(names, list.name)
	}
	return names
}

func newList(s *session) *cobra.Command {
	var timeline, isJSON bool
	var when cli.When
	names := listNames()
	command := &cobra.Command{
		Use:       "list " + strings.Join(names, "|"),
		Short:     "List targets, dialects, rules, constructs, limits, fixtures, recordings, clients or changes over time",
		Long:      aboutLists(),
		ValidArgs: names,
		Args: func(command *cobra.Command, arguments []string) error {
			if timeline && len(arguments) == 0 {
				return nil
			}
			const most = 4 // history SUBJECT OLD NEW
			if len(arguments) > 1 && len(arguments) <= most && arguments[0] == "history" {
				return nil
			}
			return cli.OneOf(names)(command, arguments)
		},
		Example: `  verify list targets
  verify list rules --as-of 2025-03 --model gemini-2.0-flash
  verify list timeline
  verify list limits --json
  verify list history @ai-sdk/openai 2.0.67 3.0.12
  verify list history zod prefix_items
  verify list history openai/chat-strict gpt-4o gpt-5`,
		RunE: func(command *cobra.Command, arguments []string) error {
			day, err := when.Day()
			if err != nil {
				return err
			}
			if len(arguments) == 0 {
				arguments = []string{"timeline"}
			}
			for _, list := range lists {
				if list.name != arguments[0] {
					continue
				}
				found, err := list.find(command.Context(), wanted{arguments[1:], inForce(day, when.Model), isJSON})
				if err != nil {
					return err
				}
				return s.show(found, isJSON)
			}
			return nil // Args has refused any other name
		},
	}
	when.Add(command)
	command.Flags().BoolVar(&isJSON, "json", false, "print the list as JSON")
	command.Flags().BoolVar(&timeline, "timeline", false, "same as list timeline")
	return command
}

type targetList []facts.Target

func (t targetList) print(out io.Writer) {
	for _, target := range t {
		if target.NormalizedAs+target.AsGiven != "" {
			fmt.Fprintf(out, "%-48s %s%s\n", target.Name, target.Doc, normalizedAs(target.NormalizedAs, target.AsGiven))
		} else {
			fmt.Fprintf(out, "%-20s %-27s %s\n", target.Name, target.Surface, target.Doc)
		}
	}
}

// normalizedAs returns a note on how tools are normalized for a dialect without a target of its own,
// or "" for a dialect that has one.
func normalizedAs(relative, asGiven string) string {
	switch {
	case relative != "":
		return "; normalized as for " + relative
	case asGiven != "":
		return "; judged as given: " + asGiven
	default:
		return ""
	}
}

// inForce returns whether a rule is in force on a day for a model; all are without either.
func inForce(day provider.Date, model string) func(*provider.Rule) bool {
	return func(rule *provider.Rule) bool {
		return day == "" && model == "" || rule.InForce(cmp.Or(day, provider.Today()), model)
	}
}

type adviceList []facts.Advice

func (a adviceList) print(out io.Writer) {
	for _, rule := range a {
		fmt.Fprintf(out, "%-28s %s%s\n", adviceID(rule), rule.Title, offNote(rule))
	}
}

type quirkList []*emulator.Quirk

func (q quirkList) print(out io.Writer) {
	for _, quirk := range q {
		fmt.Fprintf(out, "%-16s %-5s %s\n", quirk.Name, quirk.Outcome, quirk.Doc)
		for _, sender := range quirk.Senders {
			fmt.Fprintf(out, "%-22s %s, %s: %s\n", "", sender.Date, sender.Who, sender.Source)
		}
	}
}

type fixtureList []facts.Fixture

func findFixtures(context.Context, wanted) (known, error) {
	loaded, err := cli.LoadEmbedded()
	if err != nil {
		return nil, cli.Broken(err)
	}
	return fixtureList(facts.Fixtures(loaded.Fixtures)), nil
}

func (f fixtureList) print(out io.Writer) {
	for _, fixture := range f {
		source := fixture.Source.Section
		if source == "" {
			source = fixture.Source.URL
		}
		fmt.Fprintf(out, "%-46s %s (%s %s)\n", fixture.ID, fixture.Title, fixture.Source.Kind, source)
	}
}

type recordingList []facts.Recording

func findRecordings(context.Context, wanted) (known, error) {
	store, err := cli.LoadRecordings("")
	if err != nil {
		return nil, err
	}
	return recordingList(facts.Recordings(store)), nil
}

func (r recordingList) print(out io.Writer) { cli.PrintRecordings(out, r) }

type eventList []facts.Event

func findTimeline(context.Context, wanted) (known, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, cli.Broken(err)
	}
	return eventList(facts.Timeline(store)), nil
}

func (t eventList) print(out io.Writer) {
	for _, event := range t {
		models := ""
		if len(event.Models) > 0 {
			models = ", of " + strings.Join(event.Models, " and ")
		}
		fmt.Fprintf(out, "%s  %-6s  %s %s: %s%s\n", event.Day, event.What, event.Name, facts.Effect(event.Support), event.Title, models)
		fmt.Fprintf(out, "            on %s\n", strings.Join(event.Surfaces, ", "))
		for _, source := range event.Sources {
			if source.Outcome == "" {
				fmt.Fprintf(out, "            %s\n", source.Where)
			} else {
				fmt.Fprintf(out, "            %s %s: %s\n", source.Outcome, source.Day, source.Where)
			}
		}
	}
}
