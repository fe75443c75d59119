package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/internal/escape"
)

// SelfPath returns the absolute path of this program.
func SelfPath() (string, error) {
	found, err := exec.LookPath(os.Args[0])
	if err != nil {
		return os.Executable()
	}
	return filepath.Abs(found) //nolint:wrapcheck // the error says what is wrong
}

// Installed returns the absolute path of an installed program. The error for one that is missing
// names the npm package.
func Installed(title, program, npm string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", Broken(Hint(fmt.Errorf("%s is not installed: %w", title, err), "npm install --global "+npm))
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", Broken(err)
	}
	return path, nil
}

// NewInside returns the hidden command with which a command of this program does work in a process of
// its own.
func (s *Session) NewInside(name, short string, work func(context.Context, io.Reader, io.Writer) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Hidden: true, Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := work(command.Context(), s.In, s.Out); err != nil {
				return Broken(err)
			}
			return nil
		},
	}
}

// Unreadable returns the error of a file of results that cannot be read.
func Unreadable(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return Interrupted(ctx)
	}
	err = fmt.Errorf("%s: %w", escape.Line(name), err)
	if errors.Is(err, report.ErrNoResult) {
		err = Hint(err, "this command reads the results of runs, not tools: verify check --json "+ShellQuote(name)+" >results.jsonl writes them")
	}
	return Broken(err)
}

// OneOf requires exactly one argument, which must be one of the words.
func OneOf(words []string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == 1 && slices.Contains(words, arguments[0]) {
			return nil
		}
		return Broken(Hint(fmt.Errorf("%s takes one of %s", command.CommandPath(), strings.Join(words, ", ")), command.CommandPath()+" "+words[0]))
	}
}

// DialectNamed returns the surface of that name. If there is none, the error suggests a similar
// name.
func DialectNamed(name string) (*provider.Dialect, error) {
	dialect, err := harness.DialectNamed(name)
	if err != nil {
		var names []string
		for _, dialect := range harness.Dialects {
			names = append(names, dialect.Name)
		}
		return nil, Broken(Suggest(fmt.Errorf("unknown dialect %q", name), name, names, "verify list dialects lists them"))
	}
	return dialect, nil
}
