package scan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolproof/harness/server"
	"toolproof/internal/group"
	"toolproof/internal/program"
)

// RunCommand is the command of this program that calls Inside.
const RunCommand = "scan-one"

// job is a server to start, in a process of its own.
type job struct {
	Command        []string
	Env            []string
	Path           string
	Start, Answers time.Duration
	Bytes          int
}

// listed is what a server answers there.
type listed struct {
	List, Error string
}

// Isolation returns the reason why programs cannot be isolated on this system; empty if they can.
func Isolation(ctx context.Context, self []string) string {
	return program.Isolation(ctx, append(slices.Clone(self), RunCommand))
}

// Inside asks the server that it reads about, in the process that a Scan has started.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	return program.Inside(ctx, in, out, here)
}

// program starts a server in namespaces of its own, without a network, and asks it. A package is installed before.
func (s *Scan) program(ctx context.Context, asked Server) ([]byte, error) {
	command := asked.Command
	if asked.Package != "" {
		installed, err := s.install(ctx, asked.Package)
		if err != nil {
			return nil, err
		}
		command = slices.Concat(installed, asked.Arguments)
	}
	work := job{Command: command, Env: asked.Env, Path: s.Path, Start: s.Start, Answers: s.Answers, Bytes: s.Bytes}
	answer, _, err := program.Apart(ctx, append(slices.Clone(s.Self), RunCommand), work, here)
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return []byte(answer.List), err
}

// mostComplaint is how much of a program's standard error is kept.
const mostComplaint = 300

func here(ctx context.Context, work job) (listed, error) {
	home, err := os.MkdirTemp("", "scan-")
	if err != nil {
		return listed{}, err
	}
	defer program.RemoveAll(home)
	started := server.Program(ctx, work.Command[0], work.Command[1:]...)
	started.Dir, started.Env = home, append(program.Environment(home, work.Path), work.Env...)
	started.Start, started.Answers, started.MostBytes = work.Start, work.Answers, work.Bytes
	text, err := started.List(ctx)
	if err != nil {
		complaint := started.Complaint() // such as that a key is missing
		return listed{Error: strings.TrimSpace(err.Error() + "\n" + complaint[max(0, len(complaint)-mostComplaint):])}, nil
	}
	return listed{List: string(text)}, nil
}

// install installs a package of npm, without its scripts, and returns the command that starts it.
func (s *Scan) install(ctx context.Context, name string) ([]string, error) {
	folder := filepath.Join(s.Folder, strings.NewReplacer("/", "+", `\`, "+", "..", "+").Replace(name))
	bare := name
	if at := strings.LastIndex(name, "@"); at > 0 {
		bare = name[:at]
	}
	if strings.HasPrefix(name, "-") || bare != path.Clean(bare) || strings.HasPrefix(bare, ".") || strings.HasPrefix(bare, "/") || strings.Contains(bare, ":") {
		return nil, fmt.Errorf("%.80q is no name of a package", name)
	}
	limited, cancel := context.WithTimeout(ctx, s.Install)
	defer cancel()
	if err := os.MkdirAll(folder, 0o700); err != nil { //nolint:mnd // for the user alone
		return nil, err
	}
	var complaint bytes.Buffer
	npm := exec.CommandContext(limited, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, name) //nolint:gosec // checked above
	npm.Stderr = &complaint
	group.Prepare(npm)
	npm.Cancel = func() error { return group.Kill(npm) }
	if err := npm.Run(); err != nil {
		first, _, _ := strings.Cut(complaint.String(), "\n")
		if limited.Err() != nil {
			err = limited.Err()
		}
		return nil, fmt.Errorf("npm install: %w %s", late(err, "it", s.Install), first)
	}
	return binaryOf(filepath.Join(folder, "node_modules", filepath.FromSlash(bare)))
}

// binaryOf returns the command of the program of a package: the one of its own name, or else its first.
func binaryOf(folder string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "package.json")) //nolint:gosec // npm made the folder
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Bin json.RawMessage `json:"bin"`
	}
	_ = json.Unmarshal(text, &manifest) // without bin there is no program
	var one string
	var several map[string]string
	if json.Unmarshal(manifest.Bin, &one) != nil && json.Unmarshal(manifest.Bin, &several) == nil {
		one = several[filepath.Base(folder)]
		if names := slices.Sorted(maps.Keys(several)); one == "" && len(names) > 0 {
			one = several[names[0]]
		}
	}
	if one == "" {
		return nil, errNoProgram
	}
	return []string{"node", filepath.Join(folder, filepath.FromSlash(one))}, nil
}
