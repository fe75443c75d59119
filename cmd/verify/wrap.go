package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/harness"
	"toolproof/harness/report"
	"toolproof/harness/server"
	"toolproof/harness/wrap"
	"toolproof/internal/escape"
	"toolproof/normalizers"
	"toolproof/schema"
)

// wrapFlags are the flags of verify wrap.
type wrapFlags struct {
	server  mcpFlags
	target  string
	observe bool
	listen  string

	installs installFlags
}

func newWrap(s *session) *cobra.Command {
	var flags wrapFlags
	command := &cobra.Command{
		Use:   wrapCommand + " [flags] -- COMMAND [ARGUMENT...]",
		Short: "Make the tools of any MCP server portable",
		Long: `wrap stands between an MCP server and its client, on standard input and output. Write it
in front of the server's command in the configuration of the client. --url names a server
at an address instead, which speaks streamable HTTP; keys come from the environment:
--bearer-env NAME, or --header 'Name: ${env:NAME}'.

The client sees the tools as its model's provider takes them: their input schemas, names
and descriptions are rewritten as by verify normalize, and nothing else of them. The
target is that of the client, which says its name when it connects: anthropic for Claude
Code, gemini-json for Gemini CLI, and portable for clients that send tools to several
providers or are not known.

The server sees calls as its author wrote the tools: names and arguments come back. Where
the server's schema refuses an argument and accepts what it becomes, JSON text is parsed,
and null stands for an absent property. A call that the schema still refuses does not
reach the server. wrap answers it with an error that names each wrong argument, what the
schema expects there, and what the model wrote.

Every other message passes byte for byte, in both directions. So does a tool that cannot
be normalized, which is said on standard error.

--listen 127.0.0.1:8080 serves streamable HTTP on this machine instead. Each client has a
server of its own; the address is printed.

--install CLIENT writes this command in front of every server of the client that has a
command, or of the named ones; --uninstall CLIENT takes it away again. Both show the
difference, keep the rest of the file byte for byte, and leave the file as it was beside
it, with .before-wrap at the end of its name.

The exit code is 3 if the server did not start or ended before its client did.`,
		Example: `  verify wrap -- npx -y @modelcontextprotocol/server-filesystem .
  verify wrap --target portable -- ./my-server --stdio
  verify wrap --bearer-env API_TOKEN --url https://example.com/mcp
  verify wrap --install cursor --dry-run
  verify wrap --install claude-desktop files github
  claude mcp add files -- verify wrap -- npx -y @modelcontextprotocol/server-filesystem .`,
		Args: func(command *cobra.Command, arguments []string) error {
			if flags.installs.isWanted() {
				return nil // they name servers of the client
			}
			if flags.installs.config != "" || flags.installs.dryRun {
				return cli.Usage("--config and --dry-run require --install or --uninstall")
			}
			if (len(arguments) > 0) == (flags.server.address != "") || command.ArgsLenAtDash() > 0 {
				return cli.Broken(cli.Hint(errors.New("one server is required: a command, or --url"), "verify wrap -- COMMAND, or verify wrap --url URL"))
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			if flags.installs.isWanted() {
				return s.install(command.Context(), flags, arguments)
			}
			return s.wrap(command.Context(), flags, arguments)
		},
	}
	flags.server.addAddress(command)
	command.Flags().Lookup("url").Usage = "stand in front of the server at this address, which speaks streamable HTTP"
	command.Flags().StringVar(&flags.target, "target", "", "normalize for this target, whatever the client is")
	command.Flags().BoolVar(&flags.observe, "observe", false, "change nothing, and say at the end what would have been changed")
	command.Flags().StringVar(&flags.listen, "listen", "", "speak streamable HTTP at this loopback `address`, such as 127.0.0.1:8080, instead of standard input and output")
	flags.installs.add(command)
	command.MarkFlagsMutuallyExclusive("install", "uninstall", "url")
	for _, name := range []string{"install", "uninstall"} {
		command.MarkFlagsMutuallyExclusive(name, "listen")
	}
	return command
}

// wrap stands in front of the server that a command starts.
func (s *session) wrap(ctx context.Context, flags wrapFlags, words []string) error {
	target, err := targetOfClients(ctx, flags.target)
	if err != nil {
		return err
	}
	var mutex sync.Mutex // sessions run at the same time
	warn := func(sentence string) {
		mutex.Lock()
		defer mutex.Unlock()
		s.Warnf("%s", escape.Line(sentence))
	}
	// The context ends sessions, which gives servers the time to end by themselves.
	start := func() (*wrap.Session, wrap.Server, error) {
		behind, err := s.behind(context.WithoutCancel(ctx), flags.server, words)
		return &wrap.Session{Target: target, Observe: flags.observe, Warn: warn}, behind, err
	}
	if flags.listen != "" {
		return s.listen(ctx, flags, start, warn)
	}
	wrapped, behind, err := start()
	if err != nil {
		return err
	}
	out, _ := s.Streams()
	err = wrapped.Serve(ctx, s.In, out, behind)
	if flags.observe {
		warn(observed(wrapped.Counts()))
	}
	if err != nil {
		return cli.Fail(cli.CodeInconclusive, err)
	}
	return nil
}

// listen serves sessions at an address until the context ends.
func (s *session) listen(ctx context.Context, flags wrapFlags, start func() (*wrap.Session, wrap.Server, error), warn func(sentence string)) error {
	listener, err := listenOnLoopback(ctx, "--listen", flags.listen)
	if err != nil {
		return cli.Broken(err)
	}
	front := &wrap.Front{Start: start, Ended: func(ended *wrap.Session, err error) {
		if flags.observe {
			warn(observed(ended.Counts()))
		}
		if err != nil {
			warn(err.Error())
		}
	}}
	defer front.Close()
	mux := http.NewServeMux()
	mux.Handle("/mcp", front)
	web := &http.Server{
		Handler:           mux,
		ErrorLog:          log.New(s.Errs, cli.ShortName()+": ", 0), //nolint:forbidigo // what the server has to say
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 16,
	}
	fmt.Fprintf(s.Out, "http://%s/mcp\n", listener.Addr())
	if err := s.Out.Flush(); err != nil {
		return errors.Join(fmt.Errorf("writing the address: %w", err), listener.Close())
	}
	return serveUntil(ctx, web, listener, front.Close, drain)
}

// behind returns the server at the address that the flags name, or starts the one that the words do.
func (s *session) behind(ctx context.Context, flags mcpFlags, words []string) (wrap.Server, error) { //nolint:ireturn // there are two
	if flags.address != "" {
		source, err := serverOf(ctx, flags, nil)
		if err != nil {
			return nil, err
		}
		return wrap.Connect(ctx, source.Client(flags.address), flags.address), nil
	}
	_, errs := s.Streams()
	program := &server.Server{Errors: errs}
	if self, err := cli.SelfPath(); err == nil {
		program.Guard = []string{self}
	}
	running, err := program.Launch(ctx, words[0], words[1:]...)
	if err != nil {
		return nil, cli.Fail(cli.CodeInconclusive, fmt.Errorf("starting %s: %w", escape.Line(words[0]), cli.WithoutPath(err)))
	}
	return running, nil
}

// targetOfClients returns the pipeline for each client: that of the named target, or the client's own if
// the name is empty.
func targetOfClients(ctx context.Context, name string) (func(client string) *normalizers.Pipeline, error) {
	if name == "" {
		return wrap.TargetOf, nil
	}
	target, err := harness.TargetNamed(name)
	if err != nil {
		return nil, cli.Broken(err)
	}
	pipeline, isPipeline := target.Normalizer.(*normalizers.Pipeline)
	if !isPipeline {
		return nil, cli.Broken(fmt.Errorf("--target %s: nothing normalizes for it", name))
	}
	parameters := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("object")})
	result, err := pipeline.Normalize(ctx, schema.Tool{Name: "tool", Parameters: parameters})
	if err != nil {
		return nil, cli.Broken(fmt.Errorf("--target %s: %w", name, err))
	}
	if !result.Tool.Parameters.Get("type").Is("object") {
		err := fmt.Errorf("--target %s: its schemas are not JSON Schema, and MCP clients refuse them", name)
		return nil, cli.Broken(cli.Hint(err, "use gemini-json, portable or another target of JSON Schema"))
	}
	return func(string) *normalizers.Pipeline { return pipeline }, nil
}

// observed says what a session would have changed.
func observed(counts wrap.Counts) string {
	return fmt.Sprintf("would have rewritten %d of %s, %d of them with another name; would have restored the arguments of %d of %s, and refused %d",
		counts.Changed, report.Count(counts.Tools, "tool"), counts.Renamed, counts.Mended, report.Count(counts.Calls, "call"), counts.Refused)
}
