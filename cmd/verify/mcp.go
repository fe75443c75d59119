package main

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness/escape"
	"toolproof/harness/toolfile"
	"toolproof/harness/toolserver"
)

func newMCP(s *session) *cobra.Command {
	var flags checkFlags
	var url string
	var patience time.Duration
	command := &cobra.Command{
		Use:   "mcp [flags] -- COMMAND [ARGUMENT...]",
		Short: "Check the tools of a running MCP server",
		Long: `mcp asks a server of the Model Context Protocol for its tools and checks them as
verify check does. The server is a program, which is started and speaks on its standard
input and output, or with --url one that speaks streamable HTTP.

It exits as verify check does, and 3 where the server cannot be reached or does not
answer in time.`,
		Example: `  verify mcp -- npx -y @modelcontextprotocol/server-filesystem .
  verify mcp --target gemini --diff -- ./my-server --stdio
  verify mcp --target portable --raw --url http://127.0.0.1:3000/mcp`,
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := onlyError(command); err != nil {
				return err
			}
			server, err := serverOf(command.Context(), url, arguments)
			if err != nil {
				return err
			}
			return s.checkServer(command.Context(), flags, server, patience)
		},
	}
	command.Flags().StringVar(&url, "url", "", "the address of a server that speaks streamable HTTP")
	command.Flags().DurationVar(&patience, "timeout", time.Minute, "how long the server may take to answer")
	flags.add(command)
	return command
}

// server is what is asked for its tools.
type server struct {
	*toolserver.Server

	name  string   // as it is told
	words []string // of the command line
}

func serverOf(ctx context.Context, url string, arguments []string) (server, error) {
	switch {
	case url != "" && len(arguments) == 0:
		return server{toolserver.At(url), url, []string{"--url", url}}, nil
	case url == "" && len(arguments) > 0:
		return server{toolserver.Program(ctx, arguments[0], arguments[1:]...), arguments[0], append([]string{"--"}, arguments...)}, nil
	default:
		return server{}, exitError{exitBroken, hint(errors.New("mcp asks one server: a command, or --url"), "verify mcp -- COMMAND, or verify mcp --url URL")}
	}
}

func (s *session) checkServer(ctx context.Context, flags checkFlags, server server, patience time.Duration) error {
	run, err := s.newCheckRun(ctx, flags)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := server.List(asking)
	if err != nil {
		if complaint := server.Complaint(); complaint != "" {
			s.warnf("%s says: %s", escape.Line(server.name), escape.Lines(complaint, "    "))
		}
		return exitError{exitInconclusive, hint(errors.New(escape.Line(server.name+": "+err.Error())), "is it a server of the Model Context Protocol? --timeout waits longer")}
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	return run.all(ctx, []document{{server.name, tools, err}}, append([]string{"mcp"}, server.words...))
}
