package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/recording"
	"toolproof/recordings"
)

func newVersion(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and how old the evidence is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := recording.Load(recordings.Files)
			if err != nil {
				return exitError{exitBroken, err}
			}
			newest := store.All[0].Date
			for _, recorded := range store.All {
				newest = max(newest, recorded.Date)
			}
			version, revision := "(devel)", ""
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
				for _, setting := range info.Settings {
					if setting.Key == "vcs.revision" {
						revision = " " + setting.Value
					}
				}
			}
			fmt.Fprintf(s.out, "verify %s%s\n%d recordings of %d dialects, the newest of %s\n", version, revision, len(store.All), len(harness.Dialects), newest)
			return nil
		},
	}
}
