package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is a connection to a program with a message in each line, which may be as long as the limit
// allows. It reads past lines that are no messages, as clients do.
type stdio struct {
	program *program
	limit   *limit
	stray   func(line []byte) // is called with each line that is no message
	lines   chan line
	closing sync.Once
	closed  chan struct{}
}

type line struct {
	text []byte
	err  error
}

// Connect begins to read.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) { //nolint:ireturn // the interface demands it
	s.lines, s.closed = make(chan line), make(chan struct{})
	go s.receive()
	return s, nil
}

// receive passes lines on until there are no more. When the connection is closed it reads on, so that
// a program that still writes does not fail for that.
func (s *stdio) receive() {
	reader := bufio.NewReader(&limitedBody{s.program.out, s.limit})
	for {
		text, err := reader.ReadBytes('\n')
		switch {
		case s.limit.err() != nil:
			_ = s.program.out.Close() // nobody wants the rest
		case err != nil && !s.isClosed():
			s.program.hasEnded.Store(true)
		}
		select {
		case s.lines <- line{text, err}:
		case <-s.closed:
			_, _ = io.Copy(io.Discard, s.program.out) // until the program ends
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns the next message. A line that claims to be one and cannot be read is an error.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) { //nolint:ireturn // the interface demands it
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.closed:
			return nil, io.EOF
		case next := <-s.lines:
			text := bytes.TrimSpace(next.text)
			message, err := jsonrpc.DecodeMessage(text)
			switch {
			case len(text) > 0 && err == nil:
				return message, nil
			case bytes.HasPrefix(text, []byte("{")) && bytes.Contains(text, []byte(`"jsonrpc"`)):
				return nil, fmt.Errorf("reading a message: %w", err)
			case len(text) > 0:
				s.stray(text)
			}
			if next.err != nil {
				return nil, next.err
			}
		}
	}
}

// Write writes a message.
func (s *stdio) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err //nolint:wrapcheck // the error of the SDK says what failed
	}
	_, err = s.program.in.Write(append(text, '\n'))
	if err != nil && !s.isClosed() {
		s.program.hasEnded.Store(true)
	}
	return err //nolint:wrapcheck // the error of the system says what failed
}

// Close ends Read and the input of the program.
func (s *stdio) Close() error {
	s.closing.Do(func() { close(s.closed) })
	return s.program.in.Close() //nolint:wrapcheck // the error of the system says what failed
}

func (s *stdio) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// SessionID returns "", because the connection has no other.
func (s *stdio) SessionID() string { return "" }
