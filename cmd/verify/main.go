// Command verify proves that LLM providers accept tool declarations.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
)

func main() { cli.Main(rootOf) }

// session is what the commands of one run share.
type session struct{ *cli.Session }

func rootOf(shared *cli.Session) *cobra.Command { return newRoot(&session{shared}) }

// run runs the program with the arguments, and returns its exit code.
func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	return cli.Run(ctx, rootOf, arguments, in, out, errs)
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:   cli.ShortName(),
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
		Args: func(command *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return nil
			}
			var names []string
			for _, child := range command.Commands() {
				names = append(names, child.Name())
			}
			err := fmt.Errorf("unknown command %q", arguments[0])
			if _, failed := os.Stat(arguments[0]); failed == nil {
				return cli.Broken(cli.Hint(err, cli.ProgramName+" check FILE checks a file"))
			}
			return cli.Broken(cli.Suggest(err, arguments[0], names, cli.ProgramName+" --help lists the commands"))
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return cli.Broken(cli.FlagError(command, err))
	})
	addVerify(s, root)
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Check tools:", []*cobra.Command{newCheck(s), newMCP(s), newAdvise(s), newDiff(s), newInit(s)}},
		{"Cure them:", []*cobra.Command{newNormalize(s)}},
		{"Try them:", []*cobra.Command{newServe(s), newClient(s), ask.NewLive(s.Session, false), newRecord(s), newTest(s)}},
		{"Know more:", []*cobra.Command{newExplain(s), newList(s), newReport(s), newCompare(s), newMCPServer(s)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.title
			root.AddCommand(command)
		}
	}
	for _, command := range root.Commands() {
		command.Hidden = command.Name() == "diff" // check --diff shows the same, and the help has room for 15
	}
	minimize := ask.NewMinimize(s.Session) // verify mcp-server runs it
	minimize.Hidden = true
	root.AddCommand(newVersion(s), minimize, newClientServer(s), newClientRun(s))
	root.CompletionOptions.HiddenDefaultCmd = true
	cli.Rename(root)
	return root
}
