package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Server is a source that is asked for its tools.
type Server struct {
	Name string
	// Place is that of the server in its configuration.
	Place int
	// Clients are the names of the clients that start the server.
	Clients string
	// List asks the server and returns its list of tools as JSON; nil means that the server is
	// disabled.
	List func(context.Context) ([]byte, error)
	// Again asks the server once more for its list; nil does not.
	Again Again
	// Answered is called before the tools of the server are judged; nil for nothing.
	Answered func(Answer)
	// Failed is called with the reason for which the server gave no tools, and returns it in words
	// without secrets. If Failed is nil, results show the text of the error.
	Failed func(error) string
	// Keep tells by its name whether a tool is judged; nil judges all.
	Keep func(tool string) bool
	// NeedsTools makes a server without tools an error.
	NeedsTools bool
}

// Again asks a server once more that took some time for its list, and says what has changed.
type Again func(ctx context.Context, list []byte, took time.Duration) report.Changing

// Answer is a server's answer; the zero value for a disabled server.
type Answer struct {
	List []byte
	Err  error
	Took time.Duration
	// Changing is what Again said.
	Changing report.Changing
}

// Document returns the tools of a server that answered. They have no line numbers, because nobody
// sees the text of the list.
func (a Answer) Document(server Server) Document {
	tools, err := toolfile.Read(bytes.NewReader(a.List))
	for i := range tools {
		tools[i].Line = 0
	}
	if len(tools) == 0 && err == nil && server.NeedsTools {
		err = errors.New("the server has no tool")
	}
	if server.Keep != nil {
		tools = slices.DeleteFunc(tools, func(tool toolfile.Tool) bool { return !server.Keep(tool.Name) })
	}
	return Document{Source: server.Name, Tools: tools, Err: err}
}

// atOnce is the number of servers that may run or wait to be judged at the same time, which bounds
// the number of lists in memory.
const atOnce = 8

// Ask asks servers for their tools, several at once, and yields the answers in the order of the
// servers. It stops early if the context ends. When the loop over the answers ends, Ask stops the
// servers that are still running and waits for them.
func Ask(ctx context.Context, servers []Server, progress Progress) iter.Seq2[int, Answer] {
	return func(yield func(int, Answer) bool) {
		ctx, cancel := context.WithCancel(ctx)
		poll := poll{servers: servers, progress: progress, room: semaphore.NewWeighted(atOnce), answers: make([]chan Answer, len(servers))}
		defer poll.running.Wait() // or else a server would go on running
		defer cancel()
		poll.start(ctx)
		for i, server := range servers {
			var answer Answer
			if server.List != nil {
				var ok bool
				if answer, ok = poll.wait(ctx, i); !ok {
					return
				}
			}
			if !yield(i, answer) {
				return
			}
		}
	}
}

// poll is the state of Ask.
type poll struct {
	servers  []Server
	progress Progress
	room     *semaphore.Weighted
	answers  []chan Answer
	running  sync.WaitGroup
}

// start begins to ask the servers, as many at a time as there is room for.
func (p *poll) start(ctx context.Context) {
	for i := range p.servers {
		p.answers[i] = make(chan Answer, 1)
	}
	p.running.Go(func() {
		for i, server := range p.servers {
			if server.List == nil {
				continue
			}
			if p.room.Acquire(ctx, 1) != nil {
				return
			}
			p.running.Go(func() {
				begun := time.Now()
				list, err := server.List(ctx)
				answer := Answer{List: list, Err: err, Took: time.Since(begun)}
				if err == nil && server.Again != nil {
					answer.Changing = server.Again(ctx, list, answer.Took)
				}
				p.answers[i] <- answer
			})
		}
	})
}

