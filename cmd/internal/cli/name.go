package cli

import (
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"

	"toolproof/internal/lazy"
)

// Name is the name under which this program was started, such as toolproof, or npx with the
// name of a package. Everything that the program prints calls it so, and can be typed again.
// Texts of the source call it by the name in source instead, and Typed replaces one by the other.
var (
	Name   = "verify"
	source = "verify"
)

// Called sets how texts of the source call this program, and the name under which it was started.
func Called(program, started string) { source, Name = program, started }

// Typed returns a text of the source with the commands of this program as a user types them.
// Words in single quotes, which may be a user's, stay as they are.
func Typed(text string) string {
	commands := regexp.MustCompile(`(?:^|\s)'[^'\n]*'|` + regexp.QuoteMeta(Name) + ` |\b` + source + ` `)
	return commands.ReplaceAllStringFunc(text, func(word string) string {
		if word == source+" " {
			return Name + " "
		}
		return word
	})
}

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
func ShortName() string { return path.Base(strings.TrimPrefix(Name, Npx)) }

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
