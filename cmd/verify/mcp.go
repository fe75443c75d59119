package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/agent/whole"
	"toolproof/harness/live"
	clients "toolproof/harness/provider/mcp"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/internal/escape"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// mcpFlags are the flags of verify mcp.
type mcpFlags struct {
	check     checkFlags
	address   string
	headers   []string
	bearer    string
	withhold  []string
	insecure  bool
	config    string
	installed bool
	only      []string
	dryRun    bool
	fixes     bool
	call      callFlags
	conforms  bool
	revisions []string
	answers   time.Duration
	start     time.Duration
}

// usualTimes are the defaults of --timeout and --install-timeout.
var usualTimes = mcpFlags{answers: time.Minute, start: 5 * time.Minute}

func newMCP(s *session) *cobra.Command {
	var flags mcpFlags
	command := &cobra.Command{
		Use:   "mcp [flags] -- COMMAND [ARGUMENT...]",
		Short: "Check MCP servers: the tools that they list, what these return, and the protocol",
		Long: `mcp asks running MCP servers for their tools and checks them as verify check does; see
there for targets and flags.

One server is either a program, started by the command behind -- and spoken to on its
standard input and output, or an address: --url tries streamable HTTP, then SSE. Keys
come from the environment: --bearer-env NAME, or --header 'Name: ${env:NAME}'.

--config asks every server in the configuration of Claude Desktop, Claude Code, VS Code,
Cursor, Gemini CLI, Codex, opencode, Zed or Windsurf. --installed finds these
configurations in their usual places, the user's and the working folder's. Both start
the programs that the files name, with the environment given there; --dry-run shows them
and starts none. The result is a table of servers and targets, followed by the findings.
A second table says what each agent makes of all servers together: which tools it loses
by equal or reserved names, which number or size is too large for it or its provider with
the agent's own tools, and with which server that begins; a third one, how many tools and
tokens each server adds. --server and --tool name a core set, to see what the rest costs.

Each server is started a second time, and one that then lists its tools in another order,
or others, is named: its requests cannot be cached by a provider.

--timeout bounds how long a server may take to answer. A command that installs the
server first, such as npx, uvx or docker run, has --install-timeout until its first
message.

--call calls tools with arguments made from their schemas, and with what models send
instead: null for optional members, required ones absent, objects as JSON strings, numbers
as strings, members more, none at all. It judges whether clients take the results. Only
tools with readOnlyHint true are called, and none whose name says that it destroys
something, unless they are named before the -- (or in --arguments); --dry-run shows the
calls. Exit code 3 also means that no tool was called, or that one returned only errors.

--conformance asks the server in each revision of the protocol, from 2024-11-05 to
2026-07-28, and says which sentences of the specification it breaks, each with the
revisions: of the handshake, capabilities, errors, ids, pages, notifications, progress,
cancellation, and, for --url, headers, sessions and streams. It calls no tool but one that
is named before the --, to see its progress and its cancellation. Exit code 1 means that it
breaks a sentence with MUST.

The exit codes are those of verify check; 3 also means that a server did not start, did
not answer in time, could not be reached, or needs a variable that is not set.`,
		Example: `  verify mcp -- npx -y @modelcontextprotocol/server-filesystem .
  verify mcp --target gemini --diff -- ./my-server --stdio
  verify mcp --bearer-env API_TOKEN --url https://example.com/mcp
  verify mcp --call --dry-run -- ./my-server --stdio
  verify mcp --call search read -- ./my-server --stdio
  verify mcp --conformance --url http://localhost:3000/mcp
  verify mcp --conformance long_search -- ./my-server --stdio
  verify mcp --config .mcp.json
  verify mcp --installed --dry-run`,
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := onlyError(command); err != nil {
				return err
			}
			if flags.fixes {
				return errServed()
			}
			return s.mcp(command, flags, arguments)
		},
	}
	flags.addServers(command)
	command.Flags().BoolVar(&flags.installed, "installed", false, "ask the servers of every client configuration that is found")
	command.Flags().StringSliceVar(&flags.only, "server", nil, "with --config or --installed, ask only the servers with these `names`")
	command.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show the servers of the configurations, but start none; with --call, show the calls and make none")
	command.Flags().BoolVar(&flags.call.isAsked, "call", false, "call tools and judge what they return: those with readOnlyHint, or those that the arguments name")
	command.Flags().StringVar(&flags.call.arguments, "arguments", "", "call the tools in this `file` with its arguments: {\"tool\": {...}}, or a list for each tool")
	command.Flags().BoolVar(&flags.conforms, "conformance", false, "check whether the server keeps what the revisions of the protocol say of servers")
	command.Flags().StringSliceVar(&flags.revisions, "revision", nil, "with --conformance, ask in these `revisions` of the protocol only, such as 2025-11-25")
	command.MarkFlagsMutuallyExclusive("conformance", "call")
	flags.check.add(command)
	command.Flags().BoolVar(&flags.fixes, "fix", false, "")
	_ = command.Flags().MarkHidden("fix") // only to say what can be done instead
	return command
}

