package wrap_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
)

// inProcess is a server of the SDK that reads and writes lines.
type inProcess struct {
	io.Reader
	io.WriteCloser

	cancel context.CancelFunc
	ended  chan error
}

func (s *inProcess) CloseInput() error { return s.Close() }

func (s *inProcess) End() error {
	s.cancel()
	err := <-s.ended
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// running starts a server of the SDK.
func running(server *mcp.Server) wrap.Server { //nolint:ireturn // as a Front takes it
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	started := &inProcess{fromOut, toIn, cancel, make(chan error, 1)}
	go func() {
		err := server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
		_ = out.Close()
		_ = in.Close()
		started.ended <- err
	}()
	return started
}

// fronted serves what start returns over HTTP, and returns its address and how many sessions have ended.
func fronted(t *testing.T, start func() wrap.Server) (address string, ended *atomic.Int32) {
	t.Helper()
	ended = &atomic.Int32{}
	front := &wrap.Front{
		Start: func() (*wrap.Session, wrap.Server, error) {
			return &wrap.Session{Target: func(string) *normalizers.Pipeline { return normalizers.Portable }, Warn: func(sentence string) { t.Error(sentence) }}, start(), nil
		},
		Ended: func(*wrap.Session, error) { ended.Add(1) },
	}
	web := httptest.NewServer(front)
	t.Cleanup(func() { front.Close(); web.Close() })
	return web.URL, ended
}

// TestFront: clients of streamable HTTP have a session each. Their servers ask back, tell progress and
// send notifications of their own accord.
func TestFront(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, listens := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s listens %t", version, listens), func(t *testing.T) {
				t.Parallel()
				address, ended := fronted(t, func() wrap.Server {
					server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
					server.AddTool(&mcp.Tool{Name: "a.b", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
						func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
							listed, err := request.Session.ListRoots(ctx, nil) //nolint:staticcheck // clients have it for another year
							if err != nil {
								return nil, err
							}
							if token := request.Params.GetProgressToken(); token != nil {
								_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
							}
							server.AddTool(&mcp.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
							return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s %d", request.Params.Arguments, len(listed.Roots))}}}, nil
						})
					return running(server)
				})
				progress, changed := make(chan bool, 10), make(chan bool, 10)
				for range 2 {
					client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
						ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- true },
						ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress <- true },
					})
					client.AddRoots(&mcp.Root{URI: "file:///x"}) //nolint:staticcheck // clients have it for another year
					connection, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address, DisableStandaloneSSE: !listens}, &mcp.ClientSessionOptions{ProtocolVersion: version})
					if err != nil {
						t.Fatal(err)
					}
					if got := connection.InitializeResult().ProtocolVersion; got != version || connection.ID() == "" {
						t.Errorf("it speaks %s in the session %q", got, connection.ID())
					}
					tools, err := connection.ListTools(t.Context(), nil)
					if err != nil || len(tools.Tools) != 1 || tools.Tools[0].Name != "a_b" {
						t.Fatalf("%v, %v", tools, err)
					}
					refused, err := connection.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_b", Arguments: json.RawMessage(`{"n":"x"}`)})
					if err != nil || !refused.IsError {
						t.Fatalf("%v, %v", refused, err)
					}
					called, err := connection.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_b", Arguments: json.RawMessage(`{"n":"1"}`), Meta: mcp.Meta{"progressToken": "p"}})
					if err != nil || called.Content[0].(*mcp.TextContent).Text != `{"n":1} 1` { //nolint:forcetypeassert // fails the test
						t.Fatalf("%v, %v", called, err)
					}
					<-progress
					for len(changed) == 0 { // what is said between two requests comes with the next
						if err := connection.Ping(t.Context(), nil); err != nil {
							t.Fatal(err)
						}
					}
					<-changed
					if err := connection.Close(); err != nil {
						t.Error(err)
					}
				}
				for ended.Load() < 2 {
					time.Sleep(time.Millisecond)
				}
			})
		}
	}
}

