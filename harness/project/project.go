// Package project reads toolproof.json, which tells what a project checks, for which targets,
// and which findings it ignores.
package project

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"toolproof/internal/bounded"
	"toolproof/schema"
)

// Name is the name of a project file.
const Name = "toolproof.json"

// LockName is the name of a lock unless the project file says another.
const LockName = "toolproof.lock"

// maxSize is the size of the largest file, in bytes.
const maxSize = 1 << 20

// File is a project file.
type File struct {
	// Name is the path of the file, relative to the working directory.
	Name       string
	Sources    []Source
	Targets    []string // names and patterns; empty means the default
	Normalized bool
	Ignores    []*Ignore
	Severity   map[string]string // maps RULE or DIALECT/RULE to "warning" or "error"
	// Requirements is the month of the rules that can fail; empty for all rules. Requires reports whether a
	// rule of a surface is among them; the caller sets it.
	Requirements string
	Requires     func(surface, rule string) bool
	Baseline     string // path; empty means none
	Lock         string // path
	MinTools     int    // 0 if the file does not say

	newer map[string]bool // the rules, as DIALECT/RULE, that Apply let pass because they are not required
}

// Source tells where tools come from. One of its first four members is set.
type Source struct {
	Files   string   // file, folder or pattern
	Command []string // command that prints tools
	Server  []string // command that starts an MCP server
	Config  string   // configuration file of an MCP client

	// At and Line are the place of the source in the file.
	At   schema.Pointer
	Line int
}

// Read reads a project file. The file may refer to the given names only. An error is a
// *schema.SyntaxError, a MistakesError, or an error of in.
func Read(in io.Reader, name string, names Names) (*File, error) {
	text, err := bounded.All(in, maxSize)
	if err != nil {
		return nil, err
	}
	root, err := schema.Parse(text)
	if err != nil {
		return nil, err
	}
	if mistakes := names.mistakes(root); len(mistakes) > 0 {
		return nil, mistakes
	}
	if mistakes := names.unmatched(root); len(mistakes) > 0 {
		return nil, mistakes
	}
	file := &File{
		Name: name, Targets: root.Get("targets").Strings(), Normalized: root.Get("normalized").IsTrue(),
		Severity: map[string]string{}, Requirements: root.GetString("requirements"), Baseline: root.GetString("baseline"), newer: map[string]bool{},
		Lock: cmp.Or(root.GetString("lock"), LockName),
	}
	if least := root.Get("minTools"); least != nil {
		if file.MinTools, err = strconv.Atoi(least.Text); err != nil {
			return nil, MistakesError{{At: "/minTools", Position: least.Position, What: "write it with digits alone"}}
		}
	}
	for i, source := range root.Get("sources").Elements {
		file.Sources = append(file.Sources, sourceOf(source, schema.Pointer("/sources").Element(i)))
	}
	if ignores := root.Get("ignore"); ignores != nil {
		for i, entry := range ignores.Elements {
			file.Ignores = append(file.Ignores, ignoreOf(entry, schema.Pointer("/ignore").Element(i)))
		}
	}
	if severity := root.Get("severity"); severity != nil {
		for _, member := range severity.Members {
			file.Severity[member.Key] = member.Value.Text
		}
	}
	return file, nil
}

func sourceOf(node *schema.Node, at schema.Pointer) Source {
	source := Source{At: at, Line: int(node.Position.Line), Command: node.Get("command").Strings(), Server: node.Get("server").Strings(), Config: node.GetString("config")}
	if node.Kind == schema.String {
		source.Files = node.Text
	}
	return source
}

// Folder returns the folder of the file, relative to the working directory.
func (f *File) Folder() string { return filepath.Dir(f.Name) }

// From returns a path in the file relative to the working directory.
func (f *File) From(name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case name == "-":
		return "./-" // a file, not standard input
	default:
		return filepath.Join(f.Folder(), name)
	}
}

// Place returns the place of a source as FILE:LINE: POINTER.
func (f *File) Place(source Source) string {
	return fmt.Sprintf("%s:%d: %s", f.Name, source.Line, source.At)
}

// MistakesError is the list of mistakes in a file, in document order.
type MistakesError []Mistake

// Mistake is one mistake in a file.
type Mistake struct {
	At       schema.Pointer
	Position schema.Position
	What     string
	// Word is the unknown name that the mistake is about, and Known are the known ones; empty
	// for other mistakes.
	Word  string
	Known []string
}

// Error returns one line for each mistake: line, column, pointer, and what is wrong.
func (m MistakesError) Error() string {
	lines := make([]string, len(m))
	for i, mistake := range m {
		lines[i] = mistake.String()
	}
	return strings.Join(lines, "\n")
}

// String returns the mistake as one line.
func (m Mistake) String() string {
	at := string(m.At)
	if at == "" {
		at = "the file"
	}
	return fmt.Sprintf("%s: %s: %s", m.Position, at, m.What)
}
