package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/recording"
	"toolproof/harness/report"
)

func newReduce(s *session) *cobra.Command {
	var folder string
	command := &cobra.Command{
		Use:   "reduce --to FOLDER FILE...",
		Short: "Make reduced recordings of recorded requests",
		Long: `reduce makes recordings of the recorded requests in evidence and adds them to a folder.
It reads the JSON Lines that verify-lab import writes.

A recording has the keywords of a declaration, their positions, types and sizes, with
neutral names and texts. It names the provider's answer, its day, the model, and the
source with its license. Of several recordings that are alike, the newest is kept. They
show which constructs a surface accepts; they never answer for a tool.

A request is set aside if its host is not the provider's, if it declares nothing, or if
it failed for another reason than a declaration. Requests set aside are counted by class.

Exit codes:
  0  recordings were made
  2  a file cannot be read
  3  no recording was made`,
		Example: `  verify-lab reduce --to recordings interactions.jsonl.gz
  verify-lab import cassettes/*.yaml | verify-lab reduce --to recordings -`,
		RunE: func(command *cobra.Command, files []string) error {
			if folder == "" || len(files) == 0 {
				return cli.Broken(cli.Hint(errors.New("a folder and a file of evidence are required"), "such as verify-lab reduce --to recordings evidence.jsonl"))
			}
			return s.reduce(command.Context(), folder, files)
		},
	}
	command.Flags().StringVar(&folder, "to", "", "`folder` to add the recordings to")
	return command
}

func (s *session) reduce(ctx context.Context, folder string, arguments []string) error {
	aside := map[string]int{}
	rows, made := 0, []*recording.Recording(nil)
	for _, argument := range arguments {
		names, err := cli.Expand(argument)
		if err != nil {
			return err
		}
		for _, name := range names {
			read, err := s.readEvidence(ctx, name)
			if err != nil {
				return cli.Unreadable(ctx, name, err)
			}
			for _, row := range read {
				reduced, class, err := row.Reduced(ctx, harness.Dialects)
				if err != nil {
					return cli.Interrupted(ctx)
				}
				if class != "" {
					aside[class]++
				}
				made = append(made, reduced...)
			}
			rows += len(read)
		}
	}
	added, err := addAll(folder, made)
	if err != nil {
		return cli.Broken(err)
	}
	for _, class := range slices.Sorted(maps.Keys(aside)) {
		s.Warnf("%s: %s", class, report.Count(aside[class], "row"))
	}
	fmt.Fprintf(s.Out, "%s read, %s in them, %d new ones added to %s\n", report.Count(rows, "row"), report.Count(len(made), "recording"), added, folder)
	if len(made) == 0 {
		return cli.Exit(cli.CodeInconclusive)
	}
	return nil
}

// addAll adds the newest of recordings that are alike but for the model.
func addAll(folder string, made []*recording.Recording) (int, error) {
	slices.SortStableFunc(made, func(a, b *recording.Recording) int { return strings.Compare(string(b.Date), string(a.Date)) })
	appender := recording.NewAppender(folder, nil)
	seen := map[string]bool{}
	var newest []*recording.Recording
	for _, recorded := range made {
		key := recorded.Digest + string(recorded.Response.Body)
		if !seen[key] {
			seen[key], newest = true, append(newest, recorded)
		}
	}
	slices.SortStableFunc(newest, func(a, b *recording.Recording) int { return strings.Compare(a.Digest, b.Digest) })
	added := 0
	for _, recorded := range newest {
		isNew, err := appender.Add(recorded)
		if err != nil {
			return added, errors.Join(fmt.Errorf("%s: %w", recorded.Source, err), closed(appender))
		}
		if isNew {
			added++
		}
	}
	return added, closed(appender)
}

func closed(appender *recording.Appender) error {
	_, err := appender.Close()
	return err
}
