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
		Short: "Judge the normalizers of other projects, and ours, on the same tools",
		Long: `peers judges normalizers that other projects ship, and those of this one, on the same
tools by the same judge: on the fixtures and, if TOOLPROOF_CORPUS names a corpus, on a
share of its tools from npm and its schemas of the JSON Schema test suite. With --docs
it writes peers.json and the table of checkers.md. make peers builds the adapters of the
other normalizers first.`,
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
	set.StringVar(&run.NPM, "npm", "lab/adapters/npm", "folder with the JavaScript adapters")
	set.StringVar(&run.Compiled, "go", "", "folder with the built Go adapters")
	set.StringVar(&run.Row, "row", "", "judge only this row, written 'NAME on SURFACE', and print each outcome")
	set.StringVar(&run.Docs, "docs", "", "write the pages and peers.json to this folder")
	set.IntVar(&run.Every, "every", 10, "judge one in this many of the tools from npm")
	set.IntVar(&run.Parallel, "parallel", 2, "judge this many rows at the same time")
	set.BoolVar(&pages, "pages", false, "judge nothing; write the pages again from peers.json")
	set.BoolVar(&checkers, "checkers", false, "run only the checkers, and keep the other rows as they are")
	set.StringVar(&older, "since", "", "judge nothing; print how the results differ from those in this folder")
	command.MarkFlagsMutuallyExclusive("pages", "checkers", "since", "row")
	return command
}
