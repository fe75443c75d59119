package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"toolproof/harness/facts"
	"toolproof/harness/live"
	"toolproof/harness/recording"
	"toolproof/harness/report"
	"toolproof/recordings"
)

// RecordingFiles returns the files of a folder, or the embedded recordings if the folder is
// empty.
func RecordingFiles(folder string) (fs.FS, error) {
	if folder == "" {
		return recordings.Files, nil
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, Usage("%s is no folder", folder)
	}
	return os.DirFS(folder), nil
}

// LoadRecordings loads the recordings of a folder, or the embedded ones if the folder is empty.
func LoadRecordings(folder string) (*recording.Store, error) {
	files, err := RecordingFiles(folder)
	if err != nil {
		return nil, err
	}
	store, err := recording.LoadAny(files)
	if err != nil {
		return nil, Broken(err)
	}
	return store, nil
}

// PrintRecordings prints recordings with their ages.
func PrintRecordings(out io.Writer, recordings []facts.Recording) {
	for _, recorded := range recordings {
		fmt.Fprintf(out, "%-37s %s %10s %-8s %-8s %s\n", recorded.Name, recorded.Day, age(recorded.Day), recorded.Grade, recorded.Outcome, recorded.Where)
	}
}

// age returns how many days ago a day was.
func age(day string) string {
	then, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	const hours = 24
	return report.Count(max(0, int(time.Since(then).Hours())/hours), "day")
}

// KeysOfEnvironment returns the API keys in the environment, which must appear nowhere else.
func KeysOfEnvironment() []string {
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
