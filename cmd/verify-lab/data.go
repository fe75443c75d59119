package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/facts"
	"toolproof/lab/datapackage"
)

func newData() *cobra.Command {
	checkout, address, day := ".", "", ""
	command := &cobra.Command{
		Use:   "data FOLDER",
		Short: "Write the package of data for other programs",
		Long: `data writes a folder that is both an npm package and a Go module: data.json with what
each surface does with each construct of JSON Schema, limits, clients, rewrites and
requirements; its JSON Schema; and a small library for each language. docs/data.md
describes it.`,
		Example: `  verify-lab data --address github.com/me/toolproof ./dist/data`,
		Args:    oneFolder("data --address github.com/me/toolproof ./dist/data"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return writeMade(arguments[0], func() (map[string][]byte, error) {
				return dataFiles(command.Context(), checkout, address, day)
			})
		},
	}
	command.Flags().StringVar(&checkout, "checkout", checkout, "folder of the project")
	command.Flags().StringVar(&address, "address", address, "`HOST/OWNER/NAME` of the repository, after which the packages are named")
	command.Flags().StringVar(&day, "day", "", "`DAY` that the version is named after, such as that of the commit (default: today)")
	_ = command.MarkFlagDirname("checkout")
	_ = command.MarkFlagRequired("address")
	return command
}

// dataFiles returns the files of the package by name.
func dataFiles(ctx context.Context, checkout, address, day string) (map[string][]byte, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, err
	}
	all, err := facts.All(ctx, store)
	if err != nil {
		return nil, err
	}
	if day != "" {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return nil, fmt.Errorf("--day: %q is no day such as 2026-01-31", day)
		}
		all.Day, all.Version = day, facts.Version(day)
	}
	return datapackage.Files(all, os.DirFS(checkout), address)
}