// mcp does what the flags ask for: calls, sentences of the specification, or the tools of one server or of several.
func (s *session) mcp(command *cobra.Command, flags mcpFlags, arguments []string) error {
	ctx, isWhole := command.Context(), flags.config != "" || flags.installed
	switch {
	case flags.call.arguments != "" && !flags.call.isAsked && !flags.conforms:
		return cli.Usage("--arguments requires --call or --conformance")
	case len(flags.revisions) > 0 && !flags.conforms:
		return cli.Usage("--revision requires --conformance")
	case flags.call.isAsked && isWhole:
		return cli.Usage("--call takes one server: a command, or --url")
	case flags.conforms && isWhole:
		return cli.Usage("--conformance takes one server: a command, or --url")
	case isWhole:
		return s.checkConfigured(ctx, flags, arguments)
	case !flags.call.isAsked && !flags.conforms:
		return s.checkNamed(ctx, flags, arguments)
	}
	if flags.call.isAsked || flags.conforms {
		arguments = flags.call.split(arguments, command.ArgsLenAtDash(), flags.address != "")
	}
	source, err := serverOf(ctx, flags, arguments)
	if err != nil {
		return err
	}
	if flags.conforms {
		return s.conform(ctx, flags, source)
	}
	return s.callTools(ctx, flags, source)
}

// checkNamed checks the tools of the one server that a command line names.
func (s *session) checkNamed(ctx context.Context, flags mcpFlags, arguments []string) error {
	if len(flags.only) > 0 {
		return cli.Usage("--server requires --config or --installed")
	}
	if flags.dryRun {
		return cli.Usage("--dry-run requires --call, --config or --installed")
	}
	if flags.check.shard.IsAsked() {
		return cli.Usage("--shard requires --config or --installed")
	}
	source, err := serverOf(ctx, flags, arguments)
	if err != nil {
		return err
	}
	return s.checkServer(ctx, flags, source)
}

// addServers adds the flags that name servers and say how to ask them.
func (f *mcpFlags) addServers(command *cobra.Command) {
	f.addAddress(command)
	command.Flags().StringSliceVar(&f.withhold, "withhold", nil, "do not declare these `capabilities` of a client: "+strings.Join(server.Capabilities, ", "))
	command.Flags().StringVar(&f.config, "config", "", "ask the servers in this configuration of an MCP client")
	command.Flags().DurationVar(&f.answers, "timeout", usualTimes.answers, "wait this long for each answer of a server")
	command.Flags().DurationVar(&f.start, "install-timeout", usualTimes.start, "wait this long for the first message of a server that has to be installed")
}

// addAddress adds the flags that name a server at an address, and its keys.
func (f *mcpFlags) addAddress(command *cobra.Command) {
	command.Flags().StringVar(&f.address, "url", "", "ask the server at this address, by streamable HTTP or SSE")
	command.Flags().StringArrayVar(&f.headers, "header", nil, "send this header, 'Name: value', to the --url; ${env:NAME} stands for a variable (repeatable)")
	command.Flags().StringVar(&f.bearer, "bearer-env", "", "send the token in this environment variable to the --url")
	command.Flags().BoolVar(&f.insecure, "insecure", false, "allow keys to be sent unencrypted, to a remote http:// address")
}