// wait waits for the answer of server i and then makes room for another server. Meanwhile it shows
// how many servers have not answered. It returns false if the context ends first.
func (p *poll) wait(ctx context.Context, i int) (Answer, bool) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	if p.progress != nil {
		defer p.progress.Clear()
	}
	for begun := time.Now(); ; {
		select {
		case answer := <-p.answers[i]:
			p.room.Release(1)
			return answer, ctx.Err() == nil
		case <-ctx.Done():
			return Answer{}, false
		case <-second.C:
			if p.progress != nil {
				p.progress.Say(fmt.Sprintf("%.0fs: waiting for %s, such as %s", time.Since(begun).Seconds(), report.Count(p.waiting(i), "server"), escape.Line(p.servers[i].Name)))
			}
		}
	}
}

// waiting counts the servers from i on that have not answered.
func (p *poll) waiting(i int) int {
	count := 0
	for ; i < len(p.servers); i++ {
		if p.servers[i].List != nil && len(p.answers[i]) == 0 {
			count++
		}
	}
	return count
}

// Servers asks servers for their tools, and judges the tools of each server as soon as it is its
// turn. The summary counts the servers. A report.ServerSink also receives the counts of each
// server.
func (r *Run) Servers(ctx context.Context, servers []Server) error {
	table, isTable := r.Sink.(report.ServerSink)
	if isTable {
		table.BeginServers()
	}
	counts := r.Summary().CountServers()
	done := 0
	var lists []report.List
	for i, answer := range Ask(ctx, servers, r.Progress) {
		document := answer.Document(servers[i])
		if r.Whole != nil && servers[i].List != nil && answer.Err == nil {
			lists = append(lists, r.Whole.List(i, document.Tools))
		}
		row, err := r.server(ctx, servers[i], answer, document)
		if err != nil {
			return err
		}
		counts.Add(row)
		if answer.Changing.Change != "" {
			answer.Changing.Place = servers[i].Place
			counts.Changing = append(counts.Changing, answer.Changing)
		}
		done = i + 1
	}
	if done < len(servers) {
		return ctx.Err()
	}
	if err := r.whole(ctx, counts, lists); err != nil {
		return err
	}
	if isTable {
		return table.EndServers(counts)
	}
	return nil
}

// whole judges the tools of all servers together, or leaves that to the joined parts of a run.
func (r *Run) whole(ctx context.Context, counts *report.Servers, lists []report.List) error {
	switch {
	case r.Whole == nil:
		return nil
	case r.Whole.Judge == nil:
		counts.Lists, counts.AsOf = lists, r.Judge.AsOf
		return nil
	default:
		var err error
		counts.Agents, err = r.Whole.Judge(ctx, lists)
		return err
	}
}

// server judges the tools of a server and returns its counts.
func (r *Run) server(ctx context.Context, server Server, answer Answer, document Document) (report.Server, error) {
	row := report.Server{Name: server.Name, Clients: server.Clients, IsDisabled: server.List == nil, Took: answer.Took}
	if row.IsDisabled {
		return row, nil
	}
	row.Before = r.counts()
	if answer.Err != nil {
		if err := r.silent(server, answer.Err); err != nil {
			return row, err
		}
		row.After = r.counts()
		return row, nil
	}
	if server.Answered != nil {
		server.Answered(answer)
	}
	row.HasAnswered, row.Tools = true, len(document.Tools)
	if err := r.Documents(ctx, []Document{document}); err != nil {
		return row, err
	}
	row.After = r.counts()
	return row, nil
}

// silent adds the result of a server that gave no list of tools.
func (r *Run) silent(server Server, failed error) error {
	r.clear()
	why := failed.Error()
	if server.Failed != nil {
		why = server.Failed(failed)
	}
	return r.source(server.Name, 0, verdict.Inconclusive, why)
}

// counts returns a copy of the counts of each target.
func (r *Run) counts() []report.Counts {
	counts := make([]report.Counts, len(r.Targets))
	for i, target := range r.Targets {
		counts[i] = *r.Summary().Of(target.Name())
	}
	return counts
}
