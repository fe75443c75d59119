package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/live"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/lab/evidence"
	"toolproof/recordings"
)

func newRecordings(s *session) *cobra.Command {
	var folder string
	var dryRun bool
	command := &cobra.Command{
		Use:   "recordings list|show|prune|scan",
		Short: "List, show, prune and scan the recorded answers of providers",
		Long: `recordings manages the recorded answers inside the program, or in --folder.

list shows each recording with its day and age. show prints those whose name begins
with NAME. scan searches every file for keys; exit code 1: it found one. prune works on
--folder only. It removes recordings that no rule and no fixture uses. It also removes
recordings of many declarations with newer answers, and the remains of a killed run.`,
		Args: func(command *cobra.Command, arguments []string) error {
			return oneOf([]string{"list", "show", "prune", "scan"})(command, arguments)
		},
	}
	command.RunE = func(command *cobra.Command, arguments []string) error { return command.Args(command, arguments) }
	command.PersistentFlags().StringVar(&folder, "folder", "", "use the recordings of this folder, such as recordings")
	list := &cobra.Command{
		Use: "list", Short: "List the recordings with their age", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.listRecordings(folder) },
	}
	show := &cobra.Command{
		Use: "show NAME", Short: "Print recordings", Example: "  verify recordings show openai/chat/34dbccb38d52", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, arguments []string) error { return s.showRecordings(folder, arguments[0]) },
	}
	prune := &cobra.Command{
		Use: "prune", Short: "Remove recordings that nothing uses", Example: "  verify recordings prune --folder recordings --dry-run", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.pruneRecordings(folder, dryRun) },
	}
	prune.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be removed, and remove nothing")
	scan := &cobra.Command{
		Use: "scan", Short: "Search for keys", Example: "  verify recordings scan --folder recordings", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return s.scanRecordings(folder) },
	}
	command.AddCommand(list, show, prune, scan)
	return command
}

// recordingFiles returns the files of a folder, or those inside the program.
func recordingFiles(folder string) (fs.FS, error) {
	if folder == "" {
		return recordings.Files, nil
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, cli.Usage("%s is no folder", folder)
	}
	return os.DirFS(folder), nil
}

func loadRecordings(folder string) (*recording.Store, error) {
	files, err := recordingFiles(folder)
	if err != nil {
		return nil, err
	}
	store, err := recording.LoadAny(files)
	if err != nil {
		return nil, cli.Broken(err)
	}
	return store, nil
}

func (s *session) listRecordings(folder string) error {
	store, err := loadRecordings(folder)
	if err != nil {
		return err
	}
	for _, recorded := range store.All {
		outcome := "rejected"
		if recorded.Accepted() {
			outcome = "accepted"
		}
		fmt.Fprintf(s.Out, "%-37s %s %10s %-8s %s %s\n", recorded.Name(), recorded.Date, age(recorded), recorded.Grade, outcome, recorded.Source)
	}
	return nil
}

// age returns for how many days a recording has been there.
func age(recorded *recording.Recording) string {
	day, err := time.Parse(time.DateOnly, string(recorded.Date))
	if err != nil {
		return ""
	}
	const hours = 24
	return report.Count(max(0, int(time.Since(day).Hours())/hours), "day")
}

func (s *session) showRecordings(folder, name string) error {
	store, err := loadRecordings(folder)
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
		return cli.Broken(cli.Suggest(fmt.Errorf("no recording is called %q", name), name, names, cli.ProgramName+" recordings list shows their names"))
	}
	return nil
}

func (s *session) pruneRecordings(folder string, dryRun bool) error {
	if folder == "" {
		return cli.Broken(cli.Hint(errors.New("--folder is required"), "such as --folder recordings"))
	}
	store, err := loadRecordings(folder)
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
	files, err := recordingFiles(folder)
	if err != nil {
		return err
	}
	leaks, err := recording.Scan(files, keysOfEnvironment())
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

// keysOfEnvironment returns the keys that are set, which must stand nowhere else.
func keysOfEnvironment() []string {
	var keys []string
	for _, known := range live.Providers {
		for _, name := range known.Keys {
			if key := os.Getenv(name); key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
