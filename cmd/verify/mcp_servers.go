package main

import (
	"context"
	"errors"
	"slices"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/internal/escape"
)

// servers judges documents, and then the tools of servers. A document may be a configuration
// that could not be read.
func (r *checkRun) servers(ctx context.Context, servers []configured, documents []engine.Document) error {
	isEnabled := func(one configured) bool { return !one.config.IsDisabled }
	if len(documents) == 0 && !slices.ContainsFunc(servers, isEnabled) {
		return cli.Usage("no server was asked: %s disabled", report.Count(len(servers), "server"))
	}
	asked := make([]engine.Server, len(servers))
	for i, one := range servers {
		asked[i] = r.asked(one)
	}
	if err := r.Documents(ctx, documents); err != nil {
		return orInterrupted(ctx, err)
	}
	if err := r.Servers(ctx, asked); err != nil {
		return orInterrupted(ctx, err)
	}
	return r.finish()
}

// asked returns the server for a run. If the server lists no tools, a warning says why.
func (s *session) asked(one configured) engine.Server {
	asked := engine.Server{Name: one.name, Clients: one.clients(), NeedsTools: one.needsTools}
	switch {
	case one.config.IsDisabled:
	case one.config.Err != nil:
		asked.List = func(context.Context) ([]byte, error) { return nil, one.config.Err }
	default:
		asked.List = one.List
	}
	asked.Failed = func(err error) string {
		if one.Server != nil {
			s.complain(one.namedServer)
		}
		why := one.why(err)
		text := why
		if errors.Is(err, server.ErrLate) {
			text += "\nhint: " + longer
		}
		s.Warnf("%s: %s", escape.Line(one.name), text)
		return why
	}
	return asked
}
