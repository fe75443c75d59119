package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/internal/group"
)

// newGuard is the hidden command below which verify starts MCP servers.
func newGuard() *cobra.Command {
	return &cobra.Command{
		Use: group.GuardCommand + " -- COMMAND [ARGUMENT...]", Short: "Run a command, and end every process that it leaves behind", Hidden: true, Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, words []string) error {
			code, err := group.Guard(command.Context(), words, os.Stdin, os.Stdout, os.Stderr)
			if err != nil {
				return cli.Broken(errors.New("the program does not start: " + err.Error()))
			}
			if code == cli.CodeConforms {
				return nil
			}
			return cli.Exit(code)
		},
	}
}
