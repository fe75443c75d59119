package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/agent/config"
	"toolproof/harness/project"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/harness/requirements"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// projectFlags are the flags that choose a toolproof.json.
type projectFlags struct {
	name string
	none bool
}

func (p *projectFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&p.name, "config", "", "use this toolproof.json (default: the nearest one, from the working folder upwards)")
	command.Flags().BoolVar(&p.none, "no-config", false, "use no toolproof.json")
	command.MarkFlagsMutuallyExclusive("config", "no-config")
}

// words returns the command line of the flags.
func (p *projectFlags) words() []string {
	switch {
	case p.none:
		return []string{"--no-config"}
	case p.name != "":
		return []string{"--config", p.name}
	default:
		return nil
	}
}

// find returns the path of the toolproof.json to use, or "" if there is none. It looks in the working
// folder and above it, up to the root of the repository or else the home of the user. Outside of both
// only the working folder counts, because a file above it may belong to another user, and names
// programs to start.
func (p *projectFlags) find() (string, error) {
	if p.none || p.name != "" {
		return p.name, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", cli.Broken(err)
	}
	last := lastFolder(folder)
	for name := project.Name; ; name, folder = filepath.Join("..", name), filepath.Dir(folder) {
		if _, err := os.Stat(name); err == nil {
			if name != project.Name && isOfAnotherUser(name) {
				return "", cli.Broken(cli.Hint(fmt.Errorf("%s belongs to another user", name), "--config "+name+" goes by it where you trust its programs, --no-config ignores it"))
			}
			return name, nil
		}
		if folder == last {
			return "", nil
		}
	}
}

// lastFolder returns the uppermost folder, at or above the given one, whose toolproof.json counts.
func lastFolder(folder string) string {
	home, _ := os.UserHomeDir() // "" without a home, which no folder equals
	for above := folder; ; above = filepath.Dir(above) {
		_, err := os.Stat(filepath.Join(above, ".git"))
		switch {
		case err == nil, above == home:
			return above
		case above == filepath.Dir(above):
			return folder
		}
	}
}

// readProject reads a toolproof.json.
func (s *session) readProject(ctx context.Context, name string) (*project.File, error) {
	file, err := cli.Await(ctx, func() (*project.File, error) {
		in, err := os.Open(name) //nolint:gosec // the user names the file, or has it
		if err != nil {
			return nil, cli.WithoutPath(err)
		}
		defer in.Close()
		file, err := project.Read(in, name, cli.ProjectNames())
		if err != nil || file.Requirements == "" {
			return file, err
		}
		required, err := requirements.Of(file.Requirements)
		if err != nil {
			return nil, err
		}
		file.Requires = required.Requires(harness.Dialects)
		return file, nil
	})
	if ctx.Err() != nil {
		return nil, cli.Interrupted(ctx)
	}
	shown := escape.Line(name)
	mistakes, hasMistakes := errors.AsType[project.MistakesError](err)
	switch {
	case hasMistakes:
		return nil, cli.Broken(mistaken(shown, mistakes))
	case errors.Is(err, fs.ErrNotExist):
		return nil, cli.Broken(cli.Hint(fmt.Errorf("%s: %w", shown, err), "verify init writes one"))
	case err != nil:
		return nil, cli.Broken(fmt.Errorf("%s:%w", shown, err))
	}
	return file, nil
}

// mistaken returns the error of a toolproof.json with mistakes, and the names that are probably meant.
func mistaken(name string, mistakes project.MistakesError) error {
	lines := make([]string, len(mistakes))
	isOfClient := false
	for i, mistake := range mistakes {
		lines[i] = escape.Line(name + ":" + mistake.String())
		const few = 12
		if likely := cli.Likely(mistake.Word, mistake.Known); likely != "" {
			lines[i] += ": did you mean " + likely + "?"
		} else if len(mistake.Known) > 0 && len(mistake.Known) <= few {
			lines[i] += ": use one of " + strings.Join(mistake.Known, ", ")
		}
		isOfClient = isOfClient || slices.Contains([]string{"/mcpServers", "/servers", "/mcp", "/context_servers"}, string(mistake.At))
	}
	err := errors.New(strings.Join(lines, "\n"))
	if isOfClient {
		return cli.Hint(err, "verify mcp --config "+cli.ShellQuote(name)+" asks the servers of a client's configuration")
	}
	return cli.Hint(err, "docs/config.md describes the file; verify list rules and verify list targets list the names")
}

// with returns the flags completed by the file. A flag on the command line overrides the file.
func (flags *checkFlags) with(file *project.File, isSet func(string) bool, hasSources bool) checkFlags {
	unmerged, merged := *flags, *flags
	merged.project, merged.given = file, &unmerged
	merged.isWhole = !hasSources && !isSet("target") && !isSet("normalized") && !isSet("raw") && !isSet("as-of") && !isSet("model") && !isSet("rule")
	if !isSet("target") {
		merged.targets = file.Targets
	}
	if !isSet("normalized") && !isSet("raw") {
		merged.normalized = file.Normalized
	}
	if !isSet("baseline") && merged.writeBaseline == "" && file.Baseline != "" {
		merged.baseline = file.From(file.Baseline)
	}
	if !isSet("min-tools") && !hasSources && file.MinTools > 0 {
		merged.minTools = file.MinTools
	}
	return merged
}

// inProject returns a function that names the source of a result for the baseline of a project: a file
// by its path relative to the folder of toolproof.json, wherever the command runs. It returns nil if
// names stay as they are.
func inProject(file *project.File) func(string) string {
	if file == nil || file.Folder() == "." {
		return nil
	}
	return func(source string) string {
		if _, err := os.Stat(source); err != nil || filepath.IsAbs(source) {
			return source // not a file
		}
		folder, err := filepath.Abs(file.Folder())
		if err != nil {
			return source
		}
		full, err := filepath.Abs(source)
		if err != nil {
			return source
		}
		if name, err := filepath.Rel(folder, full); err == nil {
			return filepath.ToSlash(name)
		}
		return source
	}
}

