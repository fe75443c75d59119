package report

import (
	"io"
	"time"

	"toolproof/harness/verdict"
)

// Format is an output format for the results of a run.
type Format struct {
	Name string
	// New returns a sink that writes one run.
	New func(Options) Sink
}

// Formats are all formats. The first one is for people at a terminal.
var Formats = []Format{
	{TextFormat, newText},
	{JSONFormat, func(options Options) Sink { return newJSON(options) }},
	{"markdown", func(options Options) Sink { return newMarkdown(options) }},
	{HTMLFormat, func(options Options) Sink { return newHTML(options) }},
	{"junit", func(options Options) Sink { return newJUnit(options) }},
	{"sarif", func(options Options) Sink { return newSARIF(options) }},
	{GitHubFormat, func(options Options) Sink { return newAnnotations(options) }},
	{"badge", func(options Options) Sink { return &badge{options} }},
}

// Names of formats that commands treat specially.
const (
	TextFormat   = "text"
	JSONFormat   = "json"
	GitHubFormat = "github"
	HTMLFormat   = "html"
)

// Sink receives the results of a run and writes them in one format. The results of one tool follow
// each other.
type Sink interface {
	// Result receives one result. The sink may keep it, and must not change it.
	Result(result verdict.Result) error
	// Summary ends the run.
	Summary(summary *Summary) error
}

// Options tell a format about the run, apart from its results.
type Options struct {
	Out   io.Writer
	Color bool
	// Width is the width of the terminal, in columns, at which text is wrapped; 0 means that there is
	// none.
	Width int
	// Verbose shows every finding and every tool as text. Without it, findings are grouped by rule.
	Verbose bool
	// Folder is the working directory: text names files below it from there.
	Folder string
	// OfFixtures says that the results are about fixtures. If it is not set, the first result
	// decides.
	OfFixtures bool
	// AsGiven says that the tools had to be accepted as given, and not normalized.
	AsGiven bool
	// Either says that AsGiven is not known, as for results that are read from lines. A tool that
	// fails and is refused as given then counts as one that had to be accepted as given.
	Either bool
	// Located says that the findings are places of a pasted refusal, which are shown even if the
	// tool passes.
	Located bool
	// Baseline marks findings as known; nil if there is no baseline.
	Baseline *Baseline
	// Version is the version of the program.
	Version string
	// Now is the time at which the run is dated; the zero value leaves the date out.
	Now time.Time
	// Doc returns the documentation of a rule of a dialect: a title, a blank line, and text. It
	// returns an empty string for an unknown rule.
	Doc func(dialect, rule string) string
	// Dialects maps the name of each target to the name of its dialect.
	Dialects map[string]string
	// IsLarge reports, before the first result, whether so many tools are judged that lines of JSON do not say what
	// to write in the source, which takes longer than to judge it; nil means that there are few.
	IsLarge func() bool
	// Replaced returns the text that an edit of a tool replaces in its file; nil if that is not known. The
	// function itself may be nil, too.
	Replaced func(result verdict.Result, edit verdict.Change) []Replacement
}

// Replacement is a text that takes the place of a part of a file. Lines and columns are counted from 1,
// columns in code units of UTF-16; the end is behind the part.
type Replacement struct {
	StartLine, StartColumn, EndLine, EndColumn int

	Text string
}
