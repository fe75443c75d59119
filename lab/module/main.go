// Command module prints the address of the repository, or gives the main module another
// path and the repository the address that follows from it.
//
//	module                     prints the address, without a scheme
//	module host/owner/name     writes the path and the address wherever they stand
//
// The first line of go.mod is the one place that holds them. What cannot follow it by
// itself, such as the imports, is written again by this command.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "module: "+err.Error())
		os.Exit(1)
	}
}

func run(arguments []string) error {
	const folder = "."
	old, err := current(folder)
	if err != nil {
		return err
	}
	switch len(arguments) {
	case 0:
		fmt.Println(old.address())
		return nil
	case 1:
		return rename(folder, old, place(arguments[0]))
	default:
		return errors.New("one path is required\nhint: make module PATH=github.com/owner/name")
	}
}

// A place is the path of the main module.
type place string

// unhosted is the path as long as no host has the project.
const unhosted place = "toolproof"

// product is what the packages are called, whatever the repository is called.
const product = "toolproof"

// standIn is the address in the texts as long as no host has the project. Nothing is
// published from there: .github/scripts/hosted.sh sees to it.
const standIn = "github.com/owner/toolproof"

// address returns where the repository is, without a scheme.
func (p place) address() string {
	if p == unhosted {
		return standIn
	}
	return string(p)
}

// slug returns the owner of the repository and its name, as a workflow that uses it does.
func (p place) slug() string {
	_, path, _ := strings.Cut(p.address(), "/")
	return path
}

// owner returns who has the repository, as the registries of packages spell it.
func (p place) owner() string {
	owner, _, _ := strings.Cut(p.slug(), "/")
	return strings.ToLower(owner)
}

// underscored returns how the file of a wheel begins.
func (p place) underscored() string {
	return strings.ReplaceAll(p.owner()+"-"+product, "-", "_")
}

// validPlace is a host, an owner and a name, of letters that a path of a module and an
// address of npm can have.
var validPlace = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9][A-Za-z0-9-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+$`)

// validate returns what is wrong with a path.
func (p place) validate() error {
	if p != unhosted && !validPlace.MatchString(string(p)) {
		return fmt.Errorf("%q is no path of a module\nhint: write host/owner/name, such as %s", p, standIn)
	}
	return nil
}

// mentions returns how the path and the address are written in a file, and how another
// place writes the same. An earlier one comes first. A text has addresses alone.
func (p place) mentions(name string, other place) []mention {
	paths := []mention{
		// A package, or a module below.
		{string(p) + "/", `(^|[^\w./@-])` + regexp.QuoteMeta(string(p)) + `(/(?:` + strings.Join(folders, "|") + `)\b)`, "${1}" + string(other) + "${2}"},
		{"module " + string(p), `(?m)^(module )` + regexp.QuoteMeta(string(p)) + `()$`, "${1}" + string(other) + "${2}"},
	}
	addresses := []mention{
		literal(p.address(), other.address()),
		literal("@"+p.owner()+"/"+product, "@"+other.owner()+"/"+product),
		literal("ghcr.io/"+p.owner()+"/"+product, "ghcr.io/"+other.owner()+"/"+product),
		literal(p.owner()+"-"+product, other.owner()+"-"+product),
		literal(p.underscored(), other.underscored()),
		// A repository of GitHub, without what the forms above have before it.
		{p.slug(), `(^|[^\w.@/-])` + regexp.QuoteMeta(p.slug()) + `(\b)`, "${1}" + other.slug() + "${2}"},
	}
	if strings.HasSuffix(name, ".md") {
		return addresses
	}
	return append(paths, addresses...)
}

// mention is one form of a path or address, and what takes its place.
type mention struct {
	text    string // what the pattern has for sure
	pattern string // an expression, which is compiled for texts that have the text
	instead string
}

// in returns the first place of a text that has the mention, from its begin to its end; nil
// where none has.
func (m mention) in(text string) []int {
	if !strings.Contains(text, m.text) {
		return nil
	}
	return regexp.MustCompile(m.pattern).FindStringIndex(text)
}

// replacedIn returns a text with what takes the mention's place. A mention is within a line.
func (m mention) replacedIn(text string) string {
	if !strings.Contains(text, m.text) {
		return text
	}
	pattern := regexp.MustCompile(m.pattern)
	var replaced strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, m.text) {
			line = pattern.ReplaceAllString(line, m.instead)
		}
		replaced.WriteString(line)
	}
	return replaced.String()
}

// literal is a mention in one spelling.
func literal(text, instead string) mention {
	return mention{text, `(^|[^\w.-])` + regexp.QuoteMeta(text) + `(_|\b)`, "${1}" + strings.ReplaceAll(instead, "$", "$$") + "${2}"}
}

// folders are those of the main module that have packages or modules.
var folders = []string{"cmd", "fixtures", "harness", "internal", "lab", "normalizers", "recordings", "schema", "suites"}

// places are the files that may hold the path or the address. The packages of npm and the
// other registries are made from the first line of go.mod, and so is what the program
// knows of itself.
var places = []string{
	"**/*.go",       // imports alone
	"**/go.mod",     // the module, and those below it
	".golangci.yml", // what may import what
	"README.md", "docs/action.md", "docs/install.md",
}

// ours are the files of this command, which has the stand-in.
const ours = "lab/module/*.go"

// rename writes the new path and address in place of the old ones.
func rename(folder string, old, other place) error {
	if err := other.validate(); err != nil {
		return err
	}
	names, err := filesOf(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !isPlace(name) {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // it is removed, or a link to another file
		}
		before, err := os.ReadFile(path) //nolint:gosec // a file of the repository
		if err != nil {
			return fmt.Errorf("reading what names the module: %w", err)
		}
		after := string(before)
		for _, one := range old.mentions(name, other) {
			after = one.replacedIn(after)
		}
		if after == string(before) {
			continue
		}
		if err := os.WriteFile(path, []byte(after), info.Mode().Perm()); err != nil { //nolint:gosec // Git lists the file
			return fmt.Errorf("writing the name of the module: %w", err)
		}
	}
	return nil
}

// isPlace reports whether a file may hold the path or the address.
func isPlace(name string) bool {
	return !matches(ours, name) && slices.ContainsFunc(places, func(pattern string) bool { return matches(pattern, name) })
}

func matches(pattern, name string) bool {
	isMatch, _ := doublestar.Match(pattern, name) // the patterns are constants
	return isMatch
}

// current returns the path that go.mod has.
func current(folder string) (place, error) {
	text, err := fs.ReadFile(os.DirFS(folder), "go.mod")
	if err != nil {
		return "", fmt.Errorf("reading the path of the module: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	path, isModule := strings.CutPrefix(line, "module ")
	if !isModule {
		return "", fmt.Errorf("the first line of go.mod is %q, and names no module", line)
	}
	return place(strings.TrimSpace(path)), nil
}

// filesOf returns the files of the repository that Git does not ignore.
func filesOf(folder string) ([]string, error) {
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z") //nolint:noctx // it takes milliseconds
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the files of the repository: %w", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
