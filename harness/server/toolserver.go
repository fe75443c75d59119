// Package toolserver asks a server of the Model Context Protocol for its tools.
package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The most that is taken from a server: of one that does not end its list, its answers
// or its messages.
const (
	maxPages    = 1000
	maxMessages = 10_000
	maxBytes    = 64 << 20
)

// Server is a server of the Model Context Protocol. What is exported is set before it is
// asked.
type Server struct {
	// Env is added to the environment of a program, as NAME=value; Dir is the folder that it
	// starts in, or empty for the working directory.
	Env []string
	Dir string
	// Headers are sent with each request to an address, and to no other host.
	Headers map[string]string
	// Answers is how long the server may take to answer, from its first message on; 0 means
	// that there is no limit. Start is how long it may take until its first message; 0 means
	// that Answers begins with the start.
	Start, Answers time.Duration

	// open opens a connection, on which so much is read as the limit allows; end takes away
	// what serves it.
	open func(context.Context, *limit) (transport mcp.Transport, end func() error, err error)
	// events speaks SSE to the same address; nil where there is no other way.
	events *Server
	// isFussy is set where the server may refuse the older protocol in other ways than the
	// protocol's own.
	isFussy   bool
	complaint complaint
}

// complaint keeps what a program writes while it runs.
type complaint struct {
	mutex sync.Mutex
	text  []byte
	isCut bool
}

// Write keeps the end of the text.
func (c *complaint) Write(text []byte) (int, error) {
	const most = 8000
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.text = append(c.text, text...)
	c.isCut = c.isCut || len(c.text) > most
	c.text = c.text[max(0, len(c.text)-most):]
	return len(text), nil
}

// Program returns the server that a program is, on its standard input and output. It
// runs while it is asked. What it has started, and what is left of it, is ended with it.
func Program(ctx context.Context, name string, arguments ...string) *Server {
	server := &Server{}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		started, err := server.start(ctx, name, arguments...)
		if err != nil {
			return nil, nil, err
		}
		reader := &limitedBody{started.out, limit}
		return &mcp.IOTransport{Reader: reader, Writer: started.in}, started.end, nil
	}
	return server
}

// At returns the server of an address, which speaks streamable HTTP, or else SSE as
// servers did before 2025-03.
func At(address string) *Server {
	server := &Server{isFussy: true, events: Events(address)}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		client := server.client(address, limit)
		transport := &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: client, MaxRetries: -1, DisableStandaloneSSE: true}
		return transport, closing(client), nil
	}
	return server
}

// Events returns the server of an address, which speaks SSE.
func Events(address string) *Server {
	server := &Server{}
	server.open = func(_ context.Context, limit *limit) (mcp.Transport, func() error, error) {
		client := server.client(address, limit)
		return &mcp.SSEClientTransport{Endpoint: address, HTTPClient: client}, closing(client), nil
	}
	return server
}

// client returns a client for an address that reads as far as the limit.
func (s *Server) client(address string, limit *limit) *http.Client {
	own := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	return &http.Client{Transport: &limitedTransport{below: own, limit: limit, address: address, headers: s.Headers}}
}

// closing closes the connections of a client that are open and not in use.
func closing(client *http.Client) func() error {
	return func() error {
		client.CloseIdleConnections()
		return nil
	}
}

// Complaint returns the end of what a program wrote to its standard error, in whole lines.
func (s *Server) Complaint() string {
	s.complaint.mutex.Lock()
	defer s.complaint.mutex.Unlock()
	text := string(s.complaint.text)
	if s.complaint.isCut {
		_, text, _ = strings.Cut(text, "\n") // what is left of a line may be half a key
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}

// sinceAlways is a version of the protocol that begins with initialize, which every
// server answers that is not newer than 2026-07. Newer versions begin with a method that
// older servers need not answer at all.
const sinceAlways = "2025-11-25"

// List connects to the server, asks for tools/list page by page, and returns the JSON
// object {"tools": [...]} with every tool as the server wrote it: members in its order
// and numbers in its spelling. The connection is closed again. An error means that the
// server could not be reached, did not answer, or answered without an end; one that is
// ErrLate, that its time was over.
func (s *Server) List(ctx context.Context) ([]byte, error) {
	ctx, watch := s.watch(ctx)
	defer watch.stop()
	text, err := s.try(ctx, watch)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx) //nolint:wrapcheck // it says why, whatever the client makes of it
	}
	return text, err
}

