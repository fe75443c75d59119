package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

// format is the value of --format.
type format struct {
	name   string
	asJSON bool // set by --json, a synonym of --format json
}

// formatNames returns the names of all formats.
func formatNames() []string {
	names := make([]string, len(report.Formats))
	for i, format := range report.Formats {
		names[i] = format.Name
	}
	return names
}

// add adds the flags. lines describes the lines of the format json.
func (f *format) add(command *cobra.Command, lines string) {
	command.Flags().StringVar(&f.name, "format", report.TextFormat, "format of the output: "+strings.Join(formatNames(), ", "))
	command.Flags().BoolVar(&f.asJSON, "json", false, "write JSON Lines, "+lines+"; same as --format json")
	command.MarkFlagsMutuallyExclusive("format", "json")
	_ = command.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
}

// chosen returns the name of the format.
func (f *format) chosen() string {
	if f.asJSON {
		return report.JSONFormat
	}
	return f.name
}

// isJSON reports whether the run is written as JSON Lines.
func (f *format) isJSON() bool { return f.chosen() == report.JSONFormat }

// newSink makes the sink of a format.
type newSink func(report.Options) report.Sink

// sink returns the sink of the chosen format. text makes the sink of the format text, or nil means
// the usual one; it clears the progress bar, which may be nil, before it writes.
func (s *session) sink(chosen format, options report.Options, progress *cli.Progress, text newSink) (report.Sink, error) { //nolint:ireturn // all that the formats share
	name := chosen.chosen()
	at := slices.IndexFunc(report.Formats, func(format report.Format) bool { return format.Name == name })
	if at < 0 {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("unknown format %q", name), "use one of "+strings.Join(formatNames(), ", ")))
	}
	if name == report.GitHubFormat && s.Log != nil {
		s.Log.Annotations = true
	}
	options.Out, options.Color, options.Width, options.Version, options.Now = s.Out, s.Color, s.Width, cli.Version(), time.Now()
	options.Folder, _ = os.Getwd() // without it, names stay as they are
	options.Doc, options.Dialects = docOf, dialectsOfTargets()
	if options.Replaced == nil {
		options.Replaced = (&fileText{reader: toolfile.Reader{Responses: true}}).replaced
	}
	makeSink := report.Formats[at].New
	if name == report.TextFormat {
		options.Out = progress.Before(s.Out)
		if text != nil {
			makeSink = text
		}
	}
	return makeSink(options), nil
}

// docOf returns the documentation of a rule of a dialect, or "" for an unknown one. A target has the
// rules of the surfaces that it serves.
func docOf(dialect, rule string) string {
	for _, known := range facts.AllAdvice() {
		if dialect == verdict.AdviceTarget && known.Name == rule {
			return known.Doc()
		}
	}
	service, isConversation := strings.CutSuffix(dialect, "/"+facts.Requests)
	for _, known := range facts.Beside() {
		if known.Name == rule && (known.Surface == dialect && dialect == mcp.Registry.Name || known.Surface == facts.Requests && isConversation) {
			return facts.Doc(known.Title, known.Text)
		}
	}
	surfaces := provider.OfService(harness.Dialects, service)
	if !isConversation {
		surfaces = slices.DeleteFunc(slices.Clone(harness.Dialects), func(surface *provider.Dialect) bool { return surface.Name != dialect })
	}
	if target, err := harness.TargetNamed(dialect); err == nil {
		surfaces = append(append(surfaces, target.Dialect), target.Also...)
	}
	for _, surface := range surfaces {
		for _, known := range surface.Rules {
			if known.Name == rule {
				return known.Doc
			}
		}
	}
	return ""
}
