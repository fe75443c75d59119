package cli

import (
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/internal/lazy"
)

// ProgramName is the name of this program in everything that it prints, so that printed
// commands can be typed: the name under which it was started, such as toolproof, or npx with
// the name of the package.
var ProgramName = "verify"

// NameOf returns the name of a program that was started by a path.
func NameOf(path string) string {
	if strings.HasPrefix(path, Npx) {
		return path
	}
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// Npx is the prefix that the launcher of the npm package puts before the package's name.
const Npx = "npx "

// ShortName returns the name of this program without npx and without folders.
func ShortName() string { return path.Base(strings.TrimPrefix(ProgramName, Npx)) }

// Rename replaces the program's name in the help of a command and of its subcommands by
// ProgramName.
func Rename(command *cobra.Command) {
	if command.Parent() == nil {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: ProgramName}
	}
	for _, text := range []*string{&command.Short, &command.Long, &command.Example} {
		*text = strings.ReplaceAll(*text, "verify ", ProgramName+" ")
	}
	for _, child := range command.Commands() {
		Rename(child)
	}
}

// releasedAs is the version of a release; the linker sets it.
var releasedAs string

// Version returns the version of the program.
func Version() string {
	if releasedAs != "" {
		return releasedAs
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(devel)"
}

// plainWord matches words that a shell does not interpret.
var plainWord = lazy.Compile(`^[\pL\pN_@%+=:,./-]+$`)

// ShellQuote returns a word quoted for a shell, if necessary.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
