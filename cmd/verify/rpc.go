package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness/rpc"
	"toolproof/recordings"
)

func newRPC(s *session) *cobra.Command {
	var limit time.Duration
	command := &cobra.Command{
		Use:   "rpc",
		Short: "Answer programs in other languages: requests and answers are lines of JSON",
		Long: `rpc reads requests from standard input, one JSON object on each line, and writes the
answers to standard output, one on each line, until the input ends. The library for
Python talks to it.

  {"id": 1, "method": "normalize", "params": {"tools": [...], "target": "gemini"}}
  {"id":1,"result":{...}}
  {"id":2,"error":{"code":"bad_request","message":"..."}}

Its first line is {"protocol":1,"version":"..."}. The methods are hello, check, normalize,
restore, explain_error and advise; docs/schema/rpc.schema.json describes their parameters
and results. It works on several requests at once, so that answers come in any order.`,
		Example: `  echo '{"id": 1, "method": "hello"}' | verify rpc`,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			store, err := cli.RecordingsAsked()
			if err != nil {
				return cli.Broken(err)
			}
			err = rpc.New(cli.Version(), store, fixtures.Files, recordings.Files).Serve(command.Context(), s.In, flushed{s}, limit)
			if err != nil && errors.Is(context.Cause(command.Context()), err) {
				return cli.Interrupted(command.Context())
			}
			if err != nil {
				return cli.Broken(err)
			}
			return nil
		},
	}
	command.Flags().DurationVar(&limit, "limit", time.Minute, "give up a request after this time")
	return command
}
