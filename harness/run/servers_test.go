package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
	"toolproof/harness/judge"
	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
)

// listing returns a server that lists so many tools.
func listing(name string, tools int) Server {
	return Server{Name: name, List: func(context.Context) ([]byte, error) {
		var text strings.Builder
		for i := range tools {
			fmt.Fprintf(&text, `,{"name": "%s%d", "inputSchema": {"type": "object"}}`, name, i)
		}
		return []byte(`{"tools": [` + strings.TrimPrefix(text.String(), ",") + `]}`), nil
	}}
}

// tabled is a sink that is told of servers.
type tabled struct {
	collected
	begun   bool
	servers *report.Servers
}

func (t *tabled) BeginServers() { t.begun = len(t.results) == 0 }

func (t *tabled) EndServers(servers *report.Servers) error {
	t.servers = servers
	return nil
}

// TestServers: the tools of servers are judged in the order of the servers, whichever answers first.
// A server without an answer costs each target a verdict.
func TestServers(t *testing.T) {
	t.Parallel()
	slow, fast := listing("slow", 2), listing("fast", 1)
	late, early, isListed := slow.List, fast.List, make(chan struct{})
	slow.List = func(ctx context.Context) ([]byte, error) {
		<-isListed
		return late(ctx)
	}
	fast.List = func(ctx context.Context) ([]byte, error) {
		defer close(isListed)
		return early(ctx)
	}
	errSecret := errors.New("no route to the host of abc123")
	silent := Server{
		Name: "silent", List: func(context.Context) ([]byte, error) { return nil, errSecret },
		Failed: func(err error) string {
			if !errors.Is(err, errSecret) {
				t.Errorf("it failed with %v", err)
			}
			return "no route"
		},
	}
	empty := listing("empty", 0)
	empty.NeedsTools = true
	sink := &tabled{}
	run := &Run{Targets: harness.Targets[:1], Judge: judge.Judge{Raw: true}, Sink: sink}
	if err := run.Servers(t.Context(), []Server{slow, {Name: "off"}, silent, fast, empty}); err != nil {
		t.Fatal(err)
	}
	want := []string{"slow0 gemini", "slow1 gemini", " gemini", "fast0 gemini", " gemini"}
	if difference := cmp.Diff(want, sink.seen()); difference != "" {
		t.Error(difference)
	}
	if lost := sink.results[2]; lost.Status != verdict.Inconclusive || lost.Source != "silent" || lost.Error != "no route" {
		t.Errorf("the server without an answer is %+v", lost)
	}
	if lost := sink.results[4]; lost.Status != verdict.Error || lost.Error != "the server has no tool" {
		t.Errorf("the server without tools is %+v", lost)
	}
	if first := sink.results[0]; first.Line != 0 {
		t.Errorf("a tool of a server is on line %d", first.Line)
	}
	if counts := run.Summary().Servers; !sink.begun || sink.servers != counts || counts.Asked != 4 || counts.Answered != 3 || counts.Disabled != 1 {
		t.Errorf("the servers are %+v", counts)
	}
}

// TestAskSeveral: no more servers run, or wait to be judged, than there is room for, and none is left
// behind.
func TestAskSeveral(t *testing.T) {
	t.Parallel()
	var running, most, ended atomic.Int64
	servers := make([]Server, 3*atOnce)
	for i := range servers {
		servers[i] = Server{Name: strconv.Itoa(i), List: func(ctx context.Context) ([]byte, error) {
			raise(&most, running.Add(1))
			defer ended.Add(1)
			if i < atOnce {
				return nil, nil
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
	}
	for i := range Ask(t.Context(), servers, nil) {
		running.Add(-1)
		if i == atOnce-1 {
			break
		}
	}
	if most.Load() > atOnce+1 || ended.Load() < atOnce {
		t.Errorf("%d at once, %d ended", most.Load(), ended.Load())
	}
	if left := running.Load(); left > atOnce || ended.Load() != atOnce+left {
		t.Errorf("%d ended, %d were left", ended.Load(), left)
	}
}

// TestServersCancelled: a run ends with its context while it waits for a server, and so does the
// server.
func TestServersCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var hasEnded atomic.Bool
	hangs := Server{Name: "hangs", List: func(ctx context.Context) ([]byte, error) {
		cancel()
		<-ctx.Done()
		hasEnded.Store(true)
		return nil, ctx.Err()
	}}
	run := &Run{Targets: harness.Targets[:1], Sink: &tabled{}}
	if err := run.Servers(ctx, []Server{hangs}); !errors.Is(err, context.Canceled) || !hasEnded.Load() {
		t.Errorf("the error is %v, ended %t", err, hasEnded.Load())
	}
}

// TestWhole hands the lists of the servers that answered to what judges all together, without the tools that are
// not kept, and leaves them in the summary of a part. What a server changes when it is asked again is counted.
func TestWhole(t *testing.T) {
	t.Parallel()
	servers := []Server{listing("a", 3), {Name: "off"}, {Name: "silent", List: func(context.Context) ([]byte, error) { return nil, errors.New("no") }}, listing("b", 2)}
	for i := range servers {
		servers[i].Place = 10 + i
	}
	servers[0].Keep = func(tool string) bool { return tool != "a1" }
	servers[3].Again = func(_ context.Context, list []byte, _ time.Duration) report.Changing {
		return report.Changing{Server: "b", Change: "order", Says: strconv.Itoa(len(list))}
	}
	list := func(server int, tools []toolfile.Tool) report.List {
		list := report.List{Place: servers[server].Place, Server: servers[server].Name}
		for _, tool := range tools {
			list.Tools = append(list.Tools, report.ListedTool{Name: tool.Name})
		}
		return list
	}
	var judged []report.List
	for _, whole := range []*Whole{
		{List: list, Judge: func(_ context.Context, lists []report.List) ([]report.Agent, error) {
			judged = lists
			return []report.Agent{{Name: "one"}}, nil
		}},
		{List: list},
	} {
		sink := &tabled{}
		run := Run{Sink: sink, Whole: whole}
		if err := run.Servers(t.Context(), servers); err != nil {
			t.Fatal(err)
		}
		if changing := sink.servers.Changing; len(changing) != 1 || changing[0].Place != 13 || changing[0].Says == "0" {
			t.Errorf("%+v", changing)
		}
		if isPart := whole.Judge == nil; isPart != (len(sink.servers.Lists) > 0) || isPart != (len(sink.servers.Agents) == 0) {
			t.Errorf("a part: %t; %+v", isPart, sink.servers)
		} else if isPart {
			judged = sink.servers.Lists
		}
		var names []string
		for _, list := range judged {
			for _, tool := range list.Tools {
				names = append(names, fmt.Sprintf("%d %s", list.Place, tool.Name))
			}
		}
		if difference := cmp.Diff([]string{"10 a0", "10 a2", "13 b0", "13 b1"}, names); difference != "" {
			t.Error(difference)
		}
	}
}
