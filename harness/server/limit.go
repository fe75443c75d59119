package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// limit counts the bytes and the messages that a server sends. It is safe for concurrent
// use.
type limit struct {
	watch *watch
	most  int // bytes

	mutex           sync.Mutex
	bytes, messages int
	exceeded        error
}

// take counts bytes. It returns an error once the server has sent too much.
func (l *limit) take(bytes int) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.bytes += bytes; l.bytes > l.most && l.exceeded == nil {
		l.exceeded = fmt.Errorf("the server sends more than %d MB", l.most>>20)
	}
	return l.exceeded
}

// message counts a message. It returns an error once the server has sent too much.
func (l *limit) message() error {
	l.watch.heard()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.messages++; l.messages > maxMessages && l.exceeded == nil {
		l.exceeded = fmt.Errorf("the server sends more than %d messages", maxMessages)
	}
	return l.exceeded
}

// err returns the error of the first limit that was exceeded, or nil.
func (l *limit) err() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.exceeded
}

// limitedBody is a body that can be read as far as the limit allows.
type limitedBody struct {
	io.ReadCloser

	limit *limit
}

// Read reads from the body, and fails once the limit is exceeded.
func (b *limitedBody) Read(buffer []byte) (int, error) {
	size, err := b.ReadCloser.Read(buffer)
	if exceeded := b.limit.take(size); exceeded != nil {
		return 0, exceeded
	}
	return size, err //nolint:wrapcheck // the error of the reader, as io.Reader has it
}

// limitedTransport limits the bodies of all answers together, unless limit is nil. It adds headers to
// the requests, and sends none to another host than that of an address.
type limitedTransport struct {
	below   http.RoundTripper
	limit   *limit
	address string
	headers map[string]string
}

// RoundTrip sends a request, and returns its answer with a limited body. A server may send its
// client elsewhere, by a redirect or the endpoint of SSE; the request would carry the server's
// message, and the address and its keys as Referer.
func (t *limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	own, err := url.Parse(t.address)
	if err != nil {
		return nil, errors.New("the address is none")
	}
	if !strings.EqualFold(own.Host, request.URL.Host) || own.Scheme == "https" && request.URL.Scheme != "https" {
		return nil, fmt.Errorf("the server sends its clients on to %s://%s, which is not asked: if that is the server, name its address", request.URL.Scheme, request.URL.Host)
	}
	request = request.Clone(request.Context())
	request.Header.Del("Referer")
	if own.Scheme == request.URL.Scheme {
		for name, value := range t.headers {
			request.Header.Set(name, value)
		}
	}
	response, err := t.below.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // the error of the transport, as http.RoundTripper has it
	}
	if t.limit == nil {
		return response, nil
	}
	if request.Method == http.MethodPost {
		t.limit.watch.posted(response.StatusCode)
	}
	response.Body = &limitedBody{response.Body, t.limit}
	return response, nil
}
