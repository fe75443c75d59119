package sdk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer is the largest answer that is read, in bytes.
const maxAnswer = 16 << 20

// exchange is one request and its answer as they are on the wire. It travels in the
// context of a call of an official client.
type exchange struct {
	sent   []byte
	status int // 0 before there is an answer
	header http.Header
	answer []byte
}

type exchangeKey struct{}

func (x *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exact is the transport below an official client. It sends the exact bytes of the
// exchange, because clients re-encode bodies and sort their members, which changes how a
// provider counts properties. It keeps the whole answer, because clients keep only a
// part.
type exact struct{ below http.RoundTripper }

// RoundTrip sends the request.
func (e exact) RoundTrip(request *http.Request) (*http.Response, error) {
	x, _ := request.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return e.below.RoundTrip(request) //nolint:wrapcheck // the client says whose error it is
	}
	if request.Body != nil {
		_ = request.Body.Close() // it is replaced
	}
	request = request.Clone(request.Context())
	request.Body = io.NopCloser(bytes.NewReader(x.sent))
	request.ContentLength = int64(len(x.sent))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.sent)), nil }
	response, err := e.below.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // the client says whose error it is
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(answer) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d MB", maxAnswer>>20)
	}
	x.status, x.header, x.answer = response.StatusCode, response.Header, answer
	response.Body = io.NopCloser(bytes.NewReader(answer))
	return response, nil
}
