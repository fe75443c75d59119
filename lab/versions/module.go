package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"toolproof/harness/provider"
)

// goLanguage is the language of subjects that are modules of Go.
const goLanguage = "go"

// build builds the package of the folder at a path below it, with the subject's version of its module, and returns the
// name of the program. All other modules have the versions that this one asks for.
func (s subjectVersion) build(ctx context.Context, folder, path string) (string, error) {
	const patience = 15 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	program := filepath.Join(folder, "program")
	get := []string{"get", s.Package + "@" + s.version}
	for _, name := range sortedNames(s.With) {
		get = append(get, name+"@"+withVersion(s.With[name], s.version))
	}
	for _, arguments := range [][]string{{"mod", "init", "toolproof/lab/adapters"}, get, {"build", "-mod=mod", "-o", program, "./" + path}} {
		if said, err := inFolder(ctx, folder, arguments...); err != nil {
			return "", fmt.Errorf("go %s: %w\n%s", arguments[0], err, said)
		}
	}
	built, err := inFolder(ctx, folder, "list", "-m", "-f", "{{.Version}}", s.Package)
	if err != nil {
		return "", fmt.Errorf("go list: %w\n%s", err, built)
	}
	if built := strings.TrimSpace(string(built)); built != s.version {
		return "", fmt.Errorf("the modules beside it ask for %s", built)
	}
	return program, nil
}

// copyGo copies the sources of a package to another folder. They import the subject's module instead of As, if that is set.
func (s subjectVersion) copyGo(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("there is no package in %s", from)
	}
	const own = 0o700
	if err := os.MkdirAll(to, own); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name) //nolint:gosec // a file of the project
		if err != nil {
			return fmt.Errorf("reading a source: %w", err)
		}
		if s.As != "" {
			text = bytes.ReplaceAll(text, []byte(`"`+s.As), []byte(`"`+s.Package))
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(name)), text, own); err != nil { //nolint:gosec // into a folder of this run
			return fmt.Errorf("writing a source: %w", err)
		}
	}
	return nil
}

// isDownload matches what go says of each module that it downloads.
var isDownload = regexp.MustCompile(`(?m)^go: downloading .*\n`)

// inFolder runs a command of go.
func inFolder(ctx context.Context, folder string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", arguments...) //nolint:gosec // of modules of subjects.json
	command.Dir = folder
	said, err := command.CombinedOutput()
	said = isDownload.ReplaceAll(said, nil)
	for _, failure := range []string{"reading https://", "dial tcp", "i/o timeout", "connection reset"} {
		if err != nil && bytes.Contains(said, []byte(failure)) {
			return said, errSlow
		}
	}
	if ctx.Err() != nil {
		return said, errSlow
	}
	return said, err //nolint:wrapcheck // the caller names the command
}

// committed returns the day of the commit of each version of a module.
func committed(ctx context.Context, module string, versions []string) (map[string]provider.Date, error) {
	arguments := []string{"list", "-m", "-json"}
	for _, version := range versions {
		arguments = append(arguments, module+"@"+version)
	}
	text, err := exec.CommandContext(ctx, "go", arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("asking for the days of %s: %w", module, err)
	}
	days := map[string]provider.Date{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var listed struct {
			Version string    `json:"Version"` //nolint:tagliatelle // go writes it so
			Time    time.Time `json:"Time"`    //nolint:tagliatelle // go writes it so
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			return days, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the days of %s: %w", module, err)
		}
		days[listed.Version] = provider.Date(listed.Time.UTC().Format(time.DateOnly))
	}
}
