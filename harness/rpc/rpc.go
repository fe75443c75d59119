// Package rpc answers requests about tools that programs in other languages send as JSON. The
// libraries for TypeScript and Python ask it: one compiles it to WebAssembly, the other talks to
// verify rpc. It opens no file and no connection.
package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"toolproof/harness/evidence"
	"toolproof/harness/judge"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
)

// Protocol is the version of the requests and answers. It grows when a program that was written for
// an earlier version would misunderstand an answer.
const Protocol = 1

// MaxRequest is the size of the largest request, in bytes.
const MaxRequest = 32 << 20

// Service answers requests. Its methods may be called concurrently.
type Service struct {
	// Version is that of the program, as hello tells it.
	Version string
	// Store has the recordings that answer before the models do; nil means none.
	Store *recording.Store
	// Explainer finds the rules that refuse in the words of a message that comes without tools; nil
	// means that such a message has no answer.
	Explainer func() (*refusal.Explainer, error)

	coverage judge.Coverage
	sets     sets
}

// New returns a service that has the recordings of a store, and explains messages by fixtures and
// recordings.
func New(version string, store *recording.Store, fixtures, recordings fs.FS) *Service {
	return &Service{Version: version, Store: store, Explainer: sync.OnceValues(func() (*refusal.Explainer, error) {
		return evidence.Explainer(surfaces(), fixtures, recordings)
	})}
}

// request is a request. Which members of Params it needs depends on Method.
type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// answer is the answer to a request: it has a Result or an Error.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error says why a request has no result.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// Code is the kind of an Error, on which programs can decide.
type Code string

// What an Error is about.
const (
	BadRequest Code = "bad_request" // the request is not one that the method takes
	BadTools   Code = "bad_tools"   // the tools could not be read
	UnknownSet Code = "unknown_set" // the tools have to be normalized again
	NoAnswer   Code = "no_answer"   // the message is not understood, or fits no place in the tools
	Canceled   Code = "canceled"    // the context ended
	Fault      Code = "fault"       // an error of the program
)

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// failed returns an Error with a formatted message.
func failed(code Code, format string, arguments ...any) *Error {
	return &Error{code, fmt.Sprintf(format, arguments...)}
}

// methods are the methods by name.
var methods = []struct {
	name   string
	answer func(*Service, context.Context, json.RawMessage) (any, error)
}{
	{"hello", with((*Service).hello)},
	{"check", with((*Service).check)},
	{"normalize", with((*Service).normalize)},
	{"restore", with((*Service).restore)},
	{"explain_error", with((*Service).explainError)},
	{"advise", with((*Service).advise)},
}

// with returns a method that reads its parameters first. An unknown member is an error.
func with[P, R any](method func(*Service, context.Context, P) (R, error)) func(*Service, context.Context, json.RawMessage) (any, error) {
	return func(s *Service, ctx context.Context, text json.RawMessage) (any, error) {
		var parameters P
		if len(text) > 0 {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&parameters); err != nil {
				return nil, failed(BadRequest, "reading params: %v", err)
			}
		}
		return method(s, ctx, parameters)
	}
}

// Answer answers a request, a JSON object with the members id, method and params. The answer is a JSON
// object with the same id and either a result or an error. Answer never panics, and its time ends with
// the context.
func (s *Service) Answer(ctx context.Context, text []byte) []byte {
	var asked request
	result, err := s.result(ctx, text, &asked)
	given := answer{ID: asked.ID, Result: result}
	if err != nil {
		given = answer{ID: asked.ID, Error: errorOf(ctx, err)}
	}
	encoded, err := encode(given)
	if err != nil {
		encoded, _ = encode(answer{ID: asked.ID, Error: failed(Fault, "writing the answer: %v", err)})
	}
	return encoded
}

// result reads a request and returns its result.
func (s *Service) result(ctx context.Context, text []byte, asked *request) (result any, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			result, err = nil, failed(Fault, "a fault of Toolproof: %v", caught)
		}
	}()
	if len(text) > MaxRequest {
		return nil, failed(BadRequest, "the request has %d bytes, and may have %d", len(text), MaxRequest)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(asked); err != nil {
		return nil, failed(BadRequest, "reading the request: %v", err)
	}
	if decoder.More() {
		return nil, failed(BadRequest, "reading the request: more than one value")
	}
	var names []string
	for _, method := range methods {
		if method.name == asked.Method {
			return method.answer(s, ctx, asked.Params)
		}
		names = append(names, method.name)
	}
	return nil, failed(BadRequest, "unknown method %q: use one of %q", asked.Method, names)
}

// errorOf returns the Error that an error of a method is.
func errorOf(ctx context.Context, err error) *Error {
	known, isKnown := errors.AsType[*Error](err)
	switch {
	case isKnown:
		return known
	case ctx.Err() != nil:
		return failed(Canceled, "%v", context.Cause(ctx))
	default:
		return failed(Fault, "%v", err)
	}
}

// encode returns a value as JSON on one line, which is not part of a page.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err //nolint:wrapcheck // the caller says what was written
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// textOf returns the text of a value: that of a string, and the JSON of anything else.
func textOf(value json.RawMessage) (string, error) {
	if !bytes.HasPrefix(value, []byte(`"`)) {
		return string(value), nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err //nolint:wrapcheck // the caller says what was read
}
