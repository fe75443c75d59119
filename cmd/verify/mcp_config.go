package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent/config"
	"toolproof/harness/agent/whole"
	"toolproof/harness/live"
	"toolproof/harness/project"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/internal/bounded"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// configured is a server of a configuration. It can be asked unless it is disabled or has an error.
type configured struct {
	namedServer

	config config.Server
	// needsTools is set if a server without tools is an error.
	needsTools bool
	// place is that of the server among those of the configurations, and isInstalled is set if only its clients start it.
	place       int
	isInstalled bool
}

// clients returns the names of the clients that start a server.
func (c configured) clients() string { return strings.Join(c.config.Clients, ", ") }

// checkConfigured checks the tools of all servers of configurations.
func (s *session) checkConfigured(ctx context.Context, flags mcpFlags, arguments []string) error {
	if flags.address != "" || len(arguments) > 0 || len(flags.headers) > 0 || flags.bearer != "" {
		return cli.Usage("--config and --installed name the servers: leave out the command, --url, --header and --bearer-env")
	}
	if flags.config != "" && flags.installed {
		return cli.Usage("--config and --installed exclude one another")
	}
	if err := flags.check.shard.Choose(s.Warnf); err != nil {
		return err
	}
	found, problems, words, err := s.configurations(ctx, flags)
	if err != nil {
		return err
	}
	servers, err := chosen(ctx, flags, found)
	if err != nil {
		return err
	}
	if flags.dryRun {
		return s.listServers(servers, problems)
	}
	run, err := s.newCheckRun(ctx, flags.check, words)
	if err != nil {
		return err
	}
	run.Whole = &engine.Whole{}
	if !flags.check.shard.IsPart() {
		run.Whole.Judge = func(ctx context.Context, lists []report.List) ([]report.Agent, error) {
			return whole.Judge(ctx, run.Judge.AsOf, lists)
		}
	}
	return run.servers(ctx, servers, problems)
}

// list returns what has to be known of the server's tools, to judge those of all servers together.
func (c configured) list(tools []toolfile.Tool) report.List {
	list := report.List{Place: c.place, Server: c.config.Name}
	if c.isInstalled {
		list.Clients = c.config.Clients
	}
	list.Tools = whole.Listed(list.Server, func(yield func(schema.Tool) bool) {
		for _, tool := range tools {
			if !yield(tool.Unfolded().Tool) {
				return
			}
		}
	})
	return list
}

// chosen returns the servers that --server names, or all, ready to be asked.
func chosen(ctx context.Context, flags mcpFlags, found []config.Server) ([]configured, error) {
	var servers []configured
	left := slices.Clone(flags.only)
	for i, entry := range found {
		if len(flags.only) == 0 || slices.Contains(flags.only, entry.Name) {
			server := prepared(ctx, flags, entry)
			server.place, server.isInstalled = i, flags.installed
			servers = append(servers, server)
		}
		left = slices.DeleteFunc(left, func(name string) bool { return name == entry.Name })
	}
	if len(left) > 0 {
		return nil, cli.Usage("--server: no server is named %q", left[0])
	}
	return servers, nil
}

