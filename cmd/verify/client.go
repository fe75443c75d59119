package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent"
	"toolproof/harness/agent/client"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
)

// clientFlags are the flags of verify client.
type clientFlags struct {
	shard    cli.Shard
	servers  mcpFlags
	server   string
	files    []string
	all      bool
	surfaces []string
	when     cli.When
	limit    time.Duration
	log      string
	search   bool
	asJSON   bool
	asPage   bool
}

func newClient(s *session) *cobra.Command {
	var flags clientFlags
	command := &cobra.Command{
		Use:   "client NAME... --server CMD [flags] [-- ARGUMENT...]",
		Short: "Run real agents and see which tools of an MCP server reach the model",
		Long: `client shows which tools of an MCP server reach the model through a real agent, such as
Gemini CLI or Codex. It runs agents that are installed here, gives each the server and
one question, answers in the provider's place (as verify serve does), and compares the
tools of the server with what the agent sends:

  kept      as the server has it, apart from the name
  changed   in other words; instances of the schema show whether that loses something
  deferred  as a name that the model has to search for; only with --tool-search
  missing   not sent; worst if the agent does not say so
  refused   the provider refuses what was sent of this tool alone

It also reports if the provider refuses the request as a whole, and its words. verify
list clients lists the agents. --all runs every installed one and prints a table.
NAME=PATH runs the program at that path, such as another version of the agent.

--server, --url and --config name the servers as in verify mcp; arguments with spaces
stand behind --. --tools takes the tools from a file instead. The server itself is asked
once: the agents get a stand-in that lists the same tools and does nothing when one is
called.

Each agent runs with a home and a working folder of its own and within a time limit. On
Linux it has no network and no capabilities, sees no other process, writes to memory
only, and no process outlives the run. If the system does not allow that, client says so
before it runs an agent, and in the result.

Exit codes:
  0  every tool reaches the model
  1  a tool is missing or refused
  2  an agent is unknown or not installed
  3  no verdict, because an agent or a server did not start, or a tool is deferred`,
		Example: `  verify client gemini-cli --server 'npx -y @modelcontextprotocol/server-filesystem .'
  verify client opencode --surface gemini --tools tools.json
  verify client claude-code=old/node_modules/.bin/claude --tools tools.json --log requests
  verify client --all --config .mcp.json --markdown`,
		RunE: func(command *cobra.Command, arguments []string) error {
			names, words := arguments, []string(nil)
			if dash := command.ArgsLenAtDash(); dash >= 0 {
				names, words = arguments[:dash], arguments[dash:]
			}
			return s.clients(command.Context(), flags, names, words)
		},
		ValidArgs: clientNames(),
	}
	command.Flags().StringVar(&flags.server, "server", "", "start this MCP server; put arguments with spaces after --")
	command.Flags().StringArrayVar(&flags.files, "tools", nil, "give the agents the tools of this `file` (repeatable)")
	command.Flags().BoolVar(&flags.all, "all", false, "run every installed agent")
	command.Flags().StringSliceVar(&flags.surfaces, "surface", nil, "run only with these APIs of providers: chat, responses, messages, gemini")
	command.Flags().DurationVar(&flags.limit, "run-timeout", 2*time.Minute, "end each agent after this time")
	command.Flags().StringVar(&flags.when.AsOf, "as-of", "", "use the provider models as of this day, month or year, such as 2025-03")
	command.Flags().BoolVar(&flags.search, "tool-search", false, "run only agents with a search for tools, and leave it on")
	command.Flags().StringVar(&flags.log, "log", "", "write each request of an agent to a file in a subfolder of this `folder`, without keys")
	command.Flags().BoolVar(&flags.asJSON, "json", false, "write JSON Lines, one object per agent and surface")
	command.Flags().BoolVar(&flags.asPage, "markdown", false, "write a page of Markdown")
	command.MarkFlagsMutuallyExclusive("json", "markdown")
	flags.shard.Add(command.Flags(), "agents, APIs and servers")
	flags.servers.addServers(command)
	return command
}

