package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/report"
	"toolproof/harness/traffic"
	"toolproof/internal/escape"
	"toolproof/lab/cassette"
)

func newImport(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE...",
		Short: "Convert recorded HTTP traffic of other projects to evidence",
		Long: `import converts recorded HTTP traffic between clients and providers to JSON Lines for
verify-lab calibrate. It keeps declarations, schemas, status, error, model and day, and
drops headers, queries of URLs and prompts.

It reads the cassettes of vcrpy (YAML and JSON), Ruby VCR and Betamax, go-vcr 1 to 4,
traces of httprr, HAR files of browsers and Polly, and definitions of nock; compressed
with gzip or not. Folders are searched, and - is standard input.

Exit codes:
  0  something was imported
  2  a file cannot be read
  3  there was nothing to import`,
		Example: `  verify-lab import tests/cassettes
  verify-lab import cassettes/*.yaml trace.httprr >evidence.jsonl
  verify-lab import recording.har | verify-lab calibrate -`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return cli.Broken(cli.Hint(errors.New("a cassette is required"), "name a file or a folder, or - for standard input"))
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.importAll(command.Context(), files)
		},
	}
}

func (s *session) importAll(ctx context.Context, arguments []string) error {
	encoder := json.NewEncoder(s.Out)
	encoder.SetEscapeHTML(false)
	files, imported, others, broken := 0, 0, 0, false
	for _, argument := range arguments {
		names, isFolder, err := cassettesIn(argument)
		if err != nil {
			return err
		}
		for _, name := range names {
			interactions, rest, err := s.readCassette(ctx, name)
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
			if isFolder && errors.Is(err, traffic.ErrUnknown) {
				continue // a folder may have other files, too
			}
			files++
			if err != nil {
				broken = true
				s.Warnf("%s: %v", escape.Line(name), err)
				continue
			}
			others += rest
			for _, interaction := range interactions {
				imported++
				if err := encoder.Encode(interaction); err != nil {
					return fmt.Errorf("writing an interaction: %w", err)
				}
			}
		}
	}
	s.Warnf("%s imported from %s; %d more declare nothing to a provider", report.Count(imported, "interaction"), report.Count(files, "cassette"), others)
	switch {
	case broken:
		return cli.Exit(cli.CodeBroken)
	case imported == 0:
		return cli.Fail(cli.CodeInconclusive, cli.Hint(errors.New("there is nothing to import"), "verify-lab import --help lists the forms of cassettes"))
	default:
		return nil
	}
}

// cassettesIn returns the files that an argument names: itself, those like a
// pattern, or those below a folder.
func cassettesIn(argument string) (names []string, isFolder bool, err error) {
	if info, err := os.Stat(argument); err != nil || !info.IsDir() {
		names, err := cli.Expand(argument)
		return names, false, err
	}
	err = filepath.WalkDir(argument, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, true, cli.Broken(err)
	}
	return names, true, nil
}

func (s *session) readCassette(ctx context.Context, name string) ([]cassette.Interaction, int, error) {
	others := 0
	interactions, err := cli.Await(ctx, func() ([]cassette.Interaction, error) {
		in, err := s.Open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		interactions, rest, err := cassette.Read(filepath.ToSlash(name), in, harness.Dialects)
		others = rest
		return interactions, err
	})
	if ctx.Err() != nil {
		return nil, 0, ctx.Err() // others may still be written
	}
	return interactions, others, err
}
