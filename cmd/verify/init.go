package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent/config"
	"toolproof/harness/project"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/normalizers"
)

// initFlags are the flags of verify init.
type initFlags struct {
	yes, force bool
	schema     string
}

func newInit(s *session) *cobra.Command {
	var flags initFlags
	command := &cobra.Command{
		Use:   "init",
		Short: "Write toolproof.json: what to check in this folder, and for which targets",
		Long: `init writes toolproof.json, which tells verify check what to check in this folder and
for which targets. docs/config.md describes the file and what else it can have.

init looks for files with tools, for an MCP server in package.json or pyproject.toml,
for configurations of MCP clients, and for the clients of providers among the
dependencies. On a terminal it asks which of them to take; an empty line takes the
answer in capitals. It starts no program.`,
		Example: `  verify init
  verify init --yes
  verify init --schema toolproof.schema.json`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return nil
			}
			return cli.Broken(cli.Hint(fmt.Errorf("init takes no argument such as %s", cli.ShellQuote(arguments[0])), "it looks in the working folder: cd into another first"))
		},
		RunE: func(command *cobra.Command, _ []string) error { return s.initialize(command.Context(), flags) },
	}
	command.Flags().BoolVar(&flags.yes, "yes", false, "ask nothing; take what was found")
	command.Flags().BoolVar(&flags.force, "force", false, "overwrite an existing toolproof.json")
	command.Flags().StringVar(&flags.schema, "schema", "", "also write the JSON Schema of toolproof.json to this file, and refer to it for editors")
	return command
}

// offer is a source that toolproof.json may get, with the question about it and the default answer.
type offer struct {
	source   project.Source
	question string
	isWanted bool
}

// initialize writes the toolproof.json of the working folder.
func (s *session) initialize(ctx context.Context, flags initFlags) error {
	if _, err := os.Lstat(project.Name); !flags.force && !errors.Is(err, fs.ErrNotExist) {
		return cli.Broken(cli.Hint(errors.New(project.Name+" is there"), "--force overwrites it"))
	}
	offers, err := s.offers(ctx)
	if err != nil {
		return err
	}
	found := project.Look(os.DirFS("."))
	for _, problem := range found.Problems {
		s.Warnf("%s", escape.Line(problem.Error()))
	}
	if len(found.Server) > 0 {
		offers = append([]offer{{project.Source{Server: found.Server}, "Start the MCP server of " + found.Manifest + ", " + words(found.Server) + "?", true}}, offers...)
		found.Targets = nil // other people's clients use the server
	}
	if !slices.ContainsFunc(offers, func(offered offer) bool { return offered.isWanted }) {
		for i := range offers { // there are no other sources
			offers[i].isWanted = true
		}
	}
	ask := &questions{session: s, ctx: ctx}
	if cli.IsTerminal(s.In) && !flags.yes {
		ask.in = bufio.NewReader(s.In)
	} else if !flags.yes {
		s.Warnf("standard input is no terminal: the defaults are taken")
	}
	sources, targets, normalized, err := ask.all(offers, found)
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		err := errors.New("no tools were found: there is nothing to write")
		return cli.Broken(cli.Hint(err, "docs/export.md has commands that print tools, docs/config.md says how to name them"))
	}
	if err := s.writeProject(flags, sources, targets, normalized); err != nil {
		return err
	}
	s.tell(offers, sources, found, targets)
	return nil
}

// offers returns the files with tools and the configurations of MCP clients in the working folder.
// The servers of a configuration are not wanted by default, since others may have written them.
func (s *session) offers(ctx context.Context) ([]offer, error) {
	search := &cli.Search{Root: ".", Pattern: cli.ToolFiles}
	if _, err := s.Names(ctx, ".", search); err != nil {
		return nil, err
	}
	var files []string
	for _, name := range search.Found {
		tools, err := s.ReadFile(ctx, name, toolfile.Reader{Folds: true})
		if ctx.Err() != nil {
			return nil, cli.Interrupted(ctx)
		}
		if search.Take(name, tools, err) {
			files = append(files, name)
		}
	}
	s.Warnf("%v", search)
	var offers []offer
	for _, name := range foldersOf(files) {
		offers = append(offers, offer{project.Source{Files: filepath.ToSlash(name)}, "Check the tools of " + escape.Line(name) + "?", true})
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, cli.Broken(err)
	}
	environment := config.Environment{Lookup: os.LookupEnv, OS: runtime.GOOS, Dir: folder}
	for _, file := range config.Installed(environment) {
		if filepath.IsAbs(file.Path) {
			continue // the user's, not the project's
		}
		servers, err := s.readConfiguration(ctx, file, environment)
		switch {
		case ctx.Err() != nil:
			return nil, cli.Interrupted(ctx)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, config.ErrNoServers):
		case err != nil:
			s.Warnf("%s: %v", escape.Line(file.Path), err)
		default:
			question := fmt.Sprintf("Ask the %s of %s?", report.Count(len(servers), "server"), escape.Line(file.Path))
			offers = append(offers, offer{project.Source{Config: filepath.ToSlash(file.Path)}, question, false})
		}
	}
	return offers, nil
}

// foldersOf returns the files, or the folders that hold them if there are many.
func foldersOf(files []string) []string {
	const many = 8
	if len(files) <= many {
		return files
	}
	var folders []string
	for _, name := range files {
		folder := filepath.Dir(name)
		isBelow := func(other string) bool {
			return other == "." || folder == other || strings.HasPrefix(folder, other+string(filepath.Separator))
		}
		if !slices.ContainsFunc(folders, isBelow) {
			folders = append(slices.DeleteFunc(folders, func(other string) bool {
				return folder == "." || strings.HasPrefix(other, folder+string(filepath.Separator))
			}), folder)
		}
	}
	return folders
}

