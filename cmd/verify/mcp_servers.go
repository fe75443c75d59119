package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/semaphore"

	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/internal/toolserver"
)

// asAtOnce is how many servers run at once. What they listed is held until it is judged.
const asAtOnce = 8

// listed is what a server answered.
type listed struct {
	text []byte
	err  error
	took time.Duration
}

// row is a line of the table of servers.
type row struct {
	name, client, tools, took string
	cells                     []string // by target
}

// servers asks servers for their tools and judges those of each. It shows a table of
// servers and targets, and then the findings.
func (r *checkRun) servers(ctx context.Context, servers []configured, words []string) error {
	r.summary.Servers = &report.Servers{}
	var findings bytes.Buffer
	r.terminal.Out = &findings
	r.progress = newProgress(r.session, 0)
	room := semaphore.NewWeighted(asAtOnce)
	answers := askAll(ctx, servers, room)
	var rows []row
	for i, one := range servers {
		if one.config.IsDisabled {
			r.summary.Servers.Disabled++
			rows = append(rows, row{one.name, one.clients(), "disabled", "-", slices.Repeat([]string{"-"}, len(r.targets))})
			continue
		}
		got, ok := r.await(ctx, servers, answers, i)
		if !ok {
			return interrupted(ctx)
		}
		line, err := r.server(ctx, one, got)
		if err != nil {
			return err
		}
		rows = append(rows, line)
		room.Release(1)
	}
	if counts := r.summary.Servers; counts.Asked == 0 {
		return usage("no server was asked: %s disabled", report.Count(counts.Disabled, "server"))
	}
	r.terminal.Out = r.out
	if !r.flags.asJSON {
		r.table(rows)
		_, _ = findings.WriteTo(r.out) // an error stays in the writer, and run reports it
	}
	return r.finish(words)
}

// askAll asks the servers, so many at once as there is room. Whoever takes an answer makes
// room when it is judged.
func askAll(ctx context.Context, servers []configured, room *semaphore.Weighted) []chan listed {
	answers := make([]chan listed, len(servers))
	for i := range servers {
		answers[i] = make(chan listed, 1)
	}
	go func() {
		for i, one := range servers {
			if one.config.IsDisabled {
				continue
			}
			if room.Acquire(ctx, 1) != nil {
				return
			}
			go func() {
				begun := time.Now()
				if one.config.Err != nil {
					answers[i] <- listed{err: one.config.Err}
					return
				}
				text, err := one.List(ctx)
				answers[i] <- listed{text, err, time.Since(begun)}
			}()
		}
	}()
	return answers
}

// await waits for the answer of a server, and shows how far the others are.
func (r *checkRun) await(ctx context.Context, servers []configured, answers []chan listed, i int) (listed, bool) {
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		select {
		case got := <-answers[i]:
			r.progress.clear()
			return got, ctx.Err() == nil
		case <-ctx.Done():
			r.progress.clear()
			return listed{}, false
		case <-seconds.C:
			waiting := 0
			for j := i; j < len(servers); j++ {
				if !servers[j].config.IsDisabled && len(answers[j]) == 0 {
					waiting++
				}
			}
			r.progress.say(fmt.Sprintf("waiting for %s, such as %s", report.Count(waiting, "server"), escape.Line(servers[i].name)))
		}
	}
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
		tools, err := toolfile.Read(bytes.NewReader(got.text))
		line.tools = strconv.Itoa(len(tools))
		r.progress = newProgress(r.session, len(tools)*len(r.targets))
		if err := r.document(ctx, document{one.name, tools, err}); err != nil {
			return row{}, err
		}
		r.progress.clear()
	}
	for _, target := range r.targets {
		line.cells = append(line.cells, cell(before[target.Name()], *r.summary.Of(target.Name())))
	}
	return line, nil
}

// notAsked counts a server that gave no tools: nothing is learnt for any target.
func (r *checkRun) notAsked(one configured, why error) error {
	r.progress.clear()
	if one.Server != nil {
		r.complain(one.server)
	}
	text := one.why(why)
	if errors.Is(why, toolserver.ErrLate) {
		text += "\nhint: wait longer with --timeout, or --install-timeout where the server is installed first"
	}
	r.warnf("%s: %s", escape.Line(one.name), text)
	for _, target := range r.targets {
		result := verdict.Result{
			Version: verdict.Version, Source: one.name, Target: target.Name(), Dialect: target.Dialect.Name,
			Status: verdict.Inconclusive, Error: one.why(why),
		}
		r.summary.Add(result)
		if r.flags.asJSON {
			if err := r.lines.Result(result); err != nil {
				return err
			}
		}
	}
	return nil
}

// cell says what a target makes of the tools of one server: what was counted since.
func cell(before, now report.Counts) string {
	switch {
	case now.Errors > before.Errors:
		return fmt.Sprintf("%d error", now.Errors-before.Errors)
	case now.Failed > before.Failed:
		return fmt.Sprintf("%d fail", now.Failed-before.Failed)
	case now.Inconclusive > before.Inconclusive:
		return "?"
	case now == before:
		return "-"
	default:
		return "ok"
	}
}

// seconds shows how long something took.
func seconds(took time.Duration) string { return fmt.Sprintf("%.1fs", took.Seconds()) }

// table shows the lines in columns, and how many servers answered.
func (r *checkRun) table(rows []row) {
	columns := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	names := make([]string, len(r.targets))
	for i, target := range r.targets {
		names[i] = target.Name()
	}
	fmt.Fprintf(columns, "server\tclient\ttools\ttime\t%s\n", strings.Join(names, "\t"))
	for _, row := range rows {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\n", escape.Line(row.name), row.client, row.tools, row.took, strings.Join(row.cells, "\t"))
	}
	_ = columns.Flush() // an error stays in the writer, and run reports it
	counts := r.summary.Servers
	fmt.Fprintf(r.out, "%s asked, %d answered, %d disabled\n\n", report.Count(counts.Asked, "server"), counts.Answered, counts.Disabled)
}
