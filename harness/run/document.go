package run

import (
	"errors"

	"toolproof/harness/judge"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// Document is a list of tools from one source: a file, the output of a program, or a server.
type Document struct {
	// Source is the name of the file, program or server.
	Source string
	Tools  []toolfile.Tool
	// Passed are the entries of lists of tools that declare no schema.
	Passed []toolfile.Passed
	// Conversations are the requests that have the tools, or none.
	Conversations []Conversation
	// Meant returns the targets that the request of a tool means, in place of those of the Run. It may be
	// nil.
	Meant func(toolfile.Tool) []judge.Target
	// Err says why the document could not be read completely; it may join several errors.
	Err error
}

// Conversation is a request whose body is read when it is judged.
type Conversation struct {
	judge.Conversation

	// Load returns the body. Body is nil before.
	Load func() *schema.Node
}

// Problems returns the errors that Err joins.
func (d Document) Problems() []error { return toolfile.Problems(d.Err) }

// Requests returns the tools grouped by the requests in which they are sent.
func (d Document) Requests() [][]toolfile.Tool { return toolfile.Requests(d.Tools) }

// Say returns a problem of the document as a line that begins with the name of the source. If the
// problem begins with line and column, no space separates the two.
func (d Document) Say(problem error) string {
	between := ": "
	if _, ok := errors.AsType[*schema.SyntaxError](problem); ok {
		between = ":"
	}
	return escape.Line(d.Source + between + problem.Error())
}
