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

	"toolproof/harness"
	"toolproof/harness/cassette"
	"toolproof/harness/escape"
	"toolproof/harness/report"
)

func newImport(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE...",
		Short: "Make evidence of the cassettes of other projects",
		Long: `import reads recorded HTTP traffic and writes JSON Lines of what providers were
asked to accept and how they answered, for verify calibrate.

It reads the cassettes of vcrpy (YAML and JSON), Ruby VCR and Betamax, go-vcr 1 to 4,
the traces of httprr, HAR as browsers and Polly write it, and the definitions of nock;
compressed with gzip or not. A folder is searched for them; - reads standard input.

Declarations, schemas, status, error, model and day are taken, and nothing else: no
header, no query of a URL, no prompt.

It exits 2 when a file cannot be read, and 3 when there is nothing to import.`,
		Example: `  verify import tests/cassettes
  verify import cassettes/*.yaml trace.httprr >evidence.jsonl
  verify import recording.har | verify calibrate -`,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return exitError{exitBroken, hint(errors.New("no cassette to read"), "name a file or a folder, or - for standard input")}
			}
			return nil
		},
		RunE: func(command *cobra.Command, files []string) error {
			return s.importAll(command.Context(), files)
		},
	}
}

func (s *session) importAll(ctx context.Context, arguments []string) error {
	encoder := json.NewEncoder(s.out)
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
				return interrupted(ctx)
			}
			if isFolder && errors.Is(err, cassette.ErrUnknown) {
				continue // a folder may have other files too
			}
			files++
			if err != nil {
				broken = true
				s.warnf("%s: %v", escape.Line(name), err)
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
	s.warnf("%s imported from %s; %d more declare nothing to a provider", report.Count(imported, "interaction"), report.Count(files, "cassette"), others)
	switch {
	case broken:
		return exitError{code: exitBroken}
	case imported == 0:
		return exitError{exitInconclusive, hint(errors.New("there is nothing to import"), "verify import --help lists the forms that are read")}
	default:
		return nil
	}
}

// cassettesIn returns the files that an argument names: itself, those like a
// pattern, or those below a folder.
func cassettesIn(argument string) (names []string, isFolder bool, err error) {
	if info, err := os.Stat(argument); err != nil || !info.IsDir() {
		names, err := expand(argument)
		return names, false, err
	}
	err = filepath.WalkDir(argument, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, true, exitError{exitBroken, err}
	}
	return names, true, nil
}

func (s *session) readCassette(ctx context.Context, name string) ([]cassette.Interaction, int, error) {
	others := 0
	interactions, err := await(ctx, func() ([]cassette.Interaction, error) {
		in, err := s.open(name)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // it was read
		interactions, rest, err := cassette.Read(filepath.ToSlash(name), in, harness.Dialects)
		others = rest
		return interactions, err
	})
	if ctx.Err() != nil {
		return nil, 0, ctx.Err() // others may still be written
	}
	return interactions, others, err
}