// newClientServer is the hidden command that agents start in place of the server.
func newClientServer(s *session) *cobra.Command {
	return &cobra.Command{
		Use: agent.ServerCommand + " FILE", Short: "Publish the tools of a file, for agents that verify client runs", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			list, err := os.ReadFile(arguments[0])
			if err != nil {
				return cli.Broken(err)
			}
			if err := server.Serve(command.Context(), io.NopCloser(s.In), unbuffered{s.Log}, list); err != nil {
				return cli.Broken(err)
			}
			return nil
		},
	}
}

// unbuffered is a writer without a buffer; closing it does nothing.
type unbuffered struct{ io.Writer }

func (unbuffered) Close() error { return nil }

func clientNames() []string {
	var names []string
	for _, row := range client.Agents {
		names = append(names, row.Name)
	}
	return names
}

// chosenClient is an agent to run with one API of a provider.
type chosenClient struct {
	*client.Row

	surface client.Surface
	program string
}

// chosenClients returns the agents to run.
func chosenClients(flags clientFlags, names []string) ([]chosenClient, error) {
	if flags.all == (len(names) > 0) {
		return nil, cli.Broken(cli.Hint(errors.New("the name of an agent is required, or --all"), "verify list clients lists them"))
	}
	if flags.all {
		names = clientNames()
	}
	known := map[string]bool{}
	var chosen []chosenClient
	for _, name := range names {
		name, path, _ := strings.Cut(name, "=")
		row := client.AgentNamed(name)
		if row == nil {
			return nil, cli.Broken(cli.Suggest(fmt.Errorf("unknown agent %q", name), name, clientNames(), "verify list clients lists them"))
		}
		if flags.search && !row.Run.HasSearch {
			if !flags.all {
				return nil, cli.Usage("--tool-search: %s has no search for tools", row.Title)
			}
			continue
		}
		for _, surface := range row.Run.Surfaces {
			known[surface.Name] = true
		}
		program, err := cli.Installed(row.Title, cmp.Or(path, row.Run.Program), row.Run.Package)
		if err != nil {
			if flags.all {
				continue
			}
			return nil, err
		}
		for _, surface := range row.Run.Surfaces {
			if len(flags.surfaces) == 0 || slices.Contains(flags.surfaces, surface.Name) {
				chosen = append(chosen, chosenClient{row, surface, program})
			}
		}
	}
	if len(chosen) == 0 {
		return nil, cli.Broken(cli.Hint(errors.New("no agent is installed that has such a surface"), "verify list clients lists them"))
	}
	return chosen, nil
}

// clients runs agents.
func (s *session) clients(ctx context.Context, flags clientFlags, names, words []string) error {
	chosen, err := chosenClients(flags, names)
	if err != nil {
		return err
	}
	day, err := flags.when.Day()
	if err != nil {
		return err
	}
	if err := flags.shard.Choose(s.Warnf); err != nil {
		return err
	}
	lists, err := s.toolLists(ctx, flags, words)
	if err != nil {
		return err
	}
	self, err := cli.SelfPath()
	if err != nil {
		return cli.Broken(err)
	}
	if why := agent.Isolation(ctx, []string{self}); why != "" && ctx.Err() == nil {
		s.Warnf("the agents can do what you can, with your files and over the network: %s", escape.Line(why))
	}
	write := s.clientWriter(flags)
	progress := cli.NewProgress(s.Session, len(chosen)*len(lists))
	var reports []agent.Report
	isLost := false
	for _, list := range lists {
		for _, run := range chosen {
			if !flags.shard.Has(run.Name, run.surface.Name, list.Server) {
				progress.Step()
				continue
			}
			job := agent.Job{
				Client: run.Name, Surface: run.surface.Name, Program: run.program, Path: os.Getenv("PATH"), Self: []string{self}, Search: flags.search, AsOf: day, Timeout: flags.limit,
			}
			report, err := agent.Measure(ctx, job, list)
			if ctx.Err() != nil {
				return cli.Interrupted(ctx)
			}
			progress.Clear()
			progress.Step()
			if err != nil {
				s.Warnf("%s on %s: %v", run.Name, run.surface.Name, escape.Line(err.Error()))
				isLost = true
				continue
			}
			reports = append(reports, report)
			if err := s.logRequests(flags.log, len(reports), &report); err != nil {
				return cli.Broken(err)
			}
			write.each(&report)
			_ = s.Out.Flush() // the writer keeps the error, and Run reports it
		}
	}
	progress.Clear()
	write.last(reports)
	return clientOutcome(reports, isLost)
}

