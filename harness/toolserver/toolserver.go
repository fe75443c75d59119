// Package toolserver asks a server of the Model Context Protocol for its tools.
package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The most that is taken from a server that does not end its list.
const (
	maxPages = 1000
	maxBytes = 64 << 20
)

// Server is a server of the Model Context Protocol.
type Server struct {
	transport mcp.Transport
	complaint complaint
}

// complaint keeps what a program writes while it runs.
type complaint struct {
	mutex sync.Mutex
	text  []byte
}

// Write keeps the end of the text.
func (c *complaint) Write(text []byte) (int, error) {
	const most = 2000
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.text = append(c.text, text...)
	c.text = c.text[max(0, len(c.text)-most):]
	return len(text), nil
}

// Program returns the server that a program is, on its standard input and output. It
// runs while it is asked, and at most as long as the context.
func Program(ctx context.Context, name string, arguments ...string) *Server {
	server := &Server{}
	program := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // the user names the program
	program.Stderr = &server.complaint
	server.transport = &mcp.CommandTransport{Command: program}
	return server
}

// At returns the server of an address, which speaks streamable HTTP.
func At(address string) *Server {
	return &Server{transport: &mcp.StreamableClientTransport{Endpoint: address, MaxRetries: -1}}
}

// Complaint returns the end of what a program wrote to its standard error.
func (s *Server) Complaint() string {
	s.complaint.mutex.Lock()
	defer s.complaint.mutex.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(s.complaint.text), ""))
}

// List connects to the server, asks for tools/list page by page, and returns the JSON
// object {"tools": [...]} with every tool as the server wrote it: members in its order
// and numbers in its spelling. The connection is closed again. An error means that the
// server could not be reached or did not answer.
func (s *Server) List(ctx context.Context) ([]byte, error) {
	listener := &listener{Transport: s.transport}
	client := mcp.NewClient(&mcp.Implementation{Name: "toolproof", Version: "1"}, nil)
	session, err := client.Connect(ctx, listener, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the server: %w", err)
	}
	defer session.Close() //nolint:errcheck // there is nothing more to ask
	var tools []json.RawMessage
	size, cursor := 0, ""
	for range maxPages {
		listener.page = nil
		// The client refuses a whole list for one tool that it cannot read, and that
		// tool is what is looked for.
		_, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if listener.page == nil {
			if err == nil {
				err = errors.New("the answer has no tools")
			}
			return nil, fmt.Errorf("asking for tools/list: %w", err)
		}
		tools = append(tools, listener.page.Tools...)
		for _, tool := range listener.page.Tools {
			size += len(tool)
		}
		if cursor = listener.page.NextCursor; cursor == "" {
			return joined(tools), nil
		}
		if size > maxBytes {
			return nil, fmt.Errorf("the tools are larger than %d bytes", maxBytes)
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

	page *page
}

// page is the result of tools/list.
type page struct {
	Tools      []json.RawMessage `json:"tools"`
	NextCursor string            `json:"nextCursor"` //nolint:tagliatelle // the protocol writes it so
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

// Read reads a message and keeps it where it is a page of tools.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // as the interface has it
	message, err := c.Connection.Read(ctx)
	if response, ok := message.(*jsonrpc.Response); ok {
		var found page
		if json.Unmarshal(response.Result, &found) == nil && found.Tools != nil {
			c.listener.page = &found
		}
	}
	return message, err //nolint:wrapcheck // it stands in for the connection
}
