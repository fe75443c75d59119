package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/facts"
	"toolproof/harness/recording"
	"toolproof/harness/report"
)

func newRecordings(s *session) *cobra.Command {
	var folder string
	var dryRun bool
	command := &cobra.Command{
		Use:   "recordings list|show|prune|scan",
		Short: "List, show, prune and scan the recorded answers of providers",
		Long: `recordings manages the recorded answers of providers: those inside the program, or those
in --folder.

list prints each recording with its day and age, and show those whose name begins with
NAME. scan searches the files for keys and exits with 1 if it finds one. prune requires
--folder; it removes recordings that no rule and no fixture uses, recordings of many
declarations whose tools have newer answers, and what a killed run left behind.`,
		Args: func(command *cobra.Command, arguments []string) error {
			return cli.OneOf([]string{"list", "show", "prune", "scan"})(command, arguments)
		},
	}
	command.RunE = func(command *cobra.Command, arguments []string) error { return command.Args(command, arguments) }
	command.PersistentFlags().StringVar(&folder, "folder", "", "use the recordings in this folder, such as recordings")
	list := &cobra.Command{
		Use: "list", Short: "List the recordings with their age", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := cli.LoadRecordings(folder)
			if err != nil {
				return err
			}
			cli.PrintRecordings(s.Out, facts.Recordings(store))
			return nil
		},
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Print recordings", Example: "  verify-lab recordings show openai/chat/34dbccb38d52", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, arguments []string) error { return s.showRecordings(folder, arguments[0]) },
	}
	prune := &cobra.Command{
		Use: "prune", Short: "Remove recordings that nothing uses", Example: "  verify-lab recordings prune --folder recordings --dry-run", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.pruneRecordings(folder, dryRun) },
	}
	prune.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be removed, and remove nothing")
	scan := &cobra.Command{
		Use: "scan", Short: "Search for keys", Example: "  verify-lab recordings scan --folder recordings", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.scanRecordings(folder) },
	}
	command.AddCommand(list, show, prune, scan)
	return command
}

func (s *session) showRecordings(folder, name string) error {
	store, err := cli.LoadRecordings(folder)
	if err != nil {
		return err
	}
	found := false
	var names []string
	for _, recorded := range store.All {
		names = append(names, recorded.Name())
		if !strings.HasPrefix(recorded.Name(), name) {
			continue
		}
		text, err := recorded.Text()
		if err != nil {
			return cli.Broken(err)
		}
		if _, err := s.Out.Write(text); err != nil {
			return fmt.Errorf("writing a recording: %w", err)
		}
		found = true
	}
	if !found {
		return cli.Broken(cli.Suggest(fmt.Errorf("no recording is called %q", name), name, names, "verify-lab recordings list shows their names"))
	}
	return nil
}

func (s *session) pruneRecordings(folder string, dryRun bool) error {
	if folder == "" {
		return cli.Broken(cli.Hint(errors.New("--folder is required"), "such as --folder recordings"))
	}
	store, err := cli.LoadRecordings(folder)
	if err != nil {
		return err
	}
	unfinished, err := recording.Unfinished(os.DirFS(folder))
	if err != nil {
		return cli.Broken(err)
	}
	data, err := cli.LoadEmbedded()
	if err != nil {
		return cli.Broken(err)
	}
	orphans := evidence.Orphans(store, harness.Dialects, data.Fixtures)
	why := map[string]string{}
	for _, name := range unfinished {
		why[name] = "was not finished"
	}
	for _, recorded := range store.All {
		switch {
		case slices.Contains(orphans, recorded.Name()):
			why[recorded.File] = "no rule and no fixture uses it"
		case store.IsSuperseded(recorded):
			why[recorded.File] = "newer recordings answer for all of it"
		}
	}
	names := make([]string, 0, len(why))
	for name := range why {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !dryRun {
			if err := os.Remove(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
				return cli.Broken(err)
			}
		}
		fmt.Fprintf(s.Out, "%s: %s\n", name, why[name])
	}
	done := "removed"
	if dryRun {
		done = "would be removed"
	}
	s.Warnf("%s of %d %s", report.Count(len(names), "file"), len(store.All)+len(unfinished), done)
	return nil
}

func (s *session) scanRecordings(folder string) error {
	files, err := cli.RecordingFiles(folder)
	if err != nil {
		return err
	}
	leaks, err := recording.Scan(files, cli.KeysOfEnvironment())
	if err != nil {
		return cli.Broken(err)
	}
	for _, leak := range leaks {
		fmt.Fprintf(s.Out, "%s:%d: %v\n", leak.File, leak.Line, recording.ErrSecret)
	}
	if len(leaks) > 0 {
		return cli.Exit(cli.CodeFails)
	}
	return nil
}
