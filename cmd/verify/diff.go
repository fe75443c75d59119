package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/breaking"
	"toolproof/harness/judge"
	"toolproof/harness/project"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
)

// diffFlags are the flags of verify diff.
type diffFlags struct {
	targets    []string
	project    projectFlags
	writeLock  bool
	only       cli.Only
	failOn     string
	asJSON     bool
	asMarkdown bool
	verbose    bool
}

// failures are the values of --fail-on.
var failures = []string{string(breaking.Breaking), string(breaking.Dangerous), string(breaking.Safe)}

func newDiff(s *session) *cobra.Command {
	var flags diffFlags
	command := &cobra.Command{
		Use:   "diff OLD NEW, diff OLD -- COMMAND, diff",
		Short: "Show which calls a new version of tools breaks, and what it says otherwise",
		Long: `diff compares two versions of tools, which it matches by their names. OLD and NEW are
each one of these:

  FILE, -              in any form that verify check reads
  npm:NAME@VERSION     an MCP server from npm, started with npx; 'npm:NAME@VERSION ARGUMENT'
                       passes it arguments
  https://ADDRESS      an MCP server at an address
  git:REVISION:PATH    a file as git has it, such as git:main:tools.json

A command behind -- starts the MCP server whose tools are the new ones. Without OLD and NEW,
the tools of all sources of toolproof.json are compared with those that --write-lock wrote to
toolproof.lock: it has what somebody has seen and approved.

Schemas are compared by the calls that they accept: each call that is shown was valid, and
the new schema refuses it. The calls are made from both schemas, at each place where they
differ. If none shows a difference, the change counts as inconclusive and not as safe.
A result that may come now and that the old outputSchema refuses breaks its consumers.

  breaking      a valid call is refused, a tool is gone, a result is not what it was, or a
                surface refuses a tool that it took
  dangerous     a text that models read, a default, or a hint about approval changed; a
                call with members that were never listed is refused; a parameter is ignored
  inconclusive  the schema changed, and no call that was tried shows how
  safe          everything else, such as new tools and calls that are valid now

Exit codes:
  0  nothing is breaking; compared with a lock, nothing is dangerous
  1  something is; --fail-on says what else
  2  a tool cannot be read, or a flag is wrong
  3  something is inconclusive, or a server listed no tools`,
		Example: `  verify diff old.json new.json
  verify diff git:main:tools.json tools.json
  verify diff npm:some-server@1.0.0 npm:some-server@1.1.0
  verify diff --markdown git:main:tools.json tools.json >>"$GITHUB_STEP_SUMMARY"
  verify diff tools.json -- node dist/index.js
  verify diff --write-lock && git add toolproof.lock
  verify diff`,
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.diff(command.Context(), flags, arguments, command.ArgsLenAtDash())
		},
	}
	command.Flags().StringSliceVarP(&flags.targets, "target", "t", nil,
		"name what these targets newly refuse: names, patterns such as openai*, or all (default: those to which clients pass tools on unchanged)")
	flags.only.Add(command)
	flags.project.add(command)
	command.Flags().BoolVar(&flags.writeLock, "write-lock", false, "write the tools of all sources of toolproof.json to toolproof.lock, for later runs without OLD and NEW")
	command.Flags().StringVar(&flags.failOn, "fail-on", "", "fail if something is breaking, dangerous or safe, or worse (default: breaking, or dangerous with a lock)")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per difference and a summary")
	command.Flags().BoolVar(&flags.asMarkdown, "markdown", false, "write Markdown, for a pull request")
	command.Flags().BoolVar(&flags.verbose, "verbose", false, "show also what is safe one by one")
	command.MarkFlagsMutuallyExclusive("json", "markdown")
	_ = command.RegisterFlagCompletionFunc("target", cli.CompleteTargets(true))
	_ = command.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failures, cobra.ShellCompDirectiveNoFileComp))
	return command
}

// diff compares the tools of two sources. dash is the number of arguments before --, or -1.
func (s *session) diff(ctx context.Context, flags diffFlags, arguments []string, dash int) error {
	if flags.failOn != "" && !slices.Contains(failures, flags.failOn) {
		return cli.Usage("--fail-on takes %s, not %q", strings.Join(failures, ", "), flags.failOn)
	}
	if len(arguments) == 0 && dash < 0 {
		return s.diffProject(ctx, flags)
	}
	if flags.writeLock || len(flags.project.words()) > 0 {
		return cli.Usage("--write-lock, --config and --no-config are about the sources of %s: leave out what is to be compared", project.Name)
	}
	flags.failOn = cmp.Or(flags.failOn, string(breaking.Breaking))
	names, server := arguments, []string(nil)
	if dash >= 0 {
		names, server = arguments[:dash], arguments[dash:]
	}
	if len(names) != 2 && (len(names) != 1 || len(server) == 0) || len(names) == 2 && (len(server) > 0 || names[0] == "-" && names[1] == "-") {
		err := errors.New("two versions are required")
		const forms = "verify diff OLD NEW, verify diff OLD -- COMMAND, or verify diff alone in a project with a toolproof.json"
		return cli.Broken(cli.Hint(err, forms+"; verify check --normalized --diff shows what a normalizer changes"))
	}
	before, err := s.versionNamed(ctx, names[0])
	if err != nil {
		return err
	}
	var after []engine.Document
	if len(server) > 0 {
		after, err = s.listedBy(ctx, mcpFlags{}, server)
	} else {
		after, err = s.versionNamed(ctx, names[1])
	}
	if err != nil {
		return err
	}
	if err := flags.only.Keep(before, after); err != nil {
		return err
	}
	older, err := toolsOfVersion(before)
	if err != nil {
		return err
	}
	newer, err := toolsOfVersion(after)
	if err != nil {
		return err
	}
	changes := &report.Changes{Old: names[0], New: strings.Join(append(names[1:], server...), " "), Verbose: flags.verbose}
	return s.compareVersions(ctx, flags, changes, older, newer)
}

