// Command verify tells which LLM providers refuse a tool declaration, and rewrites tools for them.
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

// session is shared by the commands of one run.
type session struct{ *cli.Session }

func rootOf(shared *cli.Session) *cobra.Command { return newRoot(&session{shared}) }

// run runs the program with the arguments and returns its exit code.
func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	return cli.Run(ctx, rootOf, arguments, in, out, errs)
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Short: "Prove that LLM providers accept tool declarations",
		Long: `verify tells you, before a user finds out, which LLM providers refuse a tool
declaration, and whether the tool, rewritten for a provider, still means what its author
wrote.

Without a command it checks what toolproof.json names, or says how to begin. In a
checkout of this project, or with one of the flags below, it replays every fixture: tools
that once broke something are judged again by the provider models and the recorded
answers inside the program. It needs no key and no network.

The commands use these words:

  surface   a field of a provider's API that takes a schema; its name, such as
            gemini/parameters, is called a dialect
  target    what tools are checked and rewritten for, such as gemini or openai-strict: a
            surface, mostly with a normalizer
  fixture   a tool that broke something, and what each surface is expected to say of it
  evidence  what a verdict rests on, from best to least: live, recorded, reported, predicted

Exit codes:
  0  conforms
  1  does not conform
  2  wrong usage, a file that cannot be read, or an error of verify itself
  3  no verdict, such as when a server did not start`,
		Example: `  verify --fixture 'property-*'
  verify check tools.json
  verify check --target gemini --json tools.jsonl.gz
  verify normalize --target gemini tools.json
  verify explain gemini/parameters/unknown_name`,
	}
	addVerify(s, root)
	cli.Complete(root, []cli.Group{
		{Title: "Check tools:", Commands: []*cobra.Command{newCheck(s), newMCP(s), newAdvise(s), newDiff(s), newInit(s)}},
		{Title: "Cure them:", Commands: []*cobra.Command{newNormalize(s), newWrap(s)}},
		{Title: "Try them:", Commands: []*cobra.Command{newServe(s), newClient(s), ask.NewLive(s.Session, false), newRecord(s), newTest(s), newConformance(s)}},
		{Title: "Know more:", Commands: []*cobra.Command{newExplain(s), newList(s), newReport(s), newCompare(s), newMCPServer(s), newRPC(s)}},
	})
	minimize := ask.NewMinimize(s.Session) // verify mcp-server runs it
	minimize.Hidden = true
	root.AddCommand(newVersion(s), minimize, newClientServer(s), newGuard(), s.NewInside(agent.RunCommand, "Run one agent, for verify client", agent.Inside))
	return root
}
