package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/facts"
	"toolproof/lab/datapackage"
)

func newData() *cobra.Command {
	checkout, address := ".", ""
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
				return dataFiles(command.Context(), checkout, address)
			})
		},
	}
	command.Flags().StringVar(&checkout, "checkout", checkout, "folder of the project")
	command.Flags().StringVar(&address, "address", address, "`HOST/OWNER/NAME` of the repository, after which the packages are named")
	_ = command.MarkFlagDirname("checkout")
	_ = command.MarkFlagRequired("address")
	return command
}

// dataFiles returns the files of the package by name.
func dataFiles(ctx context.Context, checkout, address string) (map[string][]byte, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, err
	}
	all, err := facts.All(ctx, store)
	if err != nil {
		return nil, err
	}
	return datapackage.Files(all, os.DirFS(checkout), address)
}
