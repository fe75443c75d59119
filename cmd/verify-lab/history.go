package main

import (
	"os"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/lab/versions"
)

func newHistory(s *session) *cobra.Command {
	run := versions.Run{Errs: s.Errs, Environ: os.Environ(), Path: os.Getenv("PATH")}
	var reports []string
	command := &cobra.Command{
		Use:   "history [PACKAGE[@VERSION]]...",
		Short: "Measure versions of other people's programs that the history lacks",
		Long: `history installs versions of SDKs, normalizers, engines and MCP servers from npm, and builds
those of Go modules; it measures what each does to tools, and appends a line for each version
and surface to docs/history.
lab/versions/subjects.json lists the packages and versions, and
lab/referees/ajv/versions.json the servers. A version that the history has
is not measured again, unless it is named: to measure a new one, add it to the list. --from takes
what other commands have measured.`,
		Example: `  verify-lab history
  verify-lab history @ai-sdk/google openai
  verify-lab history cline@2.14.0
  verify-lab history --from docs/clients.json --from docs/gateways.json`,
		RunE: func(command *cobra.Command, packages []string) error {
			for _, name := range reports {
				if err := run.Import(command.Context(), name); err != nil {
					return cli.Broken(err)
				}
			}
			if len(reports) > 0 {
				return nil
			}
			run.Only = packages
			if err := run.All(command.Context()); err != nil {
				return cli.Broken(err)
			}
			return nil
		},
	}
	set := command.Flags()
	set.StringVar(&run.Folder, "to", "docs/history", "folder with the history")
	set.StringVar(&run.Adapters, "npm", "lab/adapters/npm", "folder with the JavaScript adapters")
	set.StringVar(&run.GoAdapters, "go", "lab/adapters/go", "folder with the module of the Go adapters")
	set.StringVar(&run.Engines, "engines", "lab/referees/engines", "folder with the referees of engines")
	set.StringVar(&run.Verify, "verify", "verify", "the command verify, which runs the agents")
	set.StringArrayVar(&reports, "from", nil, "measure nothing; take the reports of verify client --json or verify-lab gateway --json from this file (repeatable)")
	set.StringVar(&run.Servers, "servers", "lab/referees/ajv/versions.json", "file with the MCP servers")
	set.StringVar(&run.Tools, "tools", "lab/clients/agents/tricky-tools.json", "file with the tools")
	set.IntVar(&run.Parallel, "parallel", 2, "measure this many versions at the same time")
	return command
}
