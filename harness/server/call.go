package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Session is a connection to a server, over which tools are called one after another.
type Session struct {
	session  *mcp.ClientSession
	listener *listener
	answers  time.Duration
}

// Answer is what a server answers to a call of a tool.
type Answer struct {
	// Result is the result as the server wrote it; nil if there is none.
	Result json.RawMessage
	// Code and Message are those of an error of JSON-RPC; zero if there is none.
	Code    int64
	Message string
	// Took is the time from the call to the answer, or to the end of the wait for it.
	Took time.Duration
	// Lost says why there is no answer; nil if there is one. It is ErrLate if the server
	// took longer than Answers. Otherwise the connection has ended, and with it the Session.
	Lost error
}

// Use lists the tools as List does, hands the list and the session to a function, and disconnects when that
// returns. Each call may take as long as Answers. It returns the error of List or of the function.
func (s *Server) Use(ctx context.Context, use func(ctx context.Context, list []byte, session *Session) error) error {
	s.use = use
	defer func() { s.use = nil }()
	_, err := s.List(ctx)
	return err
}

// Call calls a tool. Arguments are sent as they are; nil leaves them out of the call.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) Answer {
	if s.answers > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.answers, ErrLate)
		defer cancel()
	}
	params := &mcp.CallToolParams{Name: tool}
	if arguments != nil {
		params.Arguments = arguments
	}
	s.listener.mutex.Lock()
	s.listener.answer, s.listener.isBare = nil, arguments == nil
	s.listener.mutex.Unlock()
	start := time.Now()
	// The SDK refuses results that it cannot read, which are those that the caller looks for: its error counts
	// only if no answer has come.
	_, err := s.session.CallTool(ctx, params)
	answer := Answer{Took: time.Since(start)}
	s.listener.mutex.Lock()
	response := s.listener.answer
	s.listener.called = nil
	s.listener.mutex.Unlock()
	switch {
	case response == nil && errors.Is(context.Cause(ctx), ErrLate):
		answer.Lost = ErrLate
	case response == nil:
		answer.Lost = fmt.Errorf("calling the tool: %w", err)
	case response.Error != nil:
		answer.Message = response.Error.Error()
		if said, isSaid := errors.AsType[*jsonrpc.Error](response.Error); isSaid {
			answer.Code, answer.Message = said.Code, said.Message
		}
	default:
		answer.Result = response.Result
	}
	return answer
}

// call notes the ID of a tools/call, and removes the arguments that the SDK adds to a call without any.
func (l *listener) call(request *jsonrpc.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.called = &request.ID
	if !l.isBare {
		return
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(request.Params, &params) == nil {
		delete(params, "arguments")
		if text, err := json.Marshal(params); err == nil {
			request.Params = text
		}
	}
}