// logRequests writes the requests of an agent to files in a subfolder of a folder, such as
// 1-codex-responses for the first report. An empty folder means that they are not wanted.
func (s *session) logRequests(folder string, number int, report *agent.Report) error {
	if folder == "" {
		return nil
	}
	write, err := s.logTo(filepath.Join(folder, fmt.Sprintf("%d-%s-%s", number, report.Client, report.Surface)))
	if err != nil {
		return err
	}
	for _, request := range report.Requests {
		write(request)
	}
	return nil
}

// clientOutcome returns the error with the exit code of the runs, or nil.
func clientOutcome(reports []agent.Report, isLost bool) error {
	for _, report := range reports {
		isLost = isLost || !report.Conforms()
	}
	switch {
	case slices.ContainsFunc(reports, func(report agent.Report) bool { return report.Fails() }):
		return cli.Exit(cli.CodeFails)
	case isLost:
		return cli.Exit(cli.CodeInconclusive)
	default:
		return nil
	}
}

// toolLists returns the tools that each server lists, or those of the files as one list.
func (s *session) toolLists(ctx context.Context, flags clientFlags, words []string) ([]agent.List, error) {
	named := 0
	for _, isNamed := range []bool{flags.server != "" || len(words) > 0, flags.servers.address != "", flags.servers.config != "", len(flags.files) > 0} {
		if isNamed {
			named++
		}
	}
	if named != 1 {
		return nil, cli.Broken(cli.Hint(errors.New("one source of tools is required"), "use one of --server, --url, --config and --tools"))
	}
	if len(flags.files) > 0 {
		tools, err := s.ToolsIn(ctx, flags.files...)
		return []agent.List{{Server: "server", Tools: tools}}, err
	}
	return s.askedLists(ctx, flags, append(strings.Fields(flags.server), words...))
}

// listOf returns the tools of a server as one list. Every tool must be readable.
func listOf(server string, tools []toolfile.Tool) ([]agent.List, error) {
	for i, tool := range tools {
		if tool.Err != nil {
			return nil, cli.Broken(fmt.Errorf("tool %d: %w", i+1, tool.Err))
		}
	}
	if len(tools) == 0 {
		return nil, cli.Usage("there is no tool")
	}
	return []agent.List{{Server: server, Tools: tools}}, nil
}

// askedLists asks the servers for their tools.
func (s *session) askedLists(ctx context.Context, flags clientFlags, words []string) ([]agent.List, error) {
	var servers []configured
	if flags.servers.config != "" {
		found, _, _, err := s.configurations(ctx, flags.servers)
		if err != nil {
			return nil, err
		}
		for _, entry := range found {
			servers = append(servers, prepared(ctx, flags.servers, entry))
		}
	} else {
		source, err := serverOf(ctx, flags.servers, words)
		if err != nil {
			return nil, err
		}
		servers = append(servers, configured{namedServer: source})
	}
	var lists []agent.List
	for _, entry := range servers {
		if entry.config.IsDisabled {
			continue
		}
		if entry.config.Err != nil {
			return nil, cli.Fail(cli.CodeInconclusive, fmt.Errorf("%s: %s", escape.Line(entry.name), entry.why(entry.config.Err)))
		}
		text, err := entry.List(ctx)
		if err != nil {
			s.complain(entry.namedServer)
			return nil, cli.Fail(cli.CodeInconclusive, fmt.Errorf("%s: %s", escape.Line(entry.name), entry.why(err)))
		}
		s.remark(entry.namedServer)
		listed := engine.Answer{List: text}.Document(engine.Server{Name: entry.name})
		if listed.Err != nil {
			return nil, cli.Broken(fmt.Errorf("%s: %w", escape.Line(entry.name), listed.Err))
		}
		list, err := listOf(cmp.Or(entry.config.Name, "server"), listed.Tools)
		if err != nil {
			return nil, err
		}
		lists = append(lists, list...)
	}
	return lists, nil
}
