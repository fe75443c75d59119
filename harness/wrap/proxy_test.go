package wrap_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
)

// scripted is a server that writes what its script tells, and keeps what it is sent.
type scripted struct {
	in, out     *io.PipeReader
	toIn, toOut *io.PipeWriter
	how         error // what End returns
}

func newScripted() *scripted {
	server := &scripted{}
	server.in, server.toIn = io.Pipe()
	server.out, server.toOut = io.Pipe()
	return server
}

func (s *scripted) Read(buffer []byte) (int, error) { return s.out.Read(buffer) }
func (s *scripted) Write(text []byte) (int, error)  { return s.toIn.Write(text) }
func (s *scripted) CloseInput() error               { return s.toIn.Close() }
func (s *scripted) End() error                      { return errors.Join(s.how, s.in.Close(), s.out.Close()) }

// conversation is a client, a session and a server, each in a goroutine.
type conversation struct {
	server   *scripted
	client   *io.PipeWriter
	received *bufio.Reader // by the client
	sent     *bufio.Reader // to the server
	ended    chan error
}

func converse(t *testing.T, ctx context.Context) *conversation { //nolint:revive // t is first everywhere
	t.Helper()
	server := newScripted()
	in, client := io.Pipe()
	received, out := io.Pipe()
	c := &conversation{server, client, bufio.NewReader(received), bufio.NewReader(server.in), make(chan error, 1)}
	session := &wrap.Session{Target: func(string) *normalizers.Pipeline { return normalizers.Portable }, Warn: func(sentence string) { t.Error(sentence) }}
	go func() {
		err := session.Serve(ctx, in, out, server)
		_ = out.Close()
		_ = in.Close()
		c.ended <- err
	}()
	return c
}

// passes writes a line, and reads what arrives on the other side.
func passes(t *testing.T, to io.Writer, from *bufio.Reader, line, want string) {
	t.Helper()
	go func() { _, _ = io.WriteString(to, line) }() // the reader says what arrives
	buffer := make([]byte, len(want))
	if _, err := io.ReadFull(from, buffer); err != nil || string(buffer) != want {
		t.Fatalf("%.200s arrives as %.200s, %v", line, buffer, err)
	}
}

// TestServe takes a client and a server through a session: what both send arrives in its order, while
// requests of both have equal IDs, and the session answers a wrong call itself.
func TestServe(t *testing.T) {
	t.Parallel()
	c := converse(t, t.Context())
	toServer := func(line, want string) { t.Helper(); passes(t, c.client, c.sent, line, want) }
	toClient := func(line, want string) { t.Helper(); passes(t, c.server.toOut, c.received, line, want) }
	same := func(pass func(line, want string), line string) { t.Helper(); pass(line, line) }

	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "of tomorrow"} {
		same(toServer, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
		same(toClient, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"`+version+`","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`+"\n")
	}
	same(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"p"}}}`+"\r\n")
	same(toClient, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`+"\n")
	same(toServer, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a.b"}]}}`+"\n")
	same(toClient, "a line of a log\n")
	same(toClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`+"\n")
	toClient(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a.b","description":"D.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}}`+"\n",
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a_b","description":"D.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}}`+"\n")
	passes(t, c.client, c.received, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_b","arguments":{"n":[]}}}`+"\n",
		`{"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"The tool a_b was not called, because its arguments are not valid:\n/n: got array, want integer\nCorrect the arguments and call the tool again.","type":"text"}],"isError":true}}`+"\n")
	toServer(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a_b","arguments":{"n":"1"}}}`+"\n", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a.b","arguments":{"n":1}}}`+"\n")
	same(toClient, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n")
	toServer(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a_b","arguments":{"n":[]}}}`+"\n", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a.b","arguments":{"n":[]}}}`+"\n")
	same(toServer, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`+"\n")
	same(toClient, strings.Repeat("x", 5<<20)+"\n")
	same(toServer, `{"jsonrpc":"2.0","id":4,"method":"x","params":"`+strings.Repeat("x", 5<<20)+`"}`+"\n")

	// The client says its last; the server answers, and ends.
	_ = c.client.Close()
	if rest, err := io.ReadAll(c.sent); err != nil || len(rest) > 0 {
		t.Errorf("the server gets %q, %v", rest, err)
	}
	same(toClient, `{"jsonrpc":"2.0","id":4,"result":{}}`+"\n")
	go func() {
		_, _ = io.WriteString(c.server.toOut, "no line")
		_ = c.server.toOut.Close()
	}()
	if rest, err := io.ReadAll(c.received); err != nil || string(rest) != "no line" {
		t.Errorf("the client gets %q, %v", rest, err)
	}
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestServerEnds: a server that ends or floods ends the session, with the reason.
func TestServerEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		server func(*scripted)
		want   string
	}{
		"dies":              {func(s *scripted) { s.how = errors.New("exit status 3"); _ = s.toOut.Close() }, "the server ended before its client did: exit status 3"},
		"dies at a message": {func(s *scripted) { s.how = errors.New("exit status 3"); _ = s.in.Close(); _ = s.toOut.Close() }, "the server ended before its client did: exit status 3"},
		"floods": {func(s *scripted) {
			for chunk := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(s.toOut, chunk); err != nil {
					return
				}
			}
		}, "a message is longer than 64 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := converse(t, t.Context())
			go func() { _, _ = io.WriteString(c.client, "{}\n") }() // the server may be gone
			go func() { _, _ = io.Copy(io.Discard, c.received) }()
			go test.server(c.server)
			if err := <-c.ended; err == nil || err.Error() != test.want {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// TestServerHangs: a server that does not end with its client is ended, and so is a session with its
// context.
func TestServerHangs(t *testing.T) {
	t.Parallel()
	for _, isInterrupted := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := converse(t, ctx)
			begun := time.Now()
			want := 10 * time.Second
			if isInterrupted {
				want = time.Second
				time.AfterFunc(want, cancel)
			} else {
				_ = c.client.Close()
			}
			if err := <-c.ended; err != nil {
				t.Error(err)
			}
			if difference := cmp.Diff(want, time.Since(begun)); difference != "" {
				t.Error(difference)
			}
			_ = c.client.Close()
		})
	}
}

// TestServerReadsNothing: the end of a client is seen while its server reads nothing, and so much waits
// for that server but not more.
func TestServerReadsNothing(t *testing.T) {
	t.Parallel()
	for _, isFlood := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := converse(t, t.Context())
			begun := time.Now()
			want, failure := 10*time.Second, ""
			go func() {
				message := strings.Repeat("x", 1<<20) + "\n"
				for count := 0; isFlood || count < 10; count++ {
					if _, err := io.WriteString(c.client, message); err != nil {
						return
					}
				}
				_ = c.client.Close()
			}()
			if isFlood {
				failure = "the server reads nothing: more than 64 MB wait for it"
			}
			err := <-c.ended
			if isFlood != (err != nil) || err != nil && err.Error() != failure {
				t.Errorf("it ends with %v", err)
			}
			if difference := cmp.Diff(want, time.Since(begun)); difference != "" {
				t.Error(difference)
			}
		})
	}
}
