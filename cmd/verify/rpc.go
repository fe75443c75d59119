package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolproof/cmd/internal/cli"
	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
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
			service, err := serviceOf()
			if err != nil {
				return cli.Broken(err)
			}
			err = service.Serve(command.Context(), s.In, flushed{s}, limit)
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

// serviceOf returns a service with the data inside the program.
func serviceOf() (*rpc.Service, error) {
	store, err := cli.RecordingsAsked()
	if err != nil {
		return nil, err
	}
	return &rpc.Service{Version: cli.Version(), Store: store, Explainer: sync.OnceValues(func() (*refusal.Explainer, error) {
		dialects := make([]*provider.Dialect, len(harness.Surfaces))
		for i, surface := range harness.Surfaces {
			dialects[i] = surface.Dialect
		}
		return evidence.Explainer(dialects, fixtures.Files, recordings.Files)
	})}, nil
}
