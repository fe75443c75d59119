// Package project reads toolproof.json: what a project checks, for which targets, and
// which findings it lets pass.
package project

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"toolproof/internal/bounded"
	"toolproof/schema"
)

// Name is what the file of a project is called.
const Name = "toolproof.json"

// maxSize is how many bytes a file may have.
const maxSize = 1 << 20

// File is a file of a project.
type File struct {
	// Name leads to the file from the working directory.
	Name       string
	Sources    []Source
	Targets    []string // names and patterns; none means the default
	Normalized bool
	Ignores    []*Ignore
	Severity   map[string]string // by rule: warning or error
	Baseline   string            // empty means none
	MinTools   int               // 0 means that the file does not say
}

// Source is where tools are. One of its members is set.
type Source struct {
	Files   string   // a file, a folder or a pattern
	Command []string // that prints tools
	Server  []string // the command of an MCP server
	Config  string   // the configuration of an MCP client

	// At and Line say where the file names the source.
	At   schema.Pointer
	Line int
}

// Read reads the file of the given name. The names are what it may name. An error is a
// *schema.SyntaxError, a MistakesError, or says why the text could not be read.
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
		Severity: map[string]string{}, Baseline: root.GetString("baseline"),
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

// Folder returns the folder of the file, from the working directory.
func (f *File) Folder() string { return filepath.Dir(f.Name) }

// From returns the name that a name in the file has from the working directory.
func (f *File) From(name string) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case name == "-":
		return "./-" // a file, and not standard input
	default:
		return filepath.Join(f.Folder(), name)
	}
}

// Place says where the file names a source.
func (f *File) Place(source Source) string {
	return fmt.Sprintf("%s:%d: %s", f.Name, source.Line, source.At)
}

// MistakesError is what is wrong with a file, in its order.
type MistakesError []Mistake

// Mistake is one thing that is wrong with a file.
type Mistake struct {
	At       schema.Pointer
	Position schema.Position
	What     string
	// Word is a name that is not known, and Known are those that are; empty where the
	// mistake is about no name.
	Word  string
	Known []string
}

// Error returns what is wrong, one line for each mistake: line, column, place, and what.
func (m MistakesError) Error() string {
	lines := make([]string, len(m))
	for i, mistake := range m {
		lines[i] = mistake.String()
	}
	return strings.Join(lines, "\n")
}

// String returns what is wrong in a line.
func (m Mistake) String() string {
	at := string(m.At)
	if at == "" {
		at = "the file"
	}
	return fmt.Sprintf("%s: %s: %s", m.Position, at, m.What)
}
