package protocol

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"toolproof/harness/server"
	"toolproof/internal/sse"
	"toolproof/schema"
)

// The bounds of what is read of one connection, and how long is waited for what must not come.
const (
	maxBytes = 64 << 20
	settling = 150 * time.Millisecond
)

// message is something to send.
type message struct {
	step string
	text string
	// ids are the IDs of the requests in the text, in JSON.
	ids []string
	// method is the one of HTTP; empty for POST. header is added to the usual one, and replaces it; an empty value
	// leaves a header out.
	method string
	header map[string]string
	wait   time.Duration
}

// wire is a connection to a server.
type wire interface {
	// send sends a message and returns what came until its requests are answered, or, if it has none, until the
	// server has had the time to answer what must not be answered.
	send(ctx context.Context, message message) *exchange
	// close ends the connection. It notes in the transcript how the server ended.
	close(t *transcript)
}

// add notes a message that came.
func (e *exchange) add(text []byte, ids []string) error {
	node, err := schema.ParseWire(text)
	if err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	nodes := []*schema.Node{node}
	if node.Kind == schema.Array {
		nodes = node.Elements // a batch
	}
	for _, node := range nodes {
		if node.Kind != schema.Object || !node.Has("jsonrpc") && !node.Has("method") && !node.Has("id") {
			return errors.New("it is no message")
		}
		e.came = append(e.came, node)
		if id := node.Get("id"); id != nil && !node.Has("method") {
			for _, wanted := range ids {
				if id.String() == wanted {
					e.answers = append(e.answers, node)
				}
			}
		}
	}
	return nil
}

// program is a connection over the standard input and output of a program.
type program struct {
	running *server.Running
	lines   chan []byte
	closed  chan struct{}
	strays  []string
	ended   bool
}

// startProgram starts the program of a server.
func startProgram(ctx context.Context, s *server.Server) (*program, error) {
	running, err := s.Process(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	p := &program{running: running, lines: make(chan []byte), closed: make(chan struct{})}
	go p.receive()
	return p, nil
}

// receive passes lines on until there are no more.
func (p *program) receive() {
	defer close(p.lines)
	reader := bufio.NewReader(io.LimitReader(p.running, maxBytes))
	for {
		text, err := reader.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			select {
			case p.lines <- text:
			case <-p.closed:
				_, _ = io.Copy(io.Discard, p.running) // until the program ends
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *program) send(ctx context.Context, sent message) *exchange {
	e := &exchange{step: sent.step, sent: sent.text, wants: len(sent.ids)}
	if p.ended {
		return e // nobody notes it
	}
	if _, err := io.WriteString(p.running, sent.text+"\n"); err != nil {
		p.ended, e.isLast, e.lost = true, true, "the server has closed its input"
		return e
	}
	begin := time.Now()
	over := time.NewTimer(sent.wait)
	defer over.Stop()
	for e.wants == 0 || len(e.answers) < e.wants {
		select {
		case text, isOpen := <-p.lines:
			if !isOpen {
				p.ended, e.isLast, e.lost = true, true, "the server ended"
				return e
			}
			if e.took = time.Since(begin); e.add(text, sent.ids) != nil {
				p.strays = append(p.strays[max(0, len(p.strays)-9):], string(text[:min(len(text), 200)]))
			}
		case <-over.C:
			if e.wants > 0 {
				e.lost = fmt.Sprintf("no answer came within %v", sent.wait)
			}
			return e
		case <-ctx.Done():
			e.lost = "it was interrupted"
			return e
		}
	}
	return e
}

func (p *program) close(t *transcript) {
	t.strays = append(t.strays, p.strays...)
	close(p.closed)
	_ = p.running.End() // that is known
	exited := !p.running.IsKilled()
	t.exited = &exited
}

// endpoint is a connection to an address, each message of which is a request of HTTP.
type endpoint struct {
	client  *http.Client
	address string
	header  map[string]string // of each request
}

func (h *endpoint) send(ctx context.Context, sent message) *exchange {
	e := &exchange{step: sent.step, sent: sent.text, wants: len(sent.ids), method: sent.method}
	if e.method == "" {
		e.method = http.MethodPost
	}
	ctx, cancel := context.WithTimeout(ctx, sent.wait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, e.method, h.address, strings.NewReader(sent.text))
	if err != nil {
		e.lost = "the address is none"
		return e
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range []map[string]string{h.header, sent.header} {
		for name, value := range header {
			if request.Header.Set(name, value); value == "" {
				request.Header.Del(name)
			}
		}
	}
	response, err := h.client.Do(request)
	if err != nil {
		e.lost = "no answer came: " + reason(err, sent.wait)
		return e
	}
	defer response.Body.Close() //nolint:errcheck // what is wanted of it is read
	e.status, e.header = response.StatusCode, map[string]string{}
	for name := range response.Header {
		e.header[strings.ToLower(name)] = response.Header.Get(name)
	}
	body := io.LimitReader(response.Body, maxBytes)
	if e.isStream() {
		err = e.read(body, sent.ids)
	} else {
		err = e.readWhole(body, sent.ids)
	}
	switch {
	case len(e.answers) >= e.wants:
	case err != nil:
		e.lost = "no answer came: " + reason(err, sent.wait)
	case e.body != "":
		e.lost = fmt.Sprintf("the status is %d, with the text %s", e.status, quoted(e.body))
	default:
		e.lost = fmt.Sprintf("the status is %d, without an answer", e.status)
	}
	return e
}

// reason says why a request failed, without its address, which may hold keys.
func reason(err error, waited time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("none within %v", waited)
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err.Error()
}

// isStream reports whether the answer is a stream of events.
func (e *exchange) isStream() bool {
	return strings.HasPrefix(e.header["content-type"], "text/event-stream")
}

// readWhole reads an answer that is one message, or none.
func (e *exchange) readWhole(body io.Reader, ids []string) error {
	text, err := io.ReadAll(body)
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return err //nolint:wrapcheck // the caller says what failed
	}
	if e.add(text, ids) != nil {
		e.body = string(text[:min(len(text), 200)])
	}
	return err //nolint:wrapcheck // the caller says what failed
}

// read reads events until the requests are answered. The stream of a GET has no end; its first events are enough.
func (e *exchange) read(body io.Reader, ids []string) error {
	if e.method == http.MethodGet && e.step != resume {
		return nil
	}
	for events := sse.NewReader(body, maxBytes); e.wants == 0 || len(e.answers) < e.wants; {
		event, err := events.Next()
		if err != nil {
			return err
		}
		if id := event.Get("id"); id != "" {
			e.events = append(e.events, id)
		}
		if data := event.Data(); len(bytes.TrimSpace(data)) > 0 && e.add(data, ids) != nil {
			e.body = string(data[:min(len(data), 200)])
		}
	}
	return nil
}

func (h *endpoint) close(*transcript) { h.client.CloseIdleConnections() }
