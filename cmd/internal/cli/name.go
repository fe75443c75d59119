package cli

import (
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"toolproof/internal/lazy"

	"github.com/spf13/cobra"
)

// ProgramName is what this program is called in all that it prints, so that printed
// commands can be typed as they stand: the name under which it was started, which is
// toolproof where it is installed, and npx and the name of a package where that started it.
var ProgramName = "verify"

// NameOf returns what a program is called that was started by a path.
func NameOf(path string) string {
	if strings.HasPrefix(path, Npx) {
		return path
	}
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// Npx is what the launcher of the npm package puts before the package's name.
const Npx = "npx "

// ShortName returns the name of this program without what starts it.
func ShortName() string { return path.Base(strings.TrimPrefix(ProgramName, Npx)) }

// Rename makes the help of a command, and of those below it, call this program by its
// name.
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

// releasedAs is the version of a release, which the linker sets.
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

// plainWord is what a shell takes as it stands.
var plainWord = lazy.Compile(`^[\pL\pN_@%+=:,./-]+$`)

// ShellQuote returns a word as it is typed into a shell.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
