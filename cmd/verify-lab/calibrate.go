package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/report"
	"toolproof/lab/calibrate"
)

// calibrateFlags are the flags of verify-lab calibrate.
type calibrateFlags struct {
	asJSON        bool
	baseline      string
	writeBaseline string
}

func newCalibrate(s *session) *cobra.Command {
	var flags calibrateFlags
	command := &cobra.Command{
		Use:   "calibrate FILE...",
		Short: "Measure how far the provider models agree with real answers",
		Long: `calibrate measures how far the provider models agree with real answers. For each row of
evidence it asks the model of that dialect, as of the day of the answer, and counts how
often both accept, how often both refuse and, where the provider's words are known in
full, how often the words agree.

Evidence is JSON Lines, compressed with gzip or not: recorded requests with their
answers, which verify-lab import writes, and published refusals, acceptances and probes
with their schemas. An answer that is not about a declaration, such as a wrong key, is
listed by its class and not counted.

Exit codes:
  0  the agreement was measured
  1  it is worse than in --baseline
  2  a file cannot be read, or a flag is wrong
  3  no verdict, because no model could be asked about any row`,
		Example: `  verify-lab calibrate interactions.jsonl.gz rejections.jsonl
  verify-lab calibrate --json evidence.jsonl
  verify-lab calibrate --baseline docs/calibration.json evidence/*.jsonl*
  verify-lab import cassettes/*.yaml | verify-lab calibrate -`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				instead := "name a file of JSON Lines, or - for standard input; verify-lab import makes one from cassettes"
				return cli.Broken(cli.Hint(errors.New("a file of evidence is required"), instead))
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.calibrate(command.Context(), flags, files)
		},
	}
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write one JSON object")
	command.Flags().StringVar(&flags.baseline, "baseline", "", "fail if the agreement is worse than in this file")
	command.Flags().StringVar(&flags.writeBaseline, "write-baseline", "", "write the agreement to this file, for a later --baseline")
	return command
}

func (s *session) calibrate(ctx context.Context, flags calibrateFlags, arguments []string) error {
	before, err := cli.AwaitBaseline(ctx, flags.baseline, ": ", calibrate.ReadSummary)
	if err != nil {
		return err
	}
	var rows []*calibrate.Row
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
			rows = append(rows, read...)
		}
	}
	measured, err := calibrate.Measure(ctx, rows, harness.Dialects)
	if err != nil {
		return cli.Broken(err)
	}
	summary := measured.Summary()
	if err := s.writeCalibration(flags, measured, summary); err != nil {
		return err
	}
	if summary.Asked() == 0 {
		err := fmt.Errorf("no verdict: no model could be asked about any of %s", report.Count(len(rows), "row"))
		return cli.Fail(cli.CodeInconclusive, cli.Hint(err, "verify list dialects lists the dialects that have a model"))
	}
	return s.compareCalibration(flags.baseline, before, summary)
}

// readEvidence reads a file of evidence. A row without an id gets its file and line as one.
func (s *session) readEvidence(ctx context.Context, name string) ([]*calibrate.Row, error) {
	rows, err := cli.Await(ctx, func() ([]*calibrate.Row, error) {
		in, err := s.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		return calibrate.Read(in)
	})
	for _, row := range rows {
		if row.ID == "" {
			row.ID = fmt.Sprintf("%s:%d", name, row.Line)
		}
	}
	return rows, err
}

func (s *session) writeCalibration(flags calibrateFlags, measured *calibrate.Report, summary calibrate.Summary) error {
	if flags.asJSON {
		if err := encodeTo(s.Out, summary, ""); err != nil {
			return err
		}
	} else {
		fmt.Fprint(s.Out, measured.Text(s.Color))
	}
	if flags.writeBaseline == "" {
		return nil
	}
	return cli.WriteFile("the baseline", flags.writeBaseline, func(out io.Writer) error { return encodeTo(out, summary, "  ") })
}

// encodeTo writes a value as JSON.
func encodeTo(out io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// compareCalibration returns an error if the agreement is worse than in the baseline, and
// prints where.
func (s *session) compareCalibration(name string, before *calibrate.Summary, now calibrate.Summary) error {
	if before == nil {
		return nil
	}
	falls := now.Falls(*before)
	if len(falls) == 0 {
		return nil
	}
	for _, fall := range falls {
		s.Warnf("%s", fall)
	}
	return cli.Fail(cli.CodeFails, cli.Hint(errors.New("the agreement is worse than in "+name), "mend the rules; for other evidence, write a new file with --write-baseline"))
}
