// Package server asks servers of the Model Context Protocol for their tools, and serves tools
// as such a server does.
package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of what is read from one server, which may never end its list, an answer or its
// messages.
const (
	maxPages    = 1000
	maxMessages = 10_000
	maxBytes    = 64 << 20
)

// Server is a server of the Model Context Protocol. The exported fields may be set until List
// is called.
type Server struct {
	// Env is added to the environment of the program, as NAME=value, and Dir is the folder that
	// the program starts in; empty means the working directory.
	Env []string
	Dir string
	// Headers are sent with each request to an address, and to no other host.
	Headers map[string]string
	// Errors is written what the program writes to its standard error; nil means that only the end of
	// it is kept, for Complaint.
	Errors io.Writer
	// Guard is the command of this program, which ends the processes that the program leaves behind
	// if it is called with group.GuardCommand; empty means no guard.
	Guard []string
	// Withhold are capabilities of a client, of those of Capabilities, that are not declared.
	Withhold []string
	// Answers is how long the server may take to list its tools after its first message; 0
	// means that there is no limit. Start is how long the server may take until its first
	// message; 0 means that Answers includes that time.
	Start, Answers time.Duration
	// MostBytes is how much is read of the server; 0 means 64 MB.
	MostBytes int

	// open opens a connection, from which no more is read than the limit allows; end ends what
	// serves the connection.
	open    func(context.Context, *limit) (transport mcp.Transport, end func() error, err error)
	words   []string // the program and its arguments; empty for an address
	address string
	// events is the server of the same address that speaks SSE; nil if there is none.
	events *Server
	// isFussy is set if the server may refuse an older protocol with something else than an
	// error of JSON-RPC, such as a status of HTTP.
	isFussy   bool
	complaint complaint
	remarks   remarks
	use       func(context.Context, []byte, *Session) error // what Use does with the server; nil for List
	change    Change                                        // between two lists of one session
	isAgain   bool                                          // Again asks
}

// complaint keeps the end of what a program writes to its standard error.
type complaint struct {
	mutex sync.Mutex
	text  []byte
	isCut bool
}

// Write keeps the end of the text. It never fails.
func (c *complaint) Write(text []byte) (int, error) {
	const most = 16_000 // a trace may be long
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.text = append(c.text, text...)
	c.isCut = c.isCut || len(c.text) > most
	c.text = c.text[max(0, len(c.text)-most):]
	return len(text), nil
}

// Program returns the server that a program runs on its standard input and output. List
// starts the program, and ends it with all processes that it has started.
func Program(ctx context.Context, name string, arguments ...string) *Server {
	server := &Server{words: append([]string{name}, arguments...)}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		started, err := server.start(ctx, name, arguments...)
		if err != nil {
			return nil, nil, err
		}
		return &stdio{program: started, limit: limit, stray: server.remarks.addStray}, started.end, nil
	}
	return server
}

// At returns the server at an address, which speaks streamable HTTP or, as servers did before
// 2025-03, SSE.
func At(address string) *Server {
	server := &Server{isFussy: true, address: address, events: Events(address)}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		client := server.client(address, limit)
		transport := &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: client, MaxRetries: -1, MaxEventSize: maxBytes, DisableStandaloneSSE: true}
		return transport, closing(client), nil
	}
	return server
}

// Events returns the server at an address that speaks SSE.
func Events(address string) *Server {
	server := &Server{}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		client := server.client(address, limit)
		return &mcp.SSEClientTransport{Endpoint: address, HTTPClient: client, MaxEventSize: maxBytes}, closing(client), nil
	}
	return server
}

// client returns a client for an address that reads no more than the limit allows.
func (s *Server) client(address string, limit *limit) *http.Client {
	own := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	return &http.Client{Transport: &limitedTransport{below: own, limit: limit, address: address, headers: s.Headers}}
}

// Client returns a client for an address, as the server of At has it, for a caller that bounds what it
// reads: the Headers go to no other host, and no answer sends the client to one.
func (s *Server) Client(address string) *http.Client { return s.client(address, nil) }

// Address returns the address of the server of At; empty for a program.
func (s *Server) Address() string { return s.address }

// closing returns a function that closes the idle connections of a client.
func closing(client *http.Client) func() error {
	return func() error {
		client.CloseIdleConnections()
		return nil
	}
}

