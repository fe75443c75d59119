package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

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
	name      string // as it is told
	words     []string
	transport mcp.Transport
	complaint *bytes.Buffer // what a program wrote to its standard error
}

func serverOf(ctx context.Context, url string, arguments []string) (server, error) {
	switch {
	case url != "" && len(arguments) == 0:
		return server{
			name: url, words: []string{"--url", url}, complaint: &bytes.Buffer{},
			transport: &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1},
		}, nil
	case url == "" && len(arguments) > 0:
		program := exec.CommandContext(ctx, arguments[0], arguments[1:]...) //nolint:gosec // the user names the program
		complaint := &bytes.Buffer{}
		program.Stderr = complaint
		return server{
			name: arguments[0], words: append([]string{"--"}, arguments...), complaint: complaint,
			transport: &mcp.CommandTransport{Command: program},
		}, nil
	default:
		return server{}, exitError{exitBroken, hint(errors.New("mcp asks one server: a command, or --url"), "verify mcp -- COMMAND, or verify mcp --url URL")}
	}
}

// maxComplaint is how much of what a server complained of is shown.
const maxComplaint = 2000

func (s *session) checkServer(ctx context.Context, flags checkFlags, server server, patience time.Duration) error {
	run, err := s.newCheckRun(flags)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := toolserver.List(asking, server.transport)
	if err != nil {
		if complaint := strings.TrimSpace(server.complaint.String()); complaint != "" {
			s.warnf("%s says: %s", server.name, complaint[max(0, len(complaint)-maxComplaint):])
		}
		return exitError{exitInconclusive, hint(fmt.Errorf("%s: %w", server.name, err), "is it a server of the Model Context Protocol? --timeout waits longer")}
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	return run.all(ctx, []document{{server.name, tools, err}}, append([]string{"mcp"}, server.words...))
}