// versionNamed reads the tools of an argument of verify diff.
func (s *session) versionNamed(ctx context.Context, name string) ([]engine.Document, error) {
	if words, isPackage := strings.CutPrefix(name, "npm:"); isPackage {
		fields := strings.Fields(words)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "-") {
			return nil, cli.Usage("%q names no package: write npm:NAME@VERSION", name)
		}
		return s.listedBy(ctx, mcpFlags{}, append([]string{"npx", "-y"}, fields...))
	}
	if strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://") {
		return s.listedBy(ctx, mcpFlags{address: name}, nil)
	}
	object, isObject := strings.CutPrefix(name, "git:")
	if !isObject {
		return s.ReadWith(ctx, []string{name}, toolfile.Reader{})
	}
	revision, path, hasPath := strings.Cut(object, ":")
	if !hasPath || revision == "" || strings.HasPrefix(revision, "-") {
		return nil, cli.Usage("%q names no file of git: write git:REVISION:PATH", name)
	}
	if path = filepath.ToSlash(path); !strings.HasPrefix(path, "../") {
		path = "./" + path // relative to the working folder, as other files are
	}
	document, err := s.Exported(ctx, []string{"git", "cat-file", "blob", revision + ":" + path}, "", toolfile.Reader{})
	document.Source = name
	return []engine.Document{document}, err
}

// listedBy asks the MCP server at an address, or that a command starts, for its tools.
func (s *session) listedBy(ctx context.Context, flags mcpFlags, command []string) ([]engine.Document, error) {
	flags.answers, flags.start = usualTimes.answers, usualTimes.start
	source, err := serverOf(ctx, flags, command)
	if err != nil {
		return nil, err
	}
	source.name = strings.TrimPrefix(strings.TrimPrefix(strings.Join(source.words, " "), "-- "), "--url ")
	document, err := s.listed(ctx, source, nil, cli.NewProgress(s.Session, 0))
	return []engine.Document{document}, err
}

// toolsOfVersion returns the tools of documents. A tool or document that cannot be read is an error: what
// it would say is not known.
func toolsOfVersion(documents []engine.Document) ([]breaking.Tool, error) {
	var tools []breaking.Tool
	for _, document := range documents {
		problems := document.Problems()
		for _, tool := range document.Tools {
			if tool.Err != nil {
				problems = append(problems, tool.Err)
			}
			tools = append(tools, breaking.Tool{Tool: tool, Source: document.Source})
		}
		if len(problems) > 0 {
			return nil, cli.Broken(errors.New(document.Say(problems[0])))
		}
	}
	return tools, nil
}

// compareVersions writes how tools differ.
func (s *session) compareVersions(ctx context.Context, flags diffFlags, changes *report.Changes, before, after []breaking.Tool) error {
	if len(before)+len(after) == 0 {
		return cli.Fail(cli.CodeInconclusive, errors.New("neither version has a tool"))
	}
	store, err := cli.RecordingsAsked()
	if err != nil {
		return cli.Broken(err)
	}
	options := breaking.Options{Judge: judge.Judge{Store: store}, Targets: func(tool toolfile.Tool) []judge.Target { return harness.DirectFor(tool.Form) }}
	if len(flags.targets) > 0 {
		targets, err := cli.TargetsNamed(flags.targets, normalizers.Options{})
		if err != nil {
			return err
		}
		options.Targets = func(toolfile.Tool) []judge.Target { return targets }
	}
	changes.Findings, changes.Summary, err = breaking.Compare(ctx, before, after, options)
	if err != nil {
		return cli.Interrupted(ctx)
	}
	switch {
	case flags.asJSON:
		err = changes.Lines(s.Out)
	case flags.asMarkdown:
		_, err = fmt.Fprint(s.Out, changes.Markdown())
	default:
		err = changes.Terminal(&report.Terminal{Out: s.Out, Color: s.Color, Width: s.Width})
	}
	if err != nil {
		return err
	}
	return outcomeOf(changes.Summary.Levels, breaking.Level(flags.failOn))
}

// outcomeOf returns the exit code of differences, of which those of a level and the worse ones fail.
func outcomeOf(levels map[breaking.Level]int, failOn breaking.Level) error {
	for _, level := range breaking.Levels[:slices.Index(breaking.Levels, failOn)+1] {
		if levels[level] > 0 && level != breaking.Inconclusive {
			return cli.Exit(cli.CodeFails)
		}
	}
	if levels[breaking.Inconclusive] > 0 {
		return cli.Exit(cli.CodeInconclusive)
	}
	return nil
}
