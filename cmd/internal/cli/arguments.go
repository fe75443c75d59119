package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/internal/escape"
)

// SelfPath returns the path of this program, by the name with which it was started.
func SelfPath() (string, error) {
	found, err := exec.LookPath(os.Args[0])
	if err != nil {
		return os.Executable()
	}
	return filepath.Abs(found) //nolint:wrapcheck // it says what was wrong
}

// Unreadable is the error of a file of results.
func Unreadable(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return Interrupted(ctx)
	}
	return Broken(fmt.Errorf("%s: %w", escape.Line(name), err))
}

// OneOf asks for exactly one of the words.
func OneOf(words []string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) == 1 && slices.Contains(words, arguments[0]) {
			return nil
		}
		return Broken(Hint(fmt.Errorf("%s takes one of %s", command.CommandPath(), strings.Join(words, ", ")), command.CommandPath()+" "+words[0]))
	}
}