// withoutQuery matches addresses with a query, which may hold keys.
var withoutQuery = lazy.Compile(`(https?://[^\s"?]*)\?[^\s"]*`)

// namedServer is a server to ask for its tools, with its name in the output.
type namedServer struct {
	*server.Server

	name    string            // in the output
	words   []string          // command line that asks it again
	secrets *strings.Replacer // replaces keys, which no output may show
}

// serverOf returns the server that a command line names.
func serverOf(ctx context.Context, flags mcpFlags, arguments []string) (namedServer, error) {
	switch {
	case flags.address == "" && (len(flags.headers) > 0 || flags.bearer != ""):
		return namedServer{}, cli.Usage("--header and --bearer-env require --url")
	case flags.capabilities() != nil:
		return namedServer{}, flags.capabilities()
	case flags.address != "" && len(arguments) == 0:
		return serverAt(flags)
	case flags.address == "" && len(arguments) == 1 && (strings.HasPrefix(arguments[0], "http://") || strings.HasPrefix(arguments[0], "https://")):
		return namedServer{}, cli.Broken(cli.Hint(errors.New("an address is no command"), "write --url before the address"))
	case flags.address == "" && len(arguments) == 1 && doublestar.MatchUnvalidated(cli.ToolFiles, arguments[0]):
		file := cli.ShellQuote(arguments[0])
		err := fmt.Errorf("%s is a file, and no command of a server", escape.Line(file))
		return namedServer{}, cli.Broken(cli.Hint(err, "verify check "+file+" checks the tools in it; verify mcp --config "+file+" asks the servers that it names"))
	case flags.address == "" && len(arguments) > 0:
		source := namedServer{server.Program(ctx, arguments[0], arguments[1:]...), arguments[0], append([]string{"--"}, arguments...), strings.NewReplacer()}
		source.set(flags, arguments)
		return source, nil
	default:
		err := errors.New("one server is required: a command, or --url")
		return namedServer{}, cli.Broken(cli.Hint(err, "verify mcp -- COMMAND, verify mcp --url URL, or verify mcp --config FILE"))
	}
}

// capabilities returns an error if a word of --withhold is no capability.
func (f *mcpFlags) capabilities() error {
	for _, name := range f.withhold {
		if !slices.Contains(server.Capabilities, name) {
			return cli.Usage("--withhold: unknown capability %q: use %s", name, strings.Join(server.Capabilities, ", "))
		}
	}
	return nil
}

// set sets how the server is asked, with a longer time to start if the command may install it.
func (s namedServer) set(flags mcpFlags, command []string) {
	s.Answers, s.Withhold = flags.answers, flags.withhold
	if server.Installs(command...) {
		s.Start = flags.start
	}
	if self, err := cli.SelfPath(); err == nil {
		s.Guard = []string{self}
	}
}

// serverAt returns the server at the address of --url. Its name has no part that may be a key.
func serverAt(flags mcpFlags) (namedServer, error) {
	parsed, err := url.Parse(flags.address)
	if !strings.Contains(flags.address, "://") {
		if whole, err := url.Parse("http://" + flags.address); err == nil && whole.Hostname() != "" {
			if live.IsReadable(whole) {
				whole.Scheme = "https"
			}
			return namedServer{}, cli.Broken(cli.Hint(errors.New("--url takes a whole address"), "write "+withoutKeys(whole)))
		}
	}
	if err != nil {
		return namedServer{}, cli.Usage("--url is not an address")
	}
	headers, words, err := headersOf(flags)
	if err != nil {
		return namedServer{}, err
	}
	if err := live.Private(parsed, headers, flags.insecure); err != nil {
		return namedServer{}, cli.Broken(cli.Hint(fmt.Errorf("--url: %w", err), "use https://, or --insecure where the network is trusted"))
	}
	shown := withoutKeys(parsed)
	secrets := map[string]string{}
	for name, value := range headers {
		secrets[value] = name
	}
	source := namedServer{server.At(flags.address), shown, append(words, "--url", shown), hiding(secrets, parsed)}
	source.Headers = headers
	source.set(flags, nil)
	return source, nil
}

