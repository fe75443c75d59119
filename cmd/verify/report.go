package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/agent/whole"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/verdict"
)

func newReport(s *session) *cobra.Command {
	var chosen format
	command := &cobra.Command{
		Use:   "report FILE...",
		Short: "Render the results of one or several runs in another format",
		Long: `report renders the result lines of one or several runs (verify --json, verify check
--json; compressed or not) in the format of --format: text for a terminal, JSON Lines as
one stream, Markdown for a pull request, a page of HTML, JUnit, SARIF 2.1.0, annotations
of GitHub, or a badge. - is standard input.

The parts of one run, made with --shard, are reported as the run itself. A part that is
missing, there twice or cut short is an error, and so are results that require the rules
of different months.

Exit codes:
  0  the runs conform
  1  something does not conform
  2  a file cannot be read or has no complete results, or a run had an error
  3  no verdict on something`,
		Example: `  verify report --format markdown results.jsonl >>"$GITHUB_STEP_SUMMARY"
  verify report --format json shard-*.jsonl >results.jsonl
  verify report --format sarif results.jsonl >results.sarif
  verify report --format html live.jsonl >live.html
  verify check --json tools.json | verify report --format junit - >junit.xml`,
		RunE: func(command *cobra.Command, files []string) error {
			return s.report(command.Context(), chosen, files)
		},
	}
	chosen.add(command, "one stream of all runs")
	return command
}

func (s *session) report(ctx context.Context, chosen format, arguments []string) error {
	sink, err := s.sink(chosen, report.Options{Either: true}, nil, nil)
	if err != nil {
		return err
	}
	if len(arguments) == 0 {
		return cli.Broken(cli.Hint(errors.New("a file is required"), "name one, or - for standard input"))
	}
	lines := &asRead{Sink: sink, out: s.Out}
	if chosen.isJSON() {
		sink = lines
	}
	run, parts, required := &engine.Run{Sink: sink}, shards{}, months{}
	for _, argument := range arguments {
		names, err := cli.Expand(argument)
		if err != nil {
			return err
		}
		for _, name := range names {
			err := s.eachResult(ctx, name, func(result verdict.Result, line []byte) error {
				lines.line = line
				nameRawDialect(result)
				return run.Count(result)
			}, func(summary *report.Summary) {
				parts.add(name, summary.Shard)
				required.add(name, summary.Requirements)
				run.Summary().Join(summary)
			})
			if err != nil {
				return err
			}
		}
	}
	if err := cmp.Or(parts.err(), required.err()); err != nil {
		return cli.Broken(err)
	}
	if err := judgeTogether(ctx, run.Summary().Servers); err != nil {
		return cli.Broken(err)
	}
	if err := run.End(); err != nil {
		return err
	}
	summary := run.Summary()
	if worst := summary.Worst(); summary.Conforms || worst > verdict.KnownFailure {
		return cli.ExitFor(worst)
	}
	return cli.Exit(cli.CodeFails) // a recording, which is not counted as a result, does not conform
}

// judgeTogether judges the tools of the servers of all parts of a run together.
func judgeTogether(ctx context.Context, servers *report.Servers) error {
	if servers == nil || len(servers.Lists) == 0 {
		return nil
	}
	slices.SortFunc(servers.Lists, func(a, b report.List) int { return cmp.Compare(a.Place, b.Place) })
	slices.SortFunc(servers.Changing, func(a, b report.Changing) int { return cmp.Compare(a.Place, b.Place) })
	agents, err := whole.Judge(ctx, servers.AsOf, servers.Lists)
	servers.Agents, servers.Lists, servers.AsOf = agents, nil, ""
	return err
}

// shards are the files with the results of the parts of a run, by the part i/n.
type shards map[string][]string

// add adds a file. One that has a whole run has no part.
func (s shards) add(name, part string) {
	if part != "" {
		s[part] = append(s[part], name)
	}
}

