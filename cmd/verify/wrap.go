package main

import (
	"context"
	"errors"
	"fmt"

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
}

func newWrap(s *session) *cobra.Command {
	var flags wrapFlags
	command := &cobra.Command{
		Use:   "wrap [flags] -- COMMAND [ARGUMENT...]",
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
reach the server: the model is told the place, what is expected and what it wrote.

Every other message passes byte for byte, in both directions. So does a tool that cannot
be normalized, which is said on standard error.

The exit code is 3 if the server did not start or ended before its client did.`,
		Example: `  verify wrap -- npx -y @modelcontextprotocol/server-filesystem .
  verify wrap --target portable -- ./my-server --stdio
  verify wrap --bearer-env API_TOKEN --url https://example.com/mcp
  claude mcp add files -- verify wrap -- npx -y @modelcontextprotocol/server-filesystem .`,
		Args: func(command *cobra.Command, arguments []string) error {
			if (len(arguments) > 0) == (flags.server.address != "") || command.ArgsLenAtDash() > 0 {
				return cli.Broken(cli.Hint(errors.New("one server is required: a command, or --url"), "verify wrap -- COMMAND, or verify wrap --url URL"))
			}
			return nil
		},
		RunE: func(command *cobra.Command, arguments []string) error {
			return s.wrap(command.Context(), flags, arguments)
		},
	}
	flags.server.addAddress(command)
	command.Flags().Lookup("url").Usage = "stand in front of the server at this address, which speaks streamable HTTP"
	command.Flags().StringVar(&flags.target, "target", "", "normalize for this target, whatever the client is")
	command.Flags().BoolVar(&flags.observe, "observe", false, "change nothing, and say at the end what would have been changed")
	return command
}

// wrap stands in front of the server that a command starts.
func (s *session) wrap(ctx context.Context, flags wrapFlags, words []string) error {
	target, err := targetOfClients(ctx, flags.target)
	if err != nil {
		return err
	}
	wrapped := &wrap.Session{Target: target, Observe: flags.observe, Warn: func(sentence string) { s.Warnf("%s", escape.Line(sentence)) }}
	// The context ends the session, which gives the server the time to end by itself.
	behind, err := s.behind(context.WithoutCancel(ctx), flags.server, words)
	if err != nil {
		return err
	}
	out, _ := s.Streams()
	err = wrapped.Serve(ctx, s.In, out, behind)
	if flags.observe {
		s.observed(wrapped.Counts())
	}
	if err != nil {
		return cli.Fail(cli.CodeInconclusive, err)
	}
	return nil
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
func (s *session) observed(counts wrap.Counts) {
	s.Warnf("would have rewritten %d of %s, %d of them with another name; would have restored the arguments of %d of %s, and refused %d",
		counts.Changed, report.Count(counts.Tools, "tool"), counts.Renamed, counts.Mended, report.Count(counts.Calls, "call"), counts.Refused)
}
