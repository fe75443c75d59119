package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestHalfSentRequest: a client that never sends the rest of its request does not make an interrupt
// an error.
func TestHalfSentRequest(t *testing.T) {
	t.Parallel()
	listener, err := listenOnLoopback(t.Context(), "--addr", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		interrupt()
		_, _ = io.ReadAll(request.Body)
	})}
	client, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // the server has closed it
	if _, err := io.WriteString(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	if err := serveUntil(ctx, server, listener, func() {}, time.Millisecond); err != nil {
		t.Error(err)
	}
}
