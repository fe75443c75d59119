package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/lab/site"
)

func newSite() *cobra.Command {
	docs, source := "docs", ""
	command := &cobra.Command{
		Use:   "site FOLDER",
		Short: "Write the website",
		Long: `site writes the website to a folder: what each surface takes, the rules, a page for each
keyword and each error message, what was measured of public tools, agents and normalizers,
and the documentation. make site
first writes the playground into the same folder.`,
		Example: `  verify-lab site ./site`,
		Args:    oneFolder("site ./site"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return writeMade(arguments[0], func() (map[string][]byte, error) {
				return siteFiles(command.Context(), arguments[0], docs, source)
			})
		},
	}
	command.Flags().StringVar(&docs, "docs", docs, "folder with the documentation and the measurements")
	command.Flags().StringVar(&source, "source", source, "URL of the repository, to which pages lead")
	_ = command.MarkFlagDirname("docs")
	return command
}

// siteFiles returns the files of the website by name. The folder may contain the playground,
// docs contains the documentation and the measurements, and source is the URL of the repository.
func siteFiles(ctx context.Context, folder, docs, source string) (map[string][]byte, error) {
	store, err := cli.EveryRecording()
	if err != nil {
		return nil, err
	}
	all, err := cli.EveryFixture()
	if err != nil {
		return nil, err
	}
	return site.Files(ctx, &site.Data{Store: store, Fixtures: all, Docs: os.DirFS(docs), Source: source, Present: os.DirFS(folder)})
}
