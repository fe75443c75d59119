package main

import (
	"context"
	"errors"
	"slices"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/report"
	engine "toolproof/harness/run"
	"toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
)

// servers judges documents, and then the tools of servers. A document may be a configuration
// that could not be read.
func (r *checkRun) servers(ctx context.Context, servers []configured, documents []engine.Document) error {
	r.isLarge = r.isLarge || len(servers) > mostServers
	servers = slices.DeleteFunc(servers, func(server configured) bool { return !r.flags.shard.Has(server.name) })
	kept := r.flags.only.Kept()
	kept.Keep(documents)
	isEnabled := func(server configured) bool { return !server.config.IsDisabled }
	switch {
	case len(documents) > 0 || slices.ContainsFunc(servers, isEnabled):
	case r.flags.shard.IsPart():
		r.Warnf("none of the servers is in part %s", &r.flags.shard)
	default:
		return cli.Usage("no server was asked: %s disabled", report.Count(len(servers), "server"))
	}
	questions := make([]engine.Server, len(servers))
	for i, entry := range servers {
		questions[i] = r.asked(entry)
		questions[i].Keep = func(tool string) bool { return kept.Has(entry.config.Name, tool) }
		if r.Whole != nil {
			questions[i].Again = entry.again
		}
	}
	if r.Whole != nil {
		r.Whole.List = func(i int, tools []toolfile.Tool) report.List { return servers[i].list(tools) }
	}
	if err := r.Documents(ctx, documents); err != nil {
		return orInterrupted(ctx, err)
	}
	if err := r.Servers(ctx, questions); err != nil {
		return orInterrupted(ctx, err)
	}
	err := r.finish()
	if unknown := kept.Err(); unknown != nil && !r.flags.shard.IsPart() { // other parts may have it
		return unknown
	}
	return err
}

// asked returns the server for a run. If the server lists no tools, a warning says why.
func (s *session) asked(entry configured) engine.Server {
	question := engine.Server{Name: entry.name, Place: entry.place, Clients: entry.clients(), NeedsTools: entry.needsTools}
	switch {
	case entry.config.IsDisabled:
	case entry.config.Err != nil:
		question.List = func(context.Context) ([]byte, error) { return nil, entry.config.Err }
	default:
		question.List = entry.List
	}
	question.Answered = func(answer engine.Answer) {
		s.remark(entry.namedServer)
		s.changing(entry.namedServer, answer.Changing)
	}
	question.Failed = func(err error) string {
		if entry.Server != nil {
			s.complain(entry.namedServer)
		}
		why := entry.why(err)
		text := why
		if errors.Is(err, server.ErrLate) {
			text += "\nhint: " + longer
		}
		s.Warnf("%s: %s", escape.Line(entry.name), text)
		return why
	}
	return question
}
