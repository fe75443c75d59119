package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/lab/tally"
)

// statsFlags are the flags of verify-lab stats.
type statsFlags struct {
	shard  cli.Shard
	asJSON bool
	label  string
	asOf   []string
	// recordings is the folder of the recordings; "" stands for those inside the program.
	recordings string
}

func newStats(s *session) *cobra.Command {
	var flags statsFlags
	command := &cobra.Command{
		Use:   "stats FILE...",
		Short: "Count how many tools each dialect refuses, ignores in part or keeps whole",
		Long: `stats counts, for each dialect, how many tools it refuses, ignores in part or keeps
whole, as they stand and after its normalizer, and at which keywords. A finding that is
at no keyword is counted under its rule. The output has no names and no texts of tools,
so that counts of private tools can be published.

Of the tools that a dialect accepts, as given or else normalized, it counts the constructs
(a keyword, the type of its values and its position) that some recording shows accepted:
each once, and by its uses in the tools.

It reads what verify check reads and asks the provider models about each tool alone. With
several days it counts for each.

Exit codes:
  0  the tools were counted, whatever the counts
  2  no tool could be read, or a flag is wrong`,
		Example: `  verify-lab stats tools.json
  verify-lab stats --json --label 'our servers' tools/ >stats.jsonl
  verify-lab stats --as-of 2025-01-01,2026-01-01 tools.jsonl.gz`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.stats(command.Context(), flags, files)
		},
	}
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write one JSON object for each day")
	command.Flags().StringVar(&flags.label, "label", "", "name of the set of tools, for the output")
	command.Flags().StringSliceVar(&flags.asOf, "as-of", nil, "count as of these days, months or years")
	flags.shard.Add(command.Flags(), "tools")
	command.Flags().StringVar(&flags.recordings, "recordings", "", "say what the recordings of this folder show, not those inside the program")
	return command
}

func (s *session) stats(ctx context.Context, flags statsFlags, files []string) error {
	days := []provider.Date{""}
	if len(flags.asOf) > 0 {
		days = nil
	}
	for _, text := range flags.asOf {
		day, err := (&cli.When{AsOf: text}).Day()
		if err != nil {
			return err
		}
		days = append(days, day)
	}
	store, err := cli.LoadRecordings(flags.recordings)
	if err != nil {
		return err
	}
	if err := flags.shard.Choose(s.Warnf); err != nil {
		return err
	}
	documents, err := s.Read(ctx, files)
	if err != nil {
		return err
	}
	flags.shard.Keep(documents)
	counters := make([]*tally.Counter, len(days))
	for i, day := range days {
		counters[i] = tally.New(ctx, flags.label, day, harness.Dialects, store)
	}
	total := 0
	for _, document := range documents {
		total += len(document.Tools)
	}
	progress := cli.NewProgress(s.Session, total)
	for _, document := range documents {
		for _, problem := range document.Problems() {
			progress.Clear()
			s.Warnf("%s", document.Say(problem))
		}
		for _, tool := range document.Tools {
			for _, counter := range counters {
				if tool.Err != nil {
					counter.Unread()
				} else if err := counter.Add(ctx, tool.Tool); err != nil {
					return cli.Interrupted(ctx)
				}
			}
			progress.Step()
		}
	}
	progress.Clear()
	for _, counter := range counters {
		if err := s.writeTally(counter.Tally(), flags.asJSON); err != nil {
			return err
		}
	}
	if counters[0].Tally().Tools == 0 {
		return cli.Usage("no tool could be read")
	}
	return nil
}

// writeTally writes the counts as of one day.
func (s *session) writeTally(counted tally.Tally, asJSON bool) error {
	if asJSON {
		text, err := json.Marshal(counted)
		if err != nil {
			return fmt.Errorf("writing the counts: %w", err)
		}
		fmt.Fprintf(s.Out, "%s\n", text)
		return nil
	}
	fmt.Fprintf(s.Out, "%d tools read, %d not, as of %s\n\n", counted.Tools, counted.Unread, counted.AsOf)
	const gap = 2
	table := tabwriter.NewWriter(s.Out, 0, 0, gap, ' ', 0)
	fmt.Fprintln(table, "dialect\trefused\tignored\twhole\tnormalized: exact\tchanged\tof them closed\trefused\tseen\tof uses\tmost causes")
	for _, surface := range counted.Surfaces {
		outcomes := "\t\t\t"
		if surface.Normalized != nil {
			outcomes = fmt.Sprintf("%d\t%d\t%d\t%d", surface.Normalized.Exact, surface.Normalized.Changed, surface.Normalized.Closed, surface.Normalized.Refused)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n", surface.Name, surface.Refused, surface.Ignored, surface.Whole, outcomes, seenOf(surface.Seen), mostOf(surface.Causes))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the counts: %w", err)
	}
	return nil
}

// seenOf says how many constructs recordings show, and what share of their uses that is.
func seenOf(seen *tally.Seen) string {
	const percent = 100
	return fmt.Sprintf("%d of %d\t%.1f %%", seen.Accepted, seen.Constructs, percent*float64(seen.UsesAccepted)/float64(max(1, seen.Uses)))
}

// mostOf lists the largest counts, which come first.
func mostOf(counts []tally.Count) string {
	const shown = 3
	var parts []string
	for _, count := range counts[:min(len(counts), shown)] {
		parts = append(parts, fmt.Sprintf("%s %d", count.Name, count.Tools))
	}
	return strings.Join(parts, ", ")
}
