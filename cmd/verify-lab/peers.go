package main

import (
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/lab/peers/measure"
)

func newPeers(s *session) *cobra.Command {
	run := measure.Run{Out: s.Out, Errs: s.Errs}
	var pages, checkers bool
	older := ""
	command := &cobra.Command{
		Use:   "peers",
		Short: "Judge the normalizers that others ship, and ours, on the same tools",
		Long: `peers judges the normalizers that people ship, and those of this project, on the same
tools by the same judge: the fixtures and, of the corpus that TOOLPROOF_CORPUS names, a
share of the tools of npm and the schemas of the JSON Schema suite. With --docs it writes
peers.json and the table of checkers.md. make peers builds the adapters first.`,
		Example: `  verify-lab peers --go adapters --docs docs
  verify-lab peers --row 'toolproof on gemini/parameters'
  verify-lab peers --pages --docs docs`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			switch {
			case pages:
				err = run.Pages()
			case checkers:
				err = run.Checkers(command.Context())
			case older != "":
				err = run.Since(older)
			default:
				err = run.All(command.Context())
			}
			if err != nil {
				return cli.Broken(err)
			}
			return nil
		},
	}
	set := command.Flags()
	set.StringVar(&run.NPM, "npm", "lab/adapters/npm", "read the adapters in JavaScript from this folder")
	set.StringVar(&run.Compiled, "go", "", "run the adapters in Go of this folder, which are built")
	set.StringVar(&run.Row, "row", "", "judge only this row, NAME on SURFACE, and print each outcome")
	set.StringVar(&run.Docs, "docs", "", "write the documents to this folder")
	set.IntVar(&run.Every, "every", 10, "judge one of so many tools of npm")
	set.IntVar(&run.Parallel, "parallel", 2, "judge so many rows at a time")
	set.BoolVar(&pages, "pages", false, "make the documents again of what was measured, and judge nothing")
	set.BoolVar(&checkers, "checkers", false, "ask the checkers alone, and keep the other rows")
	set.StringVar(&older, "since", "", "print what the documents say otherwise than those of this folder, and judge nothing")
	command.MarkFlagsMutuallyExclusive("pages", "checkers", "since", "row")
	return command
}
