package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"toolproof/harness/server"
)

// message is a message of a client.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

const (
	hello = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`
	tools = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q,"inputSchema":{"type":"object"}}]}}`
)

// serving returns a server over HTTP that initializes as it should, and lets list answer
// tools/list.
func serving(t *testing.T, list func(http.ResponseWriter, string)) *server.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var sent message
		_ = json.NewDecoder(request.Body).Decode(&sent)
		w.Header().Set("Content-Type", "application/json")
		switch sent.Method {
		case "initialize":
			fmt.Fprintf(w, hello, sent.ID)
		case "tools/list":
			list(w, string(sent.ID))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(web.Close)
	return server.At(web.URL)
}

// TestLimits checks that List gives up on a server that sends without an end.
func TestLimits(t *testing.T) {
	t.Parallel()
	piece := strings.Repeat(" ", 1<<20)
	for name, test := range map[string]struct {
		list func(http.ResponseWriter, string)
		want string
	}{
		"one answer": {func(w http.ResponseWriter, _ string) {
			for range 1000 {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		}, "the server sends more than 64 MB"},
		"events": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 1000 {
				if _, err := fmt.Fprintf(w, "event: other\ndata: %s\n\n", piece); err != nil {
					return
				}
			}
		}, "the server sends more than 64 MB"},
		"messages": {func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 20_000 {
				if _, err := io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"); err != nil {
					return
				}
			}
		}, "the server sends more than 10000 messages"},
		"pages": {func(w http.ResponseWriter, id string) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[],"nextCursor":"again"}}`, id)
		}, "the list has more than 1000 pages"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if _, err := serving(t, test.list).List(t.Context()); err == nil || err.Error() != test.want {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestUnaskedAnswers checks that an answer to no request of ours is not taken for the list.
func TestUnaskedAnswers(t *testing.T) {
	t.Parallel()
	text, err := serving(t, func(w http.ResponseWriter, id string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: "+tools+"\n\n", "777", "unasked")
		fmt.Fprintf(w, "data: "+tools+"\n\n", `"`+id+`"`, "text")
		fmt.Fprintf(w, "data: "+tools+"\n\n", id, "asked")
	}).List(t.Context())
	if err != nil || !strings.Contains(string(text), `"asked"`) || strings.Contains(string(text), "unasked") || strings.Contains(string(text), `"text"`) {
		t.Errorf("%s, %v", text, err)
	}
	text, err = serving(t, func(w http.ResponseWriter, _ string) { fmt.Fprintf(w, tools, "777", "unasked") }).List(interrupted(t))
	if err == nil {
		t.Errorf("an answer to nothing is taken for %s", text)
	}
}

// interrupted returns a context that has ended.
func interrupted(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestNewerServer checks that a server that refuses initialize is asked by the newest protocol.
func TestNewerServer(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var sent message
		_ = json.NewDecoder(request.Body).Decode(&sent)
		w.Header().Set("Content-Type", "application/json")
		switch sent.Method {
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`, sent.ID)
		case "tools/list":
			fmt.Fprintf(w, tools, sent.ID, "new")
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, sent.ID)
		}
	}))
	t.Cleanup(web.Close)
	if text, err := server.At(web.URL).List(t.Context()); err != nil || !strings.Contains(string(text), `"new"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestRevision checks what is noted of a list by the revision that its server speaks.
func TestRevision(t *testing.T) {
	t.Parallel()
	const whole = `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
	for _, test := range []struct {
		revision, members, name string
		want                    []string // how the remarks begin
	}{
		{"2026-07-28", whole, "a.b-c_D1", nil},
		{"2026-07-28", "", "a", []string{"its list has no valid resultType and no valid ttlMs and no valid cacheScope: the TypeScript client 2.x refuses"}},
		{"2026-07-28", `"resultType":"partial","ttlMs":1.5,"cacheScope":"public",`, "a", []string{"its list has no valid resultType and no valid ttlMs:"}},
		{"2026-07-28", `"resultType":"complete","ttlMs":-1,"cacheScope":"shared",`, "a", []string{"its list has no valid ttlMs and no valid cacheScope:"}},
		{"2026-07-28", whole, "a b,c", []string{`it names tools as the protocol advises against: "a b,c" (specification since 2025-11-25`}},
		{"2026-07-28", whole, strings.Repeat("a", 129), []string{"it names tools as the protocol advises against: "}},
		{"2025-11-25", "", "a/b", []string{`it names tools as the protocol advises against: "a/b" (`}},
		{"2025-11-25", "", "a", nil},
		{"2025-06-18", "", "a/b", nil},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			var sent message
			_ = json.NewDecoder(request.Body).Decode(&sent)
			w.Header().Set("Content-Type", "application/json")
			isStateless := test.revision == "2026-07-28"
			const about = `"capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}`
			switch {
			case sent.Method == "server/discover" && isStateless:
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],%s}}`, sent.ID, about)
			case sent.Method == "initialize" && !isStateless:
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,%s}}`, sent.ID, test.revision, about)
			case sent.Method == "tools/list":
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{%s"tools":[{"name":%q,"inputSchema":{"type":"object"}}]}}`, sent.ID, test.members, test.name)
			case len(sent.ID) == 0:
				w.WriteHeader(http.StatusAccepted)
			default:
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, sent.ID)
			}
		}))
		asked := server.At(web.URL)
		if _, err := asked.List(t.Context()); err != nil {
			t.Errorf("%+v: %v", test, err)
		}
		web.Close()
		if got := asked.Remarks(); len(got) != len(test.want) || len(got) > 0 && !strings.HasPrefix(got[0], test.want[0]) {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// TestTimes checks that the time to answer begins with the first message if the server has a
// time to start, and otherwise with the start. No case waits: the time that is over is one
// nanosecond.
func TestTimes(t *testing.T) {
	t.Parallel()
	const long, none = 24 * time.Hour, time.Nanosecond
	over := make(chan struct{})
	hangs := func(http.ResponseWriter, string) { <-over }
	for name, test := range map[string]struct {
		start, answers time.Duration
		want           string
	}{
		"installed, then silent": {long, none, "the time is over: the tools did not come within 1ns"},
		"never installed":        {none, long, "the time is over: no message came within 1ns"},
		"started":                {0, none, "the time is over: the tools did not come within 1ns"},
	} {
		slow := serving(t, hangs)
		slow.Start, slow.Answers = test.start, test.answers
		if text, err := slow.List(t.Context()); !errors.Is(err, server.ErrLate) || err.Error() != test.want {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	// The time to answer does not begin before the first message.
	ctx, cancel := context.WithCancel(t.Context())
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-over
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(over) }) // before the servers close, which wait for their handlers
	unheard := server.At(silent.URL)
	unheard.Start, unheard.Answers = long, none
	if text, err := unheard.List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestEndlessEvents checks the limits over SSE.
func TestEndlessEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ piece, want string }{
		// A comment of the stream, which is no message: nobody decodes it.
		"bytes":    {":" + strings.Repeat("x", 1<<18) + "\n\n", "the server sends more than 64 MB"},
		"messages": {"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", "the server sends more than 10000 messages"},
	} {
		var once sync.Once
		asked := make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			if request.Method == http.MethodPost {
				once.Do(func() { close(asked) })
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: /\n\n")
			_ = http.NewResponseController(w).Flush()
			<-asked
			for {
				if _, err := io.WriteString(w, test.piece); err != nil {
					return
				}
			}
		}))
		t.Cleanup(web.Close)
		if _, err := server.Events(web.URL).List(t.Context()); err == nil || err.Error() != test.want {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