// configurations reads the servers of the file that --config names, or of the files that --installed
// finds. problems are the files that could not be read, and words the command line that reads them
// again.
func (s *session) configurations(ctx context.Context, flags mcpFlags) (servers []config.Server, problems []engine.Document, words []string, err error) {
	if err := flags.capabilities(); err != nil {
		return nil, nil, nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, nil, nil, cli.Broken(err)
	}
	environment := config.Environment{Lookup: os.LookupEnv, OS: runtime.GOOS, Dir: dir}
	if flags.config != "" {
		servers, err := s.readConfiguration(ctx, config.Of(flags.config, environment), environment)
		if filepath.Base(flags.config) == project.Name && errors.Is(err, config.ErrNoServers) {
			err = cli.Hint(err, "verify check --config "+cli.ShellQuote(flags.config)+" goes by a "+project.Name)
		}
		if err != nil {
			return nil, nil, nil, cli.Broken(fmt.Errorf("%s: %w", escape.Line(flags.config), err))
		}
		return servers, nil, []string{"mcp", "--config", flags.config}, nil
	}
	for _, file := range config.Installed(environment) {
		found, err := s.readConfiguration(ctx, file, environment)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, config.ErrNoServers):
			continue
		case ctx.Err() != nil:
			return nil, nil, nil, cli.Interrupted(ctx)
		case err != nil: // the other files still count
			problems = append(problems, engine.Document{Source: file.Path, Err: err})
			continue
		}
		s.Warnf("%s: %s of %s", escape.Line(file.Path), report.Count(len(found), "server"), file.Client.Title)
		servers = append(servers, found...)
	}
	if len(servers) == 0 && len(problems) == 0 {
		return nil, nil, nil, cli.Broken(cli.Hint(errors.New("no configuration of a client names an MCP server"), "verify mcp --config FILE reads one from another place"))
	}
	return config.Effective(servers), problems, []string{"mcp", "--installed"}, nil
}

// readConfiguration reads the servers of a file. Its errors do not name the file.
func (s *session) readConfiguration(ctx context.Context, file config.File, environment config.Environment) ([]config.Server, error) {
	text, err := cli.Await(ctx, func() ([]byte, error) {
		in, err := s.Open(file.Path)
		if err != nil {
			return nil, err
		}
		defer in.Close() //nolint:errcheck // opened for reading
		const most = 16 << 20
		return bounded.All(in, most)
	})
	if err != nil {
		return nil, err
	}
	return file.Read(text, environment)
}

// prepared returns a server of a configuration, ready to be asked.
func prepared(ctx context.Context, flags mcpFlags, found config.Server) configured {
	address, err := url.Parse(found.Address)
	entry := configured{namedServer: namedServer{name: found.Name, secrets: hiding(found.Secrets, address)}, config: found}
	if flags.installed {
		entry.name = found.Clients[0] + "/" + found.Name
	}
	if found.Err != nil || found.IsDisabled {
		return entry
	}
	if len(found.Command) > 0 {
		entry.Server = server.Program(ctx, found.Command[0], found.Command[1:]...)
		entry.Env, entry.Dir = found.Env, found.Dir
		entry.set(flags, found.Command)
		return entry
	}
	if err != nil {
		entry.config.Err = errors.New("the address is none")
		return entry
	}
	if entry.config.Err = live.Private(address, found.Headers, flags.insecure); entry.config.Err != nil {
		return entry
	}
	if found.IsSSE {
		entry.Server = server.Events(found.Address)
	} else {
		entry.Server = server.At(found.Address)
	}
	entry.Headers = found.Headers
	entry.set(flags, nil)
	return entry
}

// listServers prints the programs that would be started and the addresses that would be asked,
// without the keys that a file may have in them.
func (s *session) listServers(servers []configured, problems []engine.Document) error {
	for _, entry := range servers {
		shown := "disabled"
		switch {
		case entry.config.IsDisabled:
		case entry.config.Err != nil:
			shown = entry.why(entry.config.Err)
		case len(entry.config.Command) > 0:
			shown = escape.Line(entry.secrets.Replace(strings.Join(entry.config.Command, " ")))
		default:
			shown = entry.why(errors.New(withoutKeysOf(entry.config.Address)))
		}
		fmt.Fprintf(s.Out, "%s (%s): %s\n", escape.Line(entry.name), entry.clients(), shown)
	}
	for _, problem := range problems {
		s.Warnf("%s", problem.Say(problem.Err))
	}
	if len(problems) > 0 {
		return cli.Exit(cli.CodeBroken)
	}
	return nil
}

// withoutKeysOf is withoutKeys for an address as it was written.
func withoutKeysOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return withoutKeys(parsed)
}