// questions asks a person. Without a terminal, each answer is the default.
type questions struct {
	*session

	ctx context.Context //nolint:containedctx // lives as long as the command
	in  *bufio.Reader   // nil if nobody answers
}

// all asks what to check, and for which targets.
func (q *questions) all(offers []offer, found project.Found) (sources []project.Source, targets []string, normalized bool, err error) {
	for _, offer := range offers {
		wanted, err := q.yes(offer.question, offer.isWanted)
		if err != nil {
			return nil, nil, false, err
		}
		if wanted {
			sources = append(sources, offer.source)
		}
	}
	if len(sources) == 0 {
		name, err := q.line("Which file, folder or pattern has the tools? ")
		if err != nil {
			return nil, nil, false, err
		}
		if name != "" {
			sources = append(sources, project.Source{Files: name})
		}
	}
	if len(sources) == 0 {
		return nil, nil, false, nil
	}
	if targets, err = q.targets(found.Targets); err != nil || len(found.Targets) == 0 {
		return sources, targets, false, err
	}
	normalized, err = q.yes("Do you send the tools through the normalizers of Toolproof?", false)
	return sources, targets, normalized, err
}

// line asks for a line. It returns "" if nobody answers.
func (q *questions) line(question string) (string, error) {
	if q.in == nil {
		return "", nil
	}
	fmt.Fprint(q.Errs, question)
	line, err := cli.Await(q.ctx, func() (string, error) { return q.in.ReadString('\n') })
	if q.ctx.Err() != nil {
		return "", cli.Interrupted(q.ctx)
	}
	if err != nil { // nobody answers any more
		q.in = nil
		if !errors.Is(err, io.EOF) {
			return "", cli.Broken(fmt.Errorf("reading an answer: %w", err))
		}
	}
	return strings.TrimSpace(line), nil
}

// yes asks a question that is answered with yes or no.
func (q *questions) yes(question string, otherwise bool) (bool, error) {
	choice := " [y/N] "
	if otherwise {
		choice = " [Y/n] "
	}
	for {
		answer, err := q.line(question + choice)
		switch {
		case err != nil || answer == "":
			return otherwise, err
		case strings.EqualFold(answer, "y"), strings.EqualFold(answer, "yes"):
			return true, nil
		case strings.EqualFold(answer, "n"), strings.EqualFold(answer, "no"):
			return false, nil
		}
	}
}

// targets asks for targets until all names are known. No targets means the default of verify check.
func (q *questions) targets(otherwise []string) ([]string, error) {
	shown := "those of most clients"
	if len(otherwise) > 0 {
		shown = strings.Join(otherwise, ",")
	}
	for {
		answer, err := q.line("For which targets, with commas? [" + shown + "] ")
		if err != nil || answer == "" {
			return otherwise, err
		}
		names := strings.FieldsFunc(answer, func(letter rune) bool { return letter == ',' || letter == ' ' })
		_, err = cli.TargetsNamed(names, normalizers.Options{})
		if err == nil {
			return names, nil
		}
		q.Warnf("%v", err)
	}
}

// writeProject writes toolproof.json and, if the flags name a file for it, its schema.
func (s *session) writeProject(flags initFlags, sources []project.Source, targets []string, normalized bool) error {
	form := ""
	if flags.schema != "" {
		form = filepath.ToSlash(flags.schema)
		if !filepath.IsAbs(flags.schema) {
			form = "./" + form
		}
		if err := cli.WriteFile("the schema", flags.schema, func(out io.Writer) error {
			_, err := io.WriteString(out, cli.ProjectSchema())
			return err //nolint:wrapcheck // a buffer does not fail
		}); err != nil {
			return err
		}
	}
	return cli.WriteFile("the configuration", project.Name, func(out io.Writer) error {
		_, err := io.WriteString(out, project.Text(sources, targets, normalized, form))
		return err //nolint:wrapcheck // a buffer does not fail
	})
}

// tell prints what was written, what was left out, and what to do next.
func (s *session) tell(offers []offer, sources []project.Source, found project.Found, targets []string) {
	fmt.Fprintf(s.Out, "wrote      %s\n", project.Name)
	for _, source := range sources {
		fmt.Fprintf(s.Out, "source     %s\n", escape.Line(source.String()))
	}
	for _, offer := range offers {
		if !slices.ContainsFunc(sources, func(source project.Source) bool { return source.String() == offer.source.String() }) {
			fmt.Fprintf(s.Out, "left out   %s\n", escape.Line(offer.source.String()))
		}
	}
	switch {
	case len(targets) == 0:
		fmt.Fprintf(s.Out, "targets    where clients pass tools on to as they are\n")
	case slices.Equal(targets, found.Targets):
		fmt.Fprintf(s.Out, "targets    %s, because of %s\n", strings.Join(targets, ", "), escape.Line(strings.Join(found.Because, ", ")))
	default:
		fmt.Fprintf(s.Out, "targets    %s\n", escape.Line(strings.Join(targets, ", ")))
	}
	if command := found.Server; len(command) > 1 && command[0] == "node" {
		if _, err := os.Stat(command[1]); err != nil {
			s.Warnf("%s is not there: build the server first", escape.Line(command[1]))
		}
	}
	fmt.Fprintln(s.Out, cli.Typed("next       verify check"))
}

// words returns a command as it is typed into a shell.
func words(command []string) string {
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = cli.ShellQuote(word)
	}
	return escape.Line(strings.Join(quoted, " "))
}
