package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent/client"
	"toolproof/harness/agent/config"
	"toolproof/harness/fix"
	"toolproof/internal/escape"
)

// installFlags are the flags of wrap that change the configuration of a client.
type installFlags struct {
	install, uninstall string // the client
	config             string
	dryRun             bool
}

func (f *installFlags) add(command *cobra.Command) {
	command.Flags().StringVar(&f.install, "install", "", "write this command in front of the servers in the configuration of a `client`: "+strings.Join(configurable(), ", "))
	command.Flags().StringVar(&f.uninstall, "uninstall", "", "take it away again from the configuration of a `client`")
	command.Flags().StringVar(&f.config, "config", "", "with --install or --uninstall, change this `file` instead of the user's own")
	command.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --install or --uninstall, show the difference and write nothing")
	for _, name := range []string{"install", "uninstall"} {
		_ = command.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(configurable(), cobra.ShellCompDirectiveNoFileComp))
	}
}

func (f *installFlags) isWanted() bool { return f.install != "" || f.uninstall != "" }

// configurable returns the names of the clients whose configurations are known.
func configurable() []string {
	var names []string
	for _, row := range client.Rows {
		if row.Configuration != nil {
			names = append(names, row.Name)
		}
	}
	return names
}

// install puts wrap in front of the named servers of a client, or of all that have a command, or takes
// it away from there.
func (s *session) install(ctx context.Context, flags wrapFlags, servers []string) error {
	row := client.Named(cmp.Or(flags.installs.install, flags.installs.uninstall))
	if row == nil || row.Configuration == nil {
		return cli.Usage("--install and --uninstall take one of the clients %s", strings.Join(configurable(), ", "))
	}
	if _, err := targetOfClients(ctx, flags.target); err != nil {
		return err
	}
	front, err := frontOf(flags)
	if err != nil {
		return cli.Broken(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return cli.Broken(err)
	}
	environment := config.Environment{Lookup: os.LookupEnv, OS: runtime.GOOS, Dir: dir}
	i := installation{session: s, flags: flags.installs, front: front, environment: environment, wanted: servers}
	files := usersFiles(row, environment)
	if flags.installs.config != "" {
		files = []config.File{{Client: row, Path: flags.installs.config, Root: config.Of(flags.installs.config, environment).Root}}
	}
	found, err := i.read(ctx, files)
	if err != nil {
		return cli.Broken(err)
	}
	if len(found) == 0 {
		return cli.Broken(cli.Hint(fmt.Errorf("%s has no servers in %s", row.Title, placesOf(files)), "--config FILE names the configuration of a project"))
	}
	names := map[string]bool{}
	for _, configuration := range found {
		for _, server := range configuration.servers {
			names[server.Name] = true
		}
	}
	for _, name := range servers {
		if !names[name] {
			known := strings.Join(slices.Sorted(maps.Keys(names)), ", ")
			return cli.Broken(fmt.Errorf("%s has no server %q, but %s", row.Title, name, escape.Line(known)))
		}
	}
	for _, configuration := range found {
		if err := i.change(configuration); err != nil {
			return cli.Broken(fmt.Errorf("%s: %w", escape.Line(configuration.Path), err))
		}
	}
	return nil
}

// usersFiles returns the configurations of a client that are the user's, and not those of a project,
// which others share.
func usersFiles(row *client.Row, environment config.Environment) []config.File {
	return slices.DeleteFunc(config.Installed(environment), func(file config.File) bool {
		return file.Client != row || !filepath.IsAbs(file.Path)
	})
}

// placesOf returns the paths of files.
func placesOf(files []config.File) string {
	var places []string
	for _, file := range files {
		places = append(places, escape.Line(file.Path))
	}
	return strings.Join(places, " or ")
}

// frontOf returns the words that stand in front of the command of a server.
func frontOf(flags wrapFlags) (front, error) {
	var found front
	if name, isNpx := strings.CutPrefix(cli.Name, cli.Npx); isNpx {
		found.program = []string{strings.TrimSpace(cli.Npx), "-y", name}
	} else {
		self, err := cli.SelfPath()
		if err != nil {
			return front{}, fmt.Errorf("finding this program: %w", err)
		}
		if flags.installs.install != "" && goesAway(self) {
			return front{}, cli.Hint(errors.New("go run keeps this program for a while only, and the client would not find it"), "go install it, and run it from there")
		}
		found.program = []string{self}
	}
	found.words = append(slices.Clip(found.program), wrapCommand)
	if flags.target != "" {
		found.words = append(found.words, "--target", flags.target)
	}
	if flags.observe {
		found.words = append(found.words, "--observe")
	}
	found.words = append(found.words, "--")
	return found, nil
}

// goesAway reports whether a program is one that go run has built.
func goesAway(program string) bool { return strings.Contains(filepath.ToSlash(program), "/go-build") }

// wrapCommand is the name of the command.
const wrapCommand = "wrap"

// front is what stands in front of the command of a server.
type front struct {
	program []string // this program, which may be installed elsewhere at another time
	words   []string // all
}

// off returns a command without what stands in front of it, if that is this program.
func (f front) off(command []string) []string {
	count := len(f.program)
	if len(command) <= count || cli.NameOf(command[0]) != cli.NameOf(f.program[0]) || !slices.Equal(command[1:count], f.program[1:]) || command[count] != wrapCommand {
		return command
	}
	end := slices.Index(command, "--")
	if end < count || end+1 == len(command) {
		return command
	}
	return command[end+1:]
}

// installation is a change of the configurations of a client.
type installation struct {
	*session

	flags       installFlags
	front       front
	environment config.Environment
	wanted      []string // the servers, or none for all
}

// configuration is a file that names servers.
type configuration struct {
	config.File

	text    []byte
	servers []config.Server
}

// read reads the files that name servers. A file that is named itself has to.
func (i *installation) read(ctx context.Context, files []config.File) ([]configuration, error) {
	var found []configuration
	for _, file := range files {
		text, err := cli.Await(ctx, func() ([]byte, error) { return i.Content(file.Path) })
		if ctx.Err() != nil {
			return nil, cli.Interrupted(ctx)
		}
		var servers []config.Server
		if err == nil {
			servers, err = file.Read(text, i.environment)
		}
		isMissing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, config.ErrNoServers)
		switch {
		case err == nil:
			found = append(found, configuration{file, text, servers})
		case !isMissing || i.flags.config != "":
			return nil, fmt.Errorf("%s: %w", escape.Line(file.Path), err)
		}
	}
	return found, nil
}