// try asks in each of the ways that the protocol has had.
func (s *Server) try(ctx context.Context, watch *watch) ([]byte, error) {
	text, err := s.list(ctx, sinceAlways, watch)
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
	s.events.Headers = s.Headers
	if text, older := s.events.list(ctx, sinceAlways, watch); older == nil {
		return text, nil
	}
	return nil, err
}

// connectError means that no connection was made.
type connectError struct{ err error }

func (e *connectError) Error() string { return "connecting to the server: " + e.err.Error() }
func (e *connectError) Unwrap() error { return e.err }

// list asks with a version of the protocol; empty means the newest.
func (s *Server) list(ctx context.Context, version string, watch *watch) ([]byte, error) {
	limit := &limit{watch: watch}
	transport, end, err := s.open(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	text, err := ask(ctx, &listener{Transport: transport, limit: limit}, version)
	ended := end()
	if exceeded := limit.err(); err != nil && exceeded != nil {
		return nil, exceeded // whatever the client makes of it
	}
	if err != nil && ended != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("the server ended before it answered: %w", ended)
	}
	return text, err
}

func ask(ctx context.Context, listener *listener, version string) ([]byte, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "toolproof", Version: "1"}, nil)
	session, err := client.Connect(ctx, listener, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, &connectError{err}
	}
	defer session.Close() //nolint:errcheck // there is nothing more to ask
	var tools []json.RawMessage
	cursor := ""
	for range maxPages {
		// The client refuses a whole list for one tool that it cannot read, and that
		// tool is what is looked for.
		_, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		page := listener.take()
		if page == nil {
			if err == nil {
				err = errors.New("the answer has no tools")
			}
			return nil, fmt.Errorf("asking for tools/list: %w", err)
		}
		tools = append(tools, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			return joined(tools), nil
		}
	}
	return nil, fmt.Errorf("the list has more than %d pages", maxPages)
}

// joined returns the tools as the result of one tools/list, one to a line.
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

// listener is a transport that keeps the last page of tools as it came.
type listener struct {
	mcp.Transport

	limit *limit

	mutex sync.Mutex
	asked *jsonrpc.ID // the tools/list that is not answered yet
	page  *page
}

// page is the result of tools/list.
type page struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"` //nolint:tagliatelle // the protocol writes it so
}

// take returns the page that came last, once.
func (l *listener) take() *page {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	last := l.page
	l.page = nil
	return last
}

// Connect returns a connection that is listened to.
func (l *listener) Connect(ctx context.Context) (mcp.Connection, error) { //nolint:ireturn // as the interface has it
	connected, err := l.Transport.Connect(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // it stands in for the transport
	}
	return &connection{connected, l}, nil
}

type connection struct {
	mcp.Connection

	listener *listener
}

// Write writes a message and remembers what is asked with it.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	if request, ok := message.(*jsonrpc.Request); ok && request.Method == "tools/list" {
		c.listener.mutex.Lock()
		c.listener.asked = &request.ID
		c.listener.mutex.Unlock()
	}
	return c.Connection.Write(ctx, message) //nolint:wrapcheck // it stands in for the connection
}

// Read reads a message and keeps it where it is the page of tools that was asked for.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // as the interface has it
	message, err := c.Connection.Read(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // it stands in for the connection
	}
	if err := c.listener.limit.message(); err != nil {
		return nil, err
	}
	if response, ok := message.(*jsonrpc.Response); ok {
		c.listener.hear(response)
	}
	return message, nil
}

func (l *listener) hear(response *jsonrpc.Response) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.asked == nil || response.ID != *l.asked {
		return // to something else, or to nothing
	}
	l.asked = nil
	var found page
	if json.Unmarshal(response.Result, &found) == nil && found.Tools != nil {
		l.page = &found
	}
}