// withoutKeys returns an address without user and query, which may hold keys.
func withoutKeys(address *url.URL) string {
	shown := *address
	shown.User, shown.RawQuery = nil, ""
	return shown.String()
}

// fromEnvironment matches a variable in a header.
var fromEnvironment = lazy.Compile(`\$\{env:([^{}]*)\}`)

// headersOf returns the headers to send, and the command line for them without values that may be
// keys.
func headersOf(flags mcpFlags) (headers map[string]string, words []string, err error) {
	headers = map[string]string{}
	for _, header := range flags.headers {
		name, value, ok := strings.Cut(header, ":")
		name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || name == "" {
			return nil, nil, cli.Usage("--header takes 'Name: value'")
		}
		var unset error
		headers[name] = fromEnvironment.ReplaceAllStringFunc(value, func(found string) string {
			variable := fromEnvironment.FindStringSubmatch(found)[1]
			if os.Getenv(variable) == "" {
				unset = cli.Usage("--header %s: the variable %s is not set", name, variable)
			}
			return os.Getenv(variable)
		})
		if unset != nil {
			return nil, nil, unset
		}
		shown := value
		if headers[name] == value {
			if slices.Contains([]string{"Authorization", "Proxy-Authorization", "Cookie"}, name) {
				err := fmt.Errorf("--header %s: a key on the command line is seen by others", name)
				return nil, nil, cli.Broken(cli.Hint(err, "export it, and use --bearer-env NAME, or ${env:NAME} in the header"))
			}
			shown = "..."
		}
		words = append(words, "--header", name+": "+shown)
	}
	if flags.bearer != "" {
		token := os.Getenv(flags.bearer)
		if token == "" {
			return nil, nil, cli.Usage("--bearer-env: the variable %s is not set", flags.bearer)
		}
		headers["Authorization"] = "Bearer " + token
		words = append(words, "--bearer-env", flags.bearer)
	}
	return headers, words, nil
}

