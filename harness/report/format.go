package report

import (
	"io"

	"toolproof/harness/verdict"
)

// Format is a form in which the results of a run are written.
type Format struct {
	Name string
	// New begins to write a run.
	New func(Options) Sink
}

// Formats are all formats. The first is the one for people at a terminal.
var Formats = []Format{
	{TextFormat, func(options Options) Sink { return newText(options) }},
	{JSONFormat, func(options Options) Sink { return NewJSON(options.Out) }},
	{"markdown", func(options Options) Sink { return newMarkdown(options) }},
	{HTMLFormat, func(options Options) Sink { return newHTML(options) }},
	{"junit", func(options Options) Sink { return newJUnit(options) }},
	{"sarif", func(options Options) Sink { return newSARIF(options) }},
	{GitHubFormat, func(options Options) Sink { return newAnnotations(options) }},
	{"badge", func(options Options) Sink { return &badge{options} }},
}

// The names of formats that need more than a sink.
const (
	TextFormat   = "text"
	JSONFormat   = "json"
	GitHubFormat = "github"
	HTMLFormat   = "html"
)

// Sink takes the results of a run, and writes them in one format. The results of a tool follow
// one another.
type Sink interface {
	// Result takes one result. The sink may keep it, and does not change it.
	Result(result verdict.Result) error
	// Summary ends the run.
	Summary(summary *Summary) error
}

// Options are what a format says of a run besides its results.
type Options struct {
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
