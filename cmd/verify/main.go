// Command verify proves that LLM providers accept tool declarations.
package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent"
)

func main() { cli.Main("verify", rootOf) }

// session is what the commands of one run share.
type session struct{ *cli.Session }

func rootOf(shared *cli.Session) *cobra.Command { return newRoot(&session{shared}) }

// run runs the program with the arguments, and returns its exit code.
func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	return cli.Run(ctx, rootOf, arguments, in, out, errs)
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Short: "Prove that LLM providers accept tool declarations",
		Long: `verify proves that an LLM provider accepts a tool declaration, before a user finds out.
It also proves that the tool still means what its author wrote.

Without a command it replays every fixture against every dialect, offline, from
the data inside the program.`,
		Example: `  verify --fixture 'property-*'
  verify check tools.json
  verify check --target gemini --json tools.jsonl.gz
  verify normalize --target gemini tools.json
  verify explain gemini/parameters/unknown_name`,
	}
	addVerify(s, root)
	cli.Complete(root, []cli.Group{
		{Title: "Check tools:", Commands: []*cobra.Command{newCheck(s), newMCP(s), newAdvise(s), newDiff(s), newInit(s)}},
		{Title: "Cure them:", Commands: []*cobra.Command{newNormalize(s)}},
		{Title: "Try them:", Commands: []*cobra.Command{newServe(s), newClient(s), ask.NewLive(s.Session, false), newTest(s)}},
		{Title: "Know more:", Commands: []*cobra.Command{newExplain(s), newList(s), newReport(s), newCompare(s), newMCPServer(s)}},
	})
	minimize := ask.NewMinimize(s.Session) // verify mcp-server runs it
	minimize.Hidden = true
	root.AddCommand(newVersion(s), minimize, newClientServer(s), s.NewInside(agent.RunCommand, "Run one agent, for verify client", agent.Inside))
	return root
}