// hiding returns a replacer of secrets by their names. The secrets are those of the map, from value
// to name, and the parts of the address that may be keys. Short values are no keys and could occur in
// any word; they stay.
func hiding(secrets map[string]string, address *url.URL) *strings.Replacer {
	const shortest = 6
	named := map[string]string{}
	for value, name := range secrets {
		named[value] = name
		named[strings.TrimPrefix(value, "Bearer ")] = name
	}
	if address != nil {
		password, _ := address.User.Password()
		for _, value := range append(slices.Concat(slices.Collect(maps.Values(address.Query()))...), address.User.Username(), password) {
			named[value], named[url.QueryEscape(value)] = "address", "address"
		}
	}
	// Longer values come first, because a shorter one may be the beginning of a longer one.
	values := slices.SortedFunc(maps.Keys(named), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, value := range values {
		if len(value) >= shortest {
			pairs = append(pairs, value, "["+named[value]+"]")
		}
	}
	return strings.NewReplacer(pairs...)
}

// why returns the error of a server in one line without secrets.
func (s namedServer) why(err error) string {
	return escape.Line(s.secrets.Replace(withoutQuery.ReplaceAllString(err.Error(), "$1")))
}

// errorLine matches a line of a program that names an error, and not the place of one.
var errorLine = lazy.Compile(`(?i)^(?:\S.*)?\w*(?:error|exception|panic|fatal)\b[^:]*: *\S`)

// says returns the last lines that a server wrote to its standard error, or "". If a trace has moved
// the line with the error out of them, says begins with that line.
func (s namedServer) says() string {
	const most, longest = 10, 300
	lines := strings.Split(s.secrets.Replace(s.Complaint()), "\n")
	last := lines[max(0, len(lines)-most):]
	if !slices.ContainsFunc(last, errorLine.MatchString) {
		for _, line := range slices.Backward(lines[:len(lines)-len(last)]) {
			if errorLine.MatchString(line) {
				last = append([]string{line, "..."}, last[1:]...)
				break
			}
		}
	}
	for i, line := range last {
		if letters := []rune(line); len(letters) > longest {
			last[i] = string(letters[:longest]) + "..."
		}
	}
	return strings.Join(last, "\n")
}

// longer is the hint for a server that did not answer in time.
const longer = "wait longer with --timeout, or --install-timeout where the server is installed first"

// remark prints what a server does that clients may not survive.
func (s *session) remark(source namedServer) {
	for _, remark := range source.Remarks() {
		s.Warnf("%s: %s", escape.Line(source.name), escape.Lines(source.secrets.Replace(remark), "    "))
	}
}

// complain prints the last lines that a server wrote to its standard error, and remarks on it: the
// reason may be in its standard output.
func (s *session) complain(source namedServer) {
	s.remark(source)
	if said := source.says(); said != "" {
		s.Warnf("%s says: %s", escape.Line(source.name), escape.Lines(said, "    "))
	}
}

// changing prints what a server lists otherwise when it is started again. A remark has said so already of one that
// does it in one session.
func (s *session) changing(source namedServer, change report.Changing) {
	isSaid := slices.ContainsFunc(source.Remarks(), func(remark string) bool { return strings.HasPrefix(change.Says, remark) })
	if change.Change != "" && !isSaid {
		s.Warnf("%s: %s", escape.Line(source.name), escape.Line(change.Says))
	}
}

// checkServer checks the tools of one server.
func (s *session) checkServer(ctx context.Context, flags mcpFlags, source namedServer) error {
	run, err := s.newCheckRun(ctx, flags.check, append([]string{"mcp"}, source.words...))
	if err != nil {
		return err
	}
	document, err := s.listed(ctx, source, source.again, run.Progress)
	if err != nil {
		return err
	}
	documents := []engine.Document{document}
	if err := flags.check.only.Keep(documents); err != nil {
		return err
	}
	s.outdated(ctx, source, documents[0])
	return run.all(ctx, documents)
}

// outdated prints which releases of clients refuse tools that the newest ones take.
func (s *session) outdated(ctx context.Context, source namedServer, document engine.Document) {
	var tools []schema.Tool
	for _, tool := range document.Tools {
		if tool.Err == nil {
			tools = append(tools, tool.Tool)
		}
	}
	sentences, err := clients.Outdated(ctx, tools)
	if err != nil {
		sentences = []string{"what earlier clients refuse is not known: " + err.Error()}
	}
	for _, sentence := range sentences {
		s.Warnf("%s: %s", escape.Line(source.name), escape.Line(source.secrets.Replace(sentence)))
	}
}

// again starts the server once more, and says what it lists otherwise than before.
func (s namedServer) again(ctx context.Context, list []byte, took time.Duration) report.Changing {
	const more = 2 * time.Second // the machine may be busy
	change := s.Again(ctx, list, took+more)
	changing := report.Changing{Server: s.name, Change: change.Kind, Says: s.secrets.Replace(change.Says)}
	if change.Kind == server.OtherOrder {
		changing.Says += "; " + strings.Join(whole.InOrderOfServers(), ", ") + " send tools in the order of their servers, and the other agents that were measured sort them"
	}
	return changing
}

// listed asks a server for its tools, and says what changes when it is asked again; nil does not ask again.
func (s *session) listed(ctx context.Context, source namedServer, again engine.Again, progress engine.Progress) (engine.Document, error) {
	question := engine.Server{Name: source.name, List: source.List, Again: again}
	for _, answer := range engine.Ask(ctx, []engine.Server{question}, progress) {
		if answer.Err != nil {
			s.complain(source)
			why := errors.New(escape.Line(source.name) + ": " + source.why(answer.Err))
			if errors.Is(answer.Err, server.ErrLate) {
				why = cli.Hint(why, longer)
			}
			return engine.Document{}, cli.Fail(cli.CodeInconclusive, why)
		}
		s.remark(source)
		s.changing(source, answer.Changing)
		return answer.Document(question), nil
	}
	return engine.Document{}, cli.Interrupted(ctx)
}
