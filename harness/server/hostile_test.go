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

// asked is a message of a client.
type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

const (
	hello = `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`
	tools = `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q,"inputSchema":{"type":"object"}}]}}`
)

// serving is a server over HTTP that greets as it should, and answers tools/list as the
// handler does.
func serving(t *testing.T, list func(http.ResponseWriter, string)) *server.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var message asked
		_ = json.NewDecoder(request.Body).Decode(&message)
		w.Header().Set("Content-Type", "application/json")
		switch message.Method {
		case "initialize":
			fmt.Fprintf(w, hello, message.ID)
		case "tools/list":
			list(w, string(message.ID))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(web.Close)
	return server.At(web.URL)
}

// TestLimits: a server that does not end is left, over HTTP as on standard output.
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

// TestUnaskedAnswers: what answers nothing that was asked is not taken for an answer.
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

// TestNewerServer: one that refuses initialize is asked as the newest protocol has it.
func TestNewerServer(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		var message asked
		_ = json.NewDecoder(request.Body).Decode(&message)
		w.Header().Set("Content-Type", "application/json")
		switch message.Method {
		case "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}}`, message.ID)
		case "tools/list":
			fmt.Fprintf(w, tools, message.ID, "new")
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, message.ID)
		}
	}))
	t.Cleanup(web.Close)
	if text, err := server.At(web.URL).List(t.Context()); err != nil || !strings.Contains(string(text), `"new"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestTimes: the time to answer runs from the first message on where a server may be
// installed first, and otherwise from the start. None of the cases waits for a clock to
// have run: what ends is the time that is as good as none.
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
	// Before the first message the time to answer does not run.
	ctx, cancel := context.WithCancel(t.Context())
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-over
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(over) }) // before the servers, which wait for what they have begun
	unheard := server.At(silent.URL)
	unheard.Start, unheard.Answers = long, none
	if text, err := unheard.List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestEndlessEvents: by SSE the limits are the same.
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
