// Command verify-lab is for the maintainers of Toolproof: it collects evidence, compares the
// models with it, measures agents, gateways and other normalizers, and writes the pages made
// from all that. Users run the command verify.
package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/lab/gateway"
	"toolproof/lab/scan"
)

func main() { cli.Main("verify-lab", rootOf) }

// session is shared by the commands of one run.
type session struct{ *cli.Session }

func rootOf(shared *cli.Session) *cobra.Command { return newRoot(&session{shared}) }

// run runs the program with the arguments and returns its exit code.
func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	return cli.Run(ctx, rootOf, arguments, in, out, errs)
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Short: "Collect evidence, compare the provider models with it, and publish the results",
		RunE: func(*cobra.Command, []string) error {
			return cli.Broken(cli.Hint(errors.New("a command is required"), "verify-lab --help lists the commands"))
		},
	}
	cli.Complete(root, []cli.Group{
		{Title: "Collect evidence:", Commands: []*cobra.Command{newAdd(s), ask.NewMinimize(s.Session), newImport(s), newReduce(s), newRecordings(s)}},
		{Title: "Measure:", Commands: []*cobra.Command{newCalibrate(s), newExplore(s), ask.NewLive(s.Session, true), newStats(s), newGateway(s), newPeers(s), newScan(s), newHistory(s)}},
		{Title: "Extend:", Commands: []*cobra.Command{newNew(s)}},
		{Title: "Publish:", Commands: []*cobra.Command{newDocs(), newSite(), newData()}},
	})
	root.AddCommand(s.NewInside(gateway.RunCommand, "Ask one gateway, for verify-lab gateway", gateway.Inside))
	root.AddCommand(s.NewInside(scan.RunCommand, "Ask one server, for verify-lab scan", scan.Inside))
	return root
}
