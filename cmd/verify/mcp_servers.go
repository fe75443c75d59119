package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/semaphore"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/report"
	toolserver "toolproof/harness/server"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// asAtOnce is how many servers run at once, or have answered and wait to be judged: what
// they listed is held until then.
const asAtOnce = 8

// listed is what a server answered.
type listed struct {
	text []byte
	err  error
	took time.Duration
}

// tools reads the tools that a server listed.
func (l listed) tools() ([]toolfile.Tool, error) {
	tools, err := toolfile.Read(bytes.NewReader(l.text))
	for i := range tools {
		tools[i].Line = 0 // of a text that nobody sees
	}
	return tools, err
}

// row is a line of the table of servers.
type row struct {
	name, client, tools, took string
	cells                     []string // by target
}

// servers judges documents, and asks servers for their tools and judges those of each. It
// shows a table of servers and targets, and then the findings. A document may be a
// configuration that could not be read.
func (r *checkRun) servers(ctx context.Context, servers []configured, documents []cli.Document, words []string) error {
	r.summary.Servers = &report.Servers{}
	if err := r.documents(ctx, documents); err != nil {
		return err
	}
	var findings bytes.Buffer
	r.terminal.Out = &findings
	asking := r.askAll(ctx, servers)
	defer asking.end()
	var rows []row
	for i, one := range servers {
		if one.config.IsDisabled {
			r.summary.Servers.Disabled++
			rows = append(rows, row{one.name, one.clients(), "disabled", "-", slices.Repeat([]string{"-"}, len(r.targets))})
			continue
		}
		got, ok := asking.answer(i)
		if !ok {
			return cli.Interrupted(ctx)
		}
		line, err := r.server(ctx, one, got)
		if err != nil {
			return err
		}
		rows = append(rows, line)
	}
	if counts := r.summary.Servers; counts.Asked == 0 && len(documents) == 0 {
		return cli.Usage("no server was asked: %s disabled", report.Count(counts.Disabled, "server"))
	}
	r.terminal.Out = r.Out
	if r.flags.format.isText() {
		r.table(rows)
		_, _ = findings.WriteTo(r.Out) // an error stays in the writer, and run reports it
	}
	return r.finish(words)
}

// asking are servers that are being asked.
type asking struct {
	ctx      context.Context //nolint:containedctx // it ends with what has it
	cancel   context.CancelFunc
	servers  []configured
	progress *cli.Progress
	room     *semaphore.Weighted
	answers  []chan listed
	running  sync.WaitGroup
}

// askAll begins to ask the servers, so many at once as there is room. To take an
// answer makes room. The end has to be waited for.
func (r *checkRun) askAll(ctx context.Context, servers []configured) *asking {
	a := &asking{servers: servers, progress: r.progress, room: semaphore.NewWeighted(asAtOnce), answers: make([]chan listed, len(servers))}
	a.ctx, a.cancel = context.WithCancel(ctx)
	for i := range servers {
		a.answers[i] = make(chan listed, 1)
	}
	a.running.Go(func() {
		for i, one := range servers {
			if one.config.IsDisabled {
				continue
			}
			if a.room.Acquire(a.ctx, 1) != nil {
				return
			}
			a.running.Go(func() { a.answers[i] <- one.listed(a.ctx) })
		}
	})
	return a
}

// listed asks a server, unless there is something wrong with its configuration.
func (c configured) listed(ctx context.Context) listed {
	if c.config.Err != nil {
		return listed{err: c.config.Err}
	}
	begun := time.Now()
	text, err := c.List(ctx)
	return listed{text, err, time.Since(begun)}
}

// end ends what still runs, and waits until it has: a server that is left would go on.
func (a *asking) end() {
	a.cancel()
	a.running.Wait()
}

// answer waits for the answer of a server, and shows how far the others are. It returns
// false where the run is interrupted.
func (a *asking) answer(i int) (listed, bool) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	defer a.progress.Clear()
	for begun := time.Now(); ; {
		select {
		case got := <-a.answers[i]:
			a.room.Release(1)
			return got, a.ctx.Err() == nil
		case <-a.ctx.Done():
			return listed{}, false
		case <-second.C:
			a.progress.Say(fmt.Sprintf("%.0fs: waiting for %s, such as %s", time.Since(begun).Seconds(), report.Count(a.waiting(i), "server"), escape.Line(a.servers[i].name)))
		}
	}
}