// TestFrontWithoutSession: clients of 2026-07-28 have no session; those of one name share a server, and
// their requests have equal IDs.
func TestFrontWithoutSession(t *testing.T) {
	t.Parallel()
	var starts atomic.Int32
	address, _ := fronted(t, func() wrap.Server {
		starts.Add(1)
		server := newScripted()
		go func() {
			reader := bufio.NewReader(server.in)
			var first struct {
				ID json.RawMessage `json:"id"`
			}
			for count := 0; ; count++ {
				line, err := reader.ReadBytes('\n')
				if err != nil {
					return
				}
				var message struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
					Params struct {
						RequestID json.RawMessage `json:"requestId"` //nolint:tagliatelle // the protocol's name
					} `json:"params"`
				}
				_ = json.Unmarshal(line, &message)
				switch {
				case message.Method == "notifications/cancelled":
					fmt.Fprintf(server.toOut, `{"jsonrpc":"2.0","id":%s,"result":{"cancelled":%t}}`+"\n", message.Params.RequestID, string(message.Params.RequestID) == string(first.ID))
				case strings.Contains(string(line), "wait"):
					first.ID = message.ID
				default:
					fmt.Fprintf(server.toOut, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p"}}`+"\n"+`{"jsonrpc":"2.0","id":%s,"result":{"line":%q}}`+"\n", message.ID, message.Method)
				}
			}
		}()
		return server
	})
	body := func(name, method, token string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"` + name + `"}` + token + `}}}`
	}
	waits := ask(t, t.Context(), address, body("a", "x/wait", ""), nil)
	for _, method := range []string{"x/a", "x/b"} {
		status, header, text := answered(t, address, body("a", method, `,"progressToken":"p"`), nil)
		want := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\"}}\n\n" +
			"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"line\":\"" + method + "\"}}\n\n"
		if status != http.StatusOK || text != want || header.Get("Mcp-Session-Id") != "" {
			t.Errorf("the answer is %d, %s", status, text)
		}
	}
	_ = waits.Body.Close() // cancels it
	if status, _, text := answered(t, address, body("b", "x/c", ""), nil); status != http.StatusOK {
		t.Errorf("the answer is %d, %s", status, text)
	}
	if starts.Load() != 2 {
		t.Errorf("%d servers are started for clients of 2 names", starts.Load())
	}
}

// ask posts a message with headers.
func ask(t *testing.T, ctx context.Context, address, body string, header map[string]string) *http.Response { //nolint:revive // t is first everywhere
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		request.Host = host
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// answered posts a message with headers, and returns the whole answer.
func answered(t *testing.T, address, body string, header map[string]string) (status int, about http.Header, text string) {
	t.Helper()
	response := ask(t, t.Context(), address, body, header)
	defer response.Body.Close() //nolint:errcheck // it is read
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

// TestFrontRefuses: what is no request of a client on this machine gets nothing, and a session that has
// ended is answered as such.
func TestFrontRefuses(t *testing.T) {
	t.Parallel()
	servers := make(chan *scripted, 200)
	address, ended := fronted(t, func() wrap.Server {
		server := newScripted()
		go func() {
			reader := bufio.NewReader(server.in)
			if _, err := reader.ReadString('\n'); err == nil {
				_, _ = io.WriteString(server.toOut, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n")
			}
			for {
				if _, err := reader.ReadString('\n'); err != nil {
					return
				}
			}
		}()
		servers <- server
		return server
	})
	const initialize, ping = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, test := range map[string]struct {
		body   string
		header map[string]string
		want   int
	}{
		"a page of another host":       {initialize, map[string]string{"Origin": "https://example.com"}, http.StatusForbidden},
		"a host that leads here":       {initialize, map[string]string{"Host": "example.com:80"}, http.StatusForbidden},
		"a host named like this":       {initialize, map[string]string{"Host": "localhost.example.com"}, http.StatusForbidden},
		"a form":                       {initialize, map[string]string{"Content-Type": "text/plain"}, http.StatusUnsupportedMediaType},
		"no JSON":                      {`{"id":1`, nil, http.StatusBadRequest},
		"an empty batch":               {`[]`, nil, http.StatusBadRequest},
		"no session":                   {ping, nil, http.StatusBadRequest},
		"an unknown session":           {ping, map[string]string{"Mcp-Session-Id": "x"}, http.StatusNotFound},
		"the name of a shared session": {ping, map[string]string{"Mcp-Session-Id": "client "}, http.StatusNotFound},
		"a page of this machine":       {initialize, map[string]string{"Origin": "http://localhost:6274"}, http.StatusOK},
	} {
		if status, _, text := answered(t, address, test.body, test.header); status != test.want {
			t.Errorf("%s: %d, %s", name, status, text)
		}
	}
	<-servers
	for method, want := range map[string]int{http.MethodGet: http.StatusBadRequest, http.MethodDelete: http.StatusBadRequest, http.MethodPut: http.StatusMethodNotAllowed} {
		request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != want {
			t.Errorf("%s without a session: %s", method, response.Status)
		}
	}

	_, header, text := answered(t, address, initialize, nil)
	id := header.Get("Mcp-Session-Id")
	if want := "id: 1-1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n\n"; text != want || id == "" {
		t.Errorf("the session %q begins with %s", id, text)
	}
	session := map[string]string{"Mcp-Session-Id": id}
	waits := ask(t, t.Context(), address, ping, session) //nolint:bodyclose // ask closes it
	if status, _, _ := answered(t, address, ping, session); status != http.StatusBadRequest {
		t.Errorf("a request with the same id: %d", status)
	}
	if status, _, _ := answered(t, address, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session); status != http.StatusAccepted {
		t.Errorf("a notification: %d", status)
	}
	server := <-servers
	_, _ = io.WriteString(server.toOut, "a line of a log\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n")
	server.how = errors.New("exit status 3")
	_ = server.toOut.Close()
	last, err := io.ReadAll(waits.Body)
	if want := "id: 2-1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"the server ended before its client did: exit status 3\"}}\n\n"; err != nil || string(last) != want {
		t.Errorf("a request without an answer gets %s, %v", last, err)
	}
	for ended.Load() < 1 {
		time.Sleep(time.Millisecond)
	}
	if status, _, _ := answered(t, address, ping, session); status != http.StatusNotFound {
		t.Errorf("after the session: %d", status)
	}
	for range 99 { // and the page of this machine
		if status, _, text := answered(t, address, initialize, nil); status != http.StatusOK {
			t.Fatalf("%d, %s", status, text)
		}
	}
	if status, _, _ := answered(t, address, initialize, nil); status != http.StatusServiceUnavailable {
		t.Errorf("one more than may be: %d", status)
	}
}

// streamed reads the events of a stream until one has a text, and returns all that it has read.
func streamed(t *testing.T, from io.Reader, until string) string {
	t.Helper()
	var read strings.Builder
	for buffer := make([]byte, 1); !strings.HasSuffix(read.String(), until); {
		if _, err := io.ReadFull(from, buffer); err != nil {
			t.Fatalf("%v after %q, without %q", err, read.String(), until)
		}
		read.Write(buffer)
	}
	return read.String()
}

// get asks for a stream of a session, from an event on if last is not empty.
func get(t *testing.T, ctx context.Context, address, session, last string) *http.Response { //nolint:revive // t is first everywhere
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Session-Id", session)
	request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// TestFrontResumes: a stream whose connection breaks in the middle of a call, or while the client listens,
// goes on after the last event that the client has, and what was said meanwhile is in it once.
func TestFrontResumes(t *testing.T) {
	t.Parallel()
	servers := make(chan *scripted, 1)
	address, _ := fronted(t, func() wrap.Server {
		server := newScripted()
		go func() { _, _ = io.Copy(io.Discard, server.in) }()
		servers <- server
		return server
	})
	begun := ask(t, t.Context(), address, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, nil) //nolint:bodyclose // ask closes it
	server, session := <-servers, begun.Header.Get("Mcp-Session-Id")
	say := func(message string) { _, _ = io.WriteString(server.toOut, `{"jsonrpc":"2.0",`+message+"}\n") }
	event := func(id, message string) string {
		return "id: " + id + "\nevent: message\ndata: {\"jsonrpc\":\"2.0\"," + message + "}\n\n"
	}
	const result, progress = `"id":%d,"result":{}`, `"method":"notifications/progress","params":{"progressToken":"p","progress":%d}`
	say(fmt.Sprintf(result, 0))
	streamed(t, begun.Body, event("1-1", fmt.Sprintf(result, 0)))

	ctx, cut := context.WithCancel(t.Context())
	listens := get(t, ctx, address, session, "") //nolint:bodyclose // get closes it
	streamed(t, listens.Body, "id: 2-0\ndata: \n\n")
	say(`"method":"a"`)
	streamed(t, listens.Body, event("2-1", `"method":"a"`))
	if twice := get(t, t.Context(), address, session, ""); twice.StatusCode != http.StatusConflict { //nolint:bodyclose // likewise
		t.Errorf("a second stream: %s", twice.Status)
	}
	cut()
	again := get(t, t.Context(), address, session, "2-0") //nolint:bodyclose // likewise
	if got, want := streamed(t, again.Body, "\n\n"), event("2-1", `"method":"a"`); got != want {
		t.Errorf("the resumed stream begins with %q, not %q", got, want)
	}
	say(`"method":"b"`)
	streamed(t, again.Body, event("2-2", `"method":"b"`))

	for id, last := range map[int]string{1: "-0", 2: "-1"} {
		ctx, cut := context.WithCancel(t.Context())
		header := map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-11-25"}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":"p"}}}`, id)
		call := ask(t, ctx, address, body, header) //nolint:bodyclose // likewise
		number := strings.TrimSuffix(strings.TrimPrefix(streamed(t, call.Body, "-0\ndata: \n\n"), "id: "), "-0\ndata: \n\n")
		say(fmt.Sprintf(progress, 1))
		streamed(t, call.Body, event(number+"-1", fmt.Sprintf(progress, 1)))
		cut()
		say(fmt.Sprintf(progress, 2))
		say(fmt.Sprintf(result, id))
		say(`"method":"c"`)
		streamed(t, again.Body, `"method":"c"}`+"\n\n") // so the session has heard the answer
		want := event(number+"-2", fmt.Sprintf(progress, 2)) + event(number+"-3", fmt.Sprintf(result, id))
		if last == "-0" {
			want = event(number+"-1", fmt.Sprintf(progress, 1)) + want
		}
		got, err := io.ReadAll(get(t, t.Context(), address, session, number+last).Body) //nolint:bodyclose // likewise
		if err != nil || string(got) != want {
			t.Errorf("the rest of the call after %s is %q, not %q: %v", last, got, want, err)
		}
	}

	for _, last := range []string{"x", "9-0", "2--1", "2-99", "-1-0"} {
		if response := get(t, t.Context(), address, session, last); response.StatusCode != http.StatusGone { //nolint:bodyclose // likewise
			t.Errorf("a stream after %q: %s", last, response.Status)
		}
	}
	for range 1100 { // more than a session keeps
		say(`"method":"d"`)
	}
	say(`"method":"e"`)
	streamed(t, again.Body, `"method":"e"}`+"\n\n")
	if response := get(t, t.Context(), address, session, "2-1"); response.StatusCode != http.StatusGone { //nolint:bodyclose // likewise
		t.Errorf("a stream with a gap: %s", response.Status)
	}
}