// Complaint returns the last whole lines that the program wrote to its standard error.
func (s *Server) Complaint() string {
	s.complaint.mutex.Lock()
	defer s.complaint.mutex.Unlock()
	text := string(s.complaint.text)
	if s.complaint.isCut {
		_, text, _ = strings.Cut(text, "\n") // the rest of a cut line may be half a key, which nobody could hide
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}

// withInitialize is the last version of the protocol that begins with initialize. Every
// server from before 2026-07 answers that. Newer versions begin with a method that older
// servers need not answer at all.
const withInitialize = "2025-11-25"

// List connects to the server, asks for tools/list page by page, disconnects, and returns
// the JSON object {"tools": [...]} with every tool as the server wrote it: members in its
// order and numbers in its spelling. An error means that the server could not be reached,
// did not answer, or did not end its answer. It is ErrLate if the server took longer than
// Start or Answers.
func (s *Server) List(ctx context.Context) ([]byte, error) {
	ctx, watch := s.watch(ctx)
	defer watch.stop()
	text, err := s.try(ctx, watch)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx) //nolint:wrapcheck // why the context ended; the error of the SDK does not say that
	}
	return text, err
}

// try asks by each of the protocols that the server may speak.
func (s *Server) try(ctx context.Context, watch *watch) ([]byte, error) {
	text, err := s.list(ctx, withInitialize, watch)
	var refused *connectError
	if !errors.As(err, &refused) || ctx.Err() != nil {
		return text, err
	}
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) && !s.isFussy {
		return nil, err
	}
	if text, newer := s.list(ctx, "", watch); newer == nil {
		return text, nil
	}
	if s.events == nil || !watch.refusedPost() || ctx.Err() != nil {
		return nil, err
	}
	s.events.Headers, s.events.Answers, s.events.MostBytes, s.events.use = s.Headers, s.Answers, s.MostBytes, s.use
	if text, older := s.events.list(ctx, withInitialize, watch); older == nil {
		return text, nil
	}
	return nil, err
}

// connectError means that no connection could be made.
type connectError struct{ err error }

func (e *connectError) Error() string { return "connecting to the server: " + e.err.Error() }
func (e *connectError) Unwrap() error { return e.err }

// list asks by a version of the protocol; empty means the newest.
func (s *Server) list(ctx context.Context, version string, watch *watch) ([]byte, error) {
	limit := &limit{watch: watch, most: cmp.Or(s.MostBytes, maxBytes)}
	transport, end, err := s.open(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	text, err := s.ask(ctx, &listener{Transport: transport, limit: limit, withhold: s.Withhold, changed: make(chan struct{}, 1)}, version)
	ended := end()
	if exceeded := limit.err(); err != nil && exceeded != nil {
		return nil, exceeded // the error of the SDK does not say that
	}
	if err != nil && ended != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the server ended before it answered: %w", ended)
	}
	return text, err
}

// settling is how long a server that announces changes of its tools may take to announce one, after
// its list. mostLists is the number of lists that are asked for.
const (
	settling  = 100 * time.Millisecond
	mostLists = 5
)

// ask connects, asks for the list, and hands the session to a caller that calls tools.
func (s *Server) ask(ctx context.Context, listener *listener, version string) ([]byte, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "toolproof", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   capabilities(s.Withhold),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // Session.Call does it
	})
	session, err := client.Connect(ctx, listener, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, &connectError{err}
	}
	defer session.Close() //nolint:errcheck // the answer is read
	text, err := s.settled(ctx, session, listener)
	if err == nil && s.use == nil && !s.isAgain {
		s.again(ctx, session, listener, text)
	}
	if err != nil || s.use == nil {
		return text, err
	}
	listener.limit.watch.rest()
	return text, s.use(ctx, text, &Session{session: session, listener: listener, answers: s.Answers})
}

// settled asks for the list, and again if the server says meanwhile that its tools have changed.
func (s *Server) settled(ctx context.Context, session *mcp.ClientSession, listener *listener) ([]byte, error) {
	declared := session.InitializeResult().Capabilities
	announces := declared != nil && declared.Tools != nil && declared.Tools.ListChanged
	for lists := 1; ; lists++ {
		listener.hasChanged(0) // before this list
		text, err := s.pages(ctx, session, listener)
		wait := time.Duration(0)
		if announces {
			wait = settling
		}
		if err != nil || !listener.hasChanged(wait) {
			return text, err
		}
		if lists == mostLists {
			s.remarks.add("it goes on changing its list of tools: this is one of them")
			return text, nil
		}
	}
}

// onceMore is how long a server may take to give its list once more.
const onceMore = time.Second

// again asks for the list once more, and notes if it is another one. A server that does not answer in time has given
// its list all the same.
func (s *Server) again(ctx context.Context, session *mcp.ClientSession, listener *listener, first []byte) {
	ctx, cancel := context.WithTimeout(ctx, onceMore)
	defer cancel()
	second, err := s.pages(ctx, session, listener)
	if err != nil || listener.hasChanged(0) {
		return
	}
	if s.change = changeOf(first, second, "when it is asked again"); s.change.Kind != "" {
		s.remarks.add(s.change.Says)
	}
}

