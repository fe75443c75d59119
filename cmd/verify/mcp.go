package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"toolproof/harness/escape"
	"toolproof/harness/live"
	"toolproof/harness/toolfile"
	"toolproof/harness/toolserver"
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
			server, err := serverOf(command.Context(), address, insecure, arguments)
			if err != nil {
				return err
			}
			return s.checkServer(command.Context(), flags, server, patience)
		},
	}
	command.Flags().StringVar(&address, "url", "", "the address of a server that speaks streamable HTTP")
	command.Flags().BoolVar(&insecure, "insecure", false, "let a password or a key in the address travel readable, to one with http:// that is not this machine")
	command.Flags().DurationVar(&patience, "timeout", time.Minute, "how long the server may take to answer")
	flags.add(command)
	return command
}

// withoutQuery finds the queries of addresses, which may have keys.
var withoutQuery = regexp.MustCompile(`(https?://[^\s"?]*)\?[^\s"]*`)

// server is what is asked for its tools.
type server struct {
	*toolserver.Server

	name  string   // as it is told
	words []string // of the command line
}

func serverOf(ctx context.Context, address string, insecure bool, arguments []string) (server, error) {
	switch {
	case address != "" && len(arguments) == 0:
		return serverAt(address, insecure)
	case address == "" && len(arguments) > 0:
		return server{toolserver.Program(ctx, arguments[0], arguments[1:]...), arguments[0], append([]string{"--"}, arguments...)}, nil
	default:
		return server{}, exitError{exitBroken, hint(errors.New("mcp asks one server: a command, or --url"), "verify mcp -- COMMAND, or verify mcp --url URL")}
	}
}

// serverAt returns the server of an address, of which what may be a key is not told.
func serverAt(address string, insecure bool) (server, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return server{}, usage("--url is no address")
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
		return exitError{exitInconclusive, hint(why, "is it a server of the Model Context Protocol? --timeout waits longer")}
	}
	tools, err := toolfile.Read(bytes.NewReader(text))
	return run.all(ctx, []document{{server.name, tools, err}}, append([]string{"mcp"}, server.words...))
}
