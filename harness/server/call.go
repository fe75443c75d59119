package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Session is a connection to a server, over which tools are called one after another.
type Session struct {
	// Respond answers what the server asks of the client while it works on a call: elicitation/create and
	// sampling/createMessage. Without it the server is told that the client supports neither.
	Respond func(Asked) (json.RawMessage, *jsonrpc.Error)

	session  *mcp.ClientSession
	listener *listener
	answers  time.Duration
}

// Asked is what a server asks of the client while it works on a call.
type Asked struct {
	Method string
	Params json.RawMessage
	// IsEmbedded means that the request stands in the result of a call, as those of the protocol of 2026-07-28 do.
	IsEmbedded bool
}

// Answer is what a server answers to a call of a tool.
type Answer struct {
	// Result is the result as the server wrote it; nil if there is none.
	Result json.RawMessage
	// Code and Message are those of an error of JSON-RPC; zero if there is none.
	Code    int64
	Message string
	// Asked is what the server asked before it answered, and IsStopped means that the Result requires input that
	// Respond refuses.
	Asked     []Asked
	IsStopped bool
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

// Call calls a tool. Arguments are sent as they are; nil leaves them out of the call. If the result says that input is
// required, Call makes the call again with that input, as long as Respond has all of it.
func (s *Session) Call(ctx context.Context, tool string, arguments json.RawMessage) Answer {
	params := &mcp.CallToolParams{Name: tool}
	if arguments != nil {
		params.Arguments = arguments
	}
	var further map[string]json.RawMessage // the input
	var whole Answer
	for range mostRounds {
		answer := s.send(ctx, func(params map[string]json.RawMessage) {
			if arguments == nil {
				delete(params, "arguments") // which the SDK adds
			}
			maps.Copy(params, further)
		}, func(ctx context.Context) error {
			_, err := s.session.CallTool(ctx, params)
			return err //nolint:wrapcheck // send wraps it
		})
		answer.Asked, answer.Took = append(whole.Asked, answer.Asked...), whole.Took+answer.Took
		if whole = answer; whole.Lost != nil {
			break
		}
		if further = s.input(&whole); further == nil {
			break
		}
	}
	return whole
}

// mostRounds is how often a call is made until its result needs no further input; clients of the official SDKs give up
// after as many.
const mostRounds = 10

// Revision is the version of the protocol that the session speaks.
func (s *Session) Revision() string { return s.session.InitializeResult().ProtocolVersion }

// input returns the input that a result requires, as parameters of the next call; nil if it requires none, or if
// there is no answer to a part of it. It notes in the answer what is asked.
func (s *Session) input(answer *Answer) map[string]json.RawMessage {
	var required struct {
		ResultType    string          `json:"resultType"`   //nolint:tagliatelle // the protocol writes it so
		RequestState  json.RawMessage `json:"requestState"` //nolint:tagliatelle // likewise
		InputRequests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"` //nolint:tagliatelle // likewise
	}
	if s.Respond == nil || s.Revision() < withInput || json.Unmarshal(answer.Result, &required) != nil || required.ResultType != "input_required" {
		return nil
	}
	responses := map[string]json.RawMessage{}
	for _, key := range slices.Sorted(maps.Keys(required.InputRequests)) {
		asked := Asked{Method: required.InputRequests[key].Method, Params: required.InputRequests[key].Params, IsEmbedded: true}
		answer.Asked = append(answer.Asked, asked)
		response, refused := s.Respond(asked)
		answer.IsStopped = answer.IsStopped || refused != nil // clients give the whole call up
		responses[key] = response
	}
	if answer.IsStopped || len(responses) == 0 && required.RequestState == nil {
		return nil
	}
	input := map[string]json.RawMessage{}
	if text, err := json.Marshal(responses); err == nil && len(responses) > 0 {
		input["inputResponses"] = text
	}
	if required.RequestState != nil {
		input["requestState"] = required.RequestState
	}
	return input
}

// withInput is the first version of the protocol in which the result of a call may require input.
const withInput = "2026-07-28"

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
	return s.send(ctx, func(map[string]json.RawMessage) {}, func(ctx context.Context) error { return asks[method](ctx, s.session, params) })
}

// send makes a request and returns what the server answers. edit changes the parameters that are sent.
func (s *Session) send(ctx context.Context, edit func(map[string]json.RawMessage), request func(context.Context) error) Answer {
	if s.answers > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.answers, ErrLate)
		defer cancel()
	}
	s.listener.mutex.Lock()
	s.listener.answer, s.listener.edit, s.listener.wanted, s.listener.respond = nil, edit, nil, s.Respond
	s.listener.mutex.Unlock()
	start := time.Now()
	// The SDK refuses results that it cannot read, which are those that the caller looks for: its error counts
	// only if no answer has come.
	err := request(ctx)
	answer := Answer{Took: time.Since(start)}
	s.listener.mutex.Lock()
	response := s.listener.answer
	answer.Asked = s.listener.wanted
	s.listener.called, s.listener.respond = nil, nil
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

// call notes the ID of a request of Call or Ask, and edits its parameters.
func (l *listener) call(request *jsonrpc.Request) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.called = &request.ID
	var params map[string]json.RawMessage
	if l.edit == nil || json.Unmarshal(request.Params, &params) != nil {
		return
	}
	l.edit(params)
	if text, err := json.Marshal(params); err == nil {
		request.Params = text
	}
}

// answers returns the answer to a request that the server makes while it works on a call, and notes the request. It
// returns nil if the SDK has to answer.
func (l *listener) answers(request *jsonrpc.Request) *jsonrpc.Response {
	if request.Method != "elicitation/create" && request.Method != "sampling/createMessage" || !request.ID.IsValid() {
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.respond == nil || len(l.wanted) == mostAsked {
		return nil
	}
	asked := Asked{Method: request.Method, Params: request.Params}
	l.wanted = append(l.wanted, asked)
	response := &jsonrpc.Response{ID: request.ID}
	result, refused := l.respond(asked)
	if refused != nil {
		response.Error = refused
	} else {
		response.Result = result
	}
	return response
}

// mostAsked is how many requests of a server are noted for one call; the SDK refuses further ones.
const mostAsked = 100
