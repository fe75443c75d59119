package report

import (
	"io"

	"toolproof/harness/verdict"
)

// Format is a form in which the results of a run are written.
type Format struct {
	Name string
	// New begins to write a run.
	New func(Run) Renderer
}

// Formats are all formats. The first is the one for people at a terminal.
var Formats = []Format{
	{TextFormat, func(run Run) Renderer { return newText(run) }},
	{JSONFormat, func(run Run) Renderer { return NewJSON(run.Out) }},
	{"markdown", func(run Run) Renderer { return newMarkdown(run) }},
	{HTMLFormat, func(run Run) Renderer { return newHTML(run) }},
	{"junit", func(run Run) Renderer { return newJUnit(run) }},
	{"sarif", func(run Run) Renderer { return newSARIF(run) }},
	{GitHubFormat, func(run Run) Renderer { return newAnnotations(run) }},
	{"badge", func(run Run) Renderer { return &badge{run} }},
}

// The names of formats that need more than a renderer.
const (
	TextFormat   = "text"
	JSONFormat   = "json"
	GitHubFormat = "github"
	HTMLFormat   = "html"
)

// Renderer writes the results of a run. The results of a tool follow one another.
type Renderer interface {
	// Result takes one result.
	Result(result verdict.Result) error
	// Summary ends the run.
	Summary(summary *Summary) error
}

// Run is what a format says of a run besides its results.
type Run struct {
	Out   io.Writer
	Color bool
	// OfFixtures says that the results are of fixtures; without it the first one says so.
	OfFixtures bool
	// AsGiven says which side had to be accepted: the tools as given, or the normalized
	// ones.
	AsGiven bool
	// Either says that the results do not tell which side had to be accepted, as those that
	// are read from lines: what is refused as given and fails comes first.
	Either bool
	// Located says that the findings are what was asked about, of tools that pass, too.
	Located bool
	// Baseline marks findings as known; nil where there is none.
	Baseline *Baseline
	// Version is that of the program.
	Version string
	// Doc returns what a rule of a dialect is about: a title, a blank line, and text. It is
	// empty for a rule that is not known.
	Doc func(dialect, rule string) string
	// Dialects are the surfaces that the targets serve, by their names.
	Dialects map[string]string
}
