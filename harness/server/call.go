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
	params := &mcp.CallToolParams{Name: tool}
	if arguments != nil {
		params.Arguments = arguments
	}
	return s.send(ctx, arguments == nil, func(ctx context.Context) error {
		_, err := s.session.CallTool(ctx, params)
		return err //nolint:wrapcheck // send wraps it
	})
}

// Offers reports whether the server declares a capability: prompts, resources or completions.
func (s *Session) Offers(capability string) bool {
	declared := s.session.InitializeResult().Capabilities
	if declared == nil {
		return false
	}
	switch capability {
	case "prompts":
		return declared.Prompts != nil
	case "resources":
		return declared.Resources != nil
	default:
		return capability == "completions" && declared.Completions != nil
	}
}

// asks are the requests of Ask, each of which reads.
var asks = map[string]func(context.Context, *mcp.ClientSession, json.RawMessage) error{
	"prompts/list":             asking((*mcp.ClientSession).ListPrompts),
	"prompts/get":              asking((*mcp.ClientSession).GetPrompt),
	"resources/list":           asking((*mcp.ClientSession).ListResources),
	"resources/templates/list": asking((*mcp.ClientSession).ListResourceTemplates),
	"resources/read":           asking((*mcp.ClientSession).ReadResource),
	"completion/complete":      asking((*mcp.ClientSession).Complete),
}

// asking makes a request of a method of the SDK.
func asking[P, R any](method func(*mcp.ClientSession, context.Context, *P) (R, error)) func(context.Context, *mcp.ClientSession, json.RawMessage) error {
	return func(ctx context.Context, session *mcp.ClientSession, given json.RawMessage) error {
		params := new(P)
		if err := json.Unmarshal(given, params); err != nil {
			return err //nolint:wrapcheck // send wraps it
		}
		_, err := method(session, ctx, params)
		return err
	}
}

// Ask makes a request that only reads: a list of prompts, resources or templates, one of them, or a completion.
func (s *Session) Ask(ctx context.Context, method string, params json.RawMessage) Answer {
	return s.send(ctx, false, func(ctx context.Context) error { return asks[method](ctx, s.session, params) })
}

// send makes a request and returns what the server answers. isBare means that a call leaves its arguments out.
func (s *Session) send(ctx context.Context, isBare bool, request func(context.Context) error) Answer {
	if s.answers > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.answers, ErrLate)
		defer cancel()
	}
	s.listener.mutex.Lock()
	s.listener.answer, s.listener.isBare = nil, isBare
	s.listener.mutex.Unlock()
	start := time.Now()
	// The SDK refuses results that it cannot read, which are those that the caller looks for: its error counts
	// only if no answer has come.
	err := request(ctx)
	answer := Answer{Took: time.Since(start)}
	s.listener.mutex.Lock()
	response := s.listener.answer
	s.listener.called = nil
	s.listener.mutex.Unlock()
	switch {
	case response == nil && errors.Is(context.Cause(ctx), ErrLate):
		answer.Lost = ErrLate
	case response == nil:
		answer.Lost = fmt.Errorf("asking the server: %w", err)
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

// call notes the ID of a request of Call or Ask, and removes the arguments that the SDK adds to a call without any.
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