// pages asks for all pages of the list.
func (s *Server) pages(ctx context.Context, session *mcp.ClientSession, listener *listener) ([]byte, error) {
	var tools []json.RawMessage
	cursor := ""
	for range maxPages {
		// The SDK refuses a whole list for one tool that it cannot read, which is the very tool
		// that the caller looks for: the error counts only if no page has come.
		_, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		page := listener.take()
		if page == nil {
			if err == nil {
				err = errors.New("the answer has no tools")
			}
			return nil, fmt.Errorf("asking for tools/list: %w", err)
		}
		if page.repeated != "" {
			s.remarks.add(fmt.Sprintf("its list has the member %.40q twice: most clients read the last one, as is done here", page.repeated))
		}
		s.note(session.InitializeResult().ProtocolVersion, page)
		tools = append(tools, page.tools...)
		if cursor = page.nextCursor; cursor == "" {
			return joined(tools), nil
		}
	}
	return nil, fmt.Errorf("the list has more than %d pages", maxPages)
}

// joined returns the tools as the result of one tools/list, each in a line.
func joined(tools []json.RawMessage) []byte {
	var text bytes.Buffer
	text.WriteString("{\"tools\": [\n")
	for i, tool := range tools {
		text.Write(tool)
		if i < len(tools)-1 {
			text.WriteByte(',')
		}
		text.WriteByte('\n')
	}
	text.WriteString("]}\n")
	return text.Bytes()
}

// listener is a transport that keeps the last page of tools as the server wrote it.
type listener struct {
	mcp.Transport

	limit    *limit
	withhold []string
	changed  chan struct{} // has an element if the server has said that its tools have changed

	mutex sync.Mutex
	asked *jsonrpc.ID // the tools/list that is not yet answered
	page  *page
	// called is the request of a Session that is not yet answered, and answer what the server answered to it. edit
	// changes the parameters of the request, respond answers what the server asks meanwhile, and wanted is that.
	called  *jsonrpc.ID
	answer  *jsonrpc.Response
	edit    func(params map[string]json.RawMessage)
	respond func(Asked) (json.RawMessage, *jsonrpc.Error)
	wanted  []Asked
}

// hasChanged reports whether the server has said, or says within the time, that its tools have
// changed, and forgets that.
func (l *listener) hasChanged(within time.Duration) bool {
	select {
	case <-l.changed:
		return true
	default:
	}
	select {
	case <-l.changed:
		return true
	case <-time.After(within):
		return false
	}
}

// take returns the last page and forgets it.
func (l *listener) take() *page {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	last := l.page
	l.page = nil
	return last
}

// Connect returns a connection whose messages the listener sees.
func (l *listener) Connect(ctx context.Context) (mcp.Connection, error) { //nolint:ireturn // the interface demands it
	connected, err := l.Transport.Connect(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the error of the transport, as mcp.Transport has it
	}
	return &connection{connected, l}, nil
}

type connection struct {
	mcp.Connection

	listener *listener
}

// Write writes a message. It notes the ID of a tools/list, and declares what the SDK cannot.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if request, ok := message.(*jsonrpc.Request); ok {
		switch request.Method {
		case "tools/list":
			c.listener.mutex.Lock()
			c.listener.asked = &request.ID
			c.listener.mutex.Unlock()
		case "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "completion/complete":
			c.listener.call(request)
		case "initialize":
			request.Params = withTasks(request.Params, c.listener.withhold)
		}
	}
	return c.Connection.Write(ctx, message) //nolint:wrapcheck // the error of the connection, as mcp.Connection has it
}

// Read reads the next message that is for the SDK, and keeps the page of tools in it if it answers the tools/list. It
// answers itself what the server asks while it works on a call.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // the interface demands it
	for {
		message, err := c.Connection.Read(ctx)
		if err != nil {
			return nil, err //nolint:wrapcheck // the error of the connection, as mcp.Connection has it
		}
		if err := c.listener.limit.message(); err != nil {
			return nil, err
		}
		switch message := message.(type) {
		case *jsonrpc.Response:
			c.listener.hear(message)
		case *jsonrpc.Request:
			if message.Method == "notifications/tools/list_changed" {
				select {
				case c.listener.changed <- struct{}{}:
				default: // it was said already
				}
			}
			if answer := c.listener.answers(message); answer != nil {
				if err := c.Connection.Write(ctx, answer); err != nil {
					return nil, err //nolint:wrapcheck // the error of the connection, as mcp.Connection has it
				}
				continue
			}
		}
		return message, nil
	}
}

// hear keeps the page of tools in the answer to the tools/list.
func (l *listener) hear(response *jsonrpc.Response) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.called != nil && response.ID == *l.called {
		l.called, l.answer = nil, response
		return
	}
	if l.asked == nil || response.ID != *l.asked {
		return // it answers another request
	}
	l.asked = nil
	if found, err := readPage(response.Result); err == nil && found.tools != nil {
		l.page = found
	}
}