// err names a part that is missing or there twice.
func (s shards) err() error {
	for _, part := range slices.Sorted(maps.Keys(s)) {
		if files := s[part]; len(files) > 1 {
			return cli.Hint(fmt.Errorf("part %s is there twice: %s and %s", part, files[0], files[1]), "give the results of each part once")
		}
		_, text, _ := strings.Cut(part, "/")
		parts, err := strconv.Atoi(text)
		if err != nil || parts > mostParts {
			return fmt.Errorf("%s: %q is no part of a run", s[part][0], part)
		}
		var missing []string
		for i := range parts {
			if other := fmt.Sprintf("%d/%d", i+1, parts); len(s[other]) == 0 {
				missing = append(missing, other)
			}
		}
		if len(missing) > 0 {
			return cli.Hint(fmt.Errorf("%s: part %s is missing", s[part][0], strings.Join(missing, ", part ")), "give the results of all parts of the run")
		}
	}
	return nil
}

// months are the first files with results that require the rules of a month, by the month, which is empty for all rules.
type months map[string]string

func (m months) add(name, month string) {
	if _, isKnown := m[month]; !isKnown {
		m[month] = name
	}
}

// err names files whose months differ: of which rules a joined verdict speaks would be unknown.
func (m months) err() error {
	if len(m) <= 1 {
		return nil
	}
	var files []string
	for _, month := range slices.Sorted(maps.Keys(m)) {
		files = append(files, m[month]+" those of "+cmp.Or(month, "today"))
	}
	return cli.Hint(fmt.Errorf("the results require the rules of different months: %s", strings.Join(files, ", ")), "report them one by one")
}

// mostParts bounds the parts of a run.
const mostParts = 1_000_000

// asRead is a sink of JSON that writes each line as it was read.
type asRead struct {
	report.Sink

	out  io.Writer
	line []byte
}

// Result writes the line of the result.
func (a *asRead) Result(verdict.Result) error {
	_, err := fmt.Fprintf(a.out, "%s\n", a.line)
	return err //nolint:wrapcheck // cli.Run names the output
}

// eachResult calls each with every result of a file and its line, and last with the summary.
func (s *session) eachResult(ctx context.Context, name string, each func(verdict.Result, []byte) error, last func(*report.Summary)) error {
	next, end, err := s.results(ctx, name)
	if err != nil {
		return err
	}
	defer end()
	for {
		result, err := next.Next()
		if errors.Is(err, io.EOF) {
			last(next.Summary())
			return nil
		}
		if err != nil {
			return cli.Unreadable(ctx, name, err)
		}
		if err := each(result, next.Text()); err != nil {
			return err
		}
	}
}

// results opens a file of result lines. Call the returned function when done.
func (s *session) results(ctx context.Context, name string) (*report.Stream, func(), error) {
	in, err := cli.Await(ctx, func() (io.ReadCloser, error) { return s.Open(name) })
	if err != nil {
		return nil, nil, cli.Unreadable(ctx, name, err)
	}
	stream, err := report.Read(&interruptible{in: in, wait: func(read func() (int, error)) (int, error) { return cli.Await(ctx, read) }})
	if err != nil {
		_ = in.Close() // opened for reading
		return nil, nil, cli.Unreadable(ctx, name, err)
	}
	return stream, func() { _ = in.Close() }, nil
}

// interruptible is a reader whose reads, which may block for ever, end when the run is interrupted.
type interruptible struct {
	in     io.Reader
	wait   func(read func() (int, error)) (int, error)
	buffer []byte // target of the reads: an abandoned read may still write to it
}

func (r *interruptible) Read(buffer []byte) (int, error) {
	if len(r.buffer) < len(buffer) {
		r.buffer = make([]byte, len(buffer))
	}
	size, err := r.wait(func() (int, error) { return r.in.Read(r.buffer[:len(buffer)]) })
	return copy(buffer, r.buffer[:size]), err
}

// nameRawDialect sets the surface on which the tool as given was judged. A result line does not have
// it; it is that of the target.
func nameRawDialect(result verdict.Result) {
	if target, err := harness.TargetNamed(result.Target); err == nil {
		result.Sides().RawDialect = target.Dialect.Name
	}
}

// dialectsOfTargets returns the names of the surfaces that the targets serve.
func dialectsOfTargets() map[string]string {
	dialects := map[string]string{}
	for _, target := range slices.Concat(harness.Targets, harness.Alternates) {
		dialects[target.Name()] = target.Dialect.Name
	}
	return dialects
}
