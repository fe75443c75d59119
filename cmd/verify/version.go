package main

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/recordings"
)

func newVersion(s *session) *cobra.Command {
	return &cobra.Command{
		Use:    "version",
		Short:  "Print the version, how old the evidence is, and the releases that are modelled",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			days, err := recording.Days(recordings.Files)
			if err != nil {
				return cli.Broken(err)
			}
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, setting := range info.Settings {
					if setting.Key == "vcs.revision" {
						revision = " " + setting.Value
					}
				}
			}
			fmt.Fprintf(s.Out, "%s %s%s\n%d recordings of %d dialects, the newest of %s\n", cli.ShortName(), cli.Version(), revision, len(days), len(harness.Dialects), slices.Max(days))
			var shown []string
			for _, dialect := range harness.Dialects {
				if newest := dialect.VersionOn(provider.Today()); newest.Name != "" && !slices.Contains(shown, dialect.Service()) {
					shown = append(shown, dialect.Service())
					fmt.Fprintf(s.Out, "%s as of %s, %s\n", dialect.Service(), newest.Name, newest.Date)
				}
			}
			return nil
		},
	}
}
