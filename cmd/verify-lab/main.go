// Command verify-lab is for the maintainers of Toolproof: it collects evidence, compares the
// models with it, measures agents, gateways and other normalizers, and writes the pages made
// from all that. Users run the command verify.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
)

func main() { cli.Main(rootOf) }

// session is shared by the commands of one run.
type session struct{ *cli.Session }

func rootOf(shared *cli.Session) *cobra.Command { return newRoot(&session{shared}) }

// run runs the program with the arguments and returns its exit code.
func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	return cli.Run(ctx, rootOf, arguments, in, out, errs)
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:   cli.ShortName(),
		Short: "Collect evidence, hold the models against it, and publish what follows",
		Args: func(command *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return cli.Broken(cli.Hint(errors.New("a command is required"), command.Name()+" --help lists the commands"))
			}
			var names []string
			for _, child := range command.Commands() {
				names = append(names, child.Name())
			}
			return cli.Broken(cli.Suggest(fmt.Errorf("unknown command %q", arguments[0]), arguments[0], names, command.Name()+" --help lists the commands"))
		},
		RunE:          func(*cobra.Command, []string) error { return nil }, // Args refuses every use
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return cli.Broken(cli.FlagError(command, err))
	})
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Collect evidence:", []*cobra.Command{newAdd(s), ask.NewMinimize(s.Session), newImport(s), newReduce(s), newRecordings(s)}},
		{"Measure:", []*cobra.Command{newCalibrate(s), newExplore(s), ask.NewLive(s.Session, true), newStats(s), newGateway(s), newPeers(s)}},
		{"Extend:", []*cobra.Command{newNew(s)}},
		{"Publish:", []*cobra.Command{newDocs(), newSite()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.title
			root.AddCommand(command)
		}
	}
	root.AddCommand(newGatewayRun(s))
	return root
}