// change changes a configuration, and shows that before it is written.
func (i *installation) change(file configuration) error {
	for _, server := range file.servers {
		if i.flags.install != "" && i.isWanted(server.Name) && len(server.Command) == 0 {
			i.Warnf("%s: %s stays as it is: it has no command", escape.Line(file.Path), escape.Line(server.Name))
		}
	}
	rewritten, err := file.Rewrite(file.text, i.environment, func(name string, command []string) []string {
		if !i.isWanted(name) {
			return command
		}
		return i.front.off(command)
	})
	if err == nil && i.flags.install != "" {
		rewritten, err = file.Rewrite(rewritten, i.environment, func(name string, command []string) []string {
			if !i.isWanted(name) || len(command) == 0 {
				return command
			}
			return slices.Concat(i.front.words, command)
		})
	}
	if err != nil {
		return err
	}
	if bytes.Equal(file.text, rewritten) {
		i.Warnf("%s: nothing to change", escape.Line(file.Path))
		return nil
	}
	_, err = i.Out.Write(file.difference(rewritten))
	if err := errors.Join(err, i.Out.Flush()); err != nil || i.flags.dryRun {
		return err
	}
	backup := file.Path + backupSuffix
	if err := keep(file.Path, backup, file.text); err != nil {
		return err
	}
	if err := cli.Replace(file.Path, file.text, rewritten); err != nil {
		return err
	}
	i.Warnf("%s: written; %s has what it was; restart %s", escape.Line(file.Path), escape.Line(filepath.Base(backup)), file.Client.Title)
	return nil
}

// isWanted reports whether a server is to be changed.
func (i *installation) isWanted(name string) bool {
	return len(i.wanted) == 0 || slices.Contains(i.wanted, name)
}

// backupSuffix is the end of the name of the file that has what a configuration was.
const backupSuffix = ".before-wrap"

// keep writes the text of a file to another one beside it, for the same users.
func keep(name, backup string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return cli.WithoutPath(err)
	}
	err = os.Remove(backup) // of an earlier change: it may have another mode, or be a link
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replacing %s: %w", escape.Line(backup), cli.WithoutPath(err))
	}
	if err := os.WriteFile(backup, text, info.Mode().Perm()); err != nil {
		return fmt.Errorf("writing %s: %w", escape.Line(backup), cli.WithoutPath(err))
	}
	return nil
}

// difference returns what changes in a configuration, without the secrets in it.
func (c configuration) difference(rewritten []byte) []byte {
	public := func(text []byte) []byte {
		shown := string(text)
		for _, server := range c.servers {
			address, _ := url.Parse(server.Address) // one that is none has no keys
			shown = hiding(server.Secrets, address).Replace(shown)
		}
		return []byte(withoutQuery.ReplaceAllString(shown, "$1"))
	}
	edited := fix.Document{Before: public(c.text), After: public(rewritten)}
	return bytes.ReplaceAll(edited.Patch(filepath.ToSlash(c.Path)), []byte("\r\n"), []byte("\n"))
}