// waiting counts the servers from i on that have not answered.
func (a *asking) waiting(i int) int {
	count := 0
	for ; i < len(a.servers); i++ {
		if !a.servers[i].config.IsDisabled && len(a.answers[i]) == 0 {
			count++
		}
	}
	return count
}

// server judges the tools of a server, and returns its line of the table.
func (r *checkRun) server(ctx context.Context, one configured, got listed) (row, error) {
	r.summary.Servers.Asked++
	line := row{name: one.name, client: one.clients(), tools: "-", took: seconds(got.took)}
	before := map[string]report.Counts{}
	for _, target := range r.targets {
		before[target.Name()] = *r.summary.Of(target.Name())
	}
	if got.err != nil {
		if err := r.notAsked(one, got.err); err != nil {
			return row{}, err
		}
	} else {
		r.summary.Servers.Answered++
		tools, err := got.tools()
		if line.tools = strconv.Itoa(len(tools)); len(tools) == 0 && err == nil && one.needsTools {
			err = errors.New("the server has no tool")
		}
		r.progress = cli.NewProgress(r.Session, len(tools)*r.judgements())
		if err := r.document(ctx, cli.Document{Source: one.name, Tools: tools, Err: err}); err != nil {
			return row{}, err
		}
		r.progress.Clear()
	}
	for _, target := range r.targets {
		line.cells = append(line.cells, cell(before[target.Name()], *r.summary.Of(target.Name()), !r.flags.normalized))
	}
	return line, nil
}

// notAsked counts a server that gave no tools: nothing is learnt for any target.
func (r *checkRun) notAsked(one configured, why error) error {
	r.progress.Clear()
	if one.Server != nil {
		r.complain(one.server)
	}
	text := one.why(why)
	if errors.Is(why, toolserver.ErrLate) {
		text += "\nhint: " + longer
	}
	r.Warnf("%s: %s", escape.Line(one.name), text)
	for _, result := range r.without(verdict.Inconclusive) {
		result.Source, result.Error = one.name, one.why(why)
		r.summary.Add(result)
		if !r.flags.format.isText() {
			if err := r.form.Result(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// cell says what a target makes of the tools of one server: what was counted since.
// asGiven says which side had to be accepted.
func cell(before, now report.Counts, asGiven bool) string {
	switch {
	case now.Errors > before.Errors:
		return fmt.Sprintf("%d error", now.Errors-before.Errors)
	case now.Failed > before.Failed:
		return fmt.Sprintf("%d fail", now.Failed-before.Failed)
	case now.Inconclusive > before.Inconclusive:
		return "?"
	case now == before:
		return "-"
	case now.RawIgnored > before.RawIgnored && asGiven:
		return fmt.Sprintf("ok, %d ignored in part", now.RawIgnored-before.RawIgnored)
	case now.Ignored > before.Ignored && !asGiven:
		return fmt.Sprintf("ok, %d ignored in part", now.Ignored-before.Ignored)
	default:
		return "ok"
	}
}

// seconds shows how long something took.
func seconds(took time.Duration) string { return fmt.Sprintf("%.1fs", took.Seconds()) }

// table shows the lines in columns, and how many servers answered.
func (r *checkRun) table(rows []row) {
	columns := tabwriter.NewWriter(r.Out, 0, 0, 2, ' ', 0)
	names := make([]string, len(r.targets))
	for i, target := range r.targets {
		names[i] = target.Name()
	}
	fmt.Fprintln(columns, strings.Join(append([]string{"server", "client", "tools", "time"}, names...), "\t"))
	for _, row := range rows {
		fmt.Fprintln(columns, strings.Join(append([]string{escape.Line(row.name), row.client, row.tools, row.took}, row.cells...), "\t"))
	}
	_ = columns.Flush() // an error stays in the writer, and run reports it
	counts := r.summary.Servers
	fmt.Fprintf(r.Out, "%s asked, %d answered, %d disabled\n\n", report.Count(counts.Asked, "server"), counts.Answered, counts.Disabled)
}
