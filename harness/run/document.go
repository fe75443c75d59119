package run

import (
	"errors"

	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// Document is what a source has: a file, the output of a program, or the list of a server.
type Document struct {
	// Source is the name of the file, program or server.
	Source string
	Tools  []toolfile.Tool
	// Err says why the rest of the document could not be read; it may join several errors.
	Err error
}

// Problems returns the single errors of the document.
func (d Document) Problems() []error { return toolfile.Problems(d.Err) }

// Requests returns the tools by the request in which they are sent.
func (d Document) Requests() [][]toolfile.Tool { return toolfile.Requests(d.Tools) }

// Say returns a problem of the document in a line behind the name of its source. A problem
// that begins with line and column follows the name without a space.
func (d Document) Say(problem error) string {
	between := ": "
	if _, ok := errors.AsType[*schema.SyntaxError](problem); ok {
		between = ":"
	}
	return escape.Line(d.Source + between + problem.Error())
}
