// Package transport normalizes the tools in the requests of a provider's Go client, and restores the
// calls in the answers, so that a program keeps its tools as they were written. The packages toopenai,
// toanthropic and togenai have an option of each client for it.
//
// In a request to Chat Completions, Responses, Messages or generateContent, and to the methods that
// count its tokens, the functions get the form of the target, with strict where the normalizer says so.
// The choice of a tool, the calls in the history and the results that have a name follow. In an answer,
// whole or streamed, each call gets the given name and arguments of the given tool. All else passes:
// other requests, answers without calls and the other events of a stream byte for byte, and tools of
// the provider, custom tools, namespaces and schemas of answers as they are.
//
// The pieces of a streamed call pass without their text, and the restored text of all comes in one piece,
// with the last of them or after it, as soon as the call is complete.
package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"toolproof/normalizers"
	"toolproof/schema"
)

// The most bytes that a Transport reads of each part of a request or an answer.
const (
	// MaxBody bounds a request, which passes as it is if it is larger, and a whole answer.
	MaxBody = 64 << 20
	// MaxHeld bounds an event of a stream, and all its calls that are not complete.
	MaxHeld = 16 << 20
)

// ErrTooLarge is the error of reading an answer that exceeds a bound.
var ErrTooLarge = errors.New("the answer is too large to restore its calls")

// Transport is an http.RoundTripper, and its method Do is a middleware of the clients of OpenAI and
// Anthropic. It may be used by several goroutines, and must not be copied.
type Transport struct {
	// Pipeline normalizes the tools. A request whose API does not take the tools of its target fails
	// before it is sent.
	Pipeline *normalizers.Pipeline
	// Base sends the requests of RoundTrip; nil means http.DefaultTransport.
	Base http.RoundTripper
	// Problem is called with what could not be done, by several goroutines at a time: a *CallError for a
	// call that the client gets with the arguments that the model wrote, and another error for a tool, a
	// request or an answer that passes as it is. If it is nil, nobody learns of these.
	Problem func(error)
	// Normalized, if it is not nil, is called with the results for the tools of a request, with the
	// changes and their losses, by several goroutines at a time. It is not called again for the same
	// tools while they are among the last that were seen.
	Normalized func([]normalizers.Result)

	known cache
}

// RoundTrip sends a request by Base.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport //nolint:forbidigo // which an http.Client takes too if it is given none
	}
	return t.Do(request, base.RoundTrip)
}

// Do sends a request by next.
func (t *Transport) Do(request *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	api := apiOf(request)
	if api == nil {
		return next(request)
	}
	text, err := io.ReadAll(io.LimitReader(request.Body, MaxBody+1))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the request: %w", err), request.Body.Close())
	}
	if len(text) > MaxBody {
		t.report(fmt.Errorf("the request passes as it is: it is larger than %d MiB", MaxBody>>20))
		sent := request.Clone(request.Context())
		sent.Body = &body{io.MultiReader(bytes.NewReader(text), request.Body), request.Body}
		return next(sent)
	}
	if err := request.Body.Close(); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	rewritten, tools, err := t.rewrite(request.Context(), api, request.Header, text)
	if err != nil {
		return nil, err
	}
	sent := request.Clone(request.Context())
	sent.ContentLength = int64(len(rewritten))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(rewritten)), nil }
	sent.Body, _ = sent.GetBody()
	response, err := next(sent)
	if err != nil || len(tools.declared) == 0 || response.StatusCode != http.StatusOK {
		return response, err
	}
	t.restore(response, newAnswer(api, tools, t.report))
	return response, nil
}

// rewrite returns the text of a request with normalized tools, and these. A text that cannot be read
// passes as it is.
func (t *Transport) rewrite(ctx context.Context, api *api, header http.Header, text []byte) ([]byte, *tools, error) {
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		t.report(fmt.Errorf("the request passes as it is: its encoding %q is not read", encoding))
		return text, &tools{}, nil
	}
	body, err := schema.Parse(text)
	if err != nil {
		t.report(fmt.Errorf("the request passes as it is: %w", err))
		return text, &tools{}, nil
	}
	inner := body
	if counted := body.First("generateContentRequest"); counted != nil { // of countTokens
		inner = counted
	}
	tools, isChanged, err := t.normalize(ctx, api, inner)
	if err != nil || !isChanged {
		return text, tools, err
	}
	if inner.Get("background").IsTrue() && len(tools.declared) > 0 {
		t.report(errBackground)
	}
	return body.JSON(), tools, nil
}

// restore restores the calls in an answer.
func (t *Transport) restore(response *http.Response, restored *answer) {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind != eventStream && kind != "application/json" {
		return
	}
	switch encoding := strings.ToLower(response.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip":
		response.Body = &unzipped{Closer: response.Body, body: response.Body}
		response.Header.Del("Content-Encoding")
		response.Header.Del("Content-Length")
		response.ContentLength, response.Uncompressed = -1, true
	default:
		t.report(fmt.Errorf("the answer passes as it is: its encoding %q is not read", encoding))
		return
	}
	if kind == eventStream {
		response.Body = newStream(response.Body, restored)
		response.Header.Del("Content-Length")
		response.ContentLength = -1
		return
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if len(text) > MaxBody {
		text, err = nil, ErrTooLarge
	}
	if err == nil {
		text = restored.whole(text)
		response.ContentLength = int64(len(text))
		response.Header.Set("Content-Length", strconv.Itoa(len(text)))
	}
	response.Body = &body{Reader: io.MultiReader(bytes.NewReader(text), failing{err}), Closer: response.Body}
}

func (t *Transport) report(err error) {
	if t.Problem != nil {
		t.Problem(err)
	}
}

// CallError says why a call reaches the client with the arguments that the model wrote.
type CallError struct {
	// ID is the identifier of the call; empty if the API has none.
	ID string
	// Tool is the name that the client gets: the given name of the tool, or what the model wrote if no
	// tool has that name.
	Tool string
	// Arguments is the JSON text that the model wrote; empty if no tool has the name.
	Arguments string
	// Err is an error of calls.Tools.Restore, or another reason.
	Err error
}

// Error names the tool and the reason.
func (e *CallError) Error() string {
	return fmt.Sprintf("a call of %q passes with the arguments that the model wrote: %v", e.Tool, e.Err)
}

// Unwrap returns the reason.
func (e *CallError) Unwrap() error { return e.Err }

// errNotObject is the reason of a call whose restored arguments the API cannot hold.
var errNotObject = errors.New("the arguments of the tool are no object, and those of the API are")

// errBackground is the problem of a response whose calls another request brings.
var errBackground = errors.New("the calls of a response in the background are not restored: other requests read it, which do not have the tools")

// errInPieces is the reason of a call whose arguments come in pieces that are no JSON text.
var errInPieces = errors.New("the arguments come in pieces, which are not put together")

// body is a body that was read.
type body struct {
	io.Reader
	io.Closer
}

// failing ends a body with an error; nil means its end.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// unzipped reads a compressed body, from the first Read on.
type unzipped struct {
	io.Closer

	body   io.Reader
	reader *gzip.Reader
}

func (u *unzipped) Read(buffer []byte) (int, error) {
	if u.reader == nil {
		reader, err := gzip.NewReader(u.body)
		if err != nil {
			return 0, fmt.Errorf("decompressing the answer: %w", err)
		}
		u.reader = reader
	}
	return u.reader.Read(buffer) //nolint:wrapcheck // io.EOF stays what it is
}
