package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness/live"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
	"toolproof/internal/lazy"
	"toolproof/internal/toolserver"
)

func newMCP(s *session) *cobra.Command {
	var flags checkFlags
	var address string
	var insecure bool
	var patience time.Duration
	command := &cobra.Command{
		Use:   "mcp [flags] -- COMMAND [ARGUMENT...]",
		Short: "Check the tools of a running MCP server",
		Long: `mcp asks a server of the Model Context Protocol for its tools and checks them as
verify check does. It starts the server as a program that speaks on its standard input
and output. With --url it asks a server that speaks streamable HTTP.

The exit codes are those of verify check. 3 also means: the server did not answer in
time, or could not be reached.`,
		Example: `  verify mcp -- npx -y @modelcontextprotocol/server-filesystem .
  verify mcp --target gemini --diff -- ./my-server --stdio
  verify mcp --target portable --raw --url http://127.0.0.1:3000/mcp`,
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := onlyError(command); err != nil {
				return err
			}
			server, err := serverOf(command.Context(), address, insecure, arguments)
			if err != nil {
				return err
			}
			return s.checkServer(command.Context(), flags, server, patience)
		},
	}
	command.Flags().StringVar(&address, "url", "", "ask the server at this address, by streamable HTTP")
	command.Flags().BoolVar(&insecure, "insecure", false, "send secrets of the address unencrypted, to a remote address with http://")
	command.Flags().DurationVar(&patience, "timeout", time.Minute, "wait this long for the server")
	flags.add(command)
	return command
}

// withoutQuery finds the queries of addresses, which may have keys.
var withoutQuery = lazy.Compile(`(https?://[^\s"?]*)\?[^\s"]*`)

// server is what is asked for its tools.
type server struct {
	*toolserver.Server

	name  string   // as it is shown
	words []string // of the command line
}

func serverOf(ctx context.Context, address string, insecure bool, arguments []string) (server, error) {
	switch {
	case address != "" && len(arguments) == 0:
		return serverAt(address, insecure)
	case address == "" && len(arguments) > 0:
		return server{toolserver.Program(ctx, arguments[0], arguments[1:]...), arguments[0], append([]string{"--"}, arguments...)}, nil
	default:
		return server{}, exitError{exitBroken, hint(errors.New("one server is required: a command, or --url"), "verify mcp -- COMMAND, or verify mcp --url URL")}
	}
}

// serverAt returns the server of an address, without what may be a key.
func serverAt(address string, insecure bool) (server, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return server{}, usage("--url is not an address")
	}
	hasKey := parsed.User != nil || parsed.RawQuery != ""
	if hasKey && live.IsReadable(parsed) && !insecure {
		err := fmt.Errorf("--url: %w: %s is not this machine", live.ErrReadable, parsed.Host)
		return server{}, exitError{exitBroken, hint(err, "use https://, or --insecure where the network is trusted")}
	}
	shown := *parsed
	shown.User, shown.RawQuery = nil, ""
	return server{toolserver.At(address), shown.String(), []string{"--url", shown.String()}}, nil
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
		why := errors.New(escape.Line(server.name + ": " + withoutQuery.ReplaceAllString(err.Error(), "$1")))
		return exitError{exitInconclusive, hint(why, "check that it is an MCP server; wait longer with --timeout")}
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	for i := range tools {
		tools[i].Line = 0 // of a text that nobody sees
	}
	return run.all(ctx, []document{{server.name, tools, err}}, append([]string{"mcp"}, server.words...))
}