// checkProject checks the tools of all sources of a toolproof.json.
func (r *checkRun) checkProject(ctx context.Context, file *project.File) error {
	var documents []engine.Document
	var servers []configured
	for _, source := range file.Sources {
		read, of, err := r.source(ctx, file, source)
		if err != nil {
			return ofSource(ctx, file, source, err)
		}
		documents, servers = append(documents, read...), append(servers, of...)
	}
	if len(servers) == 0 {
		if err := r.flags.only.Keep(documents); err != nil {
			return err
		}
	}
	r.divide(documents)
	r.keepShard(documents)
	if len(servers) > 0 {
		return r.servers(ctx, servers, documents)
	}
	return r.all(ctx, documents)
}

// ofSource returns the error of a source.
func ofSource(ctx context.Context, file *project.File, source project.Source, err error) error {
	if ctx.Err() != nil {
		return cli.Interrupted(ctx)
	}
	code := cli.CodeBroken
	if exit, ok := errors.AsType[cli.ExitError](err); ok {
		code = exit.Code
	}
	return cli.Fail(code, fmt.Errorf("%s: %w", escape.Line(file.Place(source)), err))
}

// source reads the tools of a source, or returns its servers. A source without either is an error,
// because the project expects something to be checked there.
func (r *checkRun) source(ctx context.Context, file *project.File, source project.Source) (documents []engine.Document, servers []configured, err error) {
	switch {
	case source.Files != "":
		documents, err = r.ReadWith(ctx, []string{file.From(source.Files)}, r.flags.as.Reader(false))
	case len(source.Command) > 0:
		documents = make([]engine.Document, 1)
		documents[0], err = r.Exported(ctx, source.Command, file.Folder(), r.flags.as.Reader(false))
	case len(source.Server) > 0:
		return nil, []configured{programOf(ctx, file, source.Server)}, nil
	default:
		servers, err = r.serversOf(ctx, file.From(source.Config))
		return nil, servers, err
	}
	hasSome := func(document engine.Document) bool { return len(document.Tools) > 0 || document.Err != nil }
	if err == nil && !slices.ContainsFunc(documents, hasSome) {
		err = errors.New("the source has no tool")
	}
	return documents, nil, err
}

// programOf returns the server that a source starts.
func programOf(ctx context.Context, file *project.File, words []string) configured {
	entry := configured{
		namedServer: namedServer{server.Program(ctx, words[0], words[1:]...), strings.Join(words, " "), nil, strings.NewReplacer()},
		config:      config.Server{Clients: []string{project.Name}, Command: words}, needsTools: true,
	}
	entry.Dir = file.Folder()
	entry.set(usualTimes, words)
	return entry
}

// serversOf returns the servers of the configuration of a client.
func (r *checkRun) serversOf(ctx context.Context, name string) ([]configured, error) {
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	environment := config.Environment{Lookup: os.LookupEnv, OS: runtime.GOOS, Dir: folder}
	found, err := r.readConfiguration(ctx, config.Of(name, environment), environment)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", escape.Line(name), err)
	}
	var servers []configured
	isEnabled := false
	for _, entry := range found {
		servers = append(servers, prepared(ctx, usualTimes, entry))
		isEnabled = isEnabled || !entry.IsDisabled
	}
	if !isEnabled {
		return nil, fmt.Errorf("%s: every server is disabled", escape.Line(name))
	}
	return servers, nil
}

// sourcesToWatch returns the toolproof.json and the files that it names. If it names a program, which
// may read any file, it also returns a pattern for all files in the folder.
func (s *session) sourcesToWatch(ctx context.Context, name string) []string {
	names := []string{name}
	file, err := s.readProject(ctx, name)
	if err != nil {
		return names // the file may be corrected later
	}
	for _, source := range file.Sources {
		switch {
		case source.Files != "":
			names = append(names, file.From(source.Files))
		case source.Config != "":
			names = append(names, file.From(source.Config))
		default:
			names = append(names, filepath.Join(file.Folder(), "**"))
		}
	}
	return names
}

// ignoresToMend returns the ignores that have no effect: expired ones with findings and, if every
// source was checked as the file says, those without findings. It leaves out ignores that the run
// cannot know about: those of advice in a run without advice, and the others in advise.
func (r *checkRun) ignoresToMend() []report.Ignore {
	file := r.flags.project
	if file == nil {
		return nil
	}
	worst := r.Summary().Worst()
	isWhole := r.flags.isWhole && worst != verdict.Error && worst != verdict.Inconclusive && worst != verdict.NotApplicable
	var mend []report.Ignore
	for _, ignore := range file.Ignores {
		entry := report.Ignore{File: file.Name, Line: ignore.Line, At: ignore.At, Tool: ignore.Tool, Rule: ignore.Rule, Until: string(ignore.Until)}
		switch {
		case !ignore.IsUsed() && isWhole && r.looksFor(ignore.Rule):
			entry.Problem = report.Unused
		case ignore.IsUsed() && ignore.IsExpired(provider.Today()):
			entry.Problem = report.Expired
		default:
			continue
		}
		mend = append(mend, entry)
	}
	return mend
}

// looksFor reports whether the run can have findings of a rule.
func (r *checkRun) looksFor(rule string) bool {
	if adviceNamed(rule) == nil {
		return !r.flags.advice.alone
	}
	return r.Advice != nil && slices.Contains(r.Advice.Rules, adviceNamed(rule))
}
